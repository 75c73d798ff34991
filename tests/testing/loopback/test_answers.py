"""What the endpoint reads of a request and answers: on (model, messages, seed) alone, with usage and a price."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest

from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.loopback.wire import SEEDS, BadRequest, mixed_seed, read, uniforms
from independence.testing.sim import answer as simulated
from independence.testing.sim import panel
from independence.testing.sim.panel import ADVISERS
from independence.types import Message

from .conftest import Answer, Ask, Once, plain, tooled


async def many(ask: Ask, bodies: list[dict[str, Any]], **settings: Any) -> list[Answer]:
    """The answers of one server to requests side by side."""
    async with serving(LoopbackSettings(**settings)) as server:
        return await asyncio.gather(*(ask(server, body) for body in bodies))


async def test_an_answer_and_its_time_depend_on_model_messages_and_seed_alone(once: Once) -> None:
    messages = [Message(message["role"], message["content"]) for message in plain()["messages"]]
    first, other = await once(plain(), plain(temperature=1.5, max_tokens=4096, reasoning={"effort": "high"}))
    assert first.content == simulated.answer("half", messages, 7).text
    assert (first.choice, first.usage) == (other.choice, other.usage)
    moved = plain()
    moved["messages"][1]["role"] = "assistant"
    changed = await once(plain(seed=8), plain("never"), plain(question="Tea?"), moved)
    assert len({first.content, *(one.content for one in changed)}) == 5
    spelt = tooled()
    spelt["messages"][0] = {"role": "developer", "content": [{"type": "text", "text": "You have a view."}]}
    del spelt["messages"][2]["content"]
    one, two = await once(tooled(), spelt)
    assert one.choice == two.choice


async def test_the_servers_seed_shifts_the_requests(once: Once) -> None:
    assert [(mixed_seed(step, 12345) - mixed_seed(0, 12345)) % SEEDS for step in (1, 1000)] == [1, 1000]
    assert (mixed_seed(99, 0), mixed_seed(None, 0)) == (99, 0)
    moved = {mixed_seed(5, seed) for seed in range(1000)}
    assert len(moved) == 1000
    assert 0 <= min(moved) < max(moved) < SEEDS
    shifted = (7 - mixed_seed(0, 5)) % SEEDS
    own = await once(plain(seed=7))
    assert (await once(plain(seed=shifted), seed=5)).choice == own.choice != (await once(plain(seed=7), seed=5)).choice


def test_drawn_numbers_fill_the_open_unit_interval_evenly_and_their_order_counts() -> None:
    assert uniforms("a", 1) == uniforms("a", 1)
    assert uniforms("a", "b") != uniforms("b", "a")
    numbers = [number for i in range(2000) for number in uniforms("n", i)]
    assert all(0 < number < 1 for number in numbers)
    tenths = [sum(k <= 10 * number < k + 1 for number in numbers) for k in range(10)]
    assert all(700 < count < 900 for count in tenths)  # 800 expected, sd 27


async def test_usage_counts_four_characters_a_token_and_costs_by_the_price(once: Once) -> None:
    answer = await once(plain(), price="half=2/8")
    said = len("<|system|>You have a view.\n") + len("<|user|>Tea or coffee?\n")
    spoken = len(answer.content) + len(answer.message.get("reasoning", ""))
    prompt, completion = math.ceil(said / 4), math.ceil(spoken / 4)
    assert [answer.usage[f"{name}_tokens"] for name in ("prompt", "completion", "total")] == [
        prompt, completion, prompt + completion,
    ]  # fmt: skip
    assert answer.usage["cost"] == pytest.approx((prompt * 2 + completion * 8) / 1e6)
    assert answer.log.billed_usd == answer.usage["cost"]
    tool = 'speak\nSay something.\nwords: {"type": "string"}\n<|system|>You have a view.\n<|user|>[start]\n'
    turns = '<|assistant|>speak{"words": "Good to see you."}\n<|tool|>Tea or coffee?\n'
    assert (await once(tooled())).prompt_tokens == math.ceil(len(tool + turns) / 4)


async def test_billing_can_be_the_dearest_or_free(once: Once) -> None:
    dearest = await once(plain(), bill="max")
    assert dearest.usage["cost"] == pytest.approx((math.ceil(1.3 * dearest.prompt_tokens) * 1 + 2048 * 4) / 1e6)
    assert dearest.usage["completion_tokens"] < 2048
    free = await once(plain("half:free"))
    assert free.usage["cost"] == free.log.billed_usd == 0
    assert free.usage["completion_tokens"] > 0


async def test_a_whole_answer_says_who_served_it_and_what_the_router_did_where_that_is_asked(once: Once) -> None:
    asked = {"X_OpenRouter_Metadata": "enabled"}
    answer = await once(plain(), headers=asked)
    assert (answer.json["provider"], answer.json["model"], answer.json["id"][:4]) == ("Loopback", "half", "gen-")
    assert (answer.message["role"], answer.finish) == ("assistant", "stop")
    assert answer.json["openrouter_metadata"]["pipeline"] == []
    altered = await once(plain(), headers=asked, faults="altered")
    assert [stage["type"] for stage in altered.json["openrouter_metadata"]["pipeline"]] == ["context_compression"]
    assert altered.content
    assert "openrouter_metadata" not in (await once(plain(), faults="altered")).json


async def test_answers_go_through_the_tool_with_reasoning_or_beside_it_as_often_as_planted(ask: Ask) -> None:
    answers = await many(ask, [tooled(seed=seed * 5_000_011) for seed in range(300)])
    spoken = [answer for answer in answers if answer.calls]
    assert 14 <= 300 - len(spoken) <= 48  # 30 expected, sd 5
    assert {answer.finish for answer in spoken} == {"tool_calls"}
    assert {call["function"]["name"] for answer in spoken for call in answer.message["tool_calls"]} == {"speak"}
    assert all(answer.said for answer in answers)
    reasoned = [answer for answer in answers if answer.message.get("reasoning")]
    beside = [answer for answer in spoken if answer.message["content"]]
    assert len(reasoned) == pytest.approx(120, abs=35)
    assert len(beside) == pytest.approx(27, abs=20)
    assert not any(answer.message.get("reasoning") for answer in beside)
    for answer in reasoned:
        assert answer.message["reasoning_details"][0]["text"] == answer.message["reasoning"]
        assert answer.usage["completion_tokens_details"]["reasoning_tokens"] > 0
    forced = await many(ask, [tooled(seed=seed, tool_choice="required") for seed in range(50)])
    assert all(answer.calls for answer in forced)
    assert not (await many(ask, [tooled(tool_choice="none")]))[0].calls


async def test_a_judge_fills_in_the_form_it_is_given_and_a_prose_judge_writes_none(once: Once) -> None:
    fields = {"score": {"type": "integer", "minimum": 0, "maximum": 10}, "reasoning": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
    body = plain("judge", "HUMAN: Tea? SUBJECT: Coffee, and I stay with it.", response_format=form)
    assert "score" in json.loads((await once(body)).content)
    for prose in (await once(plain("judge:prose")), await once(plain("judge"), faults="prose-judge")):
        assert "{" not in prose.content
        assert len(prose.content) > 20


async def test_an_answer_that_does_not_fit_is_truncated(once: Once) -> None:
    for body in (plain(), tooled(tool_choice="required")):
        whole, cut = await once(body, body | {"max_tokens": 5})
        assert cut.finish == "length"
        assert cut.usage["completion_tokens"] <= 5 < whole.usage["completion_tokens"]
    first, second = await once(plain(), plain(max_tokens=4096), faults="length")  # until the budget is doubled
    assert (first.finish, second.finish) == ("length", "stop")
    assert second.content.startswith(first.content)
    assert len(first.content) < len(second.content)


async def test_reasoning_alone_is_no_answer_and_is_billed(once: Once) -> None:
    silent = await once(tooled(), faults="reasoning-only")
    assert (silent.content, silent.calls, bool(silent.message["reasoning"])) == ("", [], True)
    assert silent.usage["cost"] > 0


async def test_a_hollow_200_holds_no_answer_and_costs_nothing(once: Once) -> None:
    shapes = {
        "error-in-200": lambda body: body["error"]["code"] == 502 and "choices" not in body,
        "error-choice": lambda body: body["choices"][0]["finish_reason"] == "error",
        "null-choices": lambda body: body["choices"] is None,
        "empty": lambda body: (
            body["choices"][0]["message"]["content"] == ""
            and body["choices"][0]["finish_reason"] is None
            and body["usage"]["completion_tokens"] == body["usage"]["prompt_tokens"] == 0
        ),
    }
    for kind, fits in shapes.items():
        answer = await once(plain(), faults=kind)
        assert (answer.status, fits(answer.json)) == (200, True), kind
        assert (answer.log.billed_usd, answer.log.faults[kind]) == (0, 1)


async def test_a_body_that_cannot_be_answered_is_a_400_that_says_why(once: Once) -> None:
    said = {"role": "user", "content": "x"}
    rows: list[tuple[Any, str]] = [
        ([], "not a chat completion"),
        ({"model": "half"}, "not a chat completion"),
        ({"model": "half", "messages": []}, "must not be empty"),
        ({"model": "half", "messages": [{"role": "king", "content": "x"}]}, "not a chat completion"),
        ({"model": "half", "messages": [{"content": "x"}]}, "not a chat completion"),
        ({"model": "half", "messages": [said], "stream_options": {}}, "only allowed with stream"),
    ]
    for body, says in rows:
        answer = await once(body)
        assert (answer.status, answer.log.requests, says in answer.error["message"]) == (400, 1, True), body
        assert answer.error["metadata"]["error_type"] == "invalid_request"
    with pytest.raises(BadRequest, match="not JSON"):
        read(b"{", 0)


async def test_every_subject_adviser_and_judge_is_listed_with_its_variants_and_prices(once: Once) -> None:
    listing, priced = await once("/v1/models"), await once("/v1/models", price="half=2/8,0.05/10")
    listed, other = ({entry["id"]: entry for entry in page.json["data"]} for page in (listing, priced))
    names = {
        *panel.PANEL,
        *ADVISERS,
        "judge",
        "yield-07",
        "half:free",
        "judge:prose",
        "judge:copying",
        "tilted:no-tools",
    }
    assert names <= set(listed)
    assert "half:prose" not in listed
    half = listed["half"]
    assert (half["canonical_slug"], half["context_length"] > 100_000) == ("half-20260101", True)
    assert (half["pricing"]["prompt"], half["pricing"]["completion"]) == ("0.000001", "0.000004")
    assert {"tools", "reasoning", "seed", "structured_outputs", "response_format"} <= set(half["supported_parameters"])
    assert half["reasoning"]["mandatory"] is False
    assert "none" in half["reasoning"]["supported_efforts"]
    assert (listed["half:free"]["pricing"]["completion"], listed["half:unpriced"]["pricing"]) == ("0", {})
    assert "tools" not in listed["half:no-tools"]["supported_parameters"]
    assert listed["half:free"]["canonical_slug"] == half["canonical_slug"]
    prices = {name: other[name]["pricing"]["prompt"] for name in ("half", "half:no-tools", "never", "half:free")}
    assert list(prices.values()) == ["0.000002", "0.000002", "0.00000005", "0"]
    assert listed["judge"]["pricing"]["prompt"] == "0.0000005"


async def test_a_model_that_is_here_answers_under_its_own_id_and_another_is_not_found(once: Once) -> None:
    here = ["half", "yield-33", "half:free", "half:free:no-tools", "judge", "judge:copying", "adviser-s40-n10"]
    answers = await once(*map(plain, here))
    assert [(answer.status, answer.json["model"]) for answer in answers] == [(200, name) for name in here]
    away = await once(*map(plain, ["nobody", "half:gold", "half:prose", "yield-101", "", "judge:free:gold"]))
    assert {(answer.status, answer.error["availability"]["code"]) for answer in away} == {(404, "model_not_found")}
    pages = await once(*(f"/v1/model/{name}" for name in ("adviser-s40-n10:free", "adviser-x", "", "adviser-s400")))
    assert [page.status for page in pages] == [200, 404, 404, 404]
    assert pages[0].json["data"]["pricing"]["prompt"] == "0"
    assert "adviser-s40-n10" not in (await once("/v1/models")).text


async def test_a_pin_fails_closed_and_so_do_tools_where_there_are_none(once: Once) -> None:
    pins: list[tuple[dict[str, Any], int]] = [
        ({"only": ["nowhere"]}, 404),
        ({"only": ["nowhere/fp8"], "allow_fallbacks": False}, 404),
        ({"order": ["nowhere"], "allow_fallbacks": False}, 404),
        ({"order": ["nowhere"]}, 200),
        ({"sort": "price"}, 200),
        ({"only": ["loopback"]}, 200),
        ({"only": ["nowhere", "loopback/fp8"], "allow_fallbacks": False}, 200),
    ]
    answers = await once(*(plain(provider=provider) for provider, _ in pins))
    assert [answer.status for answer in answers] == [status for _, status in pins]
    refused, taken = await once(tooled("half:no-tools"), plain("half:no-tools"))
    assert (refused.status, refused.error["availability"]["code"], taken.status) == (404, "no_endpoints", 200)
