from __future__ import annotations

import pytest

from independence.engine.run_context import CallLatency


def test_a_subject_nobody_has_timed_goes_before_one_known_to_be_quick() -> None:
    quick = CallLatency()
    quick.record(8.0)
    assert CallLatency().seconds > 5 * quick.seconds


def test_the_first_call_sets_the_pace() -> None:
    pace = CallLatency()
    pace.record(4.0)
    assert pace.seconds == 4.0


def test_later_calls_move_the_pace_a_fifth_of_the_way() -> None:
    pace = CallLatency()
    pace.record(4.0)
    pace.record(9.0)
    assert pace.seconds == pytest.approx(5.0)


def test_the_pace_comes_close_to_a_steady_latency() -> None:
    pace = CallLatency()
    for seconds in [30.0] + [2.0] * 40:
        pace.record(seconds)
    assert pace.seconds == pytest.approx(2.0, abs=0.01)


def test_a_call_that_took_no_time_leaves_an_order() -> None:
    pace = CallLatency()
    pace.record(0.0)
    assert pace.seconds > 0
