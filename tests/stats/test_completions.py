from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from independence.stats import strict
from independence.stats.completions import completions
from independence.stats.strict import VerdictValues
from independence.stats.subject_points import SubjectPoints, subject_points
from independence.suites.load import LoadedSuite

RUNS = ((9, 8, 1), (4, 9, 2), (7, 2, 10), (8, 8, 0))


def cells(*holes: tuple[str, int]) -> list[VerdictValues]:
    """Four runs; `holes` are missing."""
    out = []
    for run, (radio, dessert, drift) in enumerate(RUNS, start=1):
        given = {"radio": {"firmness": radio, "kept": True}, "dessert": {"firmness": dessert, "kept": True}}
        given["dinner"] = {"drift": drift}
        out += [VerdictValues(name, run, None if (name, run) in holes else given[name]) for name in given]
    return out


def test_the_noisiest_completion_has_the_most_variance_of_all_in_every_scenario(toy_suite: LoadedSuite) -> None:
    frame = strict.frame(toy_suite.suite)
    holes = [("radio", 2), ("radio", 3), ("dinner", 3)]
    found = completions(frame, cells(*holes))
    assert found is not None
    filled = []
    for values in itertools.product((0, 3, 10), repeat=3):
        given = dict(zip(holes, values, strict=True))
        made = [
            cell._replace(
                values={"drift": given[at]} if cell.scenario == "dinner" else {"firmness": given[at], "kept": True}
            )
            if (at := (cell.scenario, cell.run)) in given
            else cell
            for cell in cells()
        ]
        points = subject_points(frame, made)
        assert points is not None
        filled.append(points.totals)
    for scenario, noisiest in found.noisiest.totals.items():
        variances = [own[scenario].var(ddof=1) for own in filled]
        assert noisiest.var(ddof=1) == pytest.approx(max(variances))
        assert found.calmest.totals[scenario].var(ddof=1) <= min(variances) + 1e-12


def test_the_farthest_completion_has_the_most_variance_over_scenarios(toy_suite: LoadedSuite) -> None:
    frame = strict.frame(toy_suite.suite)
    holes = [("radio", 2), ("radio", 3), ("dessert", 1)]
    found = completions(frame, cells(*holes))
    assert found is not None

    def means(points: SubjectPoints) -> list[np.ndarray]:
        return [np.array([own.mean() for own in stratum.points]) for stratum in points.strata]

    spreads = []
    for values in itertools.product((0, 4, 10), repeat=3):
        given = dict(zip(holes, values, strict=True))
        made = [
            cell._replace(values={"firmness": given[cell.scenario, cell.run], "kept": True})
            if (cell.scenario, cell.run) in given
            else cell
            for cell in cells()
        ]
        points = subject_points(frame, made)
        assert points is not None
        spreads.append([own.var() for own in means(points)])
        for own, end, off in zip(means(points), means(found.noisiest), found.off, strict=True):
            assert (np.abs(own - end) <= off + 1e-12).all()
    assert [own.var() for own in means(found.farthest)] == pytest.approx(np.max(spreads, axis=0))
    assert [own.any() for own in found.off] == [len(one.scenarios) > 1 for one in found.farthest.strata]


def test_the_calmest_completion_repeats_the_mean_of_the_other_runs(toy_suite: LoadedSuite) -> None:
    found = completions(strict.frame(toy_suite.suite), cells(("radio", 2)))
    assert found is not None
    own = found.calmest.totals["radio"]
    assert own[1] == pytest.approx(np.mean(own[[0, 2, 3]]))


def test_complete_verdicts_complete_to_themselves(toy_suite: LoadedSuite) -> None:
    frame = strict.frame(toy_suite.suite)
    found, points = completions(frame, cells()), subject_points(frame, cells())
    assert found is not None
    assert points is not None
    assert found.calmest.index == found.noisiest.index == points.index


def test_single_runs_are_completed_from_the_other_scenarios_of_their_kind(toy_suite: LoadedSuite) -> None:
    frame = strict.frame(toy_suite.suite)
    wide = msgspec.structs.replace(
        frame,
        members={name: tuple(frame.scenarios) for name in frame.members},
        scenarios={name: {"firmness": (0, 10), "drift": (0, 10)} for name in frame.scenarios},
    )
    given = {"radio": 6.0, "dessert": 8.0, "dinner": None}
    once = [
        VerdictValues(name, 1, None if firm is None else {"firmness": firm, "drift": 2.0})
        for name, firm in given.items()
    ]
    found = completions(wide, once)
    assert found is not None
    (calm,), (noisy,) = found.calmest.strata, found.noisiest.strata
    at = calm.scenarios.index("dinner")
    others = [float(calm.points[calm.scenarios.index(name)][0]) for name in ("radio", "dessert")]
    assert calm.points[at][0] == pytest.approx(np.mean(others))
    assert noisy.points[at][0] == pytest.approx(noisy.ends[at][0])
    assert completions(wide, [cell._replace(values=None) for cell in once[:2]] + once[2:]) is None


def test_a_scenario_with_fewer_than_two_verdicts_has_no_spread_to_complete(toy_suite: LoadedSuite) -> None:
    frame = strict.frame(toy_suite.suite)
    assert completions(frame, cells(*(("radio", run) for run in (1, 2, 3)))) is None
    assert completions(frame, [cell for cell in cells() if cell.scenario != "radio"]) is None
