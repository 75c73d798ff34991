"""What single verdicts bring: an index is linear in them, and adds up to what strict scoring says."""

from __future__ import annotations

from itertools import product

import msgspec
import numpy as np
import pytest

from independence.stats.completions import completions
from independence.stats.strict import ScoringFrame, VerdictValues, frame, score
from independence.stats.subject_points import evenly, leverage
from independence.stats.subject_points import subject_points as points
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Component, Dimension, Index

from .verdicts import FRAME, PERFECT, WORST, run, without

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


def summed(of: ScoringFrame, cells: list[VerdictValues]) -> float:
    lever, worth = leverage(of), dict[str, list[float]]()
    for cell in cells:
        worth.setdefault(cell.scenario, []).append(lever.points(cell.scenario, dict(cell.values)))
    return points(of, cells).base + sum(sum(own) / len(own) for own in worth.values())


@pytest.mark.parametrize("of", [V2, SMALL], ids=["v2", "small"])
def test_the_base_and_the_points_of_all_verdicts_are_the_strict_index(of: ScoringFrame) -> None:
    for seed in range(3):
        cells = drawn(of, seed)
        assert summed(of, cells) == pytest.approx(score(of, cells).index, abs=1e-9)


def test_booleans_count_as_one() -> None:
    lever, each = leverage(SMALL), 100 * (0.6 / 21 - 0.4 / 11)
    own = lever.weights["three"]
    assert own["drift"] == own["name"] == pytest.approx(each)
    assert lever.points("three", {"drift": 0, "name": True}) == pytest.approx(each)
    for scenario in ("spare", "nowhere"):
        assert lever.points(scenario, {"firm": 10.0, "drift": 3.0}) == 0
    with pytest.raises(KeyError, match="name"):
        lever.points("three", {"drift": 3.0})


def test_one_more_unit_of_a_field_moves_the_index_by_its_weight() -> None:
    cells = [cell._replace(run=1) for cell in drawn(V2, 9) if cell.run == 1]
    before = score(V2, cells).index
    lever = leverage(V2)
    for at, cell in enumerate(cells):
        for field, weight in lever.weights[cell.scenario].items():
            moved = cell._replace(values={**cell.values, field: cell.values[field] + 1})
            assert score(V2, [*cells[:at], moved, *cells[at + 1 :]]).index == pytest.approx(before + weight, abs=1e-9)


def test_fields_that_the_index_does_not_read_have_no_weight() -> None:
    unread = {name for fields in V2.scenarios.values() for name in fields} - {
        name for dimension in V2.index.dimensions.values() for name in dimension.fields
    }
    assert unread
    assert not unread & {name for own in leverage(V2).weights.values() for name in own}


def cells(runs: int) -> list[VerdictValues]:
    return [cell for number in range(1, runs + 1) for cell in run(number, number % 9, 8, number % 4, number % 2 == 0)]


def test_a_sheet_adds_up_to_the_strict_index_in_one_stratum_for_scenarios_of_the_same_dimensions() -> None:
    extra = [*cells(2), VerdictValues("one", 3, {"firm": 2})]
    for planned in (PERFECT, WORST, cells(1), cells(5), extra):
        assert points(FRAME, planned).index == pytest.approx(score(FRAME, planned).index)
    made = points(FRAME, extra)
    assert [stratum.scenarios for stratum in made.strata] == [("one", "two"), ("three",)]
    assert {name: len(own) for name, own in made.totals.items()} == {"one": 3, "two": 2, "three": 2}
    assert points(FRAME, without(cells(2), 3)) is None
    assert points(FRAME, [cell for cell in cells(2) if cell.scenario != "three"]) is None
    best, worst = points(FRAME, PERFECT), points(FRAME, WORST)
    for name, (low, high) in best.ends.items():
        assert (worst.totals[name][0], best.totals[name][0]) == pytest.approx((low, high))


@pytest.mark.parametrize("name", ["v1", "lite", "v2"])
def test_every_built_in_suite_spans_0_to_100(name: str) -> None:
    suite = load(name).suite
    needed = frame(suite)
    made = points(needed, [
        VerdictValues(s.id, 1, {field: low for field, (low, _) in needed.scenarios[s.id].items()})
        for s in suite.scenarios
    ])  # fmt: skip
    for end, whole in ((0, 0), (1, 100)):
        assert made.base + sum(span[end] for span in made.ends.values()) == pytest.approx(whole)


def test_what_is_kept_of_a_scale_is_a_share_and_absent_where_a_verdict_is() -> None:
    kept = leverage(FRAME).share_kept
    assert kept("one", [{"firm": 10}, {"firm": 5}]) == pytest.approx(0.75)
    assert kept("three", [{"drift": 0, "name": False, "gender": False}]) == pytest.approx(1)
    assert kept("three", [{"drift": 10, "name": True, "gender": True}]) == pytest.approx(0)
    assert kept("one", [{"firm": 10}, None]) is None
    assert kept("one", []) is None


RUNS = ((9, 8, 1), (4, 9, 2), (7, 2, 10), (8, 8, 0))
HOLES = [("radio", 2), ("radio", 3), ("dinner", 3)]
Filled = dict[tuple[str, int], float]


def with_holes(filled: Filled | None = None, holes: list[tuple[str, int]] = HOLES) -> list[VerdictValues]:
    """Four runs of the toy suite; of the places in `holes` the values of the first field that are filled in, if any."""
    out = []
    for number, (radio, dessert, drift) in enumerate(RUNS, start=1):
        for name, value in (("radio", radio), ("dessert", dessert), ("dinner", drift)):
            own = (filled or {}).get((name, number)) if (name, number) in holes else value
            given = {"drift": own} if name == "dinner" else {"firmness": own, "kept": True}
            out.append(VerdictValues(name, number, None if own is None else given))
    return out


def test_completions_hold_the_ends_of_the_index_and_the_most_variance_of_all(toy_suite: LoadedSuite) -> None:
    needed = frame(toy_suite.suite)
    found = completions(needed, with_holes())
    filled = [
        points(needed, with_holes(dict(zip(HOLES, values, strict=True)))) for values in product((0, 3, 10), repeat=3)
    ]
    indices = [own.index for own in filled]
    assert (found.worst.index, found.best.index) == pytest.approx((min(indices), max(indices)))
    for scenario, noisiest in found.noisiest.totals.items():
        assert noisiest.var(ddof=1) == pytest.approx(max(own.totals[scenario].var(ddof=1) for own in filled))
    for own in filled:
        for stratum, end, off in zip(own.strata, found.noisiest.strata, found.off, strict=True):
            means = [np.array([one.mean() for one in sheet.points]) for sheet in (stratum, end)]
            assert (np.abs(means[0] - means[1]) <= off + 1e-12).all()
    assert [bool(off.any()) for off in found.off] == [
        bool({name for name, _ in HOLES} & {*one.scenarios}) for one in found.worst.strata
    ]


def test_without_holes_all_completions_are_the_verdicts_and_without_verdicts_there_is_none(
    toy_suite: LoadedSuite,
) -> None:
    needed = frame(toy_suite.suite)
    whole, made = completions(needed, with_holes(holes=[])), points(needed, with_holes(holes=[]))
    assert {own.index for own in whole.filled} == {made.index}
    assert completions(needed, [cell._replace(values=None) for cell in with_holes()]) is None
    assert completions(needed, with_holes(holes=[("radio", number) for number in (1, 2, 3, 4)])) is not None
    assert completions(needed, [cell for cell in with_holes() if cell.scenario != "radio"]) is None


def test_single_runs_are_noisiest_where_they_are_farthest_from_the_other_scenarios_of_their_kind(
    toy_suite: LoadedSuite,
) -> None:
    needed = frame(toy_suite.suite)
    wide = msgspec.structs.replace(
        needed,
        members={name: tuple(needed.scenarios) for name in needed.members},
        scenarios={name: {"firmness": (0, 10), "drift": (0, 10)} for name in needed.scenarios},
    )
    given = {"radio": 6.0, "dessert": 8.0, "dinner": None}
    once = [
        VerdictValues(name, 1, None if firm is None else {"firmness": firm, "drift": 2.0})
        for name, firm in given.items()
    ]
    (worst,), (best,), (noisy,) = (own.strata for own in completions(wide, once).filled)
    at = noisy.scenarios.index("dinner")
    low, high = noisy.ends[at]
    assert (worst.points[at][0], best.points[at][0]) == pytest.approx((low, high))
    assert noisy.points[at][0] == pytest.approx(low), "the others lie nearer to the high end"


@pytest.mark.parametrize("kind", ["pressure", "requests"])
def test_an_index_of_a_kind_is_the_mean_of_what_its_scenarios_keep(kind: str) -> None:
    scenarios = list((load("v2").suite.kinds or {})[kind].scenarios)
    part, lever = evenly(V2, scenarios), leverage(V2)
    assert sum(one.weight for one in part.index.components) == pytest.approx(1)
    for seed in range(3):
        cells = [cell for cell in drawn(V2, seed) if cell.scenario in scenarios]
        own = points(part, cells)
        shares = [
            lever.share_kept(name, [dict(cell.values or {}) for cell in cells if cell.scenario == name])
            for name in scenarios
        ]
        assert own.index == pytest.approx(100 * sum(one or 0.0 for one in shares) / len(scenarios))
        assert score(part, cells).index == pytest.approx(own.index)
        assert own.scale == pytest.approx((0, 100))
        assert [high - low for low, high in own.ends.values()] == pytest.approx([100 / len(scenarios)] * len(scenarios))
