"""Transport: what is retried, what ends a call, and what is kept of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from independence.clients import protocol
from independence.clients.protocol import GaveUp, Parked, Policy, Refused, Wait
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected, OutOfCredit

from .conftest import (
    FINE,
    INFO,
    KEY,
    MODEL,
    USAGE,
    Connect,
    Scripted,
    Step,
    answered,
    completion,
    failing,
    missing,
    question,
)


async def test_an_answer_comes_with_what_it_used_and_who_served_it(server: Scripted, connect: Connect) -> None:
    usage = USAGE | {
        "completion_tokens_details": {"reasoning_tokens": 5},
        "prompt_tokens_details": {"cached_tokens": 9},
    }
    server.says(completion(" I am myself. ", usage=usage))
    reply = await answered(connect())
    assert (reply.text, reply.channel, reply.raw) == ("I am myself.", "content", "")
    assert (reply.served_model, reply.served_provider, reply.response_id) == (MODEL, "Maker", "gen-1")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 20)
    assert (reply.usage.reasoning_tokens, reply.usage.cached_tokens, reply.usage.cost_usd) == (5, 9, 0.001)
    assert [a.outcome for a in reply.attempts] == ["ok"]
    assert reply.seconds > 0


async def test_the_response_cache_is_refused_in_every_request(server: Scripted, connect: Connect) -> None:
    server.says(
        failing(503), completion("", usage={"completion_tokens": 0}), completion("", message={"reasoning": "hm"})
    )
    await missing(connect())
    assert len(server.seen) >= 4
    assert {s.headers["X-OpenRouter-Cache"] for s in server.seen} == {"false"}
    assert {s.headers["X-OpenRouter-Metadata"] for s in server.seen} == {"enabled"}
    assert {s.headers["Authorization"] for s in server.seen} == {f"Bearer {KEY}"}


async def test_a_replayed_reply_is_flagged(server: Scripted, connect: Connect) -> None:
    server.says(Step(body=FINE, headers={"X-OpenRouter-Cache-Status": "HIT"}))
    assert protocol.CACHE_HIT in (await answered(connect())).flags


TRANSIENT = {
    "408": failing(408),
    "429": failing(429, metadata={"error_type": "rate_limit_exceeded"}),
    "500": failing(500),
    "502": failing(502),
    "503": failing(503),
    "504": failing(504),
    "529": failing(529),
    "402": failing(402, headers={"Retry-After": "0"}, metadata={"limit_source": "openrouter_in_flight_budget"}),
    "no_choices": Step(body={"id": "x", "choices": None, "usage": USAGE}),
    "error": Step(body=completion("", finish="error")),
    "malformed": Step(body=b'{"id": "x", "choices": [{"mess'),
    "cut": Step(body=FINE, fault="cut"),
    "reset": Step(fault="reset"),
    "timeout": Step(fault="hang"),
}


@pytest.mark.parametrize("kind", TRANSIENT)
async def test_a_transport_fault_is_retried_and_kept_on_the_books(
    server: Scripted, connect: Connect, endpoint: Callable[..., Endpoint], kind: str
) -> None:
    server.says(TRANSIENT[kind], FINE)
    heard: list[str] = []

    def notify(wait: Wait) -> None:
        heard.append(wait.reason)
        line.client.connection.endpoint = endpoint()  # only the first attempt is to end early

    line = connect(notify=notify, **({"timeout_s": 1.0} if kind == "timeout" else {}))
    reply = await answered(line)
    assert [a.outcome for a in reply.attempts] == [kind, "ok"]
    assert heard == [kind]
    assert server.seen[0].body == server.seen[1].body  # the same question, seed included


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"<html><title>Bad gateway</title></html>",
        b'{"choices": {"a": 1}}',
        b"[" * 50_000,
        b'{"choices": [{"message": {"content": ' + b"[" * 50_000,
    ],
)
async def test_a_body_that_is_no_completion_is_a_transport_fault(
    server: Scripted, connect: Connect, body: bytes
) -> None:
    server.says(Step(body=body), FINE)
    assert len((await answered(connect())).attempts) == 2


async def test_an_error_inside_a_200_is_retried(server: Scripted, connect: Connect) -> None:
    error = {"code": 502, "message": "Provider disconnected", "metadata": {"error_type": "provider_unavailable"}}
    server.says(Step(body={"id": "gen-0", "error": error}), FINE)
    reply = await answered(connect())
    assert [a.outcome for a in reply.attempts] == ["502", "ok"]
    assert "Provider disconnected" in reply.attempts[0].detail


async def test_faults_that_outlast_the_retries_give_up_with_all_attempts(server: Scripted, connect: Connect) -> None:
    server.says(failing(502, "upstream fell over"))
    with pytest.raises(GaveUp, match=r"502 after 7 attempts.*upstream fell over") as caught:
        await connect(policy=Policy(base_backoff_s=0.001)).client.ask(question())
    assert [a.outcome for a in caught.value.attempts] == ["502"] * 7
    assert all(a.unknown_usd > 0 for a in caught.value.attempts)


@pytest.mark.parametrize(
    "step",
    [
        failing(429, headers={"Retry-After": "0.2"}),
        failing(429, metadata={"retry_after_seconds": 0.2}),
        failing(429, availability={"code": "capacity_exhausted", "retryable": True, "retry_after": 0.2}),
    ],
)
async def test_the_wait_that_a_server_asks_for_is_a_lower_bound(server: Scripted, connect: Connect, step: Step) -> None:
    server.says(step, FINE)
    line, started = connect(), time.perf_counter()
    await answered(line)
    assert time.perf_counter() - started >= 0.2
    assert 0.2 <= line.waits[0].seconds <= 0.21


async def test_a_429_cuts_the_window_a_503_alone_does_not_and_served_calls_raise_it(
    server: Scripted, connect: Connect
) -> None:
    server.says(failing(429), failing(503), FINE)
    line = connect()
    await answered(line)
    assert line.throttle.limit == 13  # of 16: nine tenths of 15, and a sixteenth of a round
    await asyncio.gather(*(line.client.ask(question()) for _ in range(40)))
    assert line.throttle.limit == 16
    assert line.throttle.in_flight == 0


async def test_a_server_error_is_no_overload(server: Scripted, connect: Connect) -> None:
    server.says(failing(500), FINE)
    line = connect()
    await answered(line)
    assert line.throttle.limit == 16


async def test_no_credit_stops_the_run(server: Scripted, connect: Connect) -> None:
    server.says(failing(402, "Insufficient credits"))
    with pytest.raises(OutOfCredit, match="Insufficient credits"):
        await connect().client.ask(question())
    assert len(server.seen) == 1


async def test_a_refused_key_is_one_line_without_the_key(server: Scripted, connect: Connect) -> None:
    server.says(failing(401, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(KeyRejected) as caught:
        await connect().client.ask(question())
    assert "refused" in str(caught.value)
    assert KEY not in repr(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 403, 404, 422])
async def test_a_lasting_refusal_is_raised_with_the_servers_words_after_one_request(
    server: Scripted, connect: Connect, status: int
) -> None:
    server.says(failing(status, f"the reason, and {KEY} in it"))
    with pytest.raises(Refused, match="the reason") as caught:
        await connect().client.ask(question())
    assert KEY not in str(caught.value) + repr(caught.value.attempts)
    assert len(server.seen) == 1
    assert caught.value.attempts[0].outcome == str(status)


async def test_suggested_fallback_models_are_never_followed(server: Scripted, connect: Connect) -> None:
    gone = {"code": "model_deprecated", "retryable": False, "fallback_models": ["maker/model-two"]}
    server.says(failing(404, "retired", availability=gone))
    with pytest.raises(Refused, match="model_deprecated"):
        await connect().client.ask(question())
    assert [s.body["model"] for s in server.seen] == [MODEL]


async def test_a_spent_daily_quota_parks_the_model_until_its_reset(server: Scripted, connect: Connect) -> None:
    reset = {"X-RateLimit-Reset": "4102444800000"}
    server.says(failing(429, "Rate limit exceeded: free-models-per-day", headers=reset))
    with pytest.raises(Parked, match="2100-01-01 00:00 UTC"):
        await connect().client.ask(question())
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "error",
    [
        {"metadata": {"reasons": ["violence"], "flagged_input": "..."}},
        {"metadata": {"patterns": ["ignore"]}},
        {"metadata": {"error_type": "content_policy_violation"}},
        {"metadata": {"error_type": "refusal"}},
    ],
)
async def test_moderation_is_blocked_not_refused(server: Scripted, connect: Connect, error: dict[str, Any]) -> None:
    server.says(failing(403, "flagged", **error))
    answer = await missing(connect())
    assert answer.reason == "blocked"
    assert "flagged" in answer.detail
    assert len(answer.attempts) == 1


@pytest.mark.parametrize("stage", ["context_compression", "guardrail"])
async def test_a_prompt_that_the_router_changed_is_not_our_question(
    server: Scripted, connect: Connect, stage: str
) -> None:
    server.says(completion("Fine.", openrouter_metadata={"pipeline": [{"type": stage, "name": "x"}]}))
    answer = await missing(connect())
    assert answer.reason == "altered"
    assert stage in answer.detail
    assert answer.usage.cost_usd == 0.001


async def test_routing_metadata_without_such_stages_is_no_objection(server: Scripted, connect: Connect) -> None:
    server.says(completion("Fine.", openrouter_metadata={"strategy": "direct", "pipeline": [{"type": "new"}, None]}))
    assert (await answered(connect())).text == "Fine."


async def test_whoever_ends_a_call_what_it_tried_is_kept(server: Scripted, connect: Connect) -> None:
    for last, error in ((failing(402), OutOfCredit), (failing(401), KeyRejected), (failing(404), Refused)):
        server.says(failing(502), last)
        with pytest.raises(error) as caught:
            await connect().client.ask(question())
        assert [a.outcome for a in caught.value.attempts] == ["502", str(last.status)]


async def test_a_run_that_stops_ends_a_wait_and_keeps_its_attempts(server: Scripted, connect: Connect) -> None:
    notices: list[Wait] = []

    def stop(wait: Wait) -> None:
        notices.append(wait)
        if len(notices) == 2:
            raise GaveUp(wait.model, "the run is stopping")

    server.says(failing(503, headers={"Retry-After": "600"}))
    started = time.perf_counter()
    with pytest.raises(GaveUp, match="stopping") as caught:
        await connect(notify=stop).client.ask(question())
    assert time.perf_counter() - started < 60  # and not 600
    assert [a.outcome for a in caught.value.attempts] == ["503"]
    assert notices[0].seconds >= 600
    assert notices[1].seconds == 0


async def test_a_redirect_is_not_followed_with_the_key(server: Scripted, connect: Connect) -> None:
    server.says(Step(307, {}, {"Location": server.url + "/elsewhere"}))
    with pytest.raises(Refused, match="307"):
        await connect().client.ask(question())
    assert len(server.seen) == 1


async def test_a_dead_server_gives_up(connect: Connect) -> None:
    line = connect("local", info=INFO, base_url="http://127.0.0.1:9/v1", policy=Policy(base_backoff_s=0.001, retries=2))
    with pytest.raises(GaveUp, match="connect after 3 attempts"):
        await line.client.ask(question())
    assert line.budget.spent == 0  # never connected, so never billed
