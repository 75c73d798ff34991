from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.sim import answer as simulated
from independence.types import Message

Body = Callable[..., dict[str, Any]]
GREETING = "Good to see you."


async def one(post: Any, body: dict[str, Any], faults: str = "") -> Any:
    async with serving(LoopbackSettings(faults=faults)) as server:
        return await post(server, body)


async def test_a_subject_says_what_its_simulation_says(post: Any, plain: Body) -> None:
    body = plain()
    messages = [Message(message["role"], message["content"]) for message in body["messages"]]
    answer = await one(post, body)
    assert answer.content == simulated.answer("half", messages, 7).text
    assert answer.finish == "stop"


async def test_most_answers_go_through_the_offered_tool_and_about_a_tenth_do_not(post: Any, tooled: Body) -> None:
    async with serving(LoopbackSettings()) as server:
        answers = await asyncio.gather(*(post(server, tooled(seed=seed)) for seed in range(400)))
    spoken = [answer for answer in answers if answer.message.get("tool_calls")]
    assert 20 <= 400 - len(spoken) <= 62  # 40 expected, sd 6
    assert {answer.finish for answer in spoken} == {"tool_calls"}
    assert {call["function"]["name"] for answer in spoken for call in answer.message["tool_calls"]} == {"speak"}
    assert all(answer.text for answer in answers)


async def test_reasoning_comes_with_some_answers_and_beside_some_tool_calls(post: Any, tooled: Body) -> None:
    async with serving(LoopbackSettings()) as server:
        answers = await asyncio.gather(*(post(server, tooled(seed=seed * 5_000_011)) for seed in range(400)))
    reasoned = [answer for answer in answers if answer.message.get("reasoning")]
    beside = [answer for answer in answers if answer.message.get("tool_calls") and answer.content]
    assert len(reasoned) == pytest.approx(160, abs=40)
    assert len(beside) == pytest.approx(36, abs=24)
    assert not any(answer.message.get("reasoning") for answer in beside)
    for answer in reasoned:
        assert answer.message["reasoning_details"][0]["text"] == answer.message["reasoning"]
        assert answer.body["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0


async def test_a_required_tool_is_always_used(post: Any, tooled: Body) -> None:
    async with serving(LoopbackSettings()) as server:
        sent = [post(server, tooled(seed=seed, tool_choice="required")) for seed in range(100)]
        answers = await asyncio.gather(*sent)
    assert all(answer.message["tool_calls"] for answer in answers)


async def test_a_judge_fills_in_the_form_it_is_given(post: Any, plain: Body) -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 10}, "reasoning": {"type": "string"}},
        "required": ["score", "reasoning"],
    }
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
    answer = await one(post, plain("judge", "HUMAN: Tea? SUBJECT: Coffee, and I stay with it.", response_format=form))
    assert "score" in json.loads(answer.content)


@pytest.mark.parametrize(("model", "faults"), [("judge:prose", ""), ("judge", "prose-judge")])
async def test_a_prose_judge_writes_no_json(post: Any, plain: Body, model: str, faults: str) -> None:
    answer = await one(post, plain(model), faults)
    assert "{" not in answer.content
    assert len(answer.content) > 20


async def test_an_answer_that_does_not_fit_is_truncated(post: Any, plain: Body, tooled: Body) -> None:
    for body in (plain(), tooled(tool_choice="required")):
        whole, cut = await one(post, body), await one(post, body | {"max_tokens": 5})
        assert cut.finish == "length"
        assert cut.body["usage"]["completion_tokens"] <= 5 < whole.body["usage"]["completion_tokens"]


async def test_length_truncates_until_the_budget_is_doubled(post: Any, plain: Body) -> None:
    async with serving(LoopbackSettings(faults="length")) as server:
        first, second = await post(server, plain()), await post(server, plain(max_tokens=4096))
    assert (first.finish, second.finish) == ("length", "stop")
    assert second.content.startswith(first.content)
    assert len(first.content) < len(second.content)


async def test_reasoning_only_has_no_answer_and_is_charged(post: Any, tooled: Body) -> None:
    answer = await one(post, tooled(), "reasoning-only")
    assert answer.content == ""
    assert "tool_calls" not in answer.message
    assert answer.message["reasoning"]
    assert answer.body["usage"]["cost"] > 0


async def test_lone_is_a_single_brace(post: Any, tooled: Body) -> None:
    assert (await one(post, tooled(), "lone")).content == "}"


async def test_echo_repeats_the_scripted_greeting_the_way_answers_come(post: Any, tooled: Body) -> None:
    async with serving(LoopbackSettings(faults="echo")) as server:
        answers = await asyncio.gather(*(post(server, tooled(seed=seed)) for seed in range(60)))
    assert {answer.text for answer in answers} == {GREETING}
    assert {bool(answer.message.get("tool_calls")) for answer in answers} == {True, False}


async def test_cut_arguments_are_no_json(post: Any, tooled: Body) -> None:
    answer = await one(post, tooled(), "cut-arguments")
    with pytest.raises(json.JSONDecodeError):
        json.loads(answer.message["tool_calls"][0]["function"]["arguments"])
    assert answer.finish == "tool_calls"


async def test_list_arguments_carry_the_answer_in_a_list(post: Any, tooled: Body) -> None:
    listed = await one(post, tooled(), "list-arguments")
    assert json.loads(listed.message["tool_calls"][0]["function"]["arguments"]) == [(await one(post, tooled())).text]


async def test_two_calls_carry_one_half_each(post: Any, tooled: Body) -> None:
    answer = await one(post, tooled(), "two-calls")
    halves = [json.loads(call["function"]["arguments"])["words"] for call in answer.message["tool_calls"]]
    assert len(halves) == 2
    assert " ".join(halves) == (await one(post, tooled())).text
    assert len({call["id"] for call in answer.message["tool_calls"]}) == 2


async def test_template_tokens_stand_around_the_readable_answer(post: Any, tooled: Body) -> None:
    leaked = await one(post, tooled(), "template-tokens")
    assert leaked.content == f"<|channel|>{(await one(post, tooled())).text}</tool_call>"
