from __future__ import annotations

import sqlite3

from independence.report import board, index_report, study
from independence.suites.load import LoadedSuite
from independence.types import Reply

from . import filled


def test_a_subject_has_the_mean_of_every_field_and_says_what_is_incomplete(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))
    filled.plan(connection, toy_suite, "b")
    filled.answer(connection, "b", "radio", 1, Reply("x", "tool"))
    where = filled.scope(toy_suite)
    whole, hole = index_report.subjects(study.read(connection, where), board.board(connection, where))
    means = {(row[1]): (row[2], row[4]) for row in whole.rows}
    assert means["drift"] == (2.5, 2)
    assert means["firmness"] == (7.0, 4)
    assert hole.rows == ()
    assert hole.notes[-1] == "Incomplete: firmness, drift."
