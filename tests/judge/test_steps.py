"""What a judge writes before it grades: whole texts, addressed by all that shaped them."""

from __future__ import annotations

import pytest

from independence.clients import protocol
from independence.clients.protocol import Parked
from independence.judge.model import ModelJudge
from independence.judge.protocol import step_digest, step_key
from independence.suites.schema import Step
from independence.types import Answer, Attempt, Missing, Reply, Sampling, Usage

from .test_model import Scripted

SPEC = ModelJudge("acme/judge", endpoint="openrouter", model="judge-id", temperature=0.0, max_tokens=99, effort="none")
ATTEMPTS = (Attempt("ok", 1.0, Usage(10, 5, cost_usd=0.5)),)


async def test_a_step_is_one_call_for_plain_text() -> None:
    client = Scripted("- a claim")
    reply = await SPEC.write_step("the prompt", client, seed=7)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage.cost_usd) == ("- a claim", 0.5)
    (request,) = client.asked
    assert (request.model, request.sampling, request.max_tokens) == ("judge-id", Sampling(0.0, "none"), 99)
    assert [(message.role, message.content) for message in request.messages] == [("user", "the prompt")]
    assert (request.schema, request.tool, request.seed) == (None, None, 7)


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (Missing("blocked", "moderation", "", ATTEMPTS), "moderation"),
        (Reply(" \n", "content", attempts=ATTEMPTS), "blank"),
        (Reply("- a cl", "content", flags=(protocol.TRUNCATED,), attempts=ATTEMPTS), "cut off at its budget"),
    ],
)
async def test_half_a_text_is_none_and_its_cost_is_kept(answer: Answer, detail: str) -> None:
    missing = await SPEC.write_step("the prompt", Scripted(answer), seed=7)
    assert isinstance(missing, Missing)
    assert (missing.detail, missing.attempts) == (detail, ATTEMPTS)


async def test_a_judge_that_cannot_go_on_says_so() -> None:
    with pytest.raises(Parked):
        await SPEC.write_step("the prompt", Scripted(Parked("judge-id", "daily quota")), seed=7)


def test_a_wording_is_a_prompt_and_the_variables_it_quotes() -> None:
    step = Step(name="claims", prompt="About {{topic}}: {{answer}}")
    soup = step_digest(step, {"topic": "soup", "other": "x"})
    assert soup == step_digest(Step(name="renamed", prompt=step.prompt), {"topic": "soup", "other": "y"})
    assert len({soup, step_digest(step, {"topic": "stew"}), step_digest(Step(name="claims", prompt="?"), {})}) == 3


def test_a_step_is_addressed_by_dialogue_wording_earlier_outputs_and_judge() -> None:
    base = ("dialogue", "wording", {"first": "a"}, SPEC.settings)
    others = [
        ("other", *base[1:]), ("dialogue", "other", *base[2:]), (*base[:2], {"first": "b"}, base[3]),
        (*base[:2], {"second": "a"}, base[3]), (*base[:2], {}, base[3]),
        (*base[:3], ModelJudge("acme/other", model="judge-id").settings),
    ]  # fmt: skip
    keys = {step_key(*shape) for shape in (base, *others)}
    assert len(keys) == 1 + len(others)
    assert step_key(*base) in keys
