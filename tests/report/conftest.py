from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from independence.store import database
from independence.suites.load import LoadedSuite

from .filled import Toy


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A blank store."""
    opened = database.connect(tmp_path / "store.db")
    opened.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for the disk is slow
    yield opened
    opened.close()


@pytest.fixture
def toy(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> Toy:
    """A blank store and the toy suite, by which to fill it."""
    return Toy(connection, toy_suite)
