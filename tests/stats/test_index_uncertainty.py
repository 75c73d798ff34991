"""How sure an index is, for these scenarios and for scenarios like these, beside a fleet and alone."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from scipy import stats

from independence.stats import single_runs
from independence.stats.comparison import difference
from independence.stats.index_uncertainty import (
    IndexEstimate,
    PriorShare,
    expected_room,
    moderate,
    repeated,
    scenarios_like_these,
    shared_effects,
    these_scenarios,
)
from independence.stats.intervals import score_interval
from independence.stats.subject_points import Stratum, SubjectPoints
from tests.stats import sheets


def test_alone_its_variance_is_that_of_the_scenarios_moved_towards_the_prior_share() -> None:
    runs = [[10.0, 12.0, 11.0], [3.0, 7.0, 8.0], [9.0, 9.0, 12.0]]
    (made,) = these_scenarios([sheets.of(*runs)])  # on a scale of 0 to 60
    parts = np.array([np.var(own, ddof=1) / 3 for own in runs])
    df = parts.sum() ** 2 / (parts**2 / 2).sum()  # Satterthwaite's
    place = made.point / 60
    room, most = place * (1 - place), 3 * 20**2 / 3 / 60**2
    moved = moderate(parts.sum()[None] / 60**2 / room / most, np.array([df]), PriorShare(0.12, 2.0))
    by_scenarios = 1 - made.by_runs  # the rest of the squared error is of whole runs
    assert made.se**2 * by_scenarios == pytest.approx(60**2 * moved.share[0] * most * room)
    assert made.df < moved.df[0]
    assert (made.borrowed, made.lent_df) == pytest.approx((moved.borrowed[0] * by_scenarios, 2))
    assert made.dispersion == pytest.approx(made.se**2 / 60**2 / room)


def test_an_interval_holds_every_index_whose_own_error_reaches_the_one_that_was_seen() -> None:
    made = IndexEstimate(96.0, 1.0, 12.0, dispersion=1.0 / (96 * 4))
    interval = made.interval()
    for end in interval:
        reach = stats.t.ppf(0.975, 12) * np.sqrt(made.dispersion * end * (100 - end))
        assert abs(96 - end) == pytest.approx(reach)
    assert 96 - interval.low > interval.high - 96
    assert made._replace(se=0.0).interval() is None


def test_alone_the_second_reading_is_the_variance_between_scenario_means_moved_likewise() -> None:
    runs = [[10.0, 12.0], [3.0, 7.0], [9.0, 12.0], [15.0, 14.0]]
    (made,) = scenarios_like_these([sheets.of(*runs)])
    between = 4 * np.var([np.mean(own) for own in runs], ddof=1) / 80**2
    place = made.point / 80
    moved = moderate(np.array([between / (place * (1 - place)) * 4]), np.array([3.0]), PriorShare(0.25, 2.0))
    assert made.dispersion == pytest.approx(moved.share[0] / 4)
    assert made.df == pytest.approx(moved.df[0])


def test_scenario_effects_are_shared_as_far_as_subjects_agree_on_what_is_hard() -> None:
    rng = np.random.default_rng(5)
    hard, own = rng.normal(0, 2, (1, 12)), rng.normal(0, 2, (40, 12))

    def fleet(effects: np.ndarray) -> list[SubjectPoints]:
        return [sheets.of(*np.repeat(10 + subject[:, None], 3, axis=1)) for subject in effects]

    assert shared_effects(fleet(np.repeat(hard, 40, axis=0))) == pytest.approx(1)
    assert shared_effects(fleet(own)) < 0.02
    assert shared_effects(fleet(hard + own)) == pytest.approx(
        np.corrcoef(hard + own)[np.triu_indices(40, 1)].mean() ** 2, abs=0.05
    )
    assert shared_effects(fleet(own)[:1]) == 0


def test_the_number_of_parts_that_a_variance_is_made_of_is_the_fleets() -> None:
    one, other = [[1.0, 3.0], [5.0, 5.0]], [[1.0, 3.0], [4.0, 6.0]]
    alone = these_scenarios([sheets.of(*one)])[0]
    both = these_scenarios([sheets.of(*one), sheets.of(*other)])[0]
    assert alone.lent_df == 2
    assert both.lent_df == pytest.approx(2 + (1 + 4) / (1 + 2))  # (sums of variances)^2 over sums of their squares


def test_the_second_reading_is_never_the_surer_one() -> None:
    rng = np.random.default_rng(3)
    fleet = [sheets.drawn(rng) for _ in range(30)]
    for these, like_these in zip(these_scenarios(fleet), scenarios_like_these(fleet), strict=True):
        inner, outer = these.interval(), like_these.interval()
        assert outer.low <= inner.low
        assert outer.high >= inner.high


def test_runs_that_agree_get_a_width_from_the_fleet_and_alone_from_the_prior_share() -> None:
    same = sheets.of([12.0] * 5, [12.0] * 5)
    rng = np.random.default_rng(3)
    estimate, *_ = these_scenarios([same, *(sheets.drawn(rng, 2) for _ in range(6))])
    interval = estimate.interval()
    assert interval.high - interval.low > 0.5
    for constant in (12.0, 0.7):  # the second leaves a rest in binary
        (alone,) = these_scenarios([sheets.of([constant] * 3, [constant] * 3)])
        own, lent = 1 / 2, 0.4 / 2.8 + 1 / 2  # errors relative to 2 (1 + spread)
        by_scenarios = alone.dispersion * (1 - alone.by_runs)
        assert by_scenarios == pytest.approx((1 - lent / (own + lent)) * 0.12 / 6)
        (nothing_known,) = these_scenarios([sheets.of([constant] * 3, [constant] * 3)], prior_df=0)
        assert nothing_known.interval() is None


def test_who_is_at_the_end_of_the_scale_takes_all_from_the_others_and_lends_nothing() -> None:
    perfect = sheets.of([20.0] * 4, [20.0] * 4)
    (alone,) = these_scenarios([perfect])
    assert alone.dispersion * (1 - alone.by_runs) == pytest.approx(0.12 / 8)
    assert alone.interval() != (100.0, 100.0)
    several = these_scenarios([perfect] * 5)
    assert [one.dispersion * (1 - one.by_runs) for one in several] == pytest.approx([0.12 / 8] * 5)
    rng = np.random.default_rng(3)
    others = [sheets.drawn(rng, 2, 4) for _ in range(6)]
    beside, *found = these_scenarios([perfect, *others])
    assert beside.borrowed == pytest.approx(1 - beside.by_runs)
    assert [one.lent_df for one in found] == pytest.approx([one.lent_df for one in these_scenarios(others)])


def test_a_single_scenario_carries_its_run_variance_alone_and_a_single_run_shows_no_spread() -> None:
    sheet = [SubjectPoints(0.0, (Stratum(("x",), (np.array([4.0, 8.0, 6.0]),), ((0.0, 10.0),)),))]
    assert these_scenarios(sheet, prior_df=0) == scenarios_like_these(sheet, prior_df=0)
    assert these_scenarios([]) == scenarios_like_these([]) == []
    assert (repeated(sheets.of([1.0], [2.0, 3.0])), repeated(sheets.of([1.0, 1.0], [2.0, 3.0]))) == (False, True)


def test_what_one_verdict_adds_to_two_strata_moves_together() -> None:
    shared = np.array([1.0, 5.0, 3.0, 4.0])
    wide = Stratum(("a", "b"), (shared, np.array([2.0, 2.5, 2.0, 2.2])), ((0.0, 10.0),) * 2)
    bound, free = (
        SubjectPoints(0.0, (wide, Stratum(("a",), (own,), ((0.0, 10.0),)))) for own in (shared, shared[::-1].copy())
    )
    assert bound.covaried(1) == pytest.approx(2 * np.var(shared, ddof=1))
    assert free.covaried(1) == 0
    (together,), (apart,) = (scenarios_like_these([one], prior_df=0) for one in (bound, free))
    assert together.se > apart.se


PRIOR = PriorShare(0.1, 2.0)


def test_a_subject_alone_moves_towards_the_prior_share_by_the_linear_formula() -> None:
    made = moderate(np.array([0.3]), np.array([4.0]), PRIOR)
    own, lent = 1 / 4, 0.4 / 2.8 + 1 / 2  # errors relative to 2 (1 + spread)
    kept = lent / (own + lent)
    assert made.share[0] == pytest.approx(kept * 0.3 + (1 - kept) * 0.1)
    assert made.borrowed[0] == pytest.approx((1 - kept) * 0.1 / made.share[0])
    part = made.borrowed[0]
    assert 1 / made.df[0] == pytest.approx((1 - part) ** 2 / 4 + part**2 * (0.4 / 2 + 1 / 2))
    assert made.lent_df[0] == 2


def test_shares_of_a_fleet_move_towards_the_others_by_the_linear_formula() -> None:
    share, df, shared = np.array([0.02, 1.5, 0.3, 0.0, 0.4]), np.array([20.0, 30.0, 8.0, 4.0, 0.0]), 0.3
    made = moderate(share, df, PRIOR, shared)
    mean = (df * share).sum() / df.sum()
    seen, sampling = 4 / 3 * (df * (share / mean - 1) ** 2).sum() / df.sum(), 2 * 4 / df.sum() * (1 - shared)
    spread = (seen - sampling) / (1 + sampling)
    assert spread > 0.5, "more than is always taken for granted"
    for at, own in enumerate(df.tolist()):
        others = np.arange(5) != at
        known = df[others].sum() / (1 + 3 * shared)
        lent_df = known + PRIOR.df
        theirs = (known * np.average(share[others], weights=df[others]) + PRIOR.df * PRIOR.share) / lent_df
        lent, joint = spread / (2 * (1 + spread)) + 1 / lent_df, shared / own * known / lent_df if own else 0.0
        kept = (lent - joint) / (1 / own + lent - 2 * joint) if own else 0.0
        assert made.lent_df[at] == pytest.approx(lent_df)
        assert made.share[at] == pytest.approx(kept * share[at] + (1 - kept) * theirs)
        part = (1 - kept) * theirs / made.share[at]
        assert made.borrowed[at] == pytest.approx(part)
        if own:
            error = (1 - part) ** 2 / own + part**2 * (spread / 2 + 1 / lent_df) + 2 * (1 - part) * part * joint
            assert made.df[at] == pytest.approx(1 / error)


def test_errors_that_subjects_share_are_lent_once() -> None:
    share, df = np.full(20, 0.2), np.full(20, 4.0)
    free, bound = moderate(share, df, PRIOR), moderate(share, df, PRIOR, shared=1.0)
    assert free.lent_df[0] == 2 + 19 * 4
    assert bound.lent_df[0] == pytest.approx(2 + 4)
    assert bound.df[0] < free.df[0]


def test_places_at_an_end_leave_little_room_and_unreliable_ones_say_nothing() -> None:
    places = np.array([0.99, 0.5, 0.1])
    sure, unsure = expected_room(places, np.full(3, 1e-6)), expected_room(places, np.full(3, 10.0))
    assert sure == pytest.approx(places * (1 - places), rel=0.01)
    assert np.ptp(unsure) == pytest.approx(0)
    assert expected_room(np.array([1.0]), np.zeros(1))[0] == pytest.approx(0.001, rel=0.01)


def test_single_runs_that_pass_or_fail_have_wilson_s_interval_beside_the_exact_one() -> None:
    for count in (12, 24, 48, 100):
        passed, reach = np.arange(count + 1), stats.t.ppf(0.975, count - 1) ** 2 / count
        sheet = [sheets.of(*[[100 / count]] * own, *[[0.0]] * (count - own), most=100 / count) for own in passed]
        ends = np.array([single_runs.like_these(one).interval() for one in sheet])
        assert ends / 100 == pytest.approx(np.array([score_interval(own / count, reach) for own in passed]))
        assert (ends.min(), ends.max()) == pytest.approx((0, 100))
        exact = 100 * stats.binomtest(count, count).proportion_ci().low
        assert exact - 3 < ends[-1, 0] < exact
        truths = np.linspace(0.5, 0.9995, 1_000)
        chance = stats.binom.pmf(passed, count, truths[:, None])
        held = (chance * ((ends[:, 0] <= 100 * truths[:, None]) & (100 * truths[:, None] <= ends[:, 1]))).sum(axis=1)
        for low, high in ((0.5, 0.85), (0.85, 0.95), (0.95, 0.98), (0.98, 1)):
            assert 0.94 < held[(low <= truths) & (truths < high)].mean() < 0.98
        assert held.min() > 0.84, "counts come in steps, so next to the end it falls below, as Wilson's does"


def test_single_runs_are_a_sample_of_scenarios_with_one_more_at_the_far_end() -> None:
    points = np.random.default_rng(2).integers(3, 6, 12).astype(float)
    found = single_runs.like_these(sheets.of(*([one] for one in points), most=5.0))
    more = np.append(points, 0.0)
    assert (found.point, found.df) == pytest.approx((points.sum(), 11))
    assert found.se**2 == pytest.approx(12 * more.var())
    assert found.dispersion == pytest.approx(more.var() / 12 / (more.mean() * (5 - more.mean())))
    assert single_runs.like_these(sheets.of(*[[1.0], [2.0]] * 4)) is None, "few scenarios are no sample"


def test_strata_add_up_by_satterthwaite() -> None:
    first, second = (sheets.of(*([float(one)] for one in own)) for own in (range(10), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]))
    found = single_runs.like_these(SubjectPoints(1.0, (*first.strata, *second.strata)))
    variances = []
    for one in (first, second):
        points = np.array([own[0] for own in one.strata[0].points])
        squares = 10 * points.var() + 10 * 0.5 / 10.5 * (20 - points.mean()) ** 2  # half an unseen one of each
        variances.append(10 * squares / 10.5)
    assert found.se**2 == pytest.approx(sum(variances))
    assert found.df == pytest.approx(sum(variances) ** 2 / sum(one**2 / 9 for one in variances))
    assert found.scale == (1.0, 401.0)


# Whole runs


def grown(sheet: SubjectPoints, *others: SubjectPoints) -> IndexEstimate:
    return these_scenarios([sheet, *others])[0]


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_independent_runs_are_seldom_said_to_go_up_and_down(runs: int) -> None:
    """Whatever verdicts are like: even, or mostly at an end of the scale."""
    rng = np.random.default_rng(runs)
    for points in (rng.normal(10, 2, (500, 15, runs)), 20.0 * (rng.random((500, 15, runs)) < 0.8)):
        found = [grown(sheets.of(*own)) for own in points]
        assert np.mean([one.unstable for one in found]) < 0.045
        assert 0 < np.median([one.by_runs for one in found]) < 0.3, "a little is always allowed for"


def test_whole_runs_that_go_up_and_down_make_an_index_as_unsure_as_they_are() -> None:
    rng = np.random.default_rng(8)
    calm = rng.normal(12, 2, (15, 10))
    torn = calm - 5 * (np.arange(10) % 3 == 0)
    alone, other = sheets.of(*torn, most=20.0), sheets.of(*calm)
    stable = [sheets.drawn(rng, 15, 10) for _ in range(19)]
    seen = torn.sum(axis=0).std(ddof=1) / np.sqrt(10)
    for found in (grown(alone), grown(alone, *stable), scenarios_like_these([alone])[0]):
        assert found.unstable, "one unstable subject among stable ones is not hidden"
        assert 0.7 < found.se / seen < 1.5
        assert found.df < 10
    assert not grown(other).unstable
    assert grown(other).se < grown(alone).se / 3


def test_where_hosts_changed_for_all_everybody_is_less_sure() -> None:
    rng = np.random.default_rng(4)
    steady = sheets.of(*rng.normal(12, 2, (15, 3)))
    torn = [sheets.of(*(rng.normal(12, 2, (15, 5)) - 5 * (rng.random(5) < 0.4))) for _ in range(12)]
    calm = [sheets.drawn(rng, 15, 5) for _ in range(12)]
    assert grown(steady, *torn).by_runs > 2 * grown(steady, *calm).by_runs


def test_unequal_runs_show_what_moved_those_that_share_one() -> None:
    rng = np.random.default_rng(3)
    down = 5.0 * np.resize([0, 0, 1], 12)
    points = 12 - down + rng.normal(0, 1, (15, 12))
    ragged = [own[: (2, 7, 12)[at % 3]] for at, own in enumerate(points)]
    steady = [own[: (2, 7, 12)[at % 3]] for at, own in enumerate(points + down)]
    assert grown(sheets.of(*ragged)).unstable
    assert not grown(sheets.of(*steady)).unstable
    alone = grown(sheets.of(points[0], *np.full((14, 12), 12.0)))
    assert alone.by_runs < 0.05, "one scenario that varies tells of no runs"


def test_nothing_is_said_to_differ_by_two_runs_unless_others_tell_of_whole_runs() -> None:
    rng = np.random.default_rng(6)
    high, low = (sheets.of(*rng.normal(mean, 0.5, (15, 2))) for mean in (18, 4))
    others = [sheets.drawn(rng, 15, 3) for _ in range(6)]
    assert difference(*these_scenarios([high, low])).p == 1
    assert difference(*these_scenarios([high, low, *others])[:2]).p < 0.001
    three = [sheets.of(*rng.normal(mean, 0.5, (15, 3))) for mean in (18, 4)]
    assert difference(*these_scenarios(three)).p < 0.001


def test_what_missing_verdicts_are_filled_with_is_no_run_that_went_down() -> None:
    calm = np.random.default_rng(8).normal(12, 2, (15, 5))
    calm[2:, 4] = np.nan
    low = sheets.of(*np.nan_to_num(calm, nan=0.0))
    assert grown(low).unstable
    assert not grown(msgspec.structs.replace(low, given=sheets.of(*calm))).unstable


def test_what_is_well_known_of_itself_stays_known_beside_a_subject_that_is_much_noisier() -> None:
    made = moderate(np.array([0.0002, 0.66]), np.array([81.0, 24.0]), PriorShare(0.12, 2.0))
    assert made.df[0] == 1.0
    assert made.borrowed[0] > 0.9
    assert made.df[1] == pytest.approx(24, rel=0.01)
