"""The board as a table among others, with its legend."""

from __future__ import annotations

from independence.report.board import Board
from independence.report.formats import column, heading, judging, name, readings
from independence.report.table import Column, Table, Value
from independence.stats.spread import LIKE_THESE, THESE
from independence.suites.schema import Component, Index

_HEAD = (
    Column("tier", "Tier", "count"), Column("rank", "#", "count"), Column("subject", "Subject"),
    Column("index", "Index", "number"), Column("these", "These scenarios", "index_interval"),
    Column("like_these", "Scenarios like these", "index_interval"), Column("rank_ci", "Rank, 95 %"),
    Column("p_best", "P(best)", "number", 2), Column("runs", "Runs", "count"),
    Column("coverage", "Coverage", "percent"),
)  # fmt: skip


def ranked(board: Board, index: Index) -> Table:
    """Complete subjects, best first."""
    columns = (*_HEAD, *(Column(_key(part), heading(part), "number") for part in index.components))
    rows: list[tuple[Value, ...]] = [
        (row.tier, row.rank, name(row), row.index, row.intervals.get(THESE), row.intervals.get(LIKE_THESE),
         f"{row.rank_ci[0]}–{row.rank_ci[1]}" if row.rank_ci else None, row.p_best, row.runs, row.coverage,
         *(column(part, row) for part in index.components))
        for row in board.rows
        if row.index is not None
    ]  # fmt: skip
    return Table("board", "The board", columns, tuple(rows), tuple(readings(board)))


def incomplete(board: Board) -> Table | None:
    """Subjects with a hole, with what their index can still be; None where there are none."""
    rows: list[tuple[Value, ...]] = [
        (name(row), row.bounds, row.coverage, row.complete_runs, _why(row.flags))
        for row in board.rows
        if row.index is None
    ]
    if not rows:
        return None
    columns = (
        Column("subject", "Subject"), Column("bounds", "Index can be", "interval"),
        Column("coverage", "Coverage", "percent"), Column("complete_runs", "Complete runs", "count"),
        Column("missing", "Missing verdicts"),
    )  # fmt: skip
    note = "No index and no rank: every missing verdict could be at either end of its scale."
    return Table("incomplete", "Incomplete subjects", columns, tuple(rows), (note,))


def estimated(board: Board) -> Table | None:
    """Estimates where an offline judge spoke; None where none did."""
    found = [(name(row), row.estimate) for row in board.rows if row.estimate is not None]
    if not found:
        return None
    rows: list[tuple[Value, ...]] = [
        (who, own.index, own.ci, own.method, own.bought, own.verdicts, sum(own.flagged.values())) for who, own in found
    ]
    columns = (
        Column("subject", "Subject"), Column("estimate", "Estimate", "number"),
        Column("ci", "95 %", "index_interval"), Column("method", "By"), Column("bought", "Bought", "count"),
        Column("verdicts", "Verdicts", "count"), Column("flagged", "Flagged", "count"),
    )  # fmt: skip
    return Table("estimates", "Estimated indices", columns, tuple(rows), tuple(judging(board)))


def legend(index: Index) -> Table:
    """What each column of the board is made of."""
    rows: list[tuple[Value, ...]] = [
        (heading(part), ", ".join(part.dimensions), part.weight, part.worst, part.best) for part in index.components
    ]
    columns = (
        Column("column", "Column"), Column("dimensions", "Sum of"), Column("weight", "Weight", "percent"),
        Column("worst", "Worst", "number", 0), Column("best", "Best", "number", 0),
    )  # fmt: skip
    return Table("legend", "How the index is made", columns, tuple(rows))


def _why(flags: dict[str, int]) -> str:
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def _key(part: Component) -> str:
    return "_".join(part.dimensions)
