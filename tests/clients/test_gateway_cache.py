"""A gateway between here and the model that keeps replies: LiteLLM is asked for new ones, nobody else is bothered."""

from __future__ import annotations

from typing import Any

from independence.clients import protocol
from independence.types import Reply

from .conftest import FINE, Step, Unplug, answered, ask, failing, without_waiting

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
