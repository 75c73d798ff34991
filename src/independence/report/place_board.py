"""A board of one table, for analyses that need no other: one row a subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from independence.report.analysis import GatedValue, RenderedBoard
from independence.report.board import board_data, notes
from independence.report.board.board_data import BoardRemarks, VerdictData
from independence.report.files import table_layouts
from independence.report.files.table import Column, Table, Value


class PlaceBoard(BoardRemarks, frozen=True):
    """Subjects under one condition and judge, of any analysis but an index; what is known of each, that says."""

    suite: str
    edition: str
    condition: str
    analysis: str
    judge: str | None
    rows: tuple[Any, ...]

    @property
    def place(self) -> dict[str, Value]:
        """What it is a board of, by the columns of CSV that hold it."""
        return {name: getattr(self, name) for name in ("suite", "edition", "condition", "analysis", "judge")}


B = TypeVar("B", bound=PlaceBoard)


def of(kind: type[B], read: VerdictData, **own: Any) -> B:
    """The board of a place; `own`: its rows, and what boards of its kind alone have."""
    scope = read.scope
    board = kind(
        suite=scope.suite.suite, edition=scope.edition, condition=str(scope.condition), analysis=scope.suite.analysis,
        judge=read.judge, **own,
    )  # fmt: skip
    return board_data.with_remarks(board, read)


def rendered(
    read: VerdictData, title: str, columns: Sequence[Column], rows: Sequence[msgspec.Struct], gate: str = ""
) -> RenderedBoard:
    """The board of a place from rows that have a `config` and a value for each column.

    `gate`: the column whose values are the results.
    """
    document, about = of(PlaceBoard, read, rows=tuple(rows)), read.about
    given, more = [msgspec.structs.asdict(row) for row in rows], table_layouts.particulars(document)
    shown = (Column("config", "Configuration"), Column("subject", "Subject"), *columns)
    whole = (*shown, *table_layouts.columns(more))
    found = [{"subject": about[row["config"]].name, **more, **row} for row in given]
    values = tuple(tuple(row[one.key] for one in whole) for row in found)
    configs = tuple(row["config"] for row in given)
    record = Table("board", title, whole, values, tuple(notes.of_place(read)), configs=configs)
    table = record.only(range(1, len(shown)))
    gated = [GatedValue(row["config"], about[row["config"]].label, row[gate]) for row in given] if gate else []
    return RenderedBoard(
        document=document, record=record, tables=[table], narrow=[table], brief=notes.brief_of_place(read), gated=gated
    )
