"""What came, whether it is an answer, and whether it is asked for again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from independence.clients import protocol
from independence.clients.protocol import Policy, Refused
from independence.types import FunctionCall, Message, Missing, Reply, ToolCall

from .conftest import FINE, GREETING, SAID, Step, Unplug, ask, completion, failing, question, without_waiting

THOUGHT_ONLY = completion("", message={"reasoning": "They ask who I am."})


def spent(tokens: int) -> dict[str, int]:
    """A bill of 100 tokens of prompt."""
    return {"prompt_tokens": 100, "completion_tokens": tokens}


def told(text: str) -> str:
    return json.dumps({"message": text})


# What comes for ever: what the call comes to, the kind of its first attempt, and the seeds with which it was asked.
KINDS: list[tuple[dict[str, Any], str, str, list[int]]] = [
    (completion("I am."), "I am.", "ok", [7]),
    (completion("I am.", finish=None, usage=None), "I am.", "ok", [7]),
    (completion("I am.", usage=spent(64)), "I am.", "ok", [7]),  # exactly as long as it may be
    (completion(call='{"message": "I am'), "I am", "ok", [7]),
    (completion(call='{"message": "I am', usage=spent(64)), "I am", "length", [7, 8]),  # cut at the limit, unsaid
    (completion(call='{"message": "I am', usage=spent(63)), "I am", "ok", [7]),
    (completion("I am", finish="length"), "I am", "length", [7, 8]),
    (completion("", finish="length", message={"reasoning": "Hm"}), "no_answer", "length", [7, 8]),
    (THOUGHT_ONLY, "no_answer", "reasoning_only", [7, 8, 9]),
    (completion("", usage=spent(5)), "no_answer", "reasoning_only", [7, 8, 9]),
    (completion("", usage=spent(2)), "no_answer", "silent", [7, 8, 9]),
    (completion("", usage=spent(1)), "no_answer", "silent", [7, 8, 9]),
    (completion("", usage=spent(0)), "no_answer", "empty", [7, 7, 7]),
    (completion("<|im_end|>"), "transport", "template_tokens", [7, 8, 9]),
    (completion('"}'), "transport", "template_tokens", [7, 8, 9]),
    *((completion(text), "transport", "punctuation", [7, 8, 9]) for text in ("}", ":", "...")),
    (completion(call=told("}")), "transport", "punctuation", [7, 8, 9]),
    (completion(call=told(GREETING.upper())), "transport", "greeting", [7, 8, 9]),
    *((completion(text), text, "ok", [7]) for text in ("No.", "?!? what", "42", "👍", "Нет", "嫌だ", "Go, tin can.")),
]


def test_what_came_is_told_apart_and_asked_again_where_it_is_no_answer() -> None:
    wrong = []
    for body, end, kind, seeds in KINDS:
        came = ask(body, tool=True)
        if (came.end, came.kinds[0], [sent["seed"] for sent in came.bodies]) != (end, kind, seeds):
            wrong.append((body["choices"][0], came.end, came.kinds))
    assert wrong == []


def test_without_a_scripted_greeting_there_is_none_to_echo() -> None:
    assert ask(completion(GREETING)).kinds == ("ok",)
    call = ToolCall("x", FunctionCall("speak", "{"))
    for first in (Message("user", "x"), Message("assistant", None, tool_calls=(call,))):  # none was scripted
        assert ask(completion(GREETING), tool=True, messages=(first,)).kinds == ("ok",)


def test_seeds_stay_in_range() -> None:
    assert [body["seed"] for body in ask(THOUGHT_ONLY, seed=2**31 - 1).bodies] == [2**31 - 1, 0, 1]
    assert [body.get("seed") for body in ask(THOUGHT_ONLY, seed=None).bodies] == [None] * 3


def test_what_was_asked_in_vain_is_kept_and_paid() -> None:
    silent = ask(THOUGHT_ONLY)
    assert (silent.answer.raw, silent.line) == ("They ask who I am.", "only reasoning came, no answer")
    assert silent.answer.usage.cost_usd == pytest.approx(0.003)
    then = ask(THOUGHT_ONLY, completion("}"), FINE)
    assert (then.end, then.kinds, then.flags) == (SAID, ("reasoning_only", "punctuation", "ok"), ())
    assert then.answer.usage.cost_usd == pytest.approx(0.003)


def test_a_truncated_answer_is_asked_once_more_with_twice_the_budget() -> None:
    came = ask(completion("I am my", finish="length"), FINE)
    assert (came.end, came.flags, came.kinds) == (SAID, (protocol.RETRIED_LENGTH,), ("length", "ok"))
    assert [body["max_tokens"] for body in came.bodies] == [64, 128]
    kept = ask(completion("I am my", finish="length"), completion("I am myself, and", finish="length"))
    assert (kept.end, kept.flags) == ("I am myself, and", (protocol.RETRIED_LENGTH, protocol.TRUNCATED))
    mixed = ask(completion("I am my", finish="length"), THOUGHT_ONLY)
    assert [body["max_tokens"] for body in mixed.bodies] == [64, 128, 128, 128]
    assert (mixed.end, mixed.flags) == ("I am my", (protocol.RETRIED_LENGTH, protocol.TRUNCATED))


def test_a_truncated_answer_is_not_lost_when_it_cannot_be_bettered() -> None:
    for then in (failing(502), failing(404), failing(402), failing(403, metadata={"reasons": ["x"]})):
        came = ask(completion("I am my", finish="length"), then, policy=Policy(base_backoff_s=0.001, retries=1))
        assert (came.end, protocol.TRUNCATED in came.flags, came.asked >= 2) == ("I am my", True, True), then


def measured(*said: Step | dict[str, Any]) -> tuple[int, int]:
    """The count of a prompt, and how many requests it took."""

    async def work(unplug: Unplug) -> tuple[int, int]:
        line, session = unplug(*said)
        count = await line.client.measure(question())
        assert not isinstance(count, Missing)
        return count.tokens, len(session.sent)

    counted: tuple[int, int] = without_waiting(work)
    return counted


def test_a_prompt_is_counted_anew_where_nothing_came_or_what_failed_may_pass() -> None:
    assert measured(completion("", usage=None), FINE) == (100, 2)
    assert measured(completion("", usage=None)) == (0, 3)
    assert measured(completion("I", usage=None)) == (0, 1)
    assert measured(completion("", usage={"prompt_tokens": 9})) == (9, 1)
    assert measured(failing(502), Step(body=b"no JSON"), FINE) == (100, 3)


def test_the_same_failure_lasts_at_the_second_time_or_at_the_third_of_a_model_that_has_answered() -> None:
    async def work(unplug: Unplug) -> list[int]:
        line, session = unplug()
        asked = []
        for said in (Step(body=b"no JSON"), FINE, Step(body=b"no JSON")):
            session.says(said)
            session.sent.clear()
            try:
                await line.client.measure(question())
            except Refused:
                asked.append(-len(session.sent))
            else:
                asked.append(len(session.sent))
        return asked

    assert without_waiting(work) == [-2, 1, -3]


@pytest.mark.parametrize(("tokens", "cached", "whole"), [(100, 49, True), (100, 50, False)])
def test_a_count_that_comes_mostly_from_a_cache_says_so(tokens: int, cached: int, whole: bool) -> None:
    async def work(unplug: Unplug) -> bool:
        usage = spent(1) | {"prompt_tokens": tokens, "prompt_tokens_details": {"cached_tokens": cached}}
        line, _ = unplug(completion("I", usage=usage))
        count = await line.client.measure(question())
        assert not isinstance(count, Missing | Reply)
        return count.from_cache

    assert without_waiting(work) is not whole
