"""Latencies that `python -m benchmarks makespan` draws, beside those that were measured on real endpoints."""

from __future__ import annotations

import statistics
from math import exp, log

import pytest
from benchmarks.latency import Draw, Slowed

from independence.types import ChatRequest, Message, Reply, Sampling
from tests.virtual_time import in_virtual_time

from .scripted import Scripted

DRAW = Draw(3, 1)


def logs(model: str, turn: str, count: int) -> list[float]:
    """ln seconds of one model's answers at one turn."""
    return [log(DRAW.answer(model, turn, seed)) for seed in range(count)]


def test_answers_and_verdicts_take_as_long_as_the_measured_ones_and_each_model_and_turn_has_its_own_pace() -> None:
    pooled = [log(DRAW.answer(f"m{n % 1999}", f"question {n % 499}", n)) for n in range(20_000)]
    assert statistics.mean(pooled) == pytest.approx(1.79 + log(0.87), abs=0.05)  # 0.87: mean weight of a turn
    assert statistics.stdev(pooled) == pytest.approx(0.88, abs=0.04)
    models = [logs(f"m{number}", "q", 200) for number in range(20)]
    assert statistics.mean(statistics.stdev(own) for own in models) == pytest.approx(0.39, abs=0.02)
    assert statistics.stdev(statistics.median(own) for own in models) > 0.5
    longer = exp(statistics.mean(logs("m", "direct", 2000)) - statistics.mean(logs("m", "pt04_turn2", 2000)))
    assert longer == pytest.approx(2.2 / 1.12, rel=0.05)
    seconds = sorted(DRAW.verdict(seed) for seed in range(20_000))
    assert seconds[10_000] == pytest.approx(2.38, abs=0.06)  # measured p50
    assert seconds[19_800] == pytest.approx(10.3, rel=0.25)  # measured p99
    assert 5 <= sum(second > 60 for second in seconds) <= 45  # 20 expected


def test_a_call_takes_the_same_time_again_and_every_part_of_it_and_the_divisor_count() -> None:
    answer, verdict = DRAW.answer("m", "q", 1), DRAW.verdict(1)
    others = [("n", "q", 1), ("m", "r", 1), ("m", "q", 2)]
    assert answer == Draw(3, 1).answer("m", "q", 1)
    assert len({answer, *(DRAW.answer(*other) for other in others), Draw(4, 1).answer("m", "q", 1)}) == 5
    assert len({verdict, DRAW.verdict(2), Draw(4, 1).verdict(1)}) == 3
    assert (Draw(3, 20).answer("m", "q", 1) * 20, Draw(3, 20).verdict(1) * 20) == pytest.approx((answer, verdict))


def test_an_answer_is_handed_over_when_its_time_has_come() -> None:
    draw = Draw(0, 100)
    slowed = Slowed(Scripted(lambda _: Reply("Yes.", "content")), draw, {"Who?": "direct"}, [])
    asked = (Message("system", "Be."), Message("user", "Who?"), Message("assistant", "I."))

    async def work(clock: object) -> None:
        await slowed.ask(ChatRequest("m", asked, 100, Sampling(), seed=7))
        await slowed.ask(ChatRequest("judge", asked, 100, Sampling(), schema={}, seed=8))
        assert slowed.seconds == [draw.answer("m", "direct", 7), draw.verdict(8)]
        assert clock() == pytest.approx(sum(slowed.seconds), abs=0.01)  # type: ignore[operator]

    in_virtual_time(work)
