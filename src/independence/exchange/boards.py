"""The board of each condition, one row a subject, for other tools."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

import msgspec

from independence.report import analyses, table_formats
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.store.scopes import BoardScope

NAME = "board"


def read(connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None) -> list[RenderedBoard]:
    """The board of every condition under a judge (None: each condition's usual one); none where a suite has none."""
    return [
        analyses.board(connection, one, BoardOptions(judge=judge)) for one in places if analyses.has_board(one.suite)
    ]


def jsonl(boards: Sequence[RenderedBoard], configs: Collection[str]) -> Iterator[bytes]:
    """One object a row, what the board is about in front. Numbers are those of all subjects, whoever is shown."""
    for built in boards:
        document = msgspec.to_builtins(built.document)
        head = {name: value for name, value in document.items() if name != "rows"}
        for row in document["rows"]:
            if row["config"] in configs:
                yield json.dumps({**head, **row}).encode("ascii") + b"\n"


def to_csv(boards: Sequence[RenderedBoard], configs: Collection[str]) -> bytes:
    """One line a row, flat."""
    record = boards[0].record
    at = [column.key for column in record.columns].index("config")
    rows = tuple(row for built in boards for row in built.record.rows if row[at] in configs)
    return table_formats.to_csv(msgspec.structs.replace(record, rows=rows)).encode("utf-8", "backslashreplace")
