from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from independence.store import database


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A blank store."""
    opened = database.connect(tmp_path / "store.db")
    opened.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for the disk is slow
    yield opened
    opened.close()
