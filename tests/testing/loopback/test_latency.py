from __future__ import annotations

import statistics
from math import log

import pytest

from independence.errors import UsageError
from independence.testing.loopback.latency import TimedCall, parse_latency


def calls(count: int, *, judge: bool = False, models: int = 1, questions: int = 1) -> list[TimedCall]:
    return [TimedCall(f"model {i % models}", f"question {i % questions}", f"key {i}", judge) for i in range(count)]


def test_no_latency_and_a_fixed_one() -> None:
    (call,) = calls(1)
    assert parse_latency("", 0)(call) == 0.0
    assert parse_latency(" 0.05 ", 0)(call) == 0.05


def test_lognormal_has_the_given_mean_and_spread_of_ln_seconds() -> None:
    latency = parse_latency("lognormal:-3,0.5", 0)
    logs = [log(latency(call)) for call in calls(4000)]
    assert statistics.mean(logs) == pytest.approx(-3, abs=0.03)
    assert statistics.stdev(logs) == pytest.approx(0.5, abs=0.02)


def test_real_pools_to_the_measured_lognormal() -> None:
    latency = parse_latency("real", 3)
    logs = [log(latency(call)) for call in calls(20_000, models=1999, questions=499)]
    assert statistics.mean(logs) == pytest.approx(1.79, abs=0.1)
    assert statistics.stdev(logs) == pytest.approx(0.9, abs=0.06)


def test_real_gives_each_model_its_own_pace_and_little_scatter_around_it() -> None:
    latency = parse_latency("real", 3)
    within = [
        statistics.stdev(log(latency(TimedCall(f"m{m}", "q", f"{m} {i}", False))) for i in range(200))
        for m in range(20)
    ]
    paces = [
        statistics.median(log(latency(TimedCall(f"m{m}", "q", f"{m} {i}", False))) for i in range(200))
        for m in range(20)
    ]
    assert statistics.mean(within) == pytest.approx(0.39, abs=0.03)
    assert statistics.stdev(paces) > 0.5


def test_another_server_seed_gives_the_model_another_pace() -> None:
    (call,) = calls(1)
    assert parse_latency("real", 1)(call) != parse_latency("real", 2)(call)


def test_a_real_judge_is_quick_with_a_heavy_tail() -> None:
    latency = parse_latency("real", 0)
    seconds = sorted(latency(call) for call in calls(20_000, judge=True))
    assert seconds[10_000] == pytest.approx(2.38, abs=0.06)  # measured p50
    assert seconds[19_800] == pytest.approx(10.3, rel=0.25)  # measured p99
    assert 5 <= sum(second > 60 for second in seconds) <= 45  # 20 expected


def test_the_divisor_speeds_everything_up_alike() -> None:
    for call in calls(20) + calls(20, judge=True):
        assert parse_latency("real/20", 0)(call) == pytest.approx(parse_latency("real", 0)(call) / 20)


def test_one_conversation_always_takes_the_same_time() -> None:
    for spec in ("lognormal:0,1", "real", "0.1"):
        (call,) = calls(1)
        assert parse_latency(spec, 0)(call) == parse_latency(spec, 0)(call)


@pytest.mark.parametrize(
    "spec",
    ["fast", "-1", "nan", "inf", "lognormal:", "lognormal:1", "lognormal:1,-1", "lognormal:1,2,3", "real/0", "real/x"],
)
def test_a_latency_that_is_none_is_refused_with_what_to_write(spec: str) -> None:
    with pytest.raises(UsageError, match="use seconds such as"):
        parse_latency(spec, 0)
