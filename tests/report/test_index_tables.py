from __future__ import annotations

import pytest

from independence.report import index_tables
from independence.report.table import Table, flat
from independence.suites.load import LoadedSuite
from independence.types import Reply

from .filled import Toy


def test_complete_subjects_stand_with_their_places_and_incomplete_ones_apart(toy: Toy) -> None:
    toy.complete("good", ((9, 9, 0), (9, 8, 1)))
    toy.complete("bad", ((1, 2, 9), (2, 1, 8)), simulated=True)
    toy.plan("hole")
    toy.answer("hole", "radio", 1, Reply("x", "tool"))
    index = toy.index
    assert index is not None
    built = toy.board()
    table, apart = index_tables.ranked(built, index), index_tables.incomplete(built, index)
    assert [row[2] for row in table.rows] == ["label of good", "label of bad (simulated)"]
    assert [row[:2] for row in table.rows] == [(1, 1), (2, 2)]
    keys, _ = flat(table)
    assert {"these_low", "like_these_high", "rank_ci"} <= set(keys)
    assert apart is not None
    (hole,) = apart.rows
    assert hole[0] == "label of hole"
    assert hole[-1] == "not_run 2, unjudged 1"


def test_nobody_incomplete_leaves_no_table(toy: Toy) -> None:
    toy.complete("a")
    index = toy.index
    assert index is not None
    assert index_tables.incomplete(toy.board(), index) is None


def test_the_legend_adds_up_to_the_whole_index(toy_suite: LoadedSuite) -> None:
    index = toy_suite.suite.index
    assert index is not None
    board = Table("board", "The board", (), ())
    weights = [row[3] for row in index_tables.legend(index, board).rows]
    assert sum(float(str(weight)) for weight in weights) == pytest.approx(1)


def test_runs_stand_beside_every_interval(toy: Toy) -> None:
    toy.complete("many", ((8, 6, 2), (7, 7, 3), (9, 9, 1)))
    toy.complete("one")
    built = toy.board()
    index = toy.index
    assert index is not None
    many, one = index_tables.runs(built, index).rows
    row = next(row for row in built.rows if row.config == "many")
    assert many[0] == "label of many"
    assert many[-1] == " ".join(f"{value:.1f}" for value in row.per_run)
    assert many[3] == row.intervals["these-scenarios"]
    assert one[2:-1] == (None, None, None, None, None)
