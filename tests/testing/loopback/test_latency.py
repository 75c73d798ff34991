from __future__ import annotations

import statistics
from math import log

import pytest

from independence.errors import UsageError
from independence.testing.loopback.settings import parse_latency


def test_no_latency_and_a_fixed_one() -> None:
    assert parse_latency("")("key") == 0.0
    assert parse_latency(" 0.05 ")("key") == 0.05


def test_lognormal_has_the_given_mean_and_spread_of_ln_seconds() -> None:
    latency = parse_latency("lognormal:-3,0.5")
    logs = [log(latency(f"key {number}")) for number in range(4000)]
    assert statistics.mean(logs) == pytest.approx(-3, abs=0.03)
    assert statistics.stdev(logs) == pytest.approx(0.5, abs=0.02)


def test_one_conversation_always_takes_the_same_time() -> None:
    for spec in ("lognormal:0,1", "0.1"):
        assert parse_latency(spec)("key") == parse_latency(spec)("key")


@pytest.mark.parametrize(
    "spec", ["fast", "real", "-1", "nan", "inf", "lognormal:", "lognormal:1", "lognormal:1,-1", "lognormal:1,2,3"]
)
def test_a_latency_that_is_none_is_refused_with_what_to_write(spec: str) -> None:
    with pytest.raises(UsageError, match="use seconds such as"):
        parse_latency(spec)
