from __future__ import annotations

import sqlite3
from typing import get_args

import pytest

from independence.clients import client
from independence.report import runs, study
from independence.store import spending
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Reply

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
    assert first == ("label of b", 1, 0, 3, "not_run 3", None, None, None)
    assert second == ("label of b", 2, 0, 3, "not_run 2, unjudged 1", "artefact 1", None, None)
    assert table.notes[0].startswith("1 of 3 runs")


def test_parts_of_a_run_that_lie_days_apart_are_told(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a")
    connection.execute("UPDATE calls SET answered_at = '2026-01-01T00:00:00+00:00'")
    connection.execute("UPDATE calls SET answered_at = '2026-01-03T12:00:00+00:00' WHERE trial = 'a radio 1'")
    (row,) = runs.table(connection, study.read(connection, filled.scope(toy_suite))).rows
    assert row[-1] == pytest.approx(60)


def test_answers_that_came_only_when_asked_again_are_counted(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))

    def came_after(scenario: str, run: int, *outcomes: str) -> None:
        attempts = tuple(Attempt(outcome, 1.0) for outcome in (*outcomes, "ok"))
        filled.answer(connection, "a", scenario, run, Reply(f"a {scenario} {run} 0", "tool", attempts=attempts))

    came_after("radio", 1, "429")
    came_after("dessert", 1, "length")
    assert runs.table(connection, study.read(connection, filled.scope(toy_suite))).rows == ()
    came_after("radio", 2, "empty", "reasoning_only")
    came_after("dessert", 2, "429", "punctuation")
    (row,) = runs.table(connection, study.read(connection, filled.scope(toy_suite))).rows
    assert row == ("label of a", 2, 3, 3, None, None, 2, None)


def test_all_kinds_of_no_answer_are_told_but_the_cut_one() -> None:
    assert {*spending.NO_ANSWER} == {*get_args(client.Kind)} - {"ok", "length"}
