"""The one question that `doctor` asks: what ends it is said with what to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from independence.api import probes
from independence.api.probes import ProbeResult
from independence.clients.catalogue import Catalogue
from independence.config.endpoints import Endpoint

from .conftest import FINE, INFO, KEY, MODEL, SAID, USAGE, Scripted, Step, completion, failing, question

Ask = Callable[..., Awaitable[ProbeResult]]


@pytest.fixture
def probe(endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Ask:
    async def asked(**changes: float) -> ProbeResult:
        there = endpoint(backoff_s=0.002, key_source="SOME_KEY", **changes)
        return await probes.make(probes.connect(there, session, Catalogue({MODEL: INFO})), question())

    return asked


async def test_a_reply_comes_with_its_cost_and_has_no_problem(server: Scripted, probe: Ask) -> None:
    server.says(failing(503), FINE)  # trouble is asked once more: somebody waits
    probed = await probe()
    assert probed.reply is not None
    assert (probed.reply.text, probed.usd, len(probed.attempts)) == (SAID, USAGE["cost"], 2)
    assert (probed.problem, probed.fix, probed.general) == ("", "", False)


ENDS = [
    (failing(401, "who is this"), "the API key was refused (HTTP 401: who is this)", "check SOME_KEY", True),
    (failing(402, "empty; truly"), "out of credit (HTTP 402: empty; truly)", "add credit", True),
    (failing(404, "nobody serves it"), "HTTP 404: nobody serves it", "provider pin", False),
    (failing(400, "missing a thought_signature"), "thought_signature", "rejects the request itself", False),
    (failing(403, "limit of this key"), "HTTP 403", "raise the limit", False),
    (failing(503, "overloaded"), "503 after 2 attempts", "in a few minutes", True),
    (failing(429, "slower"), "429 after 2 attempts", "until the limit is lifted", True),
    (Step(fault="hang"), "timeout after 2 attempts", "BENCH_TIMEOUT_S", True),
]


async def test_what_ends_a_call_is_said_with_what_to_do(server: Scripted, probe: Ask) -> None:
    for step, problem, fix, general in ENDS:
        server.says(step)
        probed = await (probe(timeout_s=0.1) if step.fault == "hang" else probe())
        assert probed.reply is None
        assert (problem in probed.problem, fix in probed.fix, probed.general) == (True, True, general), probed
        assert KEY not in probed.problem


NO_ANSWERS = [
    (completion("", message={"reasoning": "hm"}), "no_answer", "only reasoning came"),
    (completion("}"), "transport", "a fragment came"),
    (completion(None, finish="content_filter"), "blocked", "blocked"),
    (
        completion("x", openrouter_metadata={"pipeline": [{"type": "context_compression"}]}),
        "altered",
        "changed on the way",
    ),
]


async def test_what_is_no_answer_is_kept_and_not_asked_again(server: Scripted, probe: Ask) -> None:
    for body, reason, problem in NO_ANSWERS:
        server.says(body)
        server.seen.clear()
        probed = await probe()
        assert (probed.missing, problem in probed.problem, bool(probed.fix)) == (reason, True, True), probed
        assert len(server.seen) == 1
