from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from msgspec import UNSET

from independence.report import board, board_notes, comparison_tables, looks, study
from independence.report.looks import RunCount
from independence.report.subject_comparison import ComparedSubject
from independence.stats import repeated_looks
from independence.suites.load import LoadedSuite
from independence.types import Where

from . import filled
from .filled import Toy


def planned(connection: sqlite3.Connection, config: str, run: int, at: str) -> None:
    connection.execute("UPDATE planned SET planned_at = ? WHERE config_dir = ? AND run = ?", (at, config, run))


def test_runs_planned_together_are_one_look(toy: Toy) -> None:
    toy.complete("a", ((9, 8, 1), (8, 9, 2), (9, 9, 1), (8, 8, 0)))
    toy.complete("b", ((5, 6, 4), (6, 5, 5), (5, 5, 4)))
    for run in (1, 2):
        planned(toy.connection, "a", run, "2026-01-01")
        planned(toy.connection, "b", run, "2026-01-01")
    planned(toy.connection, "a", 3, "2026-01-02")
    planned(toy.connection, "b", 3, "2026-01-03")
    planned(toy.connection, "a", 4, "2026-01-04")
    counts = looks.run_counts(toy.connection, toy.scope.where)
    assert [count.fewest for count in counts["a"]] == [2, 3, 4]
    assert [count.fewest for count in counts["b"]] == [2, 3]
    found = looks.of(counts["a"], counts["b"])
    assert found.runs == (2, 2, 3, 3)
    assert found.information == pytest.approx((2, 2.4, 3, 24 / 7))
    assert found.level == repeated_looks.level(found.information) < 0.01


def test_a_comparison_without_a_test_was_no_look(toy: Toy) -> None:
    toy.complete("a", ((9, 8, 1), (8, 9, 2), (9, 9, 1)))
    for run in (1, 2, 3):
        planned(toy.connection, "a", run, f"2026-01-0{run}")
    where, other = toy.scope.where, [RunCount("", 3, 3.0)]
    few, many = (looks.run_counts(toy.connection, where, least)["a"] for least in (2, 1))
    assert looks.of(few, other).runs == (2, 3)
    assert looks.of(many, other).runs == (1, 2, 3)  # of many scenarios one run each is tested
    once = looks.of(few[:1], other)
    assert (once.runs, once.level, once.note) == ((2,), repeated_looks.FIRST, "")
    nobody = looks.of([], few)
    assert (nobody, nobody.level) == (looks.Looks((), ()), repeated_looks.FIRST)


def test_a_later_look_needs_a_smaller_p_and_says_so(toy: Toy) -> None:
    toy.complete("a", ((9, 8, 1), (7, 9, 2), (9, 6, 1)))
    toy.complete("b", ((8, 6, 3), (6, 7, 2), (7, 6, 4)))
    toy.connection.execute("UPDATE planned SET planned_at = '2026-01-01'")
    first, again = (_difference(toy.connection, toy.loaded, at) for at in ("2026-01-01", "2026-01-02"))
    (_, points, ci, p, *_), (_, later_points, later_ci, later_p, *_) = first[0], again[0]
    assert (points, p) == (later_points, later_p)
    assert isinstance(ci, tuple)
    assert isinstance(later_ci, tuple)
    assert later_ci[0] < ci[0] < ci[1] < later_ci[1]


def _difference(connection: sqlite3.Connection, loaded: LoadedSuite, at: str) -> tuple[tuple[object, ...], ...]:
    """The table of a comparison whose third runs were planned at a time."""
    for config in "ab":
        planned(connection, config, 3, at)
    read = study.read(connection, filled.scope(loaded))
    table = next(
        table
        for table in comparison_tables.tables(ComparedSubject(read, "a"), ComparedSubject(read, "b"))
        if table.id == "difference"
    )
    assert any(note.startswith("Look 2: ") for note in table.notes) == (at == "2026-01-02")
    assert any("would be called equivalent in" in note for note in table.notes)
    return table.rows


def test_boards_allow_for_pairs_that_were_compared_before(toy: Toy) -> None:
    for config, runs in {"a": ((9, 8, 1), (7, 9, 2), (9, 6, 1)), "b": ((8, 6, 3), (6, 7, 2), (7, 6, 4))}.items():
        toy.complete(config, runs)
    toy.connection.execute("UPDATE planned SET planned_at = '2026-01-01'")
    scope = toy.scope
    once = looks.run_counts(toy.connection, scope.where)
    assert looks.at_all_pairs([once["a"], once["b"]]) == (1, pytest.approx(np.ones((2, 2))))
    assert board.board(toy.connection, scope).looks is UNSET
    planned(toy.connection, "b", 3, "2026-01-02")
    again = looks.run_counts(toy.connection, scope.where)
    found = looks.at_all_pairs([again["a"], again["b"]])
    level = looks.of(again["a"], again["b"]).level
    assert (found.most, found.allowance[0, 1], found.allowance[1, 0]) == (2, 0.05 / level, 0.05 / level)
    told = board.board(toy.connection, scope)
    assert told.looks == 2
    assert any("could be compared 2 times" in line for line in board_notes.readings(told))


def test_imports_came_at_once_and_before_all_others(connection: sqlite3.Connection) -> None:
    where = Where("toy", "published", filled.CONDITION)
    for number, run in enumerate((1, 2, 3)):
        row = (*where.columns, "a", "radio", run, "pressure", f"key {run}", f"2026-01-0{number + 1}", 1, None)
        connection.execute(f"INSERT INTO planned VALUES ({', '.join('?' * len(row))})", row)
    found = looks.run_counts(connection, where)
    assert found == {"a": (RunCount("", 3, 3.0),)}
    measured_here = [RunCount("2026-01-02", 2, 2.0), RunCount("2026-01-03", 5, 5.0)]
    assert looks.of(found["a"], measured_here).runs == (2, 3)
    assert looks.at_all_pairs([found["a"], measured_here]).most == 2
