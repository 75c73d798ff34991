"""What came, and whether it is asked for again."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

from independence.clients import protocol
from independence.clients.protocol import Policy, Refused
from independence.types import Missing

from .conftest import (
    FINE,
    GREETING,
    Connect,
    Scripted,
    Step,
    answered,
    completion,
    failing,
    missing,
    question,
)

THOUGHT_ONLY = completion("", message={"reasoning": "They ask who I am."})


async def test_reasoning_alone_is_asked_again_twice_with_another_seed(server: Scripted, connect: Connect) -> None:
    server.says(THOUGHT_ONLY)
    answer = await missing(connect())
    assert (answer.reason, answer.raw) == ("no_answer", "They ask who I am.")
    assert [a.outcome for a in answer.attempts] == ["reasoning_only"] * 3
    assert [s.body["seed"] for s in server.seen] == [7, 8, 9]
    assert answer.usage.cost_usd == pytest.approx(0.003)


async def test_an_answer_after_reasoning_alone_counts_all_attempts(server: Scripted, connect: Connect) -> None:
    server.says(THOUGHT_ONLY, FINE)
    reply = await answered(connect())
    assert [a.outcome for a in reply.attempts] == ["reasoning_only", "ok"]
    assert reply.usage.cost_usd == pytest.approx(0.002)
    assert reply.flags == ()


async def test_nothing_at_all_is_retried_twice_with_the_same_seed(server: Scripted, connect: Connect) -> None:
    server.says(completion("", usage={"prompt_tokens": 100, "completion_tokens": 0, "cost": 0}))
    line = connect()
    answer = await missing(line)
    assert answer.reason == "no_answer"
    assert [a.outcome for a in answer.attempts] == ["empty"] * 3
    assert {s.body["seed"] for s in server.seen} == {7}
    assert [w.reason for w in line.waits] == ["empty"] * 2


@pytest.mark.parametrize("text", ["}", ":", '"}', "...", "<|channel>thought\n<channel|><|im_end|>"])
async def test_a_lone_artefact_is_missing_after_two_more_tries(server: Scripted, connect: Connect, text: str) -> None:
    server.says(completion(text))
    answer = await missing(connect())
    assert answer.reason == "transport"
    assert len(server.seen) == 3


async def test_the_greeting_echoed_is_no_answer(server: Scripted, connect: Connect) -> None:
    server.says(completion(call=json.dumps({"message": GREETING.upper()})), completion(call='{"message": "It is I."}'))
    reply = await answered(connect(), tool=True)
    assert reply.text == "It is I."
    assert [a.outcome for a in reply.attempts] == ["greeting", "ok"]


@pytest.mark.parametrize("text", ["No.", "?!? what", "42", "👍", "Нет", "嫌だ", "Go away, tin can."])
async def test_a_short_rude_or_foreign_answer_is_an_answer(server: Scripted, connect: Connect, text: str) -> None:
    server.says(completion(text))
    assert (await answered(connect())).text == text
    assert len(server.seen) == 1


async def test_a_truncated_answer_is_asked_once_more_with_twice_the_budget(server: Scripted, connect: Connect) -> None:
    server.says(completion("I am my", finish="length"), FINE)
    reply = await answered(connect())
    assert (reply.text, reply.flags) == ("I am myself.", (protocol.RETRIED_LENGTH,))
    assert [s.body["max_tokens"] for s in server.seen] == [64, 128]
    assert [a.outcome for a in reply.attempts] == ["length", "ok"]


async def test_an_answer_that_stays_truncated_is_kept_and_says_so(server: Scripted, connect: Connect) -> None:
    server.says(completion("I am my", finish="length"), completion("I am myself, and", finish="length"))
    reply = await answered(connect())
    assert reply.text == "I am myself, and"
    assert reply.flags == (protocol.RETRIED_LENGTH, protocol.TRUNCATED)
    assert len(server.seen) == 2


async def test_a_budget_spent_on_reasoning_is_no_answer(server: Scripted, connect: Connect) -> None:
    server.says(completion("", finish="length", message={"reasoning": "Hm"}))
    answer = await missing(connect())
    assert (answer.reason, len(answer.attempts)) == ("no_answer", 2)


@pytest.mark.parametrize("then", [failing(502), failing(404), failing(402), failing(403, metadata={"reasons": ["x"]})])
async def test_a_truncated_answer_is_not_lost_when_it_cannot_be_bettered(
    server: Scripted, connect: Connect, then: Step
) -> None:
    server.says(completion("I am my", finish="length"), then)
    reply = await answered(connect(policy=Policy(base_backoff_s=0.001, retries=1)))
    assert reply.text == "I am my"
    assert protocol.TRUNCATED in reply.flags
    assert len(reply.attempts) >= 2


@pytest.mark.parametrize(
    ("said", "tokens", "asked"),
    [
        ([completion("", usage=None), FINE], 100, 2),
        ([completion("", usage=None)], 0, 3),
        ([completion("I", usage=None)], 0, 1),
        ([completion("", usage={"prompt_tokens": 9})], 9, 1),
        ([failing(502), Step(body=b"no JSON"), FINE], 100, 3),
    ],
)
async def test_a_prompt_is_counted_anew_where_nothing_came_or_what_failed_may_pass(
    server: Scripted, connect: Connect, said: list[Step | dict[str, object]], tokens: int, asked: int
) -> None:
    server.says(*said)
    count = await connect().client.measure(question())
    assert not isinstance(count, Missing)
    assert (count.tokens, len(server.seen)) == (tokens, asked)


async def test_the_same_failure_lasts_at_the_second_time_or_at_the_third_of_a_model_that_has_answered(
    server: Scripted, connect: Connect
) -> None:
    line = connect()
    for said, asked in (([Step(body=b"no JSON")], 2), ([FINE], 1), ([Step(body=b"no JSON")], 3)):
        server.says(*said)
        server.seen.clear()
        with pytest.raises(Refused) if asked > 1 else nullcontext():
            await line.client.measure(question())
        assert len(server.seen) == asked
