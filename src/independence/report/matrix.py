"""Configuration analysis: what the system prompt and the delivery do, over every condition a suite declares.

Cells are compared on the same subjects, those complete in every cell that has trials. A cell without trials is absent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.report import study, subject_comparison
from independence.report.judge_choice import usual_judge
from independence.report.study import Study
from independence.report.subject_comparison import ComparedSubject
from independence.report.table import Column, Table, Value
from independence.stats.intervals import Interval, t_interval
from independence.store import queries
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Condition, Where

Array = NDArray[np.float64]


class _ConditionCell(NamedTuple):
    letter: str
    variant: str
    mode: str
    study: Study | None  # None: no trials

    @property
    def condition(self) -> str:
        return f"{self.variant}/{self.mode}"


class _ConditionGrid(NamedTuple):
    """Every cell in the suite's order; the baseline is the first that has trials."""

    cells: tuple[_ConditionCell, ...]
    present: tuple[tuple[_ConditionCell, Study], ...]
    common: tuple[str, ...]  # subjects complete in every present cell, by config_dir

    def indices(self, read: Study) -> Array:
        """The common subjects' indices in one cell."""
        return np.array([read.sheets[config].index for config in self.common])


def tables(connection: sqlite3.Connection, suite: Suite, edition: str, judge: str | None = None) -> list[Table]:
    """One edition under one judge (None: the usual one): cells, deltas per subject, effects of a 2x2.

    Empty where the suite has no index or fewer than two conditions have trials.
    """
    where = Where(suite.suite, edition)
    there = queries.conditions(connection, where)
    if suite.index is None or len(there) < 2:
        return []
    judge = judge or usual_judge(queries.verdicts(connection, where))
    grid = _grid(connection, suite, where, judge)
    return [_cells(grid, judge), _deltas(grid), *_effects(grid)]


def _grid(connection: sqlite3.Connection, suite: Suite, where: Where, judge: str | None) -> _ConditionGrid:
    own, there = queries.personas(connection, where), queries.conditions(connection, where)
    variants = [variant for variant in suite.variants if variant not in own]
    declared = [Condition(variant, mode) for variant in variants for mode in suite.delivery.modes]
    order = declared + [condition for condition in there if condition not in declared]
    cells, present = [], []
    for number, condition in enumerate(order):
        asked = BoardScope(suite, where.under(condition))
        read = study.read(connection, asked, judge) if condition in there else None
        cells.append(_ConditionCell(_letter(number), *condition, read))
        if read is not None:
            present.append((cells[-1], read))
    common = set.intersection(*(set(read.sheets) for _, read in present))
    return _ConditionGrid(tuple(cells), tuple(present), tuple(sorted(common)))


def _letter(number: int) -> str:
    return ascii_uppercase[number] if number < len(ascii_uppercase) else str(number + 1)


def _cells(grid: _ConditionGrid, judge: str | None) -> Table:
    columns = (
        Column("cell", "Cell"),
        Column("variant", "System prompt"),
        Column("mode", "Delivery"),
        Column("subjects", "Subjects", "count"),
        Column("complete", "Complete", "count"),
        Column("n", "Compared", "count"),
        Column("index", "Index", "number"),
        Column("difference", "Difference", "signed"),
        Column("ci", "95% interval", "signed_interval"),
    )
    base, read = grid.present[0]
    reference = grid.indices(read)
    rows = tuple((cell.letter, cell.variant, cell.mode, *_standing(grid, cell, base, reference)) for cell in grid.cells)
    first = grid.cells[0]
    shifted = "" if first is base else f", the first with trials: {first.condition} has none"
    where = f"{read.scope.where.edition_name}, judge {judge}"
    notes = [
        f"{where}. Index: mean over the {len(grid.common)} subjects complete in every cell with trials.",
        f"Difference: to {base.condition}{shifted}; paired t interval over subjects.",
    ]
    if left := _left_out(grid):
        notes.append(f"Not compared, for a cell that is incomplete or not run: {', '.join(left)}.")
    return Table("configurations", "System prompt and delivery", columns, rows, tuple(notes))


def _standing(grid: _ConditionGrid, cell: _ConditionCell, base: _ConditionCell, reference: Array) -> tuple[Value, ...]:
    if cell.study is None:
        return (None,) * 6
    own = grid.indices(cell.study)
    apart = own - reference
    index = float(own.mean()) if len(own) else None
    difference = None if cell is base or not len(own) else float(apart.mean())
    ci = None if cell is base else _interval(apart)
    return len(cell.study.planned), len(cell.study.sheets), len(own), index, difference, ci


def _interval(differences: Array) -> Interval | None:
    """The t interval over subjects; None where they do not differ, or there are not two."""
    return t_interval(differences.tolist()) if len(set(np.round(differences, 9).tolist())) > 1 else None


def _left_out(grid: _ConditionGrid) -> list[str]:
    names = {config: about.name for _, read in grid.present for config, about in read.about.items()}
    return [names[config] for config in sorted(names.keys() - set(grid.common))]


def _deltas(grid: _ConditionGrid) -> Table:
    (base, read), *others = grid.present
    columns = [Column("subject", "Subject"), Column(base.condition, base.letter, "number")]
    for cell, _ in others:
        columns.append(Column(cell.condition, f"{cell.letter} − {base.letter}", "signed"))
        columns.append(Column(f"{cell.condition}_ci", "95% interval", "signed_interval"))
    names = {config: about.name for _, one in grid.present for config, about in one.about.items()}
    best = {config: -whole.index for config, whole in read.sheets.items()}
    order = sorted(names, key=lambda config: (config not in best, best.get(config, 0.0), config))
    rows = tuple((names[config], *_of_subject(config, read, [one for _, one in others])) for config in order)
    legend = "; ".join(f"{cell.letter} {cell.condition}" for cell, _ in grid.present)
    notes = (
        f"{legend}.",
        "Intervals are for these scenarios, over runs. A dash: the subject is incomplete there, or never run.",
    )
    return Table("configuration-deltas", "System prompt and delivery, by subject", tuple(columns), rows, notes)


def _of_subject(config: str, base: Study, others: Sequence[Study]) -> tuple[Value, ...]:
    start = base.sheets.get(config)
    values: list[Value] = [start.index if start else None]
    for other in others:
        whole = other.sheets.get(config)
        if start is None or whole is None:
            values += [None, None]
            continue
        found = subject_comparison.gap(ComparedSubject(other, config), ComparedSubject(base, config))
        values += [whole.index - start.index, found.these.interval() if found else None]
    return tuple(values)


def _effects(grid: _ConditionGrid) -> list[Table]:
    """Main effects and interaction, where the cells with trials are two prompts crossed with two deliveries."""
    variants = list(dict.fromkeys(cell.variant for cell, _ in grid.present))
    modes = list(dict.fromkeys(cell.mode for cell, _ in grid.present))
    if (len(variants), len(modes), len(grid.present)) != (2, 2, 4):
        return []
    a, b, c, d = (grid.indices(read) for _, read in grid.present)
    effects = (
        ("system prompt", f"{variants[1]} − {variants[0]}, mean of both deliveries", (c + d - a - b) / 2),
        ("delivery", f"{modes[1]} − {modes[0]}, mean of both prompts", (b + d - a - c) / 2),
        ("interaction", f"effect of {modes[1]} under {variants[1]} − under {variants[0]}", (d - c) - (b - a)),
    )
    columns = (
        Column("effect", "Effect"),
        Column("contrast", "Contrast"),
        Column("n", "Subjects", "count"),
        Column("points", "Points", "signed"),
        Column("ci", "95% interval", "signed_interval"),
    )
    rows = tuple(
        (name, contrast, len(values), float(values.mean()) if len(values) else None, _interval(values))
        for name, contrast, values in effects
    )
    notes = ("Over the subjects complete in all four cells; paired t intervals over subjects.",)
    return [Table("configuration-effects", "Effects of system prompt and delivery", columns, rows, notes)]
