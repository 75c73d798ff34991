"""Documents of one store are the same on every day: they carry the days of its answers and verdicts alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from independence.report.site import paths
from independence.store import database
from tests.stores import Stores


@pytest.mark.parametrize("name", ["toy", "sides", "rent"])
def test_no_document_carries_the_day_on_which_it_is_made(stores: Stores, tmp_path: Path, name: str) -> None:
    path = stores.copy(name, tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE calls SET answered_at = '2020-03-05T10:00:00+00:00'")
        connection.execute("UPDATE verdicts SET judged_at = '2020-03-06T10:00:00+00:00'")
    today = datetime.now(UTC).date().isoformat().encode()
    with database.reading(path) as connection, paths.reading(connection) as documents:
        held = {own: documents.document(own) for own in documents.paths()}
    assert [own for own, content in held.items() if today in content] == []
    assert any(b"2020-03-06" in content for own, content in held.items() if "/report." in own)
