from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

import msgspec
import pytest

from independence.report.site.schema import SCHEMA, BoardList
from independence.store import database
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import OpenDocuments, StorePages
from tests.report import filled, opinions

BOARD = "toy"


class ToyDocuments:
    """Two documents of the toy store."""

    def __init__(self, connection: sqlite3.Connection, suite: LoadedSuite) -> None:
        (self._verdicts,) = connection.execute("SELECT count(*) FROM verdicts").fetchone()
        self._suite = suite

    def paths(self) -> Iterable[str]:
        return ("boards.json", f"{BOARD}/verdicts.json")

    def document(self, path: str) -> bytes:
        held = BoardList(schema=SCHEMA, dataset="0123abcd", version="1", boards=())
        made = {"boards.json": msgspec.json.encode(held), f"{BOARD}/verdicts.json": msgspec.json.encode(self._verdicts)}
        return made[path]

    def scopes(self) -> Mapping[str, BoardScope]:
        return {BOARD: filled.scope(self._suite)}


@pytest.fixture
def store(tmp_path: Path, toy_suite: LoadedSuite) -> Path:
    """The toy suite, two subjects, one of them judged by two."""
    path = tmp_path / "store.db"
    connection = database.connect(path)
    opinions.store(connection, toy_suite, "a", [{"one": (9, 6, 2), "two": (8, 6, 2)}])
    opinions.store(connection, toy_suite, "b", [{"one": (3, 2, 8)}])
    connection.close()
    return path


@pytest.fixture
def opened(toy_suite: LoadedSuite) -> OpenDocuments:
    return lambda connection: ToyDocuments(connection, toy_suite)


@pytest.fixture
async def address(store: Path, opened: OpenDocuments) -> AsyncIterator[str]:
    """Where the toy store is served."""
    with StorePages(store, opened) as pages:
        async with app.serving(pages, ViewerSettings()) as where:
            yield where
