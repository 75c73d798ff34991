"""Every subject in full: the means of its fields, shares of yes-or-no fields."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from independence.report import declared
from independence.report.board import Board, BoardRow
from independence.report.legend import subject_name, words
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.study import Study
from independence.report.table import Table, Value
from independence.stats.intervals import wilson


def subjects(read: Study, board: Board) -> list[Table]:
    """One table a subject, in the board's order: every field of every experiment."""
    return [_subject(read, row) for row in board.rows]


def _subject(read: Study, row: BoardRow) -> Table:
    planned = read.planned[row.config]
    rows = [line for experiment in read.scope.suite.experiments for line in _fields(experiment, planned)]
    notes = [f"{words(name)} {value:.2f}" for name, value in row.dimensions.items() if value is not None]
    absent = [words(name) for name, value in row.dimensions.items() if value is None]
    text = [f"Dimensions: {', '.join(notes)}."] if notes else []
    text += [f"Incomplete: {', '.join(absent)}."] if absent else []
    name = subject_name(row.label, row.simulated)
    return declared.made("index/subject", rows, text, slug=_slug(row.config), subject=name)


def _fields(experiment: str, planned: Sequence[PlannedVerdict]) -> list[tuple[Value, ...]]:
    given = [cell.values for cell in planned if cell.experiment == experiment and cell.values is not None]
    lines: list[tuple[Value, ...]] = []
    for field in dict.fromkeys(name for values in given for name in values):
        numbers = [float(values[field]) for values in given if field in values]
        spread = stdev(numbers) if len(numbers) > 1 else None
        lines.append((experiment, field, fmean(numbers), spread, len(numbers)))
    return lines


def _slug(config: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in config.lower()).strip("-")


def tables(read: Study) -> list[Table]:
    """One table a yes-or-no field: how often it was true of each subject. Empty where no rubric has one."""
    suite = read.scope.suite
    fields = dict.fromkeys(
        name
        for scenario in suite.scenarios
        for name, field in suite.rubrics[scenario.rubric].fields.items()
        if field.type == "boolean"
    )
    return [_table(read, field) for field in fields]


def _table(read: Study, field: str) -> Table:
    rates: list[tuple[float, str, int, int]] = []
    for config, planned in read.planned.items():
        seen = [bool(cell.values[field]) for cell in planned if cell.values is not None and field in cell.values]
        if seen:
            rates.append((-sum(seen) / len(seen), read.about[config].name, sum(seen), len(seen)))
    rows = [(name, true / n, wilson(true, n), n) for _, name, true, n in sorted(rates)]
    return declared.made("index/rate", rows, slug=field.replace("_", "-"), field=words(field))
