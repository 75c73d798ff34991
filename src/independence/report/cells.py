"""Every planned verdict of a place as a cell: its values, or why there are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from independence.report.place import Place, usual_judge
from independence.stats.validity import void_reason
from independence.store import queries
from independence.suites import digest
from independence.types import Scalar


class Planned(NamedTuple):
    """One planned verdict. Exactly one of `values` and `missing` is set."""

    config_dir: str
    experiment: str
    scenario: str
    run: int
    values: dict[str, Scalar] | None
    missing: str | None
    given: dict[str, Scalar] | None  # the verdict as it was given, void or partial dialogues included
    flags: tuple[str, ...]


class Table(NamedTuple):
    """All planned verdicts of a place under one judge."""

    judge: str | None
    planned: list[Planned]


def table(connection: sqlite3.Connection, place: Place, asked_judge: str | None) -> Table:
    """Read a place, under the asked judge or the one with most verdicts."""
    where = (place.suite.suite, place.edition, (place.variant, place.mode))
    stored = queries.verdicts(connection, *where)
    name = asked_judge or usual_judge(stored)
    rubrics = {s.id: digest.rubric(place.suite, s) for s in place.suite.scenarios}
    by_dialogue = {(v.trial, v.context, v.rubric): v for v in stored if v.judge == name}
    planned = []
    for state in queries.states(connection, *where):
        verdict = None
        for rubric in (rubrics.get(state.scenario, ""), queries.PUBLISHED):
            verdict = verdict or by_dialogue.get((state.key, state.at or "", rubric))
        given = verdict.fields if verdict and verdict.missing is None else None
        missing = _missing(state, verdict)
        planned.append(
            Planned(
                state.config_dir, state.experiment, state.scenario, state.run,
                given if missing is None else None, missing, given, state.flags,
            )
        )  # fmt: skip
    return Table(name, planned)


def _missing(state: queries.TrialState, verdict: queries.StoredVerdict | None) -> str | None:
    if state.missing is not None:
        return state.missing
    if state.stale:
        return "stale"
    if state.end is None:
        return "not_run"
    if verdict is None:
        return "unjudged"
    return verdict.missing or void_reason(state.flags)


def reasons(cells: Collection[Planned]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    counts: dict[str, int] = {}
    for cell in cells:
        if cell.missing is not None:
            counts[cell.missing] = counts.get(cell.missing, 0) + 1
    return dict(sorted(counts.items()))
