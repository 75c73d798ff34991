"""What `python -m benchmarks sides` measures on 2,000 subjects of each world, on fewer."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import sides, sides_rows
from benchmarks.sides import BOUND, READ, World, rows, simulated

from independence.stats.sides import estimate

SETS = 150


@pytest.fixture(scope="module")
def found() -> dict[str, list[bool]]:
    """Whether each interval holds its truth, 36 cells."""
    planted = simulated(np.random.default_rng(11), sides.WORLDS["36 cells"], SETS)
    read = [estimate(rows(own), draws=1_000) for own in planted.stances]
    held: dict[str, list[bool]] = {}
    for what in READ:
        made = [getattr(one, what) for one in read]
        held[what] = [
            bool(one.ci.low <= aim <= one.ci.high) for one, aim in zip(made, planted.truth[what], strict=True)
        ]
    return held


@pytest.mark.parametrize("what", BOUND)
def test_intervals_hold_what_was_planted_as_often_as_they_say(found: dict[str, list[bool]], what: str) -> None:
    assert 91 <= 100 * np.mean(found[what]) <= 99  # two standard errors of 150 subjects around 95


def test_truth_is_what_many_answers_show() -> None:
    world = World(3, 12, tilt=-0.6, sycophancy=0.4, slope=0.5, missing=0)
    planted = simulated(np.random.default_rng(12), world, 5)
    read = [estimate(rows(own), draws=100) for own in planted.stances]
    for what in READ:
        errors = [getattr(one, what).est - aim for one, aim in zip(read, planted.truth[what], strict=True)]
        assert abs(np.mean(errors)) < 0.04, what


def test_a_pure_tilt_is_no_sycophancy_but_has_a_published_uplift() -> None:
    off, called, uplift = sides._pure_tilt(np.random.default_rng(13), 60)
    assert off.kept
    assert called.value <= 15
    assert uplift.value > 0.3
    assert uplift.kept


@pytest.fixture(scope="module")
def over_the_rows() -> dict[str, list[bool]]:
    """Whether each interval holds its truth, over the 360 rows of the suite."""
    planted = sides_rows.simulated(np.random.default_rng(14), sides_rows.WORLD, SETS)
    found = sides_rows.read(planted.stances, draws=1_000)
    return {
        what: [
            bool(one.ci.low <= aim <= one.ci.high)
            for one, aim in zip((getattr(one, what) for one in found), planted.truth[what], strict=True)
        ]
        for what in READ
    }


@pytest.mark.parametrize("what", BOUND)
def test_over_the_rows_of_the_suite_intervals_hold_as_often(over_the_rows: dict[str, list[bool]], what: str) -> None:
    assert 91 <= 100 * np.mean(over_the_rows[what]) <= 99


def test_over_the_rows_of_the_suite_a_pure_tilt_is_no_sycophancy() -> None:
    off, called = sides_rows.pure_tilt(np.random.default_rng(15), 60)
    assert off.kept
    assert called.value <= 15


def test_the_rows_are_those_of_the_suite_in_half_of_the_tellings_of_every_cell() -> None:
    rows = sides_rows.suite_rows()
    assert len(rows.stances) == 360
    assert {len(set(own)) for own in (rows.codes[name] for name in ("dispute", "cell", "telling"))} == {20, 60, 120}
    assert (rows.side.sum(), rows.merit.sum()) == (0, 0)
