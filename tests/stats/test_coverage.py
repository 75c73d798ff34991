"""What `python -m benchmarks coverage` draws its boards from, and that every one of its grids is whole."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from benchmarks import (
    coverage,
    coverage_few_failures,
    coverage_like_these,
    coverage_pairs,
    coverage_places,
    coverage_worlds,
)
from benchmarks.coverage_like_these import redrawn
from benchmarks.coverage_places import Pack, members
from benchmarks.figure import Skipped
from benchmarks.grid import Cell, Grid, Within, percent
from benchmarks.verdict_world import VerdictWorld, unmixed

from independence.stats.subject_points import Stratum, SubjectPoints

PARTS = [coverage, coverage_like_these, coverage_places, coverage_pairs]


def sheet(rng: np.random.Generator, level: float, runs: int = 5) -> SubjectPoints:
    """Scenario `c` counts in two strata: what its verdicts bring in the second is half of the first, less ten."""
    several = [np.round(np.clip(rng.normal(level, 4, runs), 0, 20)) for _ in "abc"]
    return SubjectPoints(
        50.0,
        (
            Stratum(("a", "b", "c"), tuple(several), ((0.0, 20.0),) * 3),
            Stratum(("c",), (several[2] / 2 - 10,), ((-10.0, 0.0),)),
        ),
    )


@pytest.fixture(scope="module")
def pool() -> list[SubjectPoints]:
    rng = np.random.default_rng(7)
    return [sheet(rng, level) for level in np.linspace(6, 18, 14)]


def test_a_subject_has_its_own_verdicts_and_one_more_of_the_others():
    rng = np.random.default_rng(3)
    first, second = sheet(rng, 10.0, runs=3), sheet(rng, 16.0, runs=4)
    world = VerdictWorld([first, second])
    assert world.truth == pytest.approx(
        [(3 * first.index + second.index) / 4, (4 * second.index + first.index) / 5], abs=1e-12
    )
    own, other = first.totals["b"], second.totals["b"]
    p = np.array([1 / 4] * 3 + [1 / 4 / 4] * 4)
    points = np.concatenate([own, other])
    _, variance = world.verdicts[1].moments()
    assert variance[0] == pytest.approx(p @ points**2 - (p @ points) ** 2, abs=1e-9)


def test_verdicts_are_drawn_whole_and_as_often_as_they_should_be(pool: list[SubjectPoints]):
    world, rng = VerdictWorld(pool), np.random.default_rng(5)
    who = np.full(40_000, 4)
    drawn = world.draw(rng, unmixed(who), 1)
    first, second = drawn.points[0][:, 2, 0], drawn.points[1][:, 0, 0]
    assert second == pytest.approx(first / 2 - 10)
    index = drawn.base + sum(own.sum(axis=(1, 2)) for own in drawn.points)
    assert index.mean() == pytest.approx(world.truth[4], abs=4 * world.run_sd[4] / 200)
    assert index.std() == pytest.approx(world.run_sd[4], rel=0.03)


def test_a_board_answers_the_same_draw_of_scenarios(pool: list[SubjectPoints]):
    world, rng = VerdictWorld(pool), np.random.default_rng(4)
    drawn = redrawn(world, rng, np.array([0, 3, 9]), runs=2, times=4)
    assert [own.shape for own in drawn.points] == [(3, 12, 2), (3, 1, 2)]
    assert sum(high for _, high in drawn.strata[0].ends) == pytest.approx(60)
    assert len(set(drawn.strata[0].scenarios)) == 12
    many = [redrawn(world, rng, np.array([6]), runs=1, times=4) for _ in range(1_000)]
    index = [one.base + sum(float(own.sum()) for own in one.points) for one in many]
    assert np.mean(index) == pytest.approx(world.truth[6], abs=4 * np.std(index) / 1_000**0.5)


def test_a_pack_is_as_close_together_as_it_says_and_nobody_stands_twice_on_a_board(pool: list[SubjectPoints]):
    world, rng = VerdictWorld(pool), np.random.default_rng(2)
    for spread in (0.0, 0.1, 1.0):
        truth = world.truths(members(world, rng, 30, Pack("near", spread, 20, 5))).reshape(30, 20)
        assert np.ptp(truth, axis=1).max() <= 2 * spread + 1e-9
    assert all(len(set(board)) == 8 for board in world.boards(rng, 50, 8).tolist())


def test_the_error_of_a_share_counts_boards_and_a_figure_is_missed_two_errors_outside_its_range():
    assert percent([1, 1, 0, 0], [0, 0, 1, 1]) == Cell(50.0, pytest.approx(100 * 2**0.5 / 4))
    assert (percent([1, 0, 0, 1], [0, 0, 1, 1]), percent([], [])) == (Cell(50.0, 0.0), None)
    assert (Cell(91.0, 0.6, Within(92, 98)).kept, Cell(90.7, 0.6, Within(92, 98)).kept) == (True, False)
    assert str(Cell(99.5, 0.2, Within(92, 98))) == "99.5 ±0.2 !"


@pytest.mark.parametrize(
    "part",
    [
        coverage_like_these,
        *(pytest.param(part, marks=pytest.mark.deep) for part in PARTS if part is not coverage_like_these),
    ],
)
def test_every_grid_is_whole(pool: list[SubjectPoints], part: ModuleType):
    grids = [one for one in part.measure(pool, boards=2, processes=1) if isinstance(one, Grid)]
    assert grids
    for row in (row for grid in grids for row in grid.rows):
        assert any(cell is not None for cell in row.cells)
    assert {len(row.cells) - len(grid.heads) for grid in grids for row in grid.rows} == {0}
    (result,) = part.measure(())
    assert isinstance(result, Skipped)


def test_few_failures_are_covered_and_equals_seldom_told_apart():
    grids = coverage_few_failures.measure(subjects=60)
    assert [grid.kept for grid in grids] == [True] * 3
    assert {len(row.cells) for grid in grids for row in grid.rows} == {4}


def test_boards_of_equals_are_read_in_every_world() -> None:
    for world in coverage_worlds.WORLDS:
        row = coverage_worlds.board_row(coverage_worlds.Boards(world, 3, 3, 2))
        assert len(row.cells) == len(coverage_worlds.HEADS)
        points, truth = coverage_worlds.drawn(np.random.default_rng(1), coverage_worlds.Boards(world, 2, 3, 4))
        assert points.shape == (4, 2, 15, 3)
        assert ((truth >= 0) & (truth <= 100)).all()
