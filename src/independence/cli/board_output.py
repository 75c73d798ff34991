"""A board on stdout, in the asked format."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Sequence

from independence.cli.terminal import plain
from independence.report import analysis
from independence.report.advice.rendered_board import RenderedBoard
from independence.report.analysis import Built
from independence.store.scopes import BoardScope


def board(connection: sqlite3.Connection, scope: BoardScope, built: Built, format_: str, detailed: bool) -> None:
    """Print a board on stdout in the asked format."""
    if format_ == "json":
        print(spelled(analysis.to_json([built])))
    elif format_ == "csv":
        sys.stdout.write(plain(analysis.to_csv([built], scope.suite)))
    elif format_ == "md":
        sys.stdout.write(plain(analysis.to_markdown(built, scope.suite)))
    else:
        from independence.cli import terminal_board  # Rich is slow to import and JSON needs none of it

        if isinstance(built, RenderedBoard):
            terminal_board.advice(built, detailed)
            return
        assert scope.suite.index is not None
        terminal_board.compact(built, scope.suite.index)
        if detailed:
            terminal_board.details(connection, scope, built)


def boards(connection: sqlite3.Connection, built: Sequence[tuple[BoardScope, Built]], format_: str) -> None:
    """Print boards of one suite: JSON as one document (an array where there are several), CSV as one table."""
    every = [one for _, one in built]
    if format_ == "json" and len(every) > 1:
        print(spelled(analysis.to_json(every)))
        return
    if format_ == "csv" and built:
        sys.stdout.write(plain(analysis.to_csv(every, built[0][0].suite)))
        return
    for place, one in built:
        board(connection, place, one, format_, detailed=False)


def spelled(document: str) -> str:
    """The same JSON with every character that `plain` would spell out written as JSON does."""
    return re.sub(r"[^\n -~]", lambda match: match[0] if plain(match[0]) == match[0] else _escape(match[0]), document)


def _escape(character: str) -> str:
    return re.sub("....", r"\\u\g<0>", character.encode("utf-16-be").hex())
