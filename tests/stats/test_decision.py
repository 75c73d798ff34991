"""Decisions: how levels spend the error, what one look says, who is dropped; and what `benchmarks decide` does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from benchmarks import decide, decide_best
from benchmarks.figure import Figure, Skipped
from benchmarks.grid import Grid
from benchmarks.purchases import halves, made_up
from scipy import stats

from independence.stats.allocation import LEAST, RepeatedScenario, allocate, variances
from independence.stats.comparison import adjusted, difference
from independence.stats.decision import ERROR, FIRST, decided, expected_stages, level, surely_below
from independence.stats.index_uncertainty import IndexEstimate


def test_all_looks_together_spend_the_error_evenly_and_half_a_point_beyond_the_end():
    rng, count = np.random.default_rng(3), 200_000
    for first, end in ((2, 3), (2, 10), (4, 20)):
        at = np.arange(first, end + 6.0)
        z = (
            rng.normal(0, np.sqrt(np.diff(at, prepend=0))[:, None], (len(at), count)).cumsum(axis=0)
            / np.sqrt(at)[:, None]
        )
        bounds = [stats.norm.isf(level(at[: number + 1], end) / 2) for number in range(len(at))]
        shares = np.logical_or.accumulate(np.abs(z) > np.array(bounds)[:, None]).mean(axis=1)
        for known, share in zip(at, shares, strict=True):
            even = FIRST + (ERROR - FIRST) * (known - first) / (end - first)
            beyond = ERROR + 0.005 * (1 - end / known)
            assert share == pytest.approx(even if known <= end else beyond, abs=0.0025), (end, known)
    assert level((20.0,), 10) == ERROR, "with more than was planned the first look is the only one"


def test_a_look_says_what_the_interval_of_its_level_says():
    for points, said in (
        (9.0, "differ"),
        (3.0, "differ"),
        (1.0, "within"),
        (-1.0, "within"),
        (-2.2, "open"),
        (-9.0, "differ"),
    ):
        sides = [
            IndexEstimate(point, 0.7, 40.0, dispersion=0.7**2 / point / (100 - point)) for point in (80 + points, 80)
        ]
        found = difference(*sides)
        low, high = found.interval(0.99)
        assert (low > 0 or high < 0) is (said == "differ")
        assert (said == "within") is (decided(found, 0.01, 4.0) == "within") is (-4 < low < 0 < high < 4)
        assert decided(found, 0.01, 4.0) == said
        assert decided(found, 0.01, 0.0) == ("differ" if said == "differ" else "open")


def test_who_is_below_is_tested_as_one_of_all_pairs():
    sides = [IndexEstimate(90.0 - gap, 1.0, 30.0) for gap in (3.2, 0.0, 2.0, 5.6, 20.0)]
    allowance = np.ones((5, 5))
    allowance[1, 3] = allowance[3, 1] = 2.0
    pairs = list(combinations(range(5), 2))
    p = np.array([difference(sides[a], sides[b]).p * allowance[a, b] for a, b in pairs])
    found = dict(zip(pairs, adjusted(p), strict=True))
    below = surely_below(sides, allowance)
    assert below == [found[0, 1] < ERROR, False, *(found[1, at] < ERROR for at in (2, 3, 4))]
    assert below == [False, False, False, True, True]
    assert surely_below([sides[1], sides[0]], np.ones((2, 2))) == [False, True], "of two it would be"
    assert surely_below(sides[:1], np.ones((1, 1))) == [False]


@pytest.mark.parametrize("count", [2, 3, 8, 20])
def test_of_equals_one_is_put_below_the_best_in_at_most_one_of_twenty(count: int):
    rng = np.random.default_rng(count)
    boards = rng.normal(90, 0.5, (300, count))
    put = [
        any(surely_below([IndexEstimate(point, 0.5, 400.0) for point in own.tolist()], np.ones((count, count))))
        for own in boards
    ]
    assert np.mean(put) < 0.075  # two Monte Carlo errors


def test_simulated_decisions_are_those_of_the_rule_and_grids_are_whole():
    held, kind = halves(made_up(graded=True))[0], decide.Kind("5 points apart", 5.0)
    looks = decide.look(6, (held, 0, kind))
    assert looks.truth == pytest.approx(5.0)
    for cap in (3, 8):
        found = decide.outcomes(looks, cap)
        assert (found.stage <= cap).all()
        assert ((found.stage == cap) | found.differ | found.within).all()
        assert not (found.differ & found.within).any()
    results = decide.measure((), pairs=2, processes=1)
    assert [type(one) for one in results] == [Skipped, *[Figure, Grid, Grid, Grid] * 2]
    for grid in (one for one in results if isinstance(one, Grid)):
        assert all(len(row.cells) == len(grid.heads) for row in grid.rows)
    assert held.gain(LEAST) == pytest.approx(1)


def test_the_best_of_many_costs_between_two_runs_of_all_and_the_most_of_all():
    whole, chosen = decide_best.choose(1, (halves(made_up(graded=True))[0], 0, decide_best.KINDS[1]))
    assert whole.shape == (1, decide_best.WHOLE)
    for (cap, margin), found in chosen.items():
        assert LEAST * decide_best.FLEET <= found.runs[0] <= chosen[cap, 0.0].runs[0] <= cap * decide_best.FLEET
        assert not found.dropped[0] or found.regret[0] > 0, margin


def crossed(information: Sequence[float], levels: Sequence[float], gap: float = 0.0) -> np.ndarray:
    """(paths, looks) which looks find a difference where `gap` is the true one, as the information grows."""
    steps = np.diff(information, prepend=0.0)
    seen = np.cumsum(np.random.default_rng(33).normal(gap * steps, np.sqrt(steps), (200_000, len(steps))), axis=1)
    return np.abs(seen / np.sqrt(information)) > stats.norm.isf(np.array(levels) / 2)


def levels(information: Sequence[float], end: float) -> list[float]:
    return [level(information[: count + 1], end) for count in range(len(information))]


def test_unequal_and_skipped_looks_err_no_more():
    for information in ([2, 5, 6.5, 10], [2, 3, 9.4], [2.4, 3.1, 3.2, 7, 9]):
        assert crossed(information, levels(information, 10)).any(axis=1).mean() < ERROR + 0.0015


@pytest.mark.parametrize(("gap", "least", "most"), [(0.0, 0.97, 1.01), (3.0, 0.9, 1.02), (8.0, 0.85, 1.02)])
def test_how_many_stages_a_decision_takes_is_foretold_about_right(gap: float, least: float, most: float):
    errors = [18.0 / stage for stage in range(2, 11)]
    information = [1 / one for one in errors]
    first = crossed(information, levels(information, information[-1]), gap)
    first[:, -1] = True
    simulated = float(first.argmax(axis=1).mean()) + 1
    assert least < simulated / expected_stages(gap, errors) < most


def test_variances_of_stages_are_those_of_the_plan():
    noise, calls = {"a": 9.0, "b": 1.0, "c": 4.0}, {"a": 2, "b": 3, "c": 1}
    units = {name: RepeatedScenario(noise[name], calls[name]) for name in noise}
    foretold = variances(noise, calls, 40)
    assert len(foretold) == 39
    for stage in (LEAST, 20, 40):
        plan = allocate(units, stage * sum(calls.values()))
        exact = 2 * sum(noise[name] / runs for name, runs in plan.items())
        assert foretold[stage - LEAST] == pytest.approx(exact, rel=0.05)
