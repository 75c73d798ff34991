from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings

Body = Callable[..., dict[str, Any]]


async def one(post: Any, body: dict[str, Any], **settings: Any) -> Any:
    async with serving(LoopbackSettings(**settings)) as server:
        answer = await post(server, body, X_OpenRouter_Metadata="enabled")
        return answer, server.ledger


async def test_a_whole_answer_says_who_served_it(post: Any, plain: Body) -> None:
    answer, _ = await one(post, plain())
    assert answer.body["provider"] == "Loopback"
    assert answer.body["model"] == "half"
    assert answer.body["id"].startswith("gen-")
    assert answer.message["role"] == "assistant"


async def test_usage_counts_four_characters_a_token_and_costs_by_the_price(post: Any, plain: Body) -> None:
    answer, ledger = await one(post, plain(), price="half=2/8")
    usage = answer.body["usage"]
    said = len("<|system|>You have a view.\n") + len("<|user|>Tea or coffee?\n")
    spoken = len(answer.content) + len(answer.message.get("reasoning", ""))
    assert usage["prompt_tokens"] == math.ceil(said / 4)
    assert usage["completion_tokens"] == math.ceil(spoken / 4)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] * 2 + usage["completion_tokens"] * 8) / 1e6)
    assert ledger.billed_usd == usage["cost"]


async def test_billing_the_most_charges_the_whole_budget(post: Any, plain: Body) -> None:
    answer, ledger = await one(post, plain(), bill="max")
    prompt = math.ceil(1.3 * answer.body["usage"]["prompt_tokens"])
    assert answer.body["usage"]["cost"] == pytest.approx((prompt * 1 + 2048 * 4) / 1e6)
    assert ledger.billed_usd == answer.body["usage"]["cost"]
    assert answer.body["usage"]["completion_tokens"] < 2048


async def test_with_an_own_provider_key_most_of_the_cost_is_upstream(post: Any, plain: Body) -> None:
    answer, ledger = await one(post, plain(), byok=True)
    usage = answer.body["usage"]
    upstream = usage["cost_details"]["upstream_inference_cost"]
    assert usage["is_byok"] is True
    assert usage["cost"] == pytest.approx(0.05 * upstream)
    assert ledger.billed_usd == pytest.approx(usage["cost"] + upstream)


async def test_a_free_variant_costs_nothing(post: Any, plain: Body) -> None:
    answer, ledger = await one(post, plain("half:free"))
    assert answer.body["usage"]["cost"] == ledger.billed_usd == 0
    assert answer.body["usage"]["completion_tokens"] > 0


async def test_router_metadata_comes_when_asked_for(post: Any, plain: Body) -> None:
    answer, _ = await one(post, plain())
    assert answer.body["openrouter_metadata"]["pipeline"] == []
    async with serving(LoopbackSettings(faults="altered")) as server:
        assert "openrouter_metadata" not in (await post(server, plain())).body


async def test_an_altered_prompt_shows_in_the_pipeline(post: Any, plain: Body) -> None:
    answer, _ = await one(post, plain(), faults="altered")
    assert [stage["type"] for stage in answer.body["openrouter_metadata"]["pipeline"]] == ["context_compression"]
    assert answer.content


@pytest.mark.parametrize("kind", ["error-in-200", "error-choice", "null-choices", "empty"])
async def test_a_hollow_200_holds_no_answer_and_costs_nothing(post: Any, plain: Body, kind: str) -> None:
    answer, ledger = await one(post, plain(), faults=kind)
    assert answer.status == 200
    assert ledger.billed_usd == 0
    assert ledger.faults[kind] == 1
    shape = {
        "error-in-200": lambda body: body["error"]["code"] == 502 and "choices" not in body,
        "error-choice": lambda body: body["choices"][0]["finish_reason"] == "error",
        "null-choices": lambda body: body["choices"] is None,
        "empty": lambda body: (
            body["choices"][0]["message"]["content"] == ""
            and body["choices"][0]["finish_reason"] is None
            and body["usage"]["completion_tokens"] == body["usage"]["prompt_tokens"] == 0
        ),
    }
    assert shape[kind](answer.body)
