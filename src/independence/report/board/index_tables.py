"""The board of an index as tables: for people, a terminal, a report, CSV; all of one subject; what columns say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any, Final

import msgspec
import numpy as np

from independence.report.board import notes, scenario_kinds
from independence.report.board.board import IndexBoard
from independence.report.board.index_rows import (
    BOOTSTRAP,
    DIMENSIONS,
    EVADES,
    INDEX,
    POINTS_LOST,
    T_RUNS,
    WITHOUT_EVASIONS,
)
from independence.report.board.rows import STRICT, Measure, Row, flat_table, row_values
from independence.report.board.verdict_frame import UNMEASURABLE, PlannedVerdict
from independence.report.files import table_layouts
from independence.report.files.legend import (
    component_line,
    heading,
    measured,
    short,
    span,
    texts,
    words,
)
from independence.report.files.table import Column, Table, Value, decimal, on_scale, without_empty_columns
from independence.stats import strict
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import with_holes
from independence.suites.schema import Component, Index, Suite

_INTERVALS: Final = tuple(name.replace("-", "_") for name in (THESE, LIKE_THESE, T_RUNS, BOOTSTRAP))
_FEW: Final = 4  # subjects that stand side by side
_BAR: Final = 14  # signs of a bar from 0 to 100


def column(component: Component, row: Row) -> float | None:
    """A component's column: the sum of its dimensions, on their own scale. None where one is missing."""
    dimensions = row.group(DIMENSIONS)
    values = [dimensions.get(name) for name in component.dimensions]
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def _evasions(board: IndexBoard) -> tuple[Column, ...]:
    """How often subjects evade, where their suite tells."""
    return (Column("evades", "Evades", "percent"),) if any(EVADES in row.estimates for row in board.rows) else ()


def _kinds(board: IndexBoard, about: bool = False) -> list[Column]:
    """What was lost in scenarios of each kind, where the suite has kinds and somebody has an index."""
    lost = [row.group(POINTS_LOST) for row in board.rows]
    return [
        Column(f"points_lost_{name}", name.capitalize(), "number", about=scenario_kinds.legend(name, kind) * about)
        for name, kind in (board.kinds or {}).items()
        if any(own.get(name) is not None for own in lost)
    ]


def components(index: Index, about: bool = False) -> list[Column]:
    """The columns of an index's components; `about`: with what each says."""
    return [
        Column(_key(part), heading(part), "number", about=component_line(index, part) * about)
        for part in index.components
    ]


def _values(row: Row, index: Index) -> dict[str, Any]:
    """Everything of a row, by the keys of columns; ranks as people read them."""
    open_, ranks = row.standing.rank_bounds, row.standing.rank_ci
    return {
        **_plain(row, index),
        "subject": notes.name(row),
        "rank": f"{open_[0]}–{open_[1]}" if row.standing.rank is None and open_ else row.standing.rank,
        "rank_ci": f"{ranks[0]}–{ranks[1]}" if ranks else None,
        "missing": notes.why(row.flags),
        "runs": span(row.runs, row.most_runs),
    }


def _plain(row: Row, index: Index) -> dict[str, Any]:
    """What `row_values` has, with an entry for what only some rows have, and the components of the index."""
    missing = dict.fromkeys((EVADES, WITHOUT_EVASIONS, *_INTERVALS))
    return missing | row_values(row) | {_key(part): column(part, row) for part in index.components}


def record(board: IndexBoard, index: Index) -> Table:
    """Everything of every row, flat."""
    lost = [Measure(f"{POINTS_LOST}_{name}") for name in board.kinds or {}]
    parts = [Measure(_key(part)) for part in index.components]
    evasions = [Measure(EVADES, "percent"), Measure(WITHOUT_EVASIONS)] if _evasions(board) else []
    facts = [
        *(Column(key, key, "interval") for key in _INTERVALS),
        Column("runs", "runs", "count"), Column("complete_runs", "complete_runs", "count"),
    ]  # fmt: skip
    measures = [Measure(INDEX, interval=True, bounds=True, method=True), *parts, *evasions, *lost]
    return flat_table(board, measures, facts, [_plain(row, index) for row in board.rows])


def full(board: IndexBoard, index: Index) -> Table:
    """Every subject with its place, its index and what that is made of."""
    return _board(board, index, [notes.name(row) for row in board.rows])


def compact(board: IndexBoard, index: Index) -> Table:
    """The board for a terminal: a line with a bar for each subject, and notes below it.

    Columns that say nothing here are left out; runs and coverage, of which `notes.brief` tells, stand last.
    """
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) + notes.marks(row) for row in board.rows]
    unused = set() if notes.in_tiers(board) else {"tier"}
    unused |= set() if any(row[EVADES].value for row in board.rows) else {EVADES}
    unused |= {"runs"} if len({span(row.runs, row.most_runs) for row in board.rows}) == 1 else set()
    unused |= {"coverage"} if len({row.coverage for row in board.rows}) == 1 else set()
    whole = _board(board, index, named)
    places = [place for place, own in enumerate(whole.columns) if own.key not in unused]
    kept = whole.only(sorted(places, key=lambda place: whole.columns[place].key in ("runs", "coverage")))
    columns = [own._replace(about=own.about if own.key not in ("rank", "tier") else "") for own in kept.columns]
    place = 1 + max(place for place, own in enumerate(columns) if own.key in ("index", "ci"))
    columns.insert(place, Column("bar", "0    50    100"))
    rows = tuple((*own[:place], _bar(row), *own[place:]) for own, row in zip(kept.rows, board.rows, strict=True))
    below = notes.remarks(board)
    return msgspec.structs.replace(kept, columns=tuple(columns), rows=rows, notes=(*whole.notes, *below), one_line=True)


def _bar(row: Row) -> str:
    """The index as a bar, solid up to the lower end of its interval, or of what it can be, and shaded to the upper."""
    ends = row.main.interval or row.main.ends or (0.0, 0.0)
    if UNMEASURABLE in row.flags:
        ends = (0.0, 0.0)
    low, high = (round(on_scale(end) / 100 * _BAR) for end in ends)
    return "█" * low + "░" * (high - low)


def _board(board: IndexBoard, index: Index, named: Sequence[str]) -> Table:
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


def _index(row: Row) -> Value:
    """The index, or what it can still be; nothing where nothing can be measured."""
    if UNMEASURABLE in row.flags:
        return None
    return row.main.bounds if row.main.value is None else row.main.value


def ranked(board: IndexBoard, index: Index) -> Table:
    """All subjects; under a published rule with its own interval, and without tiers."""
    rows = [_values(row, index) | {"index": _index(row)} for row in board.rows]
    parts = [*_kinds(board), *components(index)]
    origin = _origin(board)
    if board.scoring == STRICT:
        evasions = [*_evasions(board), Column("without_evasions", "Without evasions", "index")]
        more = {"subject": origin, "ci": parts, "coverage": evasions if _evasions(board) else ()}
        return table_layouts.made("board/ranked", rows, notes.readings(board), more)
    return table_layouts.made(
        "board/published", rows, notes.readings(board), {"subject": origin, "published_bootstrap": parts}
    )


def runs(board: IndexBoard, index: Index) -> Table:
    """Per-run indices with the interval of the board, one line a subject with a complete run."""
    rows = [
        _values(row, index)
        | {"subject": row.name, "index": _index(row),
           "per_run": " ".join(map(decimal, row.per_run)),
           "sd": stdev(row.per_run) if len(row.per_run) > 1 else None}
        for row in board.rows
        if row.per_run
    ]  # fmt: skip
    below = [*notes.intervals(board), *notes.few_to_generalise(board)]
    below += notes.say({"uneven": any(row.unequal for row in board.rows)})
    return table_layouts.made("board/runs", rows, below)


def intervals(board: IndexBoard, index: Index) -> Table:
    """The interval of every method."""
    rows = [_values(row, index) for row in board.rows if any(row.intervals.values())]
    made = table_layouts.made("board/intervals", rows, notes.few_scenarios(board))
    return _with_meanings(made)


def _with_meanings(table: Table) -> Table:
    """With what each column says."""
    columns = tuple(own._replace(about=own.about or texts("columns").get(own.key, "")) for own in table.columns)
    return msgspec.structs.replace(table, columns=columns)


def incomplete(board: IndexBoard, index: Index) -> Table | None:
    """Subjects without an index, with what it can be and what they lack; None where there are none."""
    rows = [_values(row, index) for row in board.rows if row.main.value is None]
    return table_layouts.made("board/incomplete", rows, [], {"subject": _origin(board)}) if rows else None


def legend(index: Index, board: IndexBoard, table: Table) -> Table:
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


def _origin(board: IndexBoard) -> tuple[Column, ...]:
    """The column that tells imports from what was measured here, where a board has both."""
    return (Column("origin", "Origin"),) if any(row.origin for row in board.rows) else ()


def _key(part: Component) -> str:
    return "_".join(part.dimensions)


def details(
    board: IndexBoard, index: Index, suite: Suite, planned: Mapping[str, Sequence[PlannedVerdict]]
) -> list[Table]:
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


def scenarios(board: IndexBoard, suite: Suite, planned: Mapping[str, Sequence[PlannedVerdict]]) -> Table:
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
