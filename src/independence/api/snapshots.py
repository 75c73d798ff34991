"""Boards over time: a folder with a dated board for each time that one was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from independence.api.reading import Names, Store
from independence.config import documents
from independence.config.options import Place
from independence.exchange import output
from independence.exchange.output import Manifest

_NAME = "leaderboard_%Y%m%d_%H%M%S"


def write(store: Store, folder: Path, models: Names, place: Place) -> tuple[str, ...]:
    """Write the board as JSON and Markdown, under the time in UTC; earlier ones stay. Returns the names of the files.

    Raises UsageError for a folder that cannot be written; DiskFull.
    """
    board = store.board(**place, models=models)
    at = datetime.now(UTC)
    while (folder / f"{at:{_NAME}}.json").exists():  # another one of this second
        at += timedelta(seconds=1)
    name, document = f"{at:{_NAME}}", board.document
    about = Manifest(
        suite=document.suite, edition=document.edition, conditions=(document.condition,), judge=document.judge
    )
    content = documents.escaped(board.to_json().encode())
    files = {f"{name}.json": [content, b"\n"], f"{name}.md": [board.to_markdown().encode("utf-8", "backslashreplace")]}
    output.write(folder, files, about)
    return tuple(files)
