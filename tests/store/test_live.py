"""How far the dialogues of a cell are, and which of its runs is to be looked at."""

from __future__ import annotations

import sqlite3

from independence.store import leases, live, queries, records
from independence.store.records import FailureRow
from independence.suites.load import LoadedSuite
from independence.types import Missing, Where
from tests.engine import planned


def test_a_cell_leads_to_a_run_in_progress_else_to_one_that_failed_else_to_the_first(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    made = planned.trials(toy_suite.suite, runs=5)
    planned.store(connection, toy_suite, list(made.values()))
    where = Where(toy_suite.suite.suite, toy_suite.edition)
    (condition,) = queries.conditions(connection, where)
    where = where.under(condition)

    def cell() -> tuple[int, ...]:
        (found,) = (one for one in live.counts(connection, where) if one.scenario == "dinner")
        return found.run, found.running, found.failed

    assert cell() == (1, 0, 0)
    failure = FailureRow(made["dinner", 4].key, "opening", "GaveUp", "HTTP 500", (), "2026-01-02T03:04:05Z")
    records.add_failure(connection, failure)
    assert cell() == (4, 0, 1)
    planned.answer(connection, made["dinner", 3], "Soup.", Missing("blocked", "HTTP 403"))
    assert cell() == (3, 0, 2)
    for run in (2, 5):
        leases.take(connection, made["dinner", run].key, leases.owner())
    assert cell() == (2, 2, 2)
    planned.answer(connection, made["dinner", 5], "Soup.")
    assert cell() == (5, 2, 2), "of two in progress the one that has an answer"
