"""The board of an index as tables: for people, for a terminal, for a report, for CSV; and what its columns say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from independence.clients.flags import TEMPERATURE_UNSENT
from independence.report.board import BOOTSTRAP, STRICT, T_RUNS, Board, BoardRow
from independence.report.board_notes import (
    THINKS,
    UNCALIBRATED,
    caption,
    date_line,
    estimated,
    judging,
    name,
    readings,
)
from independence.report.legend import COLUMNS, column_line, component_line, heading, measured, short, words
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.table import DASH, Column, Table, Value, decimal, on_scale
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.suites.schema import Component, Index

_METHODS: Final = (THESE, LIKE_THESE, T_RUNS, BOOTSTRAP)
_SHORT_HEADS: Final = {"tier": "T", "runs": "R", "coverage": "Cov"}
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
    "The published rule averages the existing verdicts: a subject with missing ones has an index and a rank too, and "
    "both may be too high or too low."
)


def column(component: Component, row: BoardRow) -> float | None:
    """A component's column: the sum of its dimensions, on their own scale. None where one is missing."""
    values = [row.dimensions.get(name) for name in component.dimensions]
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def record(board: Board, index: Index) -> Table:
    """Everything of every row, flat."""
    columns = (
        *(Column(key, key) for key in ("suite", "edition", "condition", "scoring", "judge")),
        Column("rank", "rank", "count"), Column("label", "label"), Column("config", "config"),
        Column("index", "index", "number"), Column("bound", "bound", "interval"), Column("ci", "ci", "interval"),
        Column("ci_method", "ci_method"), Column("runs", "runs", "count"),
        Column("complete_runs", "complete_runs", "count"), Column("coverage", "coverage", "percent"),
        Column("simulated", "simulated", "flag"), Column("cost_usd", "cost_usd", "dollars"),
        Column("tier", "tier", "count"), Column("rank", "rank", "interval"), Column("p_best", "p_best", "number"),
        *(Column(method.replace("-", "_"), method, "interval") for method in _METHODS),
        Column("estimate", "estimate", "number"), Column("estimate", "estimate", "interval"),
        Column("estimate_method", "estimate_method"), Column("bought_verdicts", "bought_verdicts", "count"),
        Column("flagged_dialogues", "flagged_dialogues", "count"), Column("thinking", "thinking", "flag"),
        *(Column(part.label, part.label, "number") for part in index.components),
    )  # fmt: skip
    return Table("board", "The board", columns, tuple(_record(board, row, index) for row in board.rows))


def _record(board: Board, row: BoardRow, index: Index) -> tuple[Value, ...]:
    own = row.estimate
    estimate = (own.index, own.ci, own.method, own.bought, sum(own.flagged.values())) if own else (None,) * 5
    return (
        board.suite, board.edition, board.condition, board.scoring, board.judge, row.rank, row.label, row.config,
        row.index, row.bounds, row.ci, row.ci_method, row.runs, row.complete_runs, row.coverage, row.simulated,
        row.cost_usd, row.tier, row.rank_ci, row.p_best, *(row.intervals.get(method) for method in _METHODS),
        *estimate, row.thinking, *(column(part, row) for part in index.components),
    )  # fmt: skip


def full(board: Board, index: Index) -> Table:
    """Every subject with its place, its index and what that is made of."""
    columns = _columns(board, index, [name(row) for row in board.rows])
    notes = (*date_line(board.dates), *readings(board), *judging(board))
    return Table("board", caption(board), tuple(columns), tuple(zip(*columns.values(), strict=True)), notes)


def compact(board: Board, index: Index) -> Table:
    """The same for a terminal, a subject a line, and what is to be said below it."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) + f" {THINKS}" * row.thinking for row in board.rows]
    unused = set() if any(row.tier for row in board.rows) else {"tier"}
    if estimated(board):  # no room for both; --detailed has the components
        unused |= {_key(part) for part in index.components}
        unused |= set() if any(row.ci for row in board.rows) else {"ci"}
    columns = {
        own._replace(head=_SHORT_HEADS.get(own.key, own.head), about=own.about if own.key != "rank" else ""): values
        for own, values in _columns(board, index, named).items()
        if own.key not in unused
    }
    notes = (*date_line(board.dates), *readings(board), *judging(board), *_remarks(board))
    return Table("board", caption(board), tuple(columns), tuple(zip(*columns.values(), strict=True)), notes,
                 one_line=True)  # fmt: skip


def _columns(board: Board, index: Index, named: Sequence[str]) -> dict[Column, Sequence[Value]]:
    """The columns that every board has, and those of estimates where there are any, with their values."""
    rows = board.rows
    estimates: dict[Column, Sequence[Value]] = {
        Column("estimate", "Estimate", "index"): [_estimate(row)[0] for row in rows],
        Column("estimate_ci", "95 %", "index_range"): [_estimate(row)[1] for row in rows],
        Column("flagged", "Flagged", "count"): [_estimate(row)[2] for row in rows],
    }
    return {
        Column("tier", "Tier", "count", about=column_line("tier")): [row.tier for row in rows],
        Column("rank", "#", "count", about=column_line("rank")): [row.rank for row in rows],
        Column("subject", "Subject"): named,
        Column("index", "Index", "index", about=column_line("index")): [_index(row) for row in rows],
        Column("ci", "95 % CI", "index_range", about=column_line("ci")): [row.ci for row in rows],
        **(estimates if estimated(board) else {}),
        Column("runs", "Runs", "count", about=column_line("runs")): [row.runs for row in rows],
        Column("coverage", "Coverage", "percent", about=column_line("coverage")): [row.coverage for row in rows],
        **{
            Column(_key(part), heading(part), "number", about=component_line(index, part)): [
                column(part, row) for row in rows
            ]
            for part in index.components
        },
    }


def _index(row: BoardRow) -> Value:
    """The index, or what it can still be, or that an offline judge cannot tell."""
    if row.index is not None:
        return row.index
    return UNCALIBRATED if row.estimate is not None and row.estimate.method == UNCALIBRATED else row.bounds


def _estimate(row: BoardRow) -> tuple[Value, Value, Value]:
    """The estimated index, its interval, and how many dialogues are flagged."""
    if row.estimate is None:
        return None, None, None
    flagged = f"{sum(row.estimate.flagged.values())}/{row.estimate.verdicts}"
    if row.estimate.index is None or row.estimate.ci is None:
        return None, None, flagged
    return row.estimate.index, row.estimate.ci, flagged


def _remarks(board: Board) -> list[str]:
    """Why some rows are not like the others."""
    lines = []
    if any(row.simulated for row in board.rows):
        lines.append("sim/ subjects are simulated: programs with known behaviour, no model was asked.")
    unsent = [name(row) for row in board.rows if TEMPERATURE_UNSENT in row.flags]
    if unsent:
        lines.append(f"No temperature is sent to {', '.join(unsent)}: the models take none.")
    if any(row.index is None and row.coverage == 1 for row in board.rows):
        lines.append("[low, high] at full coverage: only some experiments were planned, an index needs all of them.")
    missing: Counter[str] = Counter()
    for row in board.rows:
        missing.update({flag[8:]: count for flag, count in row.flags.items() if flag.startswith("missing:")})
    if missing and any(isinstance(_index(row), tuple) for row in board.rows):
        why = ", ".join(f"{count} {reason}" for reason, count in missing.items())
        lines.append(f"[low, high]: lowest and highest possible index, because verdicts are missing ({why}).")
    return lines


def subject_details(row: BoardRow, planned: Sequence[PlannedVerdict]) -> Table:
    """What is known of a subject: dimensions, runs, intervals, cost, flags, and each scenario's fields."""
    flagged = row.estimate.flagged if row.estimate else {}
    lines = [
        ("dimensions", ", ".join(f"{name} {_number(value)}" for name, value in row.dimensions.items())),
        ("index per run", " ".join(map(_number, row.per_run)) or DASH),
        *_places(row),
        ("cost", f"${row.cost_usd:.4f}"),
        *([("flags", ", ".join(f"{flag} {count}" for flag, count in row.flags.items()))] if row.flags else []),
        *((scenario, _fields(own, flagged.get(scenario))) for scenario, own in _by_scenario(planned).items()),
    ]
    return Table(f"subject-{row.config}", name(row), (Column("what", ""), Column("value", "")), tuple(lines))


def _by_scenario(planned: Sequence[PlannedVerdict]) -> dict[str, list[PlannedVerdict]]:
    found: dict[str, list[PlannedVerdict]] = {}
    for cell in planned:
        found.setdefault(cell.scenario, []).append(cell)
    return found


def _places(row: BoardRow) -> list[tuple[str, str]]:
    """Every interval by its method, and the place with its uncertainty."""
    # The published bootstrap of five runs covers 81-83 % in simulation (`python -m benchmarks coverage`).
    caveats = {BOOTSTRAP: " (covers less with few runs)"}
    lines = [
        (method, " to ".join(decimal(on_scale(end)) for end in ends) + caveats.get(method, ""))
        for method, ends in row.intervals.items()
        if ends
    ]
    if row.rank_ci is None or row.p_best is None:
        return lines
    low, high = row.rank_ci
    return [*lines, ("rank", f"{low} to {high} with 95 %, best with {row.p_best:.0%}")]


def _fields(own: Sequence[PlannedVerdict], flagged: int | None) -> str:
    """Valid and planned verdicts of a scenario, the means of its fields, and what an offline judge flagged."""
    given = [cell.values for cell in own if cell.values is not None]
    fields = dict.fromkeys(name for values in given for name in values)
    means = {name: fmean(float(values[name]) for values in given if name in values) for name in fields}
    text = ", ".join(f"{name} {mean:.1f}" for name, mean in means.items()) or "no verdict"
    return f"{len(given)}/{len(own)}  {text}" + (f", flagged {flagged}" if flagged is not None else "")


def _number(value: float | None) -> str:
    return DASH if value is None else decimal(value)


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


def estimates(board: Board) -> Table | None:
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
        (heading(part), measured(index, part), ", ".join(map(words, part.dimensions)), part.weight, part.worst,
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
    return Table("legend", "What the columns mean", columns, tuple(rows))


def _why(flags: dict[str, int]) -> str:
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def _key(part: Component) -> str:
    return "_".join(part.dimensions)
