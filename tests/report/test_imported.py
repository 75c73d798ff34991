"""What the honest board says about published data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from benchmarks import deletions

from independence.report.board import board_data
from independence.report.board.board_data import BoardData
from independence.report.board.verdict_frame import PlannedVerdict
from independence.stats import index_uncertainty, strict
from independence.stats.intervals import t_quantile
from independence.stats.subject_points import Stratum, SubjectPoints, subject_points
from independence.store import scopes

pytestmark = pytest.mark.published


@pytest.fixture(scope="module")
def connection(published_store: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(published_store)) as opened:
        yield opened


@pytest.fixture(scope="module")
def read(connection: sqlite3.Connection) -> BoardData:
    return board_data.read(connection, scopes.find(connection, None, None, None))


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.deep)])
def test_no_single_verdict_can_be_deleted_to_anybodys_gain(read: BoardData, step: int) -> None:
    """Law 2: the index is gone or as it was, the lower end of the bounds no higher, the coverage lower."""
    deletions = 0
    for own in read.planned.values():
        cells = list(own)
        before = strict.score(read.frame, cells)
        for at, cell in list(enumerate(cells))[::step]:
            if cell.values is None:
                continue
            after = strict.score(read.frame, [*cells[:at], cell._replace(values=None), *cells[at + 1 :]])
            assert after.index is None
            assert after.bounds[0] <= before.bounds[0] + 1e-9
            assert after.bounds[1] >= before.bounds[1] - 1e-9
            assert after.coverage < before.coverage
            deletions += 1
    assert deletions > 4_000 / step


@pytest.mark.parametrize("step", [20, pytest.param(2, marks=pytest.mark.deep)])
def test_no_verdicts_can_be_deleted_for_a_better_place_or_interval(read: BoardData, step: int) -> None:
    """Law 2 for all that a board says of a place; `python -m benchmarks deletions` deletes more of them."""
    before, ranked = deletions.places(read), 0
    for one in [*list(deletions.singles(read))[::90], *deletions.several(read, np.random.default_rng(2), 1)][::step]:
        after = deletions.places(deletions.without(read, one.config, one.gone))[one.config]
        assert deletions.gains(before[one.config], after) == []
        ranked += after.row.standing.rank_ci is not None
    assert ranked > 16 // step


def part(sheet: SubjectPoints, keep: list[int]) -> SubjectPoints:
    strata = tuple(Stratum(names, tuple(own[keep] for own in points), ends) for names, points, ends in sheet.strata)
    return SubjectPoints(sheet.base, strata)


def complete_runs(read: BoardData, count: int) -> list[SubjectPoints]:
    """The first complete runs of every subject that has so many."""
    found = []
    for own in read.planned.values():
        by_run: dict[int, list[PlannedVerdict]] = {}
        for cell in own:
            by_run.setdefault(cell.run, []).append(cell)
        whole = [cells for cells in by_run.values() if len(cells) == 15 and all(c.values is not None for c in cells)]
        made = subject_points(read.frame, [cell for cells in whole[:count] for cell in cells])
        if len(whole) >= count and made is not None:
            found.append(made)
    return found


def test_an_interval_from_four_runs_predicts_the_fifth(read: BoardData) -> None:
    """Over all leave-one-out splits, SE x sqrt(1 + 1/k) around the mean of four holds the unseen run."""
    fleet = complete_runs(read, 5)
    hits = []
    for unseen in range(5):
        seen = [part(sheet, [run for run in range(5) if run != unseen]) for sheet in fleet]
        for estimate, sheet in zip(index_uncertainty.these_scenarios(seen), fleet, strict=True):
            of_one_run = estimate.se * np.sqrt(4)
            half = t_quantile(estimate.df, 0.95) * of_one_run * np.sqrt(1 + 1 / 4)
            hits.append(abs(part(sheet, [unseen]).index - estimate.point) <= half)
    assert len(hits) >= 200
    assert 0.90 <= np.mean(hits) <= 0.97
