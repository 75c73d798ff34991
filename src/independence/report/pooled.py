"""One board over every condition of an edition, as the boards of V1 were made: all verdicts of a subject count alike.

For strict scoring a verdict is the mean of what the conditions gave in the same run, so that a run stays a run and what
a condition does to everybody is no noise. Published rules average over all the verdicts there are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from independence.errors import UsageError
from independence.report import board as boards
from independence.report import cells, judge_choice, study
from independence.report.board import STRICT, Board, Reading
from independence.report.cells import Planned, Table
from independence.report.repeats import Repeats
from independence.store import queries
from independence.store.scopes import BoardScope
from independence.types import Scalar

NOT_RUN: Final = "not_run"


def board(
    connection: sqlite3.Connection,
    scope: BoardScope,
    scoring: str = STRICT,
    judge: str | None = None,
    reading: Reading = boards.DEFAULT,
    models: Sequence[str] = (),
) -> Board:
    """The board of all conditions of an edition that have trials. Raises UsageError where there is only one."""
    edition = scope.where.under(None)
    places = [scope.under(condition) for condition in queries.conditions(connection, edition)]
    if len(places) < 2:
        raise UsageError(f"{edition.edition_name} has trials under {scope.condition} only, so there is nothing to pool")
    graded = queries.verdicts(connection, edition)
    name = judge or judge_choice.usual_judge(graded)
    tables = [cells.table(connection, one, name) for one in places]
    planned = _means(tables) if scoring == STRICT else [cell for table in tables for cell in table.planned]
    table = Table(
        name, planned, _left_out(places, tables), frozenset().union(*(table.thinking for table in tables)),
        () if judge else judge_choice.as_full(graded, name),
    )  # fmt: skip
    read = study.of(connection, scope, table)
    costs: dict[str, float] = {}
    for one in places:
        for config, usd in queries.costs(connection, one.where).items():
            costs[config] = costs.get(config, 0.0) + usd
    built = boards.only(boards.of(read, costs, scoring, reading), read, models)
    pooled = f"{len(places)} conditions pooled: {', '.join(str(one.condition) for one in places)}"
    # The dates read above are those of one condition.
    return msgspec.structs.replace(built, condition=pooled, dates=None)


def _means(tables: Sequence[Table]) -> list[Planned]:
    """One cell a subject, scenario and run; missing where any condition misses it."""
    spots: dict[tuple[str, str, str, int], list[Planned | None]] = {}
    for at, table in enumerate(tables):
        for cell in table.planned:
            spot = (cell.config_dir, cell.experiment, cell.scenario, cell.run)
            spots.setdefault(spot, [None] * len(tables))[at] = cell
    return [_mean(spot, found) for spot, found in sorted(spots.items())]


def _mean(spot: tuple[str, str, str, int], found: Sequence[Planned | None]) -> Planned:
    given = [cell.values for cell in found if cell is not None and cell.values is not None]
    flags = tuple(flag for cell in found if cell is not None for flag in cell.flags)
    if len(given) < len(found):
        missing = next((cell.missing for cell in found if cell is not None and cell.missing), NOT_RUN)
        return Planned(*spot, None, missing, None, flags)
    values: dict[str, Scalar] = {
        name: sum(float(one[name]) for one in given) / len(given)
        for name in given[0]
        if all(name in one for one in given)
    }
    return Planned(*spot, values, None, values, flags)


def _left_out(places: Sequence[BoardScope], tables: Sequence[Table]) -> Repeats:
    """What was left out of each condition, which every sentence then names."""
    dialogues: dict[str, int] = {}
    why: dict[str, tuple[str, ...]] = {}
    for one, table in zip(places, tables, strict=True):
        for config, count in table.repeats.dialogues.items():
            dialogues[config] = dialogues.get(config, 0) + count
        for config, sentences in table.repeats.why.items():
            why[config] = (*why.get(config, ()), *(f"{one.condition}: {sentence}" for sentence in sentences))
    return Repeats(dialogues=dialogues, why=why)
