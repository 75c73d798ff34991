from __future__ import annotations

import sqlite3

import pytest

from independence.report import index_report, study
from independence.stats.intervals import wilson
from independence.suites.load import LoadedSuite

from . import filled


def test_a_yes_or_no_field_is_a_rate_with_a_width(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))
    tables = index_report.rates(study.read(connection, filled.scope(toy_suite)))
    (kept,) = [table for table in tables if table.id == "rate-kept"]
    assert kept.rows == (("label of a", 0.5, wilson(2, 4), 4),)
    low, high = wilson(0, 4)
    assert low == 0 < high == pytest.approx(0.49, abs=0.01)
