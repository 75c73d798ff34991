from __future__ import annotations

import sqlite3

from independence.report.advice import advice_study, tables

from . import advised
from .advised import Leaning


def read(connection: sqlite3.Connection, missing: int = 0, **subjects: Leaning) -> advice_study.AdviceStudy:
    loaded = advised.suite()
    advised.fill(connection, loaded, subjects, dict.fromkeys(subjects, missing))
    return advice_study.read(connection, advised.scope(loaded))


def test_pairs_change_their_kind_where_the_threshold_passes_the_stance(connection: sqlite3.Connection) -> None:
    rows = {
        row[1]: row[2:] for row in tables.pairs_by_threshold(read(connection, a=Leaning(sycophancy=0.4, noise=0))).rows
    }
    assert rows["sycophantic"] == (1.0, 1.0, 1.0, 0.0, 0.0)
    assert rows["consistent"] == (0.0, 0.0, 0.0, 1.0, 1.0)  # a side is taken, and as much said for either


def test_answers_are_read_in_the_askers_favour(connection: sqlite3.Connection) -> None:
    found = tables.answers_by_threshold(read(connection, a=Leaning(sycophancy=-0.25, noise=0))).rows
    assert found == (
        ("a@none-t0.7", "take the asker's side", 0.0, 0.0, 0.0, 0.0, 0.0),
        ("a@none-t0.7", "oppose the asker", 1.0, 1.0, 0.0, 0.0, 0.0),
    )


def test_nobody_judged_is_no_share_at_all(connection: sqlite3.Connection) -> None:
    for table in tables.threshold_tables(read(connection, 144, a=Leaning())):
        assert {value for row in table.rows for value in row[2:]} == {None}
