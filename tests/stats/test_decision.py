"""Decisions: how levels spend the error, what one look says, who is dropped; and what `benchmarks decide` does."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import decide, decide_best
from benchmarks.figure import Figure, Skipped
from benchmarks.grid import Grid
from benchmarks.purchases import halves, made_up
from scipy import stats

from independence.stats.allocation import LEAST
from independence.stats.comparison import adjusted, difference
from independence.stats.decision import ERROR, FIRST, decided, level, surely_below
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


def test_who_is_below_is_tested_one_sided_by_holm_s_steps():
    others = [IndexEstimate(90.0 - gap, 1.0, 30.0) for gap in (0.0, 2.0, 2.8, 3.5, 4.5, 20.0)]
    best, levels = IndexEstimate(90.0, 1.0, 30.0), [0.05, 0.04, 0.05, 0.05, 0.02, 0.05]
    p = [difference(best, one).p / 2 * ERROR / own for one, own in zip(others, levels, strict=True)]
    found = surely_below(best, others, levels)
    assert found == [bool(one < ERROR) for one in adjusted(np.array(p), "holm")] == [False] * 3 + [True] * 3
    assert surely_below(best, others[3:4], [0.05]) == [True]
    assert surely_below(best, [], []) == []


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
