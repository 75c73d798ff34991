from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from independence.store.file import database
from independence.suites.load import LoadedSuite
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.report import filled
from tests.virtual_time import HandClock


@pytest.fixture(scope="session")
def judged_by_two(tmp_path_factory: pytest.TempPathFactory, toy_suite: LoadedSuite) -> Path:
    """The toy suite, two subjects, one of them judged by two."""
    path = tmp_path_factory.mktemp("viewed") / "store.db"
    with closing(database.connect(path)) as connection:
        filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2), "two": (8, 6, 2)}])
        filled.complete(connection, toy_suite, "b", [{"one": (3, 2, 8)}])
    return path


@pytest.fixture
def store(tmp_path: Path, judged_by_two: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copy(judged_by_two, tmp_path))


@pytest.fixture
def clock() -> HandClock:
    """What the server goes by."""
    return HandClock()


@pytest.fixture
async def address(store: Path, clock: HandClock) -> AsyncIterator[str]:
    """Where the toy store is served."""
    with StorePages(store, clock) as pages:
        async with app.serving(pages, ViewerSettings()) as where:
            yield where
