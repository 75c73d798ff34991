from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from independence.store import database
from independence.suites.load import LoadedSuite
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.report import filled


@pytest.fixture
def store(tmp_path: Path, toy_suite: LoadedSuite) -> Path:
    """The toy suite, two subjects, one of them judged by two."""
    path = tmp_path / "store.db"
    connection = database.connect(path)
    filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2), "two": (8, 6, 2)}])
    filled.complete(connection, toy_suite, "b", [{"one": (3, 2, 8)}])
    connection.close()
    return path


@pytest.fixture
async def address(store: Path) -> AsyncIterator[str]:
    """Where the toy store is served."""
    with StorePages(store) as pages:
        async with app.serving(pages, ViewerSettings()) as where:
            yield where
