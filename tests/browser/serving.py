"""Viewers for the tests: over a store, and as files that a server of files has."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clock import MACHINE, Clock
from independence.report.pages.schema import BoardList, IndexDocument
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.e2e import command

from .viewing import Viewer

Serve = Callable[[Path], Awaitable[Viewer]]


class Site(NamedTuple):
    """An exported site and where it is served."""

    viewer: Viewer
    folder: Path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def first_index(documents: BoardList, read: Callable[[str], bytes]) -> IndexDocument:
    """The first board under its first judge."""
    board = documents.boards[0]
    return msgspec.json.decode(read(f"{board.id}/index.{board.judges[0].slug}.json"), type=IndexDocument)


@asynccontextmanager
async def served(store: Path, clock: Clock = MACHINE) -> AsyncIterator[Viewer]:
    """The viewer over a store."""
    with StorePages(store, clock) as pages:
        async with app.serving(pages, ViewerSettings()) as address:
            boards = msgspec.json.decode((await pages.entry("boards.json")).document.plain, type=BoardList)
            board = boards.boards[0]
            entry = await pages.entry(f"{board.id}/index.{board.judges[0].slug}.json")
            yield Viewer(address, msgspec.json.decode(entry.document.plain, type=IndexDocument), board)


@contextmanager
def exported(store: Path, root: Path, below: str = "some/where") -> Iterator[Site]:
    """The site of a store in a folder below the root of a server of files."""
    folder = root / below
    done = command.run("export", "--db", str(store), "--site", str(folder))
    assert done.code == 0, done.err
    (data,) = (folder / "data").iterdir()
    boards = msgspec.json.decode((data / "boards.json").read_bytes(), type=BoardList)
    index = first_index(boards, lambda path: (data / path).read_bytes())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Site(Viewer(f"http://127.0.0.1:{server.server_port}/{below}/", index, boards.boards[0]), folder)
    server.shutdown()
    server.server_close()
    thread.join()
