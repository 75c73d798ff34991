"""Latencies that `python -m benchmarks makespan` draws, beside those that were measured on real endpoints."""

from __future__ import annotations

import asyncio
import statistics
from math import exp, log

import pytest
from benchmarks.latency import Draw, Slowed

from independence.types import Answer, ChatRequest, Message, Reply, Sampling

DRAW = Draw(3, 1)


def logs(model: str, turn: str, count: int) -> list[float]:
    """ln seconds of one model's answers at one turn."""
    return [log(DRAW.answer(model, turn, seed)) for seed in range(count)]


def test_answers_pool_to_the_measured_lognormal() -> None:
    pooled = [log(DRAW.answer(f"m{n % 1999}", f"question {n % 499}", n)) for n in range(20_000)]
    assert statistics.mean(pooled) == pytest.approx(1.79 + log(0.87), abs=0.05)  # 0.87: mean weight of a turn
    assert statistics.stdev(pooled) == pytest.approx(0.88, abs=0.04)


def test_each_model_has_its_own_pace_and_little_scatter_around_it() -> None:
    models = [logs(f"m{number}", "q", 200) for number in range(20)]
    assert statistics.mean(statistics.stdev(own) for own in models) == pytest.approx(0.39, abs=0.02)
    assert statistics.stdev(statistics.median(own) for own in models) > 0.5


@pytest.mark.parametrize(
    ("turn", "weight"),
    [
        ("direct", 2.2), ("negotiation_turn1", 1.75), ("negotiation_turn2", 1.6), ("tool_context", 1.59),
        ("pt04_turn1", 1.12),
    ],
)  # fmt: skip
def test_a_turn_takes_its_share_of_longer_than_the_next(turn: str, weight: float) -> None:
    ratio = exp(statistics.mean(logs("m", turn, 4000)) - statistics.mean(logs("m", "pt04_turn2", 4000)))
    assert ratio == pytest.approx(weight / 1.12, rel=0.04)


def test_the_turns_without_a_measured_weight_are_a_little_quicker() -> None:
    measured = statistics.mean(logs("m", "direct", 2000)) - log(2.2)
    weights = [exp(statistics.mean(logs("m", f"question {number}", 400)) - measured) for number in range(50)]
    assert 0.76 * 0.93 < min(weights) < 0.85
    assert 0.9 < max(weights) < 0.98 * 1.07


def test_a_judge_is_quick_with_a_heavy_tail() -> None:
    seconds = sorted(DRAW.verdict(seed) for seed in range(20_000))
    assert seconds[10_000] == pytest.approx(2.38, abs=0.06)  # measured p50
    assert seconds[19_800] == pytest.approx(10.3, rel=0.25)  # measured p99
    assert 5 <= sum(second > 60 for second in seconds) <= 45  # 20 expected
    assert seconds[-1] < 200


def test_the_divisor_speeds_everything_up_alike() -> None:
    for seed in range(20):
        assert Draw(3, 20).answer("m", "q", seed) == pytest.approx(DRAW.answer("m", "q", seed) / 20)
        assert Draw(3, 20).verdict(seed) == pytest.approx(DRAW.verdict(seed) / 20)


def test_the_same_call_of_a_draw_always_takes_the_same_time_and_every_part_of_it_counts() -> None:
    answer, verdict = DRAW.answer("m", "q", 1), DRAW.verdict(1)
    assert (answer, verdict) == (Draw(3, 1).answer("m", "q", 1), Draw(3, 1).verdict(1))
    others = [
        DRAW.answer("n", "q", 1),
        DRAW.answer("m", "r", 1),
        DRAW.answer("m", "q", 2),
        Draw(4, 1).answer("m", "q", 1),
    ]
    assert len({answer, *others}) == 5
    assert len({verdict, DRAW.verdict(2), Draw(4, 1).verdict(1)}) == 3


class Quick:
    """A client that answers at once."""

    async def ask(self, request: ChatRequest) -> Answer:
        return Reply("Yes.", "content")


async def test_an_answer_is_handed_over_when_its_time_has_come() -> None:
    draw, loop = Draw(0, 100), asyncio.get_running_loop()
    slowed = Slowed(Quick(), draw, {"Who?": "direct"}, [])
    asked = (Message("system", "Be."), Message("user", "Who?"), Message("assistant", "I."))
    began = loop.time()
    await slowed.ask(ChatRequest("m", asked, 100, Sampling(), seed=7))
    await slowed.ask(ChatRequest("judge", asked, 100, Sampling(), schema={}, seed=8))
    assert slowed.seconds == [draw.answer("m", "direct", 7), draw.verdict(8)]
    assert loop.time() - began >= 0.99 * sum(slowed.seconds)
