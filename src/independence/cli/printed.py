"""A board on stdout, in the asked format."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Sequence

from independence.cli.terminal import plain
from independence.report import formats
from independence.report.board import Board
from independence.report.place import Place


def board(connection: sqlite3.Connection, place: Place, built: Board, format_: str, detailed: bool) -> None:
    """Print a board on stdout in the asked format."""
    index = place.suite.index
    assert index is not None
    if format_ == "json":
        print(spelled(formats.to_json(built)))
    elif format_ == "csv":
        sys.stdout.write(plain(formats.to_csv([built], index)))
    elif format_ == "md":
        sys.stdout.write(plain(formats.to_markdown(built, index)))
    else:
        from independence.cli import show  # Rich is slow to import and JSON needs none of it

        show.compact(built, index)
        if detailed:
            show.details(connection, place, built)


def boards(connection: sqlite3.Connection, built: Sequence[tuple[Place, Board]], format_: str) -> None:
    """Print boards of one suite: JSON as one document (an array where there are several), CSV as one table."""
    every = [one for _, one in built]
    index = built[0][0].suite.index if built else None
    if format_ == "json" and len(every) > 1:
        print(spelled(formats.to_json(every)))
        return
    if format_ == "csv" and index is not None:
        sys.stdout.write(plain(formats.to_csv(every, index)))
        return
    for place, one in built:
        board(connection, place, one, format_, detailed=False)


def spelled(document: str) -> str:
    """The same JSON with every character that `plain` would spell out written as JSON does."""
    return re.sub(r"[^\n -~]", lambda match: match[0] if plain(match[0]) == match[0] else _escape(match[0]), document)


def _escape(character: str) -> str:
    return re.sub("....", r"\\u\g<0>", character.encode("utf-16-be").hex())
