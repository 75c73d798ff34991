from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from independence.errors import UsageError
from independence.testing.loopback.responses import ResponsePlan, ResponsePlanner
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.loopback.wire import SEEDS, mixed_seed, read

Body = Callable[..., dict[str, Any]]


def outcome(body: dict[str, Any], attempt: int = 1, **settings: Any) -> ResponsePlan:
    options = LoopbackSettings(**settings)
    return ResponsePlanner(options).outcome(read(json.dumps(body).encode(), options.seed), attempt, metadata=False)


def said(result: ResponsePlan) -> Any:
    body = json.loads(result.body)
    return body["id"], body["choices"], body["usage"]


def test_an_answer_and_its_time_depend_on_model_messages_and_seed_alone(tooled: Body) -> None:
    first = outcome(tooled(), latency="lognormal:0,1")
    other = outcome(
        tooled(temperature=1.5, max_tokens=4096, reasoning={"effort": "high"}), attempt=7, latency="lognormal:0,1"
    )
    assert said(first) == said(other)
    assert first.seconds == other.seconds > 0


def test_another_seed_is_another_draw(plain: Body) -> None:
    assert len({json.dumps(said(outcome(plain(seed=seed * 50_000_017)))) for seed in range(20)}) == 20


def test_the_servers_seed_shifts_the_requests(plain: Body) -> None:
    shifted = (7 - mixed_seed(0, 5)) % SEEDS
    assert said(outcome(plain(seed=shifted), seed=5)) == said(outcome(plain(seed=7), seed=0))
    assert said(outcome(plain(seed=7), seed=5)) != said(outcome(plain(seed=7), seed=0))


@pytest.mark.parametrize("kind", ["timeout", "cut", "reset", "malformed"])
def test_an_answer_lost_on_the_way_costs_what_it_would_have_cost(plain: Body, kind: str) -> None:
    lost = outcome(plain(), faults=kind)
    assert lost.fault == kind
    assert lost.usage == outcome(plain()).usage
    assert lost.usage.cost_usd > 0


def test_a_refusal_comes_at_once_and_costs_nothing(plain: Body) -> None:
    refused = outcome(plain(), faults="503", latency="5")
    assert (refused.status, refused.seconds, refused.usage.cost_usd) == (503, 0.0, 0.0)


def test_a_hollow_answer_takes_its_time(plain: Body) -> None:
    assert outcome(plain(), faults="empty", latency="5").seconds == 5


def test_a_fault_on_a_model_that_is_not_here_is_refused() -> None:
    with pytest.raises(UsageError, match="--faults names 'haff'"):
        ResponsePlanner(LoopbackSettings(faults="503@haff"))
