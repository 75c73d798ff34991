"""Gates on an index: their intervals against closed forms, and their errors by simulation with fixed seeds."""

from __future__ import annotations

import math
from statistics import NormalDist

import msgspec
import numpy as np
import pytest
from benchmarks import gate
from benchmarks.verdict_world import SimulatedSubjects
from scipy import stats

from independence.stats import gates, repeated_looks
from independence.stats.gates import GatedIndex, Levels
from independence.stats.intervals import Interval, wilson
from independence.stats.repeated_looks import FIRST, LATER
from independence.stats.subject_points import Stratum, SubjectPoints

SEED = 11


def index(point: float = 80.0, **changes: float) -> GatedIndex:
    return msgspec.structs.replace(GatedIndex(point=point, dispersion=0.02, df=12.0, most=0.06, runs=4), **changes)


def test_the_interval_is_the_score_interval_by_students_t() -> None:
    own = index()
    reach = stats.t.ppf(0.975, 12) ** 2 * 0.02
    for end in own.interval(0.95):
        p = end / 100
        assert (0.8 - p) ** 2 == pytest.approx(reach * p * (1 - p))


def test_it_is_never_surer_than_a_share_of_the_most_variance_allows_nor_less_sure_than_all_of_it() -> None:
    even, torn = index(dispersion=0.0), index(dispersion=5.0)
    z = NormalDist().inv_cdf(0.975)
    for own, share in ((even, 0.17), (torn, 1.0)):
        low = own.interval(0.95).low / 100
        assert (0.8 - low) ** 2 == pytest.approx(z**2 * share * own.most * low * (1 - low))


def test_at_an_end_of_the_scale_verdicts_may_be_all_or_nothing() -> None:
    """Then a subject of one scenario is so many tries, and its interval Wilson's."""
    whole = SubjectPoints(0.0, (Stratum(("a",), (np.full(6, 100.0),), ((0.0, 100.0),)),))
    own = gate.gated(whole)
    assert (own.point, own.runs) == (100.0, 6)
    assert own.interval(0.95) == pytest.approx([100 * end for end in wilson(6, 6)])


def test_the_dispersion_is_that_of_the_runs() -> None:
    rng = np.random.default_rng(SEED)
    points = [rng.uniform(0, 25, 5) for _ in range(4)]
    own = gate.gated(SubjectPoints(0.0, (Stratum(tuple("abcd"), tuple(points), ((0.0, 25.0),) * 4),)))
    variances = [one.var(ddof=1) / 5 for one in points]
    p = sum(one.mean() for one in points) / 100
    assert own.point == pytest.approx(100 * p)
    grown = own.most / (4 * 25**2 / 5 / 100**2)  # by what whole runs may add
    assert 1 < grown < 1.5
    assert own.dispersion / grown == pytest.approx(sum(variances) / 100**2 / (p * (1 - p)))
    assert own.df < sum(variances) ** 2 / sum(one**2 / 4 for one in variances)


def test_the_difference_adds_each_sides_error_in_that_direction() -> None:
    own, then, at = index(96.0), index(70.0, runs=9), Levels(0.97, 0.99)
    low, high = gates.around_difference(own, then, at)
    assert low == pytest.approx(26 - math.hypot(96 - own.interval(0.97).low, then.interval(0.97).high - 70))
    assert high == pytest.approx(26 + math.hypot(own.interval(0.99).high - 96, 70 - then.interval(0.99).low))


@pytest.mark.parametrize("baseline", [None, 7])
def test_all_looks_together_spend_what_they_may(baseline: int | None) -> None:
    """A walk at the bar passes as often as it fails, each at most half of what is spent."""
    known = gates.information(10, baseline)
    rng, draws = np.random.default_rng(SEED), 40_000
    walk, before, crossed = np.zeros(draws), 0.0, np.zeros(draws, bool)
    for number, now in enumerate(known, start=1):
        walk += rng.normal(0, (now - before) ** 0.5, draws)
        crossed |= np.abs(walk) / now**0.5 > NormalDist().inv_cdf(0.5 + gates.levels(known[:number]).passing / 2)
        before = now
    due = gates.ERROR * (1 - 1.6 / known[-1])
    assert crossed.mean() == pytest.approx(due, abs=4 * (due / draws) ** 0.5)


def test_two_bars_share_the_error_of_failing() -> None:
    known = gates.information(5)
    one, two = gates.levels(known), gates.levels(known, 2)
    assert one.passing == one.failing == two.passing
    assert two.failing > one.failing
    assert 1 - gates.levels(known[:1], 2).failing == pytest.approx((1 - gates.levels(known[:1]).failing) / 2)


def test_decisions() -> None:
    for low, high, said in ((81, 90, "pass"), (80, 90, "undecided"), (70, 79, "fail")):
        assert gates.decided(Interval(low, high), 80) == said
    for said, whole in (("pass pass", "pass"), ("pass undecided", "undecided"), ("undecided fail", "fail")):
        assert gates.together(said.split()) == whole


def ends(drawn: SimulatedSubjects, count: int) -> list[list[Interval]]:
    at = {runs: gates.levels(gates.information(runs)) for runs in gate.LOOKS}
    found = gate.indices(drawn, count)
    return [[gates.around_index(own[runs], at[runs]) for runs in gate.LOOKS] for own in found]


@pytest.mark.parametrize(("place", "share"), [(0.8, 1.0), pytest.param(0.05, 0.5, marks=pytest.mark.deep)])
def test_gates_err_in_at_most_one_of_twenty_at_the_noise_that_the_suite_ships(place: float, share: float) -> None:
    """With a look after every run from 2 to 10, the true index on the bar and a point to either side.

    `python -m benchmarks gate` measures the same on 600 gates of each kind.
    """
    count = 80
    truth, drawn = gate.shipped(place, np.random.default_rng(SEED), count, share)
    found = ends(drawn, count)
    assert truth == pytest.approx(np.full(count, 100 * place))
    per_run = drawn.base + sum(own.sum(axis=1) for own in drawn.points)
    assert per_run.mean() == pytest.approx(100 * place, abs=0.3)
    assert per_run.std() == pytest.approx((share * 12.59) ** 0.5, rel=0.15)
    rates = {}
    for off in (0, 1, -1, 10, -10):
        decisions = [gate.first(own, 100 * place - off)[0] for own in found]
        rates[off] = [decisions.count(one) / count for one in ("pass", "fail")]
    assert max(*rates[0], rates[-1][0], rates[1][1]) <= 0.05
    assert rates[10][0] > 0.95 or place < 0.1
    assert rates[-10][1] > 0.95 or place > 0.9


def test_the_second_look_adds_what_it_may() -> None:
    """By the bivariate normal distribution of two looks, in closed form."""
    assert repeated_looks.level((3.0,)) == FIRST, "the first is tested as any other test"
    level = repeated_looks.level((3.0, 6.0))
    assert level == repeated_looks.level((3.0, 6.0), 0.05, 0.005)
    first, second = (NormalDist().inv_cdf(1 - one / 2) for one in (FIRST, level))
    joint = stats.multivariate_normal(cov=[[1, 0.5**0.5], [0.5**0.5, 1]])
    inside = joint.cdf(np.array([first, second]), lower_limit=np.array([-first, -second]))
    assert 1 - inside == pytest.approx(FIRST + LATER * (1 - 3 / 6), abs=2e-6)


@pytest.mark.parametrize("information", [tuple(map(float, range(3, 13))), (2.0, 2.5, 8.0, 30.0)])
def test_all_looks_together_err_as_often_as_they_may(information: tuple[float, ...]) -> None:
    rng, draws = np.random.default_rng(5), 40_000
    walk, found, before = np.zeros(draws), np.zeros(draws, bool), 0.0
    for number, now in enumerate(information, start=1):
        walk += rng.normal(0, (now - before) ** 0.5, draws)
        bound = NormalDist().inv_cdf(1 - repeated_looks.level(information[:number]) / 2)
        found |= np.abs(walk) / now**0.5 > bound
        before = now
    due = FIRST + LATER * (1 - information[0] / information[-1])
    assert found.mean() == pytest.approx(due, abs=3 * (due * (1 - due) / draws) ** 0.5)


def test_levels_fall_from_look_to_look() -> None:
    levels = [repeated_looks.level(tuple(map(float, range(3, last)))) for last in range(4, 104, 9)]
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] > 0


@pytest.mark.parametrize("span", [3.0, 20.0])
def test_one_scenario_that_is_a_matter_of_chance_seldom_fails_a_bar(span: float) -> None:
    """All others are always kept, and the bar is where the index truly lies."""
    rng, failed, others = np.random.default_rng(7), 0, (100 - span) / 10
    ends = ((0.0, span), *((0.0, others),) * 10)
    levels_at = {runs: gates.levels(gates.information(runs)) for runs in range(2, 7)}
    for coin in span * (rng.random((150, 6)) < 0.5):
        for runs, at in levels_at.items():
            points = (coin[:runs], *(np.full(runs, others),) * 10)
            own = gate.gated(SubjectPoints(0.0, (Stratum(tuple("abcdefghijk"), points, ends),)))
            if gates.decided(gates.around_index(own, at), 100 - span / 2) == "fail":
                failed += 1
                break
    assert failed / 150 < 0.085  # two Monte Carlo errors above 5%


def test_the_least_sure_scenario_reaches_as_far_above_as_wilson_s_interval() -> None:
    points = (np.array([0.0, 0.0]), np.array([80.0, 80.0]))
    own = gate.gated(SubjectPoints(0.0, (Stratum(("a", "b"), points, ((0.0, 20.0), (0.0, 80.0))),)))
    assert (own.alone.span, own.alone.kept, own.alone.runs) == (20.0, 0.0, 2)
    assert own.alone.above(0.95) == pytest.approx(20 * wilson(0, 2).high)
    assert gates.around_index(own, Levels(0.9, 0.95)).high >= 80 + own.alone.above(0.95)
