from __future__ import annotations

import sqlite3

import pytest

from independence.report import runs, study
from independence.suites.load import LoadedSuite
from independence.types import Reply

from . import filled


def test_whole_runs_are_counted_and_not_listed(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))
    table = runs.table(connection, study.read(connection, filled.scope(toy_suite)))
    assert table.rows == ()
    assert table.notes[0].startswith("2 of 2 runs are whole")


def test_a_run_says_what_is_amiss(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a")
    filled.plan(connection, toy_suite, "b", 2)
    filled.answer(connection, "b", "radio", 2, Reply("}", "tool", flags=("artefact", "short")))
    table = runs.table(connection, study.read(connection, filled.scope(toy_suite)))
    first, second = table.rows
    assert first == ("label of b", 1, 0, 3, "not_run 3", None, None)
    assert second == ("label of b", 2, 0, 3, "not_run 2, unjudged 1", "artefact 1", None)
    assert table.notes[0].startswith("1 of 3 runs")


def test_parts_of_a_run_that_lie_days_apart_are_told(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a")
    connection.execute("UPDATE calls SET answered_at = '2026-01-01T00:00:00+00:00'")
    connection.execute("UPDATE calls SET answered_at = '2026-01-03T12:00:00+00:00' WHERE trial = 'a radio 1'")
    (row,) = runs.table(connection, study.read(connection, filled.scope(toy_suite))).rows
    assert row[-1] == pytest.approx(60)
