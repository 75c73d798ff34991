"""The one chat protocol: what engine and judge can do with a client, how a call can end, what is marked on a reply.

`ask` returns an `Answer`: a `Reply`, or `Missing` where an answer came that is none (reasoning only, a transport
artefact, a blocked prompt). It raises when the call cannot be settled now: `Refused` (this request will not be
answered, and whether others will is not known yet), `Parked` (this model cannot go on), `GaveUp` (passing faults
outlasted the retries; ask again on resume), and the run-ending errors of `errors.py` (`KeyRejected`, `OutOfCredit`,
`CostCapReached`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from independence.types import Answer, Attempt, ChatRequest


class Wait(NamedTuple):
    """A pause that a person watching the run may wonder about."""

    model: str
    reason: str  # "429", "503", "timeout", "budget", "rate", ...
    seconds: float
    attempt: int = 0  # the attempt that failed, from 1, where the wait is before another one
    still: bool = False  # the same wait goes on; nothing new to show
    fix: str = ""  # what helps, where that is known


class Adapted(NamedTuple):
    """What was found out about the server of a model, once: in which form it takes requests, or who answers them."""

    model: str
    told: str

    def __str__(self) -> str:
        return f"{self.model}: {self.told}"


class Probed(NamedTuple):
    """A request of the delivery probe is sent."""

    model: str
    number: int  # from 1
    most: int  # requests that the probe takes where none is refused

    def __str__(self) -> str:
        return f"testing whether prompts reach {self.model} whole: request {self.number} of {self.most}"


class Streamed(NamedTuple):
    """A model goes on with answers that are read as they are written."""

    model: str
    tokens: int  # about, since the last one


class ServerLost(NamedTuple):
    """One of several servers of an endpoint cannot be reached; the others get its calls."""

    endpoint: str
    address: str  # as it may be printed
    why: str

    def __str__(self) -> str:
        return f"{self.endpoint}: the server at {self.address} cannot be reached ({self.why}); the others get its calls"


class Policy(NamedTuple):
    """How patient a client is."""

    base_backoff_s: float = 0.5
    cap_s: float = 60.0
    retries: int = 6  # of transport faults, over one call; a run takes its endpoint's
    reasks: int = 2  # of answers that are none
    keeps_cut: bool = False  # a readable answer that was cut is not asked for again with twice the budget
    spared_per_retry: int = 3  # an endpoint that takes one call at a time refuses one up to 11 times in 500
    told_s_per_retry: float = 300.0  # half an hour for six of them, in which many wait for a few answers a minute

    @property
    def spared(self) -> int:
        """Refusals of one call, while others were in flight, that count as no retry."""
        return self.spared_per_retry * self.retries

    @property
    def told_s(self) -> float:
        """Seconds that one call waits as refusals say, before they count as retries."""
        return self.told_s_per_retry * self.retries

    def pause(self, retried: int, retry_after: float | None) -> float:
        """Seconds to wait before retry number `retried` (from 0): full jitter below an exponential ceiling.

        What the server asks for is a lower bound; the jitter on top keeps all callers from coming back at once.
        """
        ceiling = min(self.cap_s, self.base_backoff_s * 2.0 ** min(retried, 30))
        if retry_after is None:
            return random.uniform(0.0, ceiling)
        return retry_after + random.uniform(0.0, self.base_backoff_s)


Told = Wait | Adapted | Streamed | Probed | ServerLost  # what a client tells while it works
Notify = Callable[[Told], None]  # may raise GaveUp to end the call instead of waiting
Loops = Callable[[str], bool]  # whether a text only repeats itself, so that more of it is not worth its cost


class UnansweredCall(Exception):
    """A call that ended without an answer, the attempts that it took, and what helps, where that is known."""

    def __init__(self, model: str, problem: str, attempts: tuple[Attempt, ...] = (), *, fix: str = "") -> None:
        self.model = model
        self.problem = problem
        self.fix = fix
        self.why = f"{problem.rstrip('.')}; {fix}" if fix else problem
        self.attempts = attempts
        super().__init__(f"{model}: {self.why}")


class Refused(UnansweredCall):
    """The request was refused, and would be again. Whoever sees several calls tells whether it is the request's fault.

    Where the model answers others, it is; where different requests fail alike, the model is not asked any more.
    """


class Parked(UnansweredCall):
    """This model cannot be asked any more in this run (daily quota, an unknown price under a cap). Others go on."""


class GaveUp(UnansweredCall):
    """Transient faults outlasted the retries. Nothing is stored as an answer; resuming asks again."""


class ChatClient(Protocol):
    """A source of answers for one endpoint."""

    async def ask(self, request: ChatRequest) -> Answer:
        """Send, retry what is transport, return what came."""
        ...


# What can be marked on a reply. A flag is visible everywhere; it never changes a score by itself.
SEVERAL_CALLS: Final = "several_calls"  # more than one message was sent; the first is the answer
CUT_ARGUMENTS: Final = "cut_arguments"  # the tool arguments end in mid-sentence; what came was salvaged
ODD_ARGUMENTS: Final = "odd_arguments"  # the tool arguments are not the promised JSON object, but nothing is lost
FOREIGN_TOOL: Final = "foreign_tool"  # a tool was called that was never offered
TOOL_SYNTAX: Final = "tool_syntax"  # the text was wrapped in, or followed by, leaked tool-call syntax
TEMPLATE_TOKENS: Final = "template_tokens"  # chat-template tokens were removed around the text
FOREIGN_TURN: Final = "foreign_turn"  # the text went on after its end, or as somebody else; that was cut off
BAD_TEXT: Final = "bad_text"  # lone surrogates, invalid UTF-8 or NUL were replaced
RETRIED_LENGTH: Final = "retried_length"  # truncated at the first budget, asked again with twice as much
TRUNCATED: Final = "truncated"  # the text ends where the token budget did
OVERLONG: Final = "overlong"  # far longer than its token budget; the rest was cut off
KEY_REMOVED: Final = "key_removed"  # the API key stood in the answer and was taken out
UNSTATED_END: Final = "unstated_end"  # the server does not say how the answer ended
REFUSAL_FIELD: Final = "refusal_field"  # the text came in the `refusal` field
CACHE_HIT: Final = "cache_hit"  # the router replayed a stored reply although that was refused: not independent
OTHER_MODEL: Final = "other_model"  # another model of the server's list, or one that a gateway fell back to, answered
OTHER_NAME: Final = "other_name"  # the answer names a model that is neither the one asked nor another on the list
OTHER_HOST: Final = "other_host"  # another host answered than the one that was pinned
OTHER_CHANNEL: Final = "other_channel"  # the verdict came in the reasoning or in a tool call, and nothing in content
TEMPERATURE_UNSENT: Final = "temperature_unsent"  # its configuration says that the model takes no temperature
DELIVERY_UNVERIFIED: Final = "delivery_unverified"  # the server's counts do not tell what reached the model
# Why an answer is none, where the weights or their chat template are at fault.
LOOPED: Final = "the answer only repeats itself"
ONLY_TOKENS: Final = "nothing but tokens of a chat template came"
# Forms of a request other than the first (`features.py`) are marked by their names.
