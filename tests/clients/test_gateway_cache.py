"""A gateway between here and the model that keeps replies: LiteLLM is asked for new ones, nobody else is bothered."""

from __future__ import annotations

import pytest

from independence.clients import protocol

from .conftest import FINE, Connect, Scripted, Step, answered, failing

SIGNED = {"x-litellm-call-id": "1", "x-litellm-version": "1.80"}
NO_CACHE = {"no-cache": True}


async def test_a_server_that_is_no_litellm_gets_no_field_that_it_may_not_know(
    server: Scripted, connect: Connect
) -> None:
    server.says(Step(body=FINE))
    line = connect()
    for _ in range(2):
        await answered(line)
    assert [seen.body.get("cache") for seen in server.seen] == [None, None]
    assert {seen.headers["Cache-Control"] for seen in server.seen} == {"no-cache"}


async def test_litellm_is_asked_for_a_new_reply_in_every_request_from_its_first_answer_on(
    server: Scripted, connect: Connect
) -> None:
    server.says(Step(body=FINE, headers=SIGNED))
    line = connect()
    for _ in range(3):
        assert (await answered(line)).flags == ()
    assert [seen.body.get("cache") for seen in server.seen] == [None, NO_CACHE, NO_CACHE]


async def test_a_first_answer_from_its_cache_is_asked_for_anew(server: Scripted, connect: Connect) -> None:
    server.says(Step(body=FINE, headers=SIGNED | {"x-litellm-cache-key": "abc"}), Step(body=FINE, headers=SIGNED))
    reply = await answered(connect())
    assert reply.flags == ()
    assert [attempt.outcome for attempt in reply.attempts] == ["cached", "ok"]
    assert [seen.body.get("cache") for seen in server.seen] == [None, NO_CACHE]


@pytest.mark.parametrize(
    "hit", [{"x-litellm-cache-key": "abc"}, {"x-litellm-cache-hit": "True"}, {"cache_hit": "true"}]
)
async def test_what_it_replays_all_the_same_is_flagged(server: Scripted, connect: Connect, hit: dict[str, str]) -> None:
    server.says(Step(body=FINE, headers=SIGNED | hit))
    assert protocol.CACHE_HIT in (await answered(connect())).flags


@pytest.mark.parametrize(
    "missed", [{"x-litellm-cache-hit": "False", "x-litellm-cache-key": "abc"}, {"x-litellm-cache-key": "None"}]
)
async def test_what_it_did_not_replay_is_not(server: Scripted, connect: Connect, missed: dict[str, str]) -> None:
    server.says(Step(body=FINE, headers=SIGNED | missed))
    assert (await answered(connect())).flags == ()


async def test_where_it_is_not_allowed_to_ask_for_new_ones_it_is_asked_without(
    server: Scripted, connect: Connect
) -> None:
    refused = failing(400, "Not allowed to set no-cache as a cache control.", headers=SIGNED)
    server.says(Step(body=FINE, headers=SIGNED), refused, Step(body=FINE, headers=SIGNED))
    line = connect()
    for _ in range(3):
        await answered(line)
    assert [seen.body.get("cache") for seen in server.seen] == [None, NO_CACHE, None, None]
