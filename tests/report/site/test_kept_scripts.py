"""Scripts that are found in answers: read once, and again as soon as an answer is another one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from independence.report.site.paths import StoreDocuments
from tests.stores import Stores


def test_scripts_that_are_found_in_answers_are_kept_until_an_answer_changes(stores: Stores, tmp_path: Path) -> None:
    path = stores.copy("rent, published", tmp_path)
    said: list[str] = []
    with closing(sqlite3.connect(path)) as connection:
        first = StoreDocuments(connection)
        name = next(own for own in first.paths() if own.endswith("/texts.json"))
        connection.set_trace_callback(said.append)
        before = StoreDocuments(connection).document(name)
        whole = len(said)
        said.clear()
        assert first.document(name) == before
        said.clear()
        second = StoreDocuments(connection, before=first)
        assert second.document(name) == before
        assert len(said) < whole / 2
        connection.execute(
            "DELETE FROM calls WHERE trial IN (SELECT trial FROM planned WHERE scenario = (SELECT min(scenario) "
            "FROM planned))"
        )
        after = StoreDocuments(connection, before=second).document(name)
        assert after == StoreDocuments(connection).document(name)
        assert after != before
