"""One cheap call and what became of it: a reply, or what is wrong and what to do about it, as a value."""

from __future__ import annotations

from typing import Final, NamedTuple

import aiohttp

from independence.clients.catalogue import Catalogue
from independence.clients.openai import OpenAIClient
from independence.clients.pricing import Budget
from independence.clients.protocol import ChatClient, GaveUp, Parked, Policy, Wait
from independence.clients.throttle import Throttle
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected, OutOfCredit
from independence.types import Attempt, ChatRequest, Missing, Reply

RETRIES: Final = 1  # somebody is waiting for the result
_FIXES = {
    "400": "the endpoint rejects the request itself: check provider pin and effort of this configuration",
    "403": "raise the limit of this key, or ask with another one",
    "404": "check the id, the provider pin and the privacy settings of your account",
    "429": "wait until the limit is lifted, or take another model",
    "connect": "start the server, or correct its address",
    "tls": "write http:// where the server has no TLS, or give it a certificate that this machine trusts",
    "timeout": "allow more time with BENCH_TIMEOUT_S, or take a faster provider",
}
_LATER = "ask again in a few minutes; if it stays so, take another provider or model"
_MISSING = {
    "no_answer": ("only reasoning came, no answer", "lower the reasoning effort (-r) of this configuration"),
    "transport": ("a fragment came instead of an answer", "check the chat template of the server, or take another"),
    "blocked": ("the request was blocked", "look at the guardrails and the moderation settings of your account"),
    "altered": ("the prompt was changed on the way", "switch prompt compression and guardrails off in your account"),
}


class Probed(NamedTuple):
    """What became of a call: a reply, or a problem and what to do about it."""

    attempts: tuple[Attempt, ...]
    reply: Reply | None = None
    problem: str = ""
    fix: str = ""
    missing: Missing | None = None  # what came where it is no reply
    general: bool = False  # not about this request: the next one would fare the same

    @property
    def usd(self) -> float:
        """Dollars of all attempts, those of unknown cost as they were reserved."""
        return sum(attempt.usage.cost_usd + attempt.unknown_usd for attempt in self.attempts)

    @property
    def seconds(self) -> float:
        """Time spent in attempts."""
        return sum(attempt.seconds for attempt in self.attempts)

    @property
    def prompt_tokens(self) -> int:
        """The longest prompt that an attempt was billed for; 0 where none was stated."""
        return max((attempt.usage.prompt_tokens for attempt in self.attempts), default=0)


def connect(endpoint: Endpoint, session: aiohttp.ClientSession, listed: Catalogue) -> OpenAIClient:
    """A client without a cost cap and with little patience; what it says while it waits is not wanted."""

    def unheard(_wait: Wait) -> None:
        return None

    policy = Policy(base_backoff_s=endpoint.backoff_s, retries=min(RETRIES, endpoint.retries), reasks=0)
    return OpenAIClient(
        endpoint, session, listed, budget=Budget(None), throttle=Throttle(1), notify=unheard, policy=policy
    )


async def probe(client: ChatClient, request: ChatRequest) -> Probed:
    """Ask once."""
    try:
        answer = await client.ask(request)
    except KeyRejected as error:
        return Probed(error.attempts, problem=error.what, fix=error.fix, general=True)
    except OutOfCredit as error:
        return Probed(error.attempts, problem=error.what, fix="add credit to the account of this key", general=True)
    except (Parked, GaveUp) as stop:
        kind = stop.attempts[-1].outcome if stop.attempts else ""
        fix = _FIXES.get(kind, _LATER)
        return Probed(stop.attempts, problem=stop.why, fix=fix, general=isinstance(stop, GaveUp))
    if isinstance(answer, Missing):
        problem, fix = _MISSING[answer.reason]
        detail = f" ({answer.detail})" if answer.detail else ""
        return Probed(answer.attempts, problem=problem + detail, fix=fix, missing=answer)
    return Probed(answer.attempts, answer)
