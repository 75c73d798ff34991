"""The board of an index as tables: for people, a terminal, a report, CSV; all of one subject; what columns say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from statistics import stdev
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import UNSET

from independence.report.board import notes, scenario_kinds
from independence.report.board.board import STRICT, Board
from independence.report.board.board_rows import BOOTSTRAP, T_RUNS, BoardRow
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.files import table_layouts
from independence.report.files.legend import (
    component_line,
    heading,
    label,
    measured,
    short,
    span,
    subject_name,
    texts,
    words,
)
from independence.report.files.table import Column, Table, Value, decimal, on_scale, without_empty_columns
from independence.stats import strict
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import with_holes
from independence.suites.schema import Component, Index, Suite

_INTERVALS: Final = {"these": THESE, "like_these": LIKE_THESE, "t_runs": T_RUNS, "bootstrap": BOOTSTRAP}
_NAMES: Final = attrgetter("rank", "label", "config")
_NUMBERS: Final = attrgetter(
    "index", "bounds", "ci", "ci_method", "runs", "complete_runs", "coverage", "simulated", "cost_usd", "tier",
    "rank_bounds", "rank_ci",
)  # fmt: skip
_FEW: Final = 4  # subjects that stand side by side
_BAR: Final = 14  # signs of a bar from 0 to 100
_ORIGIN: Final = (Column("origin", "Origin"),)


def column(component: Component, row: BoardRow) -> float | None:
    """A component's column: the sum of its dimensions, on their own scale. None where one is missing."""
    values = [row.dimensions.get(name) for name in component.dimensions]
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def _evasions(board: Board) -> tuple[Column, ...]:
    """How often subjects evade, where their suite tells."""
    return (Column("evades", "Evades", "percent"),) if any(row.evades is not UNSET for row in board.rows) else ()


def _kinds(board: Board, about: bool = False) -> list[Column]:
    """What was lost in scenarios of each kind, where the suite has kinds and somebody has an index."""
    found = [row.points_lost for row in board.rows if row.points_lost]
    return [
        Column(f"points_lost_{name}", name.capitalize(), "number", about=scenario_kinds.legend(name, kind) * about)
        for name, kind in (board.kinds or {}).items()
        if any(lost[name] is not None for lost in found)
    ]


def components(index: Index, about: bool = False) -> list[Column]:
    """The columns of an index's components; `about`: with what each says."""
    return [
        Column(_key(part), heading(part), "number", about=component_line(index, part) * about)
        for part in index.components
    ]


def _values(row: BoardRow, index: Index) -> dict[str, Any]:
    """Everything of a row, by the keys of columns."""
    open_, ranks = row.rank_bounds, row.rank_ci
    return {
        **msgspec.structs.asdict(row),
        "evades": row.evades if row.evades is not UNSET else None,
        "without_evasions": row.without_evasions if row.without_evasions is not UNSET else None,
        **{key: row.intervals.get(method) for key, method in _INTERVALS.items()},
        **{f"points_lost_{name}": lost for name, lost in (row.points_lost or {}).items()},
        **{_key(part): column(part, row) for part in index.components},
        "subject": notes.name(row),
        "rank": f"{open_[0]}–{open_[1]}" if row.rank is None and open_ else row.rank,
        "rank_ci": f"{ranks[0]}–{ranks[1]}" if ranks else None,
        "missing": notes.why(row.flags),
        "runs": span(row.runs, row.most_runs),
    }


def record(board: Board, index: Index) -> Table:
    """Everything of every row, flat; columns that not every board has stand where its rows need them."""
    origin, evasions = _origin(board), _evasions(board)
    named = [label(part) for part in index.components] + (["evades", "without_evasions"] if evasions else [])
    named += [f"points_lost_{name}" for name in board.kinds or {}]
    about = table_layouts.particulars(board)
    more = {
        "edition": table_layouts.columns(about),
        "config": [column._replace(head=column.key) for column in origin],
        "thinking": [Column(name, name, "number") for name in named],
    }
    front = (board.suite, board.edition, *about.values(), board.condition, board.scoring, board.judge)
    rows = [
        (
            *front, *_NAMES(row), *([row.origin or None] if origin else []), *_NUMBERS(row),
            *(row.intervals.get(method) for method in _INTERVALS.values()),
            row.thinking, *(column(part, row) for part in index.components),
            *(None if value is UNSET else value for value in (row.evades, row.without_evasions) if evasions),
            *(row.points_lost or {}).values(),
        )
        for row in board.rows
    ]  # fmt: skip
    return table_layouts.made("board/record", rows, [], more)


def full(board: Board, index: Index) -> Table:
    """Every subject with its place, its index and what that is made of."""
    return _board(board, index, [notes.name(row) for row in board.rows])


def compact(board: Board, index: Index) -> Table:
    """The board for a terminal: a line with a bar for each subject, and notes below it.

    Columns that say nothing here are left out; runs and coverage, of which `notes.brief` tells, stand last.
    """
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) + notes.marks(row) for row in board.rows]
    unused = set() if notes.in_tiers(board) else {"tier"}
    unused |= set() if any(row.evades for row in board.rows) else {"evades"}
    unused |= {"runs"} if len({span(row.runs, row.most_runs) for row in board.rows}) == 1 else set()
    unused |= {"coverage"} if len({row.coverage for row in board.rows}) == 1 else set()
    whole = _board(board, index, named)
    places = [place for place, own in enumerate(whole.columns) if own.key not in unused]
    kept = whole.only(sorted(places, key=lambda place: whole.columns[place].key in ("runs", "coverage")))
    columns = [own._replace(about=own.about if own.key not in ("rank", "tier") else "") for own in kept.columns]
    place = 1 + max(place for place, own in enumerate(columns) if own.key in ("index", "ci"))
    columns.insert(place, Column("bar", "0    50    100"))
    rows = tuple((*own[:place], _bar(row), *own[place:]) for own, row in zip(kept.rows, board.rows, strict=True))
    below = notes.remarks(board, [_index(row) for row in board.rows])
    return msgspec.structs.replace(kept, columns=tuple(columns), rows=rows, notes=(*whole.notes, *below), one_line=True)


def brief(board: Board) -> list[str]:
    """What is to be said below it in three lines."""
    return notes.brief(board, [_index(row) for row in board.rows])


def _bar(row: BoardRow) -> str:
    """The index as a bar, solid up to the lower end of its interval, or of what it can be, and shaded to the upper."""
    ends = row.ci or (row.bounds if row.index is None else (row.index, row.index))
    low, high = (round(on_scale(end) / 100 * _BAR) for end in ends)
    return "█" * low + "░" * (high - low)


def _board(board: Board, index: Index, named: Sequence[str]) -> Table:
    """The columns that every board has."""
    rows = [
        _values(row, index) | {"subject": name, "index": _index(row)}
        for name, row in zip(named, board.rows, strict=True)
    ]
    few = notes.few_to_generalise(board)
    below = (notes.caption(board), *notes.date_line(board.dates), *few, *notes.readings(board))
    more = {
        "subject": _origin(board),
        "coverage": [*_evasions(board), *_kinds(board, about=True), *components(index, about=True)],
    }
    return _with_meanings(table_layouts.made("board/board", rows, below, more))


def _index(row: BoardRow) -> Value:
    """The index, or what it can still be."""
    return row.bounds if row.index is None else row.index


def ranked(board: Board, index: Index) -> Table:
    """All subjects; under a published rule with its own interval, and without tiers."""
    rows = [_values(row, index) | {"index": _index(row)} for row in board.rows]
    parts = [*_kinds(board), *components(index)]
    origin = _origin(board)
    if board.scoring == STRICT:
        evasions = [*_evasions(board), Column("without_evasions", "Without evasions", "index")]
        more = {"subject": origin, "ci": parts, "coverage": evasions if _evasions(board) else ()}
        return table_layouts.made("board/ranked", rows, notes.readings(board), more)
    return table_layouts.made("board/published", rows, notes.readings(board), {"subject": origin, "bootstrap": parts})


def runs(board: Board, index: Index) -> Table:
    """Per-run indices with the interval of the board, one line a subject with a complete run."""
    rows = [
        _values(row, index)
        | {"subject": subject_name(row.label, row.simulated), "index": _index(row),
           "per_run": " ".join(map(decimal, row.per_run)),
           "sd": stdev(row.per_run) if len(row.per_run) > 1 else None}
        for row in board.rows
        if row.per_run
    ]  # fmt: skip
    below = [*notes.intervals(board), *notes.few_to_generalise(board), *notes.uneven(board)]
    return table_layouts.made("board/runs", rows, below)


def intervals(board: Board, index: Index) -> Table:
    """The interval of every method."""
    rows = [_values(row, index) for row in board.rows if any(row.intervals.values())]
    made = table_layouts.made("board/intervals", rows, notes.few_scenarios(board))
    return _with_meanings(made)


def _with_meanings(table: Table) -> Table:
    """With what each column says."""
    columns = tuple(own._replace(about=own.about or texts("columns").get(own.key, "")) for own in table.columns)
    return msgspec.structs.replace(table, columns=columns)


def incomplete(board: Board, index: Index) -> Table | None:
    """Subjects without an index, with what it can be and what they lack; None where there are none."""
    rows = [_values(row, index) for row in board.rows if row.index is None]
    return table_layouts.made("board/incomplete", rows, [], {"subject": _origin(board)}) if rows else None


def legend(index: Index, board: Board, table: Table) -> Table:
    """What each column of the board says and is made of."""
    rows: list[tuple[Value, ...]] = [
        (heading(part), measured(index, part), ", ".join(map(words, part.dimensions)), part.weight, part.worst,
         part.best)
        for part in index.components
    ]  # fmt: skip
    lines = [texts("columns")[own.key] for own in table.columns if own.key in texts("columns")]
    lines += [own.about for own in _kinds(board, about=True)]
    rows += [(*line.split(": ", 1), *(None,) * 4) for line in lines]
    return table_layouts.made("board/legend", rows)


def _origin(board: Board) -> tuple[Column, ...]:
    """The column that tells imports from what was measured here, where a board has both."""
    return _ORIGIN if any(row.origin for row in board.rows) else ()


def _key(part: Component) -> str:
    return "_".join(part.dimensions)


def details(board: Board, index: Index, suite: Suite, planned: Mapping[str, Sequence[PlannedVerdict]]) -> list[Table]:
    """What stands behind the numbers: runs, every interval and scenario, what was paid and what was noticed."""
    marked = [", ".join(f"{words(flag)} {count}" for flag, count in row.flags.items()) or None for row in board.rows]
    rows = [_values(row, index) | {"flags": flags} for row, flags in zip(board.rows, marked, strict=True)]
    tables = [
        runs(board, index),
        intervals(board, index),
        scenarios(board, suite, planned),
        table_layouts.made("board/marks", rows),
    ]
    return [without_empty_columns(table) for table in tables if table.rows]


def scenarios(board: Board, suite: Suite, planned: Mapping[str, Sequence[PlannedVerdict]]) -> Table:
    """What share of a scenario's points each subject gets, means over its runs; a few subjects stand side by side."""
    frame = strict.frame(suite)
    shares = [_shares(frame, planned[row.config]) for row in board.rows]
    asked = [one for one in suite.scenarios if any(one.id in own for own in shares)]
    columns: tuple[Column, ...]
    found: list[tuple[Value, ...]]
    if len(board.rows) <= _FEW:
        subjects = [Column(row.config, notes.name(row), "number", 0) for row in board.rows]
        columns = (Column("scenario", "Scenario"), Column("title", "Title"), *subjects)
        found = [(one.id, one.title or None, *(own.get(one.id) for own in shares)) for one in asked]
    else:
        columns = (Column("subject", "Subject"), *(Column(one.id, one.id, "number", 0) for one in asked))
        found = [
            (notes.name(row), *(own.get(one.id) for one in asked)) for row, own in zip(board.rows, shares, strict=True)
        ]
    return Table("scenarios", "Points reached in each scenario, % of what it can give", columns, tuple(found))


def _shares(frame: ScoringFrame, cells: Sequence[PlannedVerdict]) -> dict[str, float]:
    """By scenario, 0-100, from the verdicts that are there."""
    made = with_holes(frame, cells)
    return {
        name: 100 * (float(np.nanmean(points)) - low) / (high - low)
        for name, points in made.totals.items()
        for low, high in [made.ends[name]]
        if not np.isnan(points).all()
    }
