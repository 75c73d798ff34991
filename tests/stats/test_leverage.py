"""The index is linear in its verdicts: what single verdicts bring adds up to what strict scoring says."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import pytest

from independence.stats.strict import ScoringFrame, VerdictValues, frame, score
from independence.stats.subject_points import Leverage, leverage
from independence.suites.load import load
from independence.suites.schema import Component, Dimension, Index

V2 = frame(load("v2").suite)
# `drift` stands in two components, one of which runs downwards; scenario `spare` is in no dimension.
SMALL = ScoringFrame(
    Index(
        name="I",
        dimensions={
            "firm": Dimension(experiment="x", fields=("firm",)),
            "drift": Dimension(experiment="y", fields=("drift", "name")),
        },
        components=(
            Component(label="Firm", dimensions=("firm", "drift"), weight=0.6, worst=0, best=21),
            Component(label="Drift", dimensions=("drift",), weight=0.4, worst=11, best=0),
        ),
    ),
    {"one": {"firm": (0, 10)}, "two": {"firm": (0, 10)}, "three": {"drift": (0, 10), "name": (0, 1)}, "spare": {}},
    {"firm": ("one", "two"), "drift": ("three",)},
)


def drawn(of: ScoringFrame, seed: int) -> list[VerdictValues]:
    """A complete subject with one to four runs of each scenario."""
    rng = np.random.default_rng(seed)
    return [
        VerdictValues(scenario, run, {name: float(rng.uniform(low, high)) for name, (low, high) in fields.items()})
        for scenario, fields in of.scenarios.items()
        for run in range(1, int(rng.integers(2, 6)))
    ]


def summed(lever: Leverage, cells: list[VerdictValues]) -> float:
    points: dict[str, list[float]] = {}
    for cell in cells:
        assert cell.values is not None
        points.setdefault(cell.scenario, []).append(lever.points(cell.scenario, dict(cell.values)))
    return lever.constant + sum(sum(own) / len(own) for own in points.values())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("of", [V2, SMALL], ids=["v2", "small"])
def test_a_constant_and_the_points_of_all_verdicts_are_the_strict_index(of: ScoringFrame, seed: int) -> None:
    cells = drawn(of, seed)
    assert summed(leverage(of), cells) == pytest.approx(score(of, cells).index, abs=1e-9)


def test_booleans_count_as_one() -> None:
    lever = leverage(SMALL)
    assert lever.points("three", {"drift": 0, "name": True}) == pytest.approx(100 * (0.6 / 21 - 0.4 / 11))


def test_one_more_unit_of_a_field_moves_the_index_by_its_weight() -> None:
    cells = [cell._replace(run=1) for cell in drawn(V2, 9) if cell.run == 1]
    before = score(V2, cells).index
    assert before is not None
    lever = leverage(V2)
    for at, cell in enumerate(cells):
        assert cell.values is not None
        for field, weight in lever.weights[cell.scenario].items():
            moved = cell._replace(values={**cell.values, field: cell.values[field] + 1})
            assert score(V2, [*cells[:at], moved, *cells[at + 1 :]]).index == pytest.approx(before + weight, abs=1e-9)


def test_fields_that_the_index_does_not_read_have_no_weight() -> None:
    unread = {name for fields in V2.scenarios.values() for name in fields} - {
        name for dimension in V2.index.dimensions.values() for name in dimension.fields
    }
    assert unread
    assert not unread & {name for own in leverage(V2).weights.values() for name in own}


def test_an_error_is_worth_the_sum_of_absolute_weights() -> None:
    lever = leverage(SMALL)
    own = lever.weights["three"]
    assert own["drift"] == own["name"] == pytest.approx(100 * (0.6 / 21 - 0.4 / 11))
    assert own["drift"] < 0
    assert lever.error("three", {"drift": 2.0, "name": 0.5}) == pytest.approx(-2.5 * own["drift"])


@pytest.mark.parametrize("scenario", ["spare", "nowhere"])
def test_a_scenario_outside_the_index_is_worth_nothing(scenario: str) -> None:
    values: Mapping[str, float] = {"firm": 10.0, "drift": 3.0}
    assert leverage(SMALL).points(scenario, values) == 0
    assert leverage(SMALL).error(scenario, values) == 0


def test_a_verdict_without_a_field_of_the_index_brings_no_points_but_an_error() -> None:
    with pytest.raises(KeyError, match="name"):
        leverage(SMALL).points("three", {"drift": 3.0})


def test_points_scale_with_the_weight_of_a_component() -> None:
    first, second = SMALL.index.components
    halved = msgspec.structs.replace(first, weight=first.weight / 2)
    other = msgspec.structs.replace(SMALL, index=msgspec.structs.replace(SMALL.index, components=(halved, second)))
    assert leverage(other).weights["one"]["firm"] == pytest.approx(leverage(SMALL).weights["one"]["firm"] / 2)
