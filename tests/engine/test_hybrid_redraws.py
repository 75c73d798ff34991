"""Hybrids rehearsed on verdicts that are all known: the ends are exact, and what lies between is unbiased."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor

import numpy as np
import pytest

from independence.engine import hybrid_redraws
from independence.engine.hybrid_redraws import HeldOutVerdicts
from independence.judge.offline.training.cross_validation import HeldOutPredictions
from independence.judge.offline.training.training_set import FieldScale, TrainingExample
from independence.judge.protocol import PurchaseRule
from independence.stats import strict
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.suites.schema import Component, Dimension, Index

FRAME = ScoringFrame(
    Index(
        name="I",
        dimensions={
            "firm": Dimension(experiment="x", fields=("firm",)),
            "moved": Dimension(experiment="y", fields=("drift", "left")),
        },
        components=(
            Component(label="Firm", dimensions=("firm",), weight=0.7, worst=1, best=10),
            Component(label="Moved", dimensions=("moved",), weight=0.3, worst=11, best=0),
        ),
    ),
    {
        "one": {"firm": (1, 10), "spare": (0, 1)},
        "two": {"firm": (1, 10), "spare": (0, 1)},
        "three": {"drift": (0, 10), "left": (0, 1)},
    },
    {"firm": ("one", "two"), "moved": ("three",)},
)
SCALES = {
    "firm": FieldScale(1, 10, integer=True),
    "spare": FieldScale(0, 1),
    "drift": FieldScale(0, 10, integer=True),
    "left": FieldScale(0, 1, boolean=True),
}
CONFIGS = tuple("abcdefgh")
RUNS = {"one": 2, "two": 4, "three": 3}
PLACES = [(config, name, run) for config in CONFIGS for name, count in RUNS.items() for run in range(1, count + 1)]


def lesson(config: str, scenario: str, run: int) -> TrainingExample:
    return TrainingExample(config, config, scenario, scenario, run, (), {})


def held(field: str, places: Sequence[tuple[str, str, int]], seed: int) -> HeldOutPredictions:
    """Verdicts on the field's grid, and predictions that are off by about a tenth of the scale, and biased."""
    rng = np.random.default_rng(seed)
    count, scale = len(places), SCALES[field]
    steps = 1 if scale.boolean else scale.high - scale.low
    truth = np.round(rng.uniform(0, 1, count) * steps) / steps
    error = rng.uniform(0.02, 0.3, count)
    value = np.clip(truth + error * rng.normal(size=count) + 0.03, 0, 1)
    return HeldOutPredictions(
        field, tuple(lesson(*place) for place in places), truth, value, error, np.full(count, truth.mean())
    )


def all_held(places: Sequence[tuple[str, str, int]] = PLACES) -> list[HeldOutPredictions]:
    return [
        held(field, [place for place in places if field in FRAME.scenarios[place[1]]], seed)
        for seed, field in enumerate(SCALES)
    ]


def judged(places: Sequence[tuple[str, str, int]] = PLACES) -> HeldOutVerdicts:
    return hybrid_redraws.held_out_verdicts(all_held(places), SCALES, FRAME)


def natural(field: str, share: float) -> float:
    return SCALES[field].low + share * (SCALES[field].high - SCALES[field].low)


def rounded(field: str, share: float) -> float:
    """As a verdict's field would hold it."""
    value = natural(field, share)
    if SCALES[field].boolean:
        return float(value >= 0.5)
    return floor(value + 0.5) if SCALES[field].integer else value


def indices(which: str, meant: Callable[[str, float], float]) -> list[float]:
    """By strict scoring, configuration by configuration."""
    values: dict[tuple[str, str, int], dict[str, float]] = {}
    for one in all_held():
        for own, share in zip(one.lessons, getattr(one, which), strict=True):
            values.setdefault((own.config, own.scenario, own.run), {})[one.field] = meant(one.field, float(share))
    cells = {
        config: [VerdictValues(*place[1:], values[place]) for place in PLACES if place[0] == config]
        for config in CONFIGS
    }
    found = [strict.score(FRAME, own).index for own in cells.values()]
    return [index for index in found if index is not None]


TRUE, SAID, GIVEN = indices("truth", natural), indices("value", natural), indices("value", rounded)


def test_verdicts_are_in_points_of_the_index_that_strict_scoring_gives() -> None:
    found = judged()
    assert found.configs == CONFIGS
    assert found.totals(found.truth) == pytest.approx(TRUE)
    assert found.totals(found.predicted) == pytest.approx(SAID)
    assert found.totals(found.predicted_as_verdict) == pytest.approx(GIVEN)
    assert pytest.approx(GIVEN) != SAID
    assert sorted(set(found.share)) == pytest.approx([1 / 4, 1 / 3, 1 / 2])


def test_expected_errors_are_worth_their_fields_weights_whatever_their_signs() -> None:
    only = [("a", scenario, 1) for scenario in RUNS]
    drift, left = (one.error[0] for one in all_held(only) if one.field in ("drift", "left"))
    found = judged(only)
    assert found.error[found.scenario.index("three")] == pytest.approx(30 / 11 * (10 * drift + left))


def test_a_configuration_without_a_scenario_is_left_out() -> None:
    found = judged([place for place in PLACES if place[:2] != ("c", "two")])
    assert found.configs == tuple(name for name in CONFIGS if name != "c")
    assert len(found.truth) == (len(CONFIGS) - 1) * sum(RUNS.values())


def test_a_configuration_without_a_field_of_the_index_is_left_out() -> None:
    own = [
        one if one.field != "left" else held("left", [(c, s, r) for c, s, r in PLACES if s == "three" and c != "d"], 3)
        for one in all_held()
    ]
    assert hybrid_redraws.held_out_verdicts(own, SCALES, FRAME).configs == tuple(
        name for name in CONFIGS if name != "d"
    )


def test_none_is_whole_where_nothing_was_held() -> None:
    assert hybrid_redraws.held_out_verdicts([], SCALES, FRAME).configs == ()


def test_buying_everything_gives_the_teachers_index_exactly() -> None:
    found = hybrid_redraws.redraw(judged(), PurchaseRule(1.0, 0.0, 0), 2)
    assert found.bought == pytest.approx(1)
    assert found.truth == pytest.approx(TRUE)
    for row in (*found.routed, *found.estimate):
        assert row == pytest.approx(TRUE)
    assert found.half_width.shape == (2, len(CONFIGS))
    assert (found.half_width == 0).all()


def test_buying_nothing_gives_predictions_as_verdicts_hold_them_and_no_interval() -> None:
    found = hybrid_redraws.redraw(judged(), PurchaseRule(0.0, 0.0, 0), 1)
    assert found.bought == 0
    assert found.routed[0] == pytest.approx(GIVEN)
    assert found.estimate[0] == pytest.approx(SAID)
    assert np.isnan(found.half_width).all()


def test_without_an_audit_there_is_no_interval_and_every_draw_is_the_same() -> None:
    found = hybrid_redraws.redraw(judged(), PurchaseRule(0.3, 0.0, 0), 3)
    assert found.bought == pytest.approx(round(0.3 * len(PLACES)) / len(PLACES))
    assert np.isnan(found.half_width).all()
    assert (found.routed == found.routed[0]).all()
    off, before = (np.abs(row - TRUE).mean() for row in (found.routed[0], np.array(GIVEN)))
    assert off < before


def test_with_an_audit_estimates_are_right_on_average_where_predictions_are_not() -> None:
    draws = 300
    found = hybrid_redraws.redraw(judged(), PurchaseRule(0.2, 0.2, 0), draws)
    count = len(PLACES)
    assert found.bought == pytest.approx((round(0.2 * count) + 0.2 * count) / count, abs=0.01)
    assert np.isfinite(found.half_width).all()
    off = found.estimate.mean(axis=1) - np.mean(TRUE)  # of the fleet: its error is well below its bias
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(draws)
    assert abs(np.mean(SAID) - np.mean(TRUE)) > 8 * off.std() / np.sqrt(draws)
    assert len(np.unique(found.estimate[:, 0])) > 20


def test_scenarios_that_it_was_not_trained_on_are_bought_whole_where_they_are_small() -> None:
    found = hybrid_redraws.redraw(judged(), PurchaseRule(0.0, 0.0, 8 * 4), 1, untrained=True)
    assert found.bought == pytest.approx(1)
    assert found.estimate[0] == pytest.approx(TRUE)
    assert (found.half_width == 0).all()


def test_an_audit_of_each_scenario_corrects_its_own_bias_and_slope() -> None:
    """Predictions that lie on another line for each scenario: a fifth of the verdicts tell everything."""
    whole = judged()
    bias = {"one": (0.5, 2.0), "two": (0.8, -3.0), "three": (1.5, 1.0)}
    slope, shift = np.array([bias[name] for name in whole.scenario]).T
    given = whole._replace(predicted=slope * whole.truth + shift * whole.share)
    found = hybrid_redraws.redraw(given, PurchaseRule(0.0, 0.0, 6), 2, untrained=True)
    assert found.bought == pytest.approx(3 * 6 / len(PLACES))
    assert found.estimate == pytest.approx(np.tile(TRUE, (2, 1)))
    assert np.abs(found.half_width).max() < 1e-6
    assert np.abs(hybrid_redraws.redraw(given, PurchaseRule(0.0, 0.0, 6), 1).estimate[0] - TRUE).min() > 0.1


def test_a_drawn_part_of_the_configurations_keeps_their_indices() -> None:
    whole = judged()
    part = hybrid_redraws.draw_configurations(whole, 3, 1)
    assert len(set(part.configs)) == 3
    assert list(part.configs) == sorted(part.configs)
    places = [CONFIGS.index(name) for name in part.configs]
    assert part.totals(part.truth) == pytest.approx(np.array(TRUE)[places])
    assert part.totals(part.predicted) == pytest.approx(np.array(SAID)[places])
    assert part.totals(part.predicted_as_verdict) == pytest.approx(np.array(GIVEN)[places])
    assert len(part.scenario) == len(part.error) == len(part.share) == 3 * sum(RUNS.values())
    assert hybrid_redraws.draw_configurations(whole, 3, 1).configs == part.configs
    assert len({hybrid_redraws.draw_configurations(whole, 3, seed).configs for seed in range(20)}) > 5
