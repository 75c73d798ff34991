"""Boards over time: a folder with a dated board for each time that one was written, and what moved since the last."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.api.reading import Names, Store
from independence.config import documents, user_files
from independence.config.options import Place
from independence.errors import UsageError
from independence.exchange import output
from independence.exchange.output import Manifest
from independence.store import scopes

_NAME = "leaderboard_%Y%m%d_%H%M%S"
_LISTED = 5  # changes of an index, the largest first
_SHOWN = 0.05  # points of an index: less is no change in what boards print


class _Row(msgspec.Struct, frozen=True):
    label: str
    index: float | None = None
    runs: int | None = None


class _Board(msgspec.Struct, frozen=True):
    """What is read of a snapshot."""

    suite: str
    edition: str
    condition: str
    rows: tuple[_Row, ...]
    judge: str | None = None
    scoring: str = ""

    @property
    def about(self) -> tuple[str | None, ...]:
        """What two boards have to share so that a difference is one of their subjects."""
        return self.suite, self.edition, self.condition, self.judge, self.scoring


class Snapshot(NamedTuple):
    """A board that was written, and what moved since the one before, in a few lines."""

    names: tuple[str, ...]  # of the files
    lines: tuple[str, ...]


def write(store: Store, folder: Path, models: Names, place: Place) -> Snapshot:
    """Write the board as JSON and Markdown, under the time in UTC; earlier ones stay.

    Raises UsageError for a folder that cannot be written; DiskFull.
    """
    board = store.board(**place, models=models)
    at = datetime.now(UTC)
    while (folder / f"{at:{_NAME}}.json").exists():  # another one of this second
        at += timedelta(seconds=1)
    name, content = f"{at:{_NAME}}", documents.escaped(board.to_json().encode())
    now = msgspec.json.decode(content, type=_Board)
    before = _latest(folder, now)
    files = {f"{name}.json": [content, b"\n"], f"{name}.md": [board.to_markdown().encode("utf-8", "backslashreplace")]}
    about = Manifest(suite=now.suite, edition=now.edition, conditions=(now.condition,), judge=now.judge)
    output.write(folder, files, about)
    return Snapshot(tuple(files), tuple(_moved(*before, now)) if before else ("no earlier snapshot of this board",))


def _latest(folder: Path, now: _Board) -> tuple[str, _Board] | None:
    """The newest snapshot of the same board, and its name."""
    for file in sorted(folder.glob("leaderboard_*.json"), reverse=True):
        with suppress(UsageError):  # somebody else's
            found = documents.json_of(user_files.read_bytes(file), file, _Board)
            if found.about == now.about:
                return file.name, found
    return None


def _moved(name: str, before: _Board, now: _Board) -> Iterator[str]:
    earlier, later = ({row.label: row for row in board.rows} for board in (before, now))
    pairs = [(earlier[label], row) for label, row in later.items() if label in earlier]
    changed = [pair for pair in pairs if _by(*pair) >= _SHOWN]
    changed.sort(key=lambda pair: (-_by(*pair), pair[1].label))
    yield f"since {name}: {len(changed)} of {len(pairs)} indices changed"
    for word, labels in (("new", later.keys() - earlier.keys()), ("gone", earlier.keys() - later.keys())):
        if labels:
            yield f"{word}: {scopes.listed(sorted(labels))}"
    for old, new in changed[:_LISTED]:
        runs = f", {old.runs} to {new.runs} runs" if old.runs != new.runs else ""
        yield f"{new.label}: {_said(old.index)} to {_said(new.index)}{runs}"
    if len(changed) > _LISTED:
        yield f"and {len(changed) - _LISTED} more indices changed by less"


def _by(old: _Row, new: _Row) -> float:
    """How far an index moved: from none or to none as far as can be."""
    if old.index is None or new.index is None:
        return 0.0 if old.index == new.index else 100.0
    return abs(new.index - old.index)


def _said(index: float | None) -> str:
    return "no index" if index is None else f"{index:.1f}"
