"""The board as a table among others, with its legend."""

from __future__ import annotations

from independence.report import legend as meanings
from independence.report.board import BOOTSTRAP, STRICT, T_RUNS, Board
from independence.report.board_formats import column, judging, name, readings
from independence.report.legend import COLUMNS, heading, words
from independence.report.table import Column, Table, Value
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.suites.schema import Component, Index

_HEAD = (
    Column("tier", "Tier", "count"), Column("rank", "#", "count"), Column("subject", "Subject"),
    Column("index", "Index", "index"), Column("these", "These scenarios", "index_interval"),
)  # fmt: skip
_TAIL = (
    Column("runs", "Runs", "count"), Column("coverage", "Coverage", "percent"),
    Column("like_these", "Scenarios like these", "index_interval"), Column("rank_ci", "Rank, 95 %"),
    Column("p_best", "P(best)", "number", 2),
)  # fmt: skip
_AVERAGED = (
    "The published rule averages the verdicts that are there: a subject with missing ones has an index and a rank all "
    "the same, and they may be too high or too low."
)


def ranked(board: Board, index: Index) -> Table:
    """Complete subjects, best first."""
    parts = tuple(Column(_key(part), heading(part), "number") for part in index.components)
    if board.scoring != STRICT:
        return _published(board, index, parts)
    columns = (*_HEAD, *parts, *_TAIL)
    rows: list[tuple[Value, ...]] = [
        (row.tier, row.rank, name(row), row.index, row.intervals.get(THESE),
         *(column(part, row) for part in index.components), row.runs, row.coverage, row.intervals.get(LIKE_THESE),
         f"{row.rank_ci[0]}–{row.rank_ci[1]}" if row.rank_ci else None, row.p_best)
        for row in board.rows
        if row.index is not None
    ]  # fmt: skip
    return Table("board", "The board", columns, tuple(rows), tuple(readings(board)))


def _published(board: Board, index: Index, parts: tuple[Column, ...]) -> Table:
    """Under a published rule: its own interval, and no tiers."""
    columns = (
        *_HEAD[1:4], Column("bootstrap", "Published bootstrap", "index_interval"), *parts, *_TAIL[:2],
        Column("t_runs", "t over runs", "index_interval"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (row.rank, name(row), row.index, row.intervals.get(BOOTSTRAP),
         *(column(part, row) for part in index.components), row.runs, row.coverage, row.intervals.get(T_RUNS))
        for row in board.rows
        if row.index is not None
    ]  # fmt: skip
    return Table("board", "The board", columns, tuple(rows), (_AVERAGED,))


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
        Column("subject", "Subject"), Column("estimate", "Estimate", "index"),
        Column("ci", "95 %", "index_interval"), Column("method", "By"), Column("bought", "Bought", "count"),
        Column("verdicts", "Verdicts", "count"), Column("flagged", "Flagged", "count"),
    )  # fmt: skip
    return Table("estimates", "Estimated indices", columns, tuple(rows), tuple(judging(board)))


def legend(index: Index, board: Table) -> Table:
    """What each column of the board says and is made of."""
    rows: list[tuple[Value, ...]] = [
        (heading(part), meanings.measured(index, part), ", ".join(map(words, part.dimensions)), part.weight, part.worst,
         part.best)
        for part in index.components
    ]  # fmt: skip
    rows += [
        (COLUMNS[column.key].head, COLUMNS[column.key].sentence, *(None,) * 4)
        for column in board.columns
        if column.key in COLUMNS
    ]
    columns = (
        Column("column", "Column"), Column("meaning", "What it says"), Column("dimensions", "Sum of"),
        Column("weight", "Weight", "percent"), Column("worst", "Worst", "number", 0),
        Column("best", "Best", "number", 0),
    )  # fmt: skip
    return Table("legend", "What the columns say", columns, tuple(rows))


def _why(flags: dict[str, int]) -> str:
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def _key(part: Component) -> str:
    return "_".join(part.dimensions)
