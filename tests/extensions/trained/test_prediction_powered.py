"""Prediction-powered totals against closed forms, and what their intervals are worth over many draws."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from independence.extensions.trained import prediction_powered
from independence.extensions.trained.prediction_powered import FEWEST, MeasuredSample, PoweredTotals
from independence.stats.intervals import t_quantile

Array = NDArray[np.float64]
NAN = float("nan")


def sample(
    predicted: Array,
    measured: Array,
    probability: float | Array,
    group: Array | None = None,
    size: Array | None = None,
    weight: Array | None = None,
    ends: Array | None = None,
) -> MeasuredSample:
    """One stratum; one group unless told."""
    count, ones = len(predicted), np.ones(len(predicted))
    groups = np.zeros(count, dtype=np.intp) if group is None else group.astype(np.intp)
    chance = np.broadcast_to(np.asarray(probability, dtype=np.float64), count)
    return MeasuredSample(
        groups, np.zeros(count, dtype=np.intp), predicted, measured, chance,
        ones if size is None else size, ones if weight is None else weight,
        np.full((count, 2), NAN) if ends is None else ends,
    )  # fmt: skip


def totals(of: MeasuredSample, fitted: Collection[int] = ()) -> PoweredTotals:
    return prediction_powered.totals(of, int(of.group.max()) + 1, fitted)


def test_all_measured_for_certain_is_the_exact_total_and_nothing_known_the_sum_of_predictions() -> None:
    truth = np.arange(8.0)
    found = totals(sample(truth * 0, truth, 1.0, group=np.repeat([0, 1], 4)))
    assert (found.total.tolist(), found.half.tolist()) == ([6, 22], [0, 0])
    nothing = totals(sample(np.array([1.0, 2.0, 4.0]), np.full(3, NAN), 0.0))
    assert (nothing.total.tolist(), np.isnan(nothing.half).tolist()) == ([7], [True])
    whole = totals(sample(np.zeros(8), truth, 0.5))
    assert whole.bounds.tolist() == [[whole.total[0]] * 2], "where everything came both bounds are the total"


def test_what_never_came_or_could_not_be_drawn_takes_the_interval_from_its_own_group_alone() -> None:
    truth = np.arange(8.0)
    truth[3] = NAN
    certain = totals(sample(np.ones(8), truth, 1.0))
    assert np.isnan(certain.half).all()
    assert certain.total[0] == pytest.approx(np.nansum(truth) + 1)
    rng, group = np.random.default_rng(3), np.repeat([0, 1], 50)
    measured = np.where(rng.random(100) < 0.5, rng.normal(size=100), NAN)
    lost, chance = measured.copy(), np.full(100, 0.5)
    lost[0], chance[0] = NAN, 1.0
    never = np.where(group == 0, 0.0, 0.5)
    for values, probability in ((lost, chance), (np.where(never > 0, measured, NAN), never)):
        without, other = totals(sample(np.zeros(100), values, probability, group)).half
        assert np.isnan(without)
        assert other > 0
    drawn = np.where(np.arange(20) < 10, rng.normal(size=20), NAN)
    assert np.isfinite(totals(sample(np.zeros(20), drawn, 0.5)).half).all()
    assert np.isnan(totals(sample(np.zeros(20), drawn, np.append(np.full(19, 0.5), 0.0))).half).all()


def test_a_difference_counts_as_often_as_it_was_unlikely_to_be_measured() -> None:
    predicted, measured = np.array([1.0, 2.0, 3.0]), np.array([2.0, NAN, 2.5])
    found = totals(sample(predicted, measured, np.array([0.25, 0.5, 1.0])))
    assert found.total[0] == pytest.approx(6 + 1 / 0.25 - 0.5)


def test_the_width_is_the_closed_form_of_even_probabilities_to_which_certain_values_add_none() -> None:
    differences = np.array([1.0, -2.0, 0.5, 1.5, -1.0, 3.0])
    measured = np.concatenate([differences, np.full(18, NAN)])
    found = totals(sample(np.zeros(24), measured, 0.25))
    half = stats.t.ppf(0.975, 5) * np.sqrt(24 * np.mean(differences**2) * 0.75 / 0.25)
    assert found.half[0] == pytest.approx(half)
    chance = np.concatenate([np.full(24, 0.25), np.ones(6)])
    both = totals(sample(np.zeros(30), np.concatenate([measured, np.full(6, 50.0)]), chance))
    assert (both.half[0], both.total[0]) == pytest.approx((half, found.total[0] + 300))


@pytest.mark.parametrize(("measured", "told"), [(FEWEST - 1, False), (FEWEST, True)])
@pytest.mark.parametrize("fitted", [(), (0,)])
def test_fewer_than_a_handful_measured_tell_no_width(measured: int, told: bool, fitted: tuple[int, ...]) -> None:
    truth = np.random.default_rng(2).normal(size=30)
    found = totals(sample(np.zeros(30), np.where(np.arange(30) < measured, truth, NAN), 0.2), fitted)
    assert np.isfinite(found.half[0]) == told


def test_a_group_without_any_draw_takes_its_width_from_the_others() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(3), 20)
    truth = rng.normal(size=60)
    drawn = (group < 2) & (np.arange(60) % 3 == 0)
    found = totals(sample(truth + 1, np.where(drawn, truth, NAN), 1 / 3, group=group))
    assert found.total[2] == pytest.approx((truth + 1)[40:].sum())
    assert found.half[2] == pytest.approx(found.half[0])
    assert found.half[2] > 0


def test_a_width_grows_with_how_far_off_predictions_may_be() -> None:
    rng = np.random.default_rng(4)
    group, size = np.repeat([0, 1], 20), np.repeat([1.0, 3.0], 20)
    truth = rng.normal(size=40) * size
    found = totals(sample(np.zeros(40), np.where(np.arange(40) % 2 == 0, truth, NAN), 0.5, group=group, size=size))
    assert found.half[1] == pytest.approx(3 * found.half[0])


def test_strata_have_variances_of_their_own_and_add_up() -> None:
    rng = np.random.default_rng(5)
    one, other = rng.normal(size=20), 10 * rng.normal(size=20)
    drawn = np.arange(20) % 2 == 0
    halves = [totals(sample(np.zeros(20), np.where(drawn, own, NAN), 0.5)).half[0] for own in (one, other)]
    whole = sample(np.zeros(40), np.where(np.tile(drawn, 2), np.concatenate([one, other]), NAN), 0.5)
    both = totals(whole._replace(stratum=np.repeat([0, 1], 20)))
    assert both.half[0] == pytest.approx(np.hypot(*halves))
    assert totals(whole).half[0] != pytest.approx(both.half[0])


def chances(rng: np.random.Generator, size: Array) -> Array:
    """Unequal and known: larger where a prediction may be further off, some of them certain."""
    chance = np.clip(0.3 * size / size.mean(), 0.05, 1.0)
    chance[rng.random(len(size)) < 0.1] = 1.0
    return chance


def test_totals_are_unbiased_and_intervals_of_unequal_draws_cover_what_they_say() -> None:
    # 200 draws of 8 groups: a standard error of .006 were they independent; the rest is for sums that are not normal.
    rng, group = np.random.default_rng(7), np.repeat(np.arange(8), 60)
    inside, errors = [], []
    for _ in range(200):
        size = rng.uniform(0.3, 2.0, 480)
        truth, predicted, chance = rng.normal(0, size), rng.normal(0, 0.5, 480), chances(rng, size)
        found = totals(sample(predicted, np.where(rng.random(480) < chance, truth, NAN), chance, group, size))
        errors.append(found.total - np.bincount(group, truth))
        inside.append(np.abs(errors[-1]) <= found.half)
    assert 0.93 < np.mean(inside) < 0.97
    scatter = np.std(errors, axis=0) / np.sqrt(len(errors))
    assert (np.abs(np.mean(errors, axis=0)) < 4 * scatter).all()


def test_a_fitted_stratum_removes_a_bias_and_a_slope() -> None:
    rng = np.random.default_rng(8)
    group, said = np.repeat([0, 1], 30), rng.normal(size=60)
    truth = 3 + 1.5 * said
    given = sample(said, np.where(rng.random(60) < 0.4, truth, NAN), 0.4, group)
    found = totals(given, (0,))
    assert found.total == pytest.approx(np.bincount(group, truth))
    assert found.half == pytest.approx([0, 0], abs=1e-9)
    assert (totals(given).half > 1).all()


def test_the_width_of_a_fitted_stratum_allows_for_the_fit() -> None:
    rng = np.random.default_rng(12)
    said = rng.normal(size=30)
    drawn = np.arange(30) < 6
    truth = 1 + 0.8 * said + rng.normal(0, 0.3, 30)
    x, y = said[drawn], truth[drawn]
    slope, shift = np.polyfit(x, y, 1)
    left = 1 - 1 / 6 - (x - x.mean()) ** 2 / np.sum((x - x.mean()) ** 2)
    assert left.min() > 0.1
    variance = 30 * np.mean((y - shift - slope * x) ** 2 / left) * 6 / 5 * 0.8 / 0.2
    found = totals(sample(said, np.where(drawn, truth, NAN), 0.2), (0,))
    assert found.total[0] == pytest.approx(np.sum(shift + slope * said))
    assert found.half[0] == pytest.approx(t_quantile(5, 0.95) * np.sqrt(variance))


def test_a_line_is_fitted_to_values_of_one_unit_and_not_to_shares_of_their_groups() -> None:
    rng = np.random.default_rng(9)
    group, share = np.repeat([0, 1], [10, 40]), np.repeat([1 / 10, 1 / 40], [10, 40])
    said = rng.normal(size=50)
    truth = 5 + 0.5 * said
    measured = np.where(np.arange(50) % 2 == 0, truth * share, NAN)
    found = totals(sample(said * share, measured, 0.5, group, share, share), (0,))
    assert found.total == pytest.approx(np.bincount(group, truth * share))


def test_predictions_that_point_the_wrong_way_give_way_to_the_mean() -> None:
    said = np.linspace(-1, 1, 40)
    measured = np.where(np.arange(40) % 4 == 0, 2 - said, NAN)
    found = totals(sample(said, measured, 0.25), (0,))
    plain = totals(sample(np.zeros(40), measured, 0.25), (0,))
    assert found.total == pytest.approx(plain.total)


def test_intervals_of_a_fitted_stratum_cover_what_they_say() -> None:
    # A fixed number of even draws; few of them, so that the fit itself must be allowed for.
    rng = np.random.default_rng(10)
    group, inside, widths = np.repeat(np.arange(6), 20), [], []
    for _ in range(150):
        said = rng.normal(size=120)
        truth = 2 + 0.7 * said + rng.normal(0, 0.5, 120)
        drawn = np.isin(np.arange(120), rng.choice(120, 20, replace=False))
        given = sample(said, np.where(drawn, truth, NAN), 20 / 120, group)
        found = totals(given, (0,))
        inside.append(np.abs(found.total - np.bincount(group, truth)) <= found.half)
        widths.append(totals(given).half.mean() / found.half.mean())
    assert 0.91 < np.mean(inside) < 0.98
    assert min(widths) > 1.5


@pytest.mark.parametrize("fitted", [(), (0,)])
def test_a_value_that_came_to_nothing_bounds_its_own_group_at_the_weight_it_was_drawn_with(
    fitted: tuple[int, ...],
) -> None:
    random = np.random.default_rng(5)
    group, said = np.repeat([0, 1], 20), random.normal(5, 1, 40)
    truth = np.where(np.arange(40) % 2 == 0, said + random.normal(0, 0.3, 40), NAN)
    ends = np.full((40, 2), NAN)
    truth[4], ends[4] = NAN, (0.0, 10.0)
    found = totals(sample(said, truth, 0.5, group, ends=ends), fitted)
    for side, end in enumerate((0.0, 10.0)):
        filled = truth.copy()
        filled[4] = end
        # A line is fitted to what came, so that it is the same whatever the lost value is.
        if not fitted:
            assert found.bounds[0, side] == pytest.approx(totals(sample(said, filled, 0.5, group)).total[0])
    assert found.bounds[0, 1] - found.bounds[0, 0] == pytest.approx(10 / 0.5)
    assert found.bounds[1].tolist() == [found.total[1]] * 2
    assert np.isfinite(found.half).all()


def test_a_certain_value_that_came_to_nothing_leaves_bounds_and_an_interval() -> None:
    truth, ends = np.arange(8.0), np.full((8, 2), NAN)
    truth[3], ends[3] = NAN, (0.0, 10.0)
    found = totals(sample(np.ones(8), truth, 1.0, ends=ends))
    assert found.bounds.tolist() == [[25.0, 35.0]]
    assert found.half.tolist() == [0.0]
