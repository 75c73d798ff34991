"""One call: what is sent with it, what comes back, and what is lost, replayed or cut off on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from independence.clients import protocol
from independence.clients.connection import EndpointConnection, KnownServer
from independence.clients.prompt_lengths import PromptLengths
from independence.clients.protocol import GaveUp, Policy, Refused, Wait
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected
from independence.types import Message, Missing, Reply

from .conftest import (
    FINE,
    KEY,
    MODEL,
    USAGE,
    Connect,
    Scripted,
    Step,
    Unplug,
    answered,
    ask,
    completion,
    failing,
    question,
    without_waiting,
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
    assert (reply.finish_reason, reply.flags, reply.seconds > 0) == ("stop", (), True)


async def test_the_response_cache_is_refused_in_every_request(server: Scripted, connect: Connect) -> None:
    silence = completion("", usage={"completion_tokens": 0})
    server.says(failing(503), silence, completion("", message={"reasoning": "hm"}))
    await connect().client.ask(question())
    assert len(server.seen) >= 4
    assert {s.headers["X-OpenRouter-Cache"] for s in server.seen} == {"false"}
    assert {s.headers["X-OpenRouter-Metadata"] for s in server.seen} == {"enabled"}
    assert {s.headers["Authorization"] for s in server.seen} == {f"Bearer {KEY}"}


async def test_a_replayed_reply_is_flagged(server: Scripted, connect: Connect) -> None:
    server.says(Step(body=FINE, headers={"X-OpenRouter-Cache-Status": "hit"}))
    assert (await answered(connect())).flags == (protocol.CACHE_HIT,)


LOST = {
    "cut": Step(body=FINE, fault="cut"),
    "reset": Step(fault="reset"),
    "timeout": Step(fault="hang"),
    "malformed": Step(body=b"[" * 50_000),
}


@pytest.mark.parametrize("kind", LOST)
async def test_what_is_lost_on_the_way_is_asked_for_again_and_kept_on_the_books(
    server: Scripted, connect: Connect, endpoint: Callable[..., Endpoint], kind: str
) -> None:
    server.says(LOST[kind], FINE)
    heard: list[str] = []

    def notify(wait: Wait) -> None:
        heard.append(wait.reason)
        line.client.connection.endpoint = endpoint()  # only the first attempt is to end early

    line = connect(notify=notify, **({"timeout_s": 0.2} if kind == "timeout" else {}))
    reply = await answered(line)
    assert [a.outcome for a in reply.attempts] == [kind, "ok"]
    assert reply.attempts[0].unknown_usd > 0
    assert heard == [kind]
    assert server.seen[0].body == server.seen[1].body  # the same question, seed included


async def test_a_refused_key_is_one_line_without_the_key(server: Scripted, connect: Connect) -> None:
    server.says(failing(401, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(KeyRejected) as caught:
        await connect().client.ask(question())
    assert "refused" in str(caught.value)
    assert KEY not in repr(caught.value) + repr(caught.value.attempts)
    assert "\n" not in str(caught.value)


async def test_a_redirect_is_not_followed_with_the_key(server: Scripted, connect: Connect) -> None:
    server.says(Step(307, {}, {"Location": server.url + "/elsewhere"}))
    with pytest.raises(Refused, match=r"307.*give that as the base URL if you trust it"):
        await connect().client.ask(question())
    assert len(server.seen) == 1


async def test_a_dead_server_gives_up_and_is_never_billed(connect: Connect) -> None:
    line = connect("local", base_url="http://127.0.0.1:9/v1", policy=Policy(base_backoff_s=0.001, retries=2))
    with pytest.raises(GaveUp, match="no connection after 3 attempts"):
        await line.client.ask(question())
    assert line.budget.spent == 0


def test_a_429_cuts_the_window_one_503_does_not_and_served_calls_raise_it() -> None:
    async def work(unplug: Unplug) -> list[int]:
        line, _ = unplug(failing(429), failing(503), FINE)
        await answered(line)
        cut = line.throttle.limit
        await asyncio.gather(*(line.client.ask(question()) for _ in range(40)))
        return [cut, line.throttle.limit, line.throttle.in_flight]

    assert without_waiting(work) == [13, 16, 0]  # of 16: nine tenths of 15, and a sixteenth of a round


def test_a_prompt_that_the_router_changed_is_not_our_question() -> None:
    for stage in ("context_compression", "guardrail", "plugin", "server_tools"):
        came = ask(completion("Fine.", openrouter_metadata={"pipeline": [{"type": stage, "name": "x"}]}))
        assert (came.end, came.line) == ("altered", f"the router changed the prompt: {stage}")
        assert (came.kinds, came.answer.usage.cost_usd) == (("altered",), 0.001)
    other = ask(completion("Fine.", openrouter_metadata={"strategy": "direct", "pipeline": [{"type": "new"}, None]}))
    assert other.end == "Fine."


def test_a_run_that_stops_ends_a_wait_within_a_second_and_keeps_its_attempts() -> None:
    notices: list[Wait] = []

    def stop(wait: Wait) -> None:
        notices.append(wait)
        if len(notices) == 2:
            raise GaveUp(wait.model, "the run is stopping")

    async def work(unplug: Unplug) -> float:
        line, _ = unplug(failing(503, headers={"Retry-After": "600"}), notify=stop)
        with pytest.raises(GaveUp, match="stopping") as caught:
            await line.client.ask(question())
        assert [a.outcome for a in caught.value.attempts] == ["503"]
        return asyncio.get_running_loop().time()

    assert without_waiting(work) == pytest.approx(1)
    assert [(wait.reason, wait.attempt, wait.still) for wait in notices] == [("503", 1, False), ("503", 0, True)]
    assert 600 <= notices[0].seconds <= 600.01
    assert notices[1].seconds == 0


def test_calls_in_flight_when_a_parameter_is_rejected_all_go_on_without_it() -> None:
    async def work(unplug: Unplug) -> int:
        rejected = failing(400, "unknown parameter reasoning_effort")
        line, session = unplug(*[rejected] * 5, FINE, dialect="local", info=None, notify=lambda _: None)
        replies = await asyncio.gather(*(answered(line, effort="low") for _ in range(5)))
        assert {reply.flags for reply in replies} == {("effort_renamed",)}
        return len(session.sent)

    assert without_waiting(work) == 10


SIGNED = {"x-litellm-call-id": "1", "x-litellm-version": "1.80"}
NO_CACHE = {"no-cache": True}
SIGNED_FINE = Step(body=FINE, headers=SIGNED)


def asked(*steps: Any, calls: int) -> tuple[list[Any], list[Reply]]:
    """What the body of each request says of the cache, and the replies of so many calls."""

    async def work(unplug: Unplug) -> tuple[list[Any], list[Reply]]:
        line, session = unplug(*steps)
        replies = [await answered(line) for _ in range(calls)]
        return [body.get("cache") for body in session.bodies], replies

    found: tuple[list[Any], list[Reply]] = without_waiting(work)
    return found


def test_litellm_is_asked_for_a_new_reply_in_every_request_from_its_first_answer_on_and_nobody_else_is() -> None:
    assert asked(FINE, calls=2)[0] == [None, None]  # others may not know the field
    sent, replies = asked(SIGNED_FINE, calls=3)
    assert sent == [None, NO_CACHE, NO_CACHE]
    assert {reply.flags for reply in replies} == {()}


def test_a_first_answer_from_its_cache_is_asked_for_anew() -> None:
    kept = Step(body=FINE, headers=SIGNED | {"x-litellm-cache-key": "abc"})
    sent, (reply,) = asked(kept, SIGNED_FINE, calls=1)
    assert (reply.flags, [attempt.outcome for attempt in reply.attempts]) == ((), ["cached", "ok"])
    assert sent == [None, NO_CACHE]


def test_what_it_replays_all_the_same_is_flagged_and_what_it_did_not_replay_is_not() -> None:
    for hit in ({"x-litellm-cache-key": "abc"}, {"x-litellm-cache-hit": "True"}, {"cache_hit": "true"}):
        assert ask(Step(body=FINE, headers=SIGNED | hit)).flags == (protocol.CACHE_HIT,), hit
    for missed in ({"x-litellm-cache-hit": "False", "x-litellm-cache-key": "abc"}, {"x-litellm-cache-key": "None"}):
        assert ask(Step(body=FINE, headers=SIGNED | missed)).flags == (), missed


def test_where_it_is_not_allowed_to_ask_for_new_ones_it_is_asked_without() -> None:
    refused = failing(400, "Not allowed to set no-cache as a cache control.", headers=SIGNED)
    assert asked(SIGNED_FINE, refused, SIGNED_FINE, calls=3)[0] == [None, NO_CACHE, None, None]


def _talk(*texts: str) -> list[Message]:
    return [Message("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(texts)]


def test_a_prompt_that_grows_by_fewer_tokens_than_words_was_cut() -> None:
    lengths, opening, more = PromptLengths(1.2), "one two three four five " * 20, "six seven eight " * 20
    assert lengths.missing(_talk(opening), 130, "host") == 0
    assert lengths.missing(_talk(opening, more, more), 130 + 150, "host") == 0
    assert PromptLengths(1.2).missing(_talk(opening), 60, "host") == 30  # of a hundred words, a tenth of them odd
    assert lengths.missing(_talk(opening, more, more, more, more), 290, "host") == 98
    assert lengths.missing(_talk(opening, more, more, more, more), 290 + 40, "other") == 0  # counted otherwise there
    assert lengths.missing(_talk("too short"), 1, "host") == 0
    assert lengths.missing(_talk(opening), 0, "host") == 0


def test_an_answer_to_a_prompt_that_was_cut_is_none_and_names_the_setting() -> None:
    async def work(unplug: Unplug) -> None:
        for tokens, cut in ((400, False), (60, True), (0, False)):
            line, session = unplug(completion("I am myself.", usage=USAGE | {"prompt_tokens": tokens}))
            assert isinstance(line.client.connection, EndpointConnection)
            line.client.connection.take(KnownServer({}, {MODEL: 1.3}, frozenset()))
            long = (Message("user", "Who are you, and what would you keep? " * 30),)
            answer = await line.client.ask(question(messages=long))
            assert len(session.sent) == 1
            assert isinstance(answer, Missing if cut else Reply)
            if isinstance(answer, Missing):
                assert (answer.reason, answer.usage.cost_usd > 0) == ("prompt_cut", True)
                assert "the server read 60 prompt tokens and missed at least 156" in answer.detail
                assert "num_ctx" in answer.detail

    without_waiting(work)
