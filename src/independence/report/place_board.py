"""A board of one table, for analyses that need no other: one row a subject."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from independence.report import board_data, declared, notes
from independence.report.analysis import GatedValue, RenderedBoard
from independence.report.board_data import BoardRemarks, VerdictData
from independence.report.table import Column, Table


class PlaceBoard(BoardRemarks, frozen=True):
    """Subjects under one condition and judge; what is known of each, its analysis says."""

    suite: str
    edition: str
    condition: str
    analysis: str
    judge: str | None
    rows: tuple[msgspec.Struct, ...]


def rendered(
    read: VerdictData, title: str, columns: Sequence[Column], rows: Sequence[msgspec.Struct], gate: str = ""
) -> RenderedBoard:
    """The board of a place from rows that have a `config` and a value for each column.

    `gate`: the column that `--fail-under` compares.
    """
    scope, about = read.scope, read.about
    document = PlaceBoard(
        suite=scope.suite.suite, edition=scope.edition, condition=str(scope.condition), analysis=scope.suite.analysis,
        judge=read.judge, rows=tuple(rows),
    )  # fmt: skip
    document = board_data.with_remarks(document, read)
    given, more = [msgspec.structs.asdict(row) for row in rows], declared.particulars(document)
    found = [{"subject": about[row["config"]].name, **more, **row} for row in given]
    shown = (Column("subject", "Subject"), *columns)
    whole = (Column("config", "Configuration"), *shown, *declared.columns(more))
    below = tuple(notes.of_place(read))
    record, table = (
        Table(
            "board",
            title,
            own,
            tuple(tuple(row[one.key] for one in own) for row in found),
            below,
            configs=tuple(row["config"] for row in given),
        )
        for own in (whole, shown)
    )
    gated = [GatedValue(row["config"], about[row["config"]].label, row[gate]) for row in given] if gate else []
    return RenderedBoard(
        document=document, record=record, tables=[table], narrow=[table], brief=notes.brief_of_place(read), gated=gated
    )
