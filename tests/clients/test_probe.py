from __future__ import annotations

from collections.abc import Callable

import aiohttp
import pytest

from independence.cli import probes
from independence.cli.probes import RETRIES, ProbeResult
from independence.clients.catalogue import Catalogue
from independence.config.endpoints import Endpoint

from .conftest import FINE, INFO, KEY, MODEL, USAGE, Scripted, Step, completion, failing, question

Ask = Callable[..., object]


@pytest.fixture
def ask(endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Callable[[], object]:
    async def asked(**changes: float) -> ProbeResult:
        there = endpoint(backoff_s=0.002, key_source="SOME_KEY", **changes)
        return await probes.make(probes.connect(there, session, Catalogue({MODEL: INFO})), question())

    return asked


async def test_a_reply_comes_with_its_cost_and_has_no_problem(server: Scripted, ask: Ask) -> None:
    server.says(FINE)
    probed = await ask()
    assert probed.reply.text == "I am myself."
    assert (probed.problem, probed.fix, probed.general) == ("", "", False)
    assert probed.usd == USAGE["cost"]
    assert probed.attempts[0].seconds > 0


@pytest.mark.parametrize(
    ("step", "problem", "fix", "general"),
    [
        (failing(401, "who is this"), "the API key was refused (HTTP 401: who is this)", "check SOME_KEY", True),
        (failing(402, "empty; truly"), "out of credit (HTTP 402: empty; truly)", "add credit", True),
        (failing(404, "nobody serves it"), "HTTP 404: nobody serves it", "provider pin", False),
        (failing(400, "missing a thought_signature"), "thought_signature", "rejects the request itself", False),
        (failing(403, "limit of this key"), "HTTP 403", "raise the limit", False),
        (failing(503, "overloaded"), "503 after 2 attempts", "in a few minutes", True),
        (failing(429, "slower"), "429 after 2 attempts", "until the limit is lifted", True),
        (Step(fault="hang"), "timeout after 2 attempts", "BENCH_TIMEOUT_S", True),
    ],
    ids=["401", "402", "404", "400", "403", "503", "429", "hang"],
)
async def test_what_ends_a_call_is_said_with_what_to_do(
    server: Scripted, ask: Ask, step: Step, problem: str, fix: str, general: bool
) -> None:
    server.says(step)
    probed = await (ask(timeout_s=0.5) if step.fault == "hang" else ask())
    assert probed.reply is None
    assert problem in probed.problem
    assert fix in probed.fix
    assert probed.general is general
    assert KEY not in probed.problem


@pytest.mark.parametrize(
    ("body", "reason", "problem"),
    [
        (completion("", message={"reasoning": "hm"}), "no_answer", "only reasoning came"),
        (completion("}"), "transport", "a fragment came"),
        (completion(None, finish="content_filter"), "blocked", "blocked"),
        (
            completion("x", openrouter_metadata={"pipeline": [{"type": "context_compression"}]}),
            "altered",
            "changed on the way",
        ),
    ],
    ids=["reasoning", "fragment", "filter", "altered"],
)
async def test_what_is_no_answer_is_kept_and_not_asked_again(
    server: Scripted, ask: Ask, body: dict[str, object], reason: str, problem: str
) -> None:
    server.says(body)
    probed = await ask()
    assert probed.missing == reason
    assert problem in probed.problem
    assert probed.fix
    assert len(server.seen) == 1


async def test_somebody_waits_so_trouble_is_retried_once(server: Scripted, ask: Ask) -> None:
    server.says(failing(502), FINE)
    probed = await ask()
    assert probed.reply.text == "I am myself."
    assert len(probed.attempts) == 1 + RETRIES == 2
