from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from independence.store import database, records


@pytest.fixture(autouse=True)
def _at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that fills a store while a second ends would have planned twice, and a second plan is a second look."""
    monkeypatch.setattr(records, "now", lambda _timespec="seconds": "2026-01-01T00:00:00+00:00")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A blank store."""
    opened = database.connect(tmp_path / "store.db")
    opened.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for the disk is slow
    yield opened
    opened.close()
