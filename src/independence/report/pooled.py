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
from independence.report import judge_choice, planned_verdicts, study
from independence.report.board import STRICT, Board, InferenceOptions
from independence.report.planned_verdicts import PlannedVerdict, PlannedVerdicts
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
    reading: InferenceOptions = boards.DEFAULT,
    models: Sequence[str] = (),
) -> Board:
    """The board of all conditions of an edition that have trials. Raises UsageError where there is only one."""
    edition = scope.where.under(None)
    places = [scope.under(condition) for condition in queries.conditions(connection, edition)]
    if len(places) < 2:
        raise UsageError(f"{edition.edition_name} has trials under {scope.condition} only, so there is nothing to pool")
    graded = queries.verdicts(connection, edition)
    name = judge or judge_choice.usual_judge(graded)
    tables = [planned_verdicts.planned_verdicts(connection, one, name) for one in places]
    planned = _means(tables) if scoring == STRICT else [cell for table in tables for cell in table.planned]
    table = PlannedVerdicts(
        name, planned, _left_out(places, tables), frozenset().union(*(table.thinking for table in tables)),
        () if judge else judge_choice.as_full(graded, name),
    )  # fmt: skip
    read = study.study_of_verdicts(connection, scope, table)
    costs: dict[str, float] = {}
    for one in places:
        for config, usd in queries.costs(connection, one.where).items():
            costs[config] = costs.get(config, 0.0) + usd
    built = boards.only(boards.board_of_study(read, costs, scoring, reading), read, models)
    pooled = f"{len(places)} conditions pooled: {', '.join(str(one.condition) for one in places)}"
    # The dates read above are those of one condition.
    return msgspec.structs.replace(built, condition=pooled, dates=None)


def _means(tables: Sequence[PlannedVerdicts]) -> list[PlannedVerdict]:
    """One cell a subject, scenario and run; missing where any condition misses it."""
    spots: dict[tuple[str, str, str, int], list[PlannedVerdict | None]] = {}
    for at, table in enumerate(tables):
        for cell in table.planned:
            spot = (cell.config_dir, cell.experiment, cell.scenario, cell.run)
            spots.setdefault(spot, [None] * len(tables))[at] = cell
    return [_mean(spot, found) for spot, found in sorted(spots.items())]


def _mean(spot: tuple[str, str, str, int], found: Sequence[PlannedVerdict | None]) -> PlannedVerdict:
    given = [cell.values for cell in found if cell is not None and cell.values is not None]
    flags = tuple(flag for cell in found if cell is not None for flag in cell.flags)
    if len(given) < len(found):
        missing = next((cell.missing for cell in found if cell is not None and cell.missing), NOT_RUN)
        return PlannedVerdict(*spot, None, missing, None, flags)
    values: dict[str, Scalar] = {
        name: sum(float(one[name]) for one in given) / len(given)
        for name in given[0]
        if all(name in one for one in given)
    }
    return PlannedVerdict(*spot, values, None, values, flags)


def _left_out(places: Sequence[BoardScope], tables: Sequence[PlannedVerdicts]) -> Repeats:
    """What was left out of each condition, which every sentence then names."""
    dialogues: dict[str, int] = {}
    why: dict[str, tuple[str, ...]] = {}
    for one, table in zip(places, tables, strict=True):
        for config, count in table.repeats.dialogues.items():
            dialogues[config] = dialogues.get(config, 0) + count
        for config, sentences in table.repeats.why.items():
            why[config] = (*why.get(config, ()), *(f"{one.condition}: {sentence}" for sentence in sentences))
    return Repeats(dialogues=dialogues, why=why)
