from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def connection(path: Path) -> Iterator[Connection]:
    """A blank store."""
    opened = database.connect(path)
    opened.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for the disk is slow
    yield opened
    opened.close()
