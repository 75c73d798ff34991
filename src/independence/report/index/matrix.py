"""What system prompt and delivery do, over every condition a suite declares, and one board over all conditions.

Cells are compared on the same subjects, those complete in every cell that has trials. A cell without trials is absent.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from string import ascii_uppercase
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.errors import UsageError
from independence.report.board import board as boards
from independence.report.board import board_data, judge_choice, verdict_frame
from independence.report.board.board import IndexBoard, InferenceOptions
from independence.report.board.board_data import BoardData
from independence.report.board.judge_choice import usual_judge
from independence.report.board.repeated_runs import Repeats
from independence.report.board.rows import STRICT
from independence.report.board.verdict_frame import PlannedVerdict, PlannedVerdicts
from independence.report.comparing import subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.files import table_layouts
from independence.report.files.table import Column, Table, Value
from independence.stats import strict
from independence.stats.intervals import t_interval
from independence.store import queries
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Condition, Scalar, Where, grouped

Array = NDArray[np.float64]


class _ConditionCell(NamedTuple):
    letter: str
    condition: Condition
    study: BoardData | None  # None: no trials


class _ConditionGrid(NamedTuple):
    """Every cell in the suite's order; the baseline is the first that has trials."""

    cells: tuple[_ConditionCell, ...]
    present: tuple[tuple[_ConditionCell, BoardData], ...]
    common: tuple[str, ...]  # subjects complete in every present cell, by config_dir

    @property
    def names(self) -> dict[str, str]:
        """Everybody who has trials in any cell, by config_dir."""
        return {config: about.name for _, read in self.present for config, about in read.about.items()}

    def indices(self, read: BoardData) -> Array:
        """The common subjects' indices in one cell."""
        return np.array([read.points[config].index for config in self.common])


def tables(connection: sqlite3.Connection, suite: Suite, edition: str, judge: str | None = None) -> list[Table]:
    """One edition under one judge (None: the usual one): cells, deltas per subject, effects of a 2x2.

    Empty where the suite has no index or fewer than two conditions have trials.
    """
    where = Where(suite.suite, edition)
    there = queries.conditions(connection, where)
    if suite.index is None or len(there) < 2:
        return []
    judge = judge or usual_judge(queries.judges(connection, where))
    grid = _grid(connection, suite, where, judge)
    return [_cells(grid, judge), _deltas(grid), *_effects(grid)]


def _grid(connection: sqlite3.Connection, suite: Suite, where: Where, judge: str | None) -> _ConditionGrid:
    own, there = queries.personas(connection, where), queries.conditions(connection, where)
    variants = [variant for variant in suite.variants if variant not in own]
    stated = [Condition(variant, mode) for variant in variants for mode in suite.delivery.modes]
    order = stated + [condition for condition in there if condition not in stated]
    read = {one: board_data.read(connection, BoardScope(suite, where.under(one)), judge) for one in there}
    letters = (*ascii_uppercase, *map(str, range(len(ascii_uppercase) + 1, len(order) + 1)))
    cells = [_ConditionCell(letter, one, read.get(one)) for letter, one in zip(letters, order, strict=False)]
    present = [(cell, cell.study) for cell in cells if cell.study is not None]
    common = set.intersection(*(set(own.points) for _, own in present))
    return _ConditionGrid(tuple(cells), tuple(present), tuple(sorted(common)))


def _cells(grid: _ConditionGrid, judge: str | None) -> Table:
    base, read = grid.present[0]
    reference = grid.indices(read)
    rows: list[tuple[Value, ...]] = []
    for cell in grid.cells:
        standing: tuple[Value, ...] = (None,) * 6
        if cell.study is not None:
            own = grid.indices(cell.study)
            apart = own - reference
            index = float(own.mean()) if len(own) else None
            difference = None if cell is base or not len(own) else float(apart.mean())
            ci = None if cell is base else t_interval(apart.tolist())
            standing = len(cell.study.planned), len(cell.study.points), len(own), index, difference, ci
        rows.append((cell.letter, *cell.condition, *standing))
    first = grid.cells[0]
    shifted = "" if first is base else f", the first with trials: {first.condition} has none"
    left = [name for config, name in sorted(grid.names.items()) if config not in grid.common]
    edition = table_layouts.edition_named(read.scope.where.edition_name, read.scope.suite.foreign_language)
    return table_layouts.made(
        "comparisons/configurations", rows,
        [f"Not compared, for a cell that is incomplete or not run: {', '.join(left)}."] if left else [],
        where=f"{edition}, judge {judge}", common=len(grid.common),
        base=f"{base.condition}{shifted}",
    )  # fmt: skip


def _deltas(grid: _ConditionGrid) -> Table:
    (base, read), *others = grid.present
    columns = [Column(str(base.condition), base.letter, "number")]
    for cell, _ in others:
        columns.append(Column(str(cell.condition), f"{cell.letter} − {base.letter}", "signed"))
        columns.append(Column(f"{cell.condition}_ci", "95% interval", "signed_interval"))
    names = grid.names
    best = {config: -whole.index for config, whole in read.points.items()}
    order = sorted(names, key=lambda config: (config not in best, best.get(config, 0.0), config))
    rows = [(names[config], *_of_subject(config, read, [one for _, one in others])) for config in order]
    legend = "; ".join(f"{cell.letter} {cell.condition}" for cell, _ in grid.present)
    return table_layouts.made("comparisons/configuration-deltas", rows, [], {"subject": columns}, legend=legend)


def _of_subject(config: str, base: BoardData, others: Sequence[BoardData]) -> tuple[Value, ...]:
    start = base.points.get(config)
    values: list[Value] = [start.index if start else None]
    for other in others:
        whole = other.points.get(config)
        if start is None or whole is None:
            values += [None, None]
            continue
        found = subject_comparison.gap(ComparedSubject(other, config), ComparedSubject(base, config))
        values += [whole.index - start.index, found.these.interval() if found else None]
    return tuple(values)


def _effects(grid: _ConditionGrid) -> list[Table]:
    """Main effects and interaction, where the cells with trials are two prompts crossed with two deliveries."""
    variants = list(dict.fromkeys(cell.condition.variant for cell, _ in grid.present))
    modes = list(dict.fromkeys(cell.condition.mode for cell, _ in grid.present))
    if (len(variants), len(modes), len(grid.present)) != (2, 2, 4):
        return []
    a, b, c, d = (grid.indices(read) for _, read in grid.present)
    effects = (
        ("system prompt", f"{variants[1]} − {variants[0]}, mean of both deliveries", (c + d - a - b) / 2),
        ("delivery", f"{modes[1]} − {modes[0]}, mean of both prompts", (b + d - a - c) / 2),
        ("interaction", f"effect of {modes[1]} under {variants[1]} − under {variants[0]}", (d - c) - (b - a)),
    )
    rows = [
        (name, contrast, len(values), float(values.mean()) if len(values) else None, t_interval(values.tolist()))
        for name, contrast, values in effects
    ]
    return [table_layouts.made("comparisons/configuration-effects", rows)]


NOT_RUN: Final = "not_run"


class PooledData(NamedTuple):
    """All conditions of an edition that have trials, read as one."""

    conditions: str  # which, in words
    read: BoardData

    def board(self, scoring: str, reading: InferenceOptions, models: Collection[str] = ()) -> IndexBoard:
        """Their board; `models`: only these labels or ids. Raises StoreError for an unknown name."""
        built = boards.only(boards.of_data(self.read, scoring, reading), self.read, models)
        # The dates that were read are those of one condition.
        return msgspec.structs.replace(built, condition=self.conditions, dates=None)


def pooled(
    connection: sqlite3.Connection, scope: BoardScope, scoring: str = STRICT, judge: str | None = None
) -> PooledData:
    """Read all conditions of an edition that have trials as one. Raises UsageError where there is only one."""
    edition = scope.where.under(None)
    places = [scope.under(condition) for condition in queries.conditions(connection, edition)]
    if len(places) < 2:
        raise UsageError(f"{edition.edition_name} has trials under {scope.condition} only, so there is nothing to pool")
    graded = queries.judges(connection, edition)
    name = judge or judge_choice.usual_judge(graded)
    read = msgspec.structs.replace(
        _pooled(connection, scope, places, name, strictly=scoring == STRICT),
        as_full=() if judge else judge_choice.as_full(graded, name),
        costs=queries.costs(connection, edition),
    )
    conditions = f"{len(places)} conditions pooled: {', '.join(str(one.condition) for one in places)}"
    return PooledData(conditions, read)


def _pooled(
    connection: sqlite3.Connection,
    scope: BoardScope,
    places: Sequence[BoardScope],
    judge: str | None,
    *,
    strictly: bool,
) -> BoardData:
    """All conditions under one judge, under strict scoring their means."""
    tables = [verdict_frame.read(connection, one, judge) for one in places]
    planned = _means(tables) if strictly else [cell for table in tables for cell in table.every]
    thinking = frozenset().union(*(table.thinking for table in tables))
    subjects = grouped(planned, lambda cell: cell.config_dir)
    table = PlannedVerdicts(
        judge=judge,
        columns=strict.columns(subjects),
        planned=subjects,
        repeats=_repeats_left_out(places, tables),
        thinking=thinking,
    )
    return board_data.of_verdicts(connection, scope, table)


def _means(tables: Sequence[PlannedVerdicts]) -> list[PlannedVerdict]:
    """One cell a subject, scenario and run; missing where any condition misses it."""
    spots: dict[tuple[str, str, str, int], list[PlannedVerdict | None]] = {}
    for at, table in enumerate(tables):
        for cell in table.every:
            spot = (cell.config_dir, cell.experiment, cell.scenario, cell.run)
            spots.setdefault(spot, [None] * len(tables))[at] = cell
    return [_mean(spots[spot]) for spot in sorted(spots)]


def _mean(found: Sequence[PlannedVerdict | None]) -> PlannedVerdict:
    there = [cell for cell in found if cell is not None]
    given = [cell.values for cell in there if cell.values is not None]
    flags = tuple(flag for cell in there for flag in cell.flags)
    if len(given) < len(found):
        missing = next((cell.missing for cell in there if cell.missing), NOT_RUN)
        return there[0]._replace(values=None, missing=missing, given=None, flags=flags)
    values: dict[str, Scalar] = {
        name: sum(float(one[name]) for one in given) / len(given)
        for name in given[0]
        if all(name in one for one in given)
    }
    return there[0]._replace(values=values, given=values, flags=flags)


def _repeats_left_out(places: Sequence[BoardScope], tables: Sequence[PlannedVerdicts]) -> Repeats:
    """What was left out of each condition, which every sentence then names."""
    dialogues: Counter[str] = Counter()
    why: dict[str, tuple[str, ...]] = defaultdict(tuple)
    others: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for one, table in zip(places, tables, strict=True):
        dialogues.update(table.repeats.dialogues)
        for all_, own in ((why, table.repeats.why), (others, table.repeats.others)):
            for config, sentences in own.items():
                all_[config] += tuple(f"{one.condition}: {sentence}" for sentence in sentences)
    return Repeats(dialogues, why, others)
