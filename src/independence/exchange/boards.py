"""The board of each condition, one row a subject, for other tools."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

import msgspec

from independence.report import analysis, board_formats, table_formats
from independence.report.advice.rendered_board import RenderedBoard
from independence.report.analysis import BoardOptions, Built
from independence.report.board import Board
from independence.store.scopes import BoardScope

NAME = "board"


def read(connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None) -> list[Built]:
    """The board of every condition under a judge (None: each condition's usual one); none where a suite has none."""
    return [
        analysis.board(connection, one, BoardOptions(judge=judge)) for one in places if analysis.has_board(one.suite)
    ]


def jsonl(boards: Sequence[Built], configs: Collection[str]) -> Iterator[bytes]:
    """One object a row, what the board is about in front. Numbers are those of all subjects, whoever is shown."""
    for built in boards:
        document = msgspec.to_builtins(built.document if isinstance(built, RenderedBoard) else built)
        head = {name: value for name, value in document.items() if name != "rows"}
        for row in document["rows"]:
            if row["config"] in configs:
                yield json.dumps({**head, **row}).encode("ascii") + b"\n"


def to_csv(scope: BoardScope, boards: Sequence[Built], configs: Collection[str]) -> bytes:
    """One line a row, flat."""
    records = [built.record for built in boards if isinstance(built, RenderedBoard)]
    if records:
        keys = [column.key for column in records[0].columns]
        rows = tuple(row for record in records for row in record.rows if row[keys.index("config")] in configs)
        text = table_formats.to_csv(msgspec.structs.replace(records[0], rows=rows))
    else:
        assert scope.suite.index is not None
        own = [built for built in boards if isinstance(built, Board)]
        shown = [_of(built, configs) for built in own]
        text = board_formats.to_csv(shown, scope.suite.index)
    return text.encode("utf-8", "backslashreplace")


def _of(board: Board, configs: Collection[str]) -> Board:
    return msgspec.structs.replace(board, rows=tuple(row for row in board.rows if row.config in configs))
