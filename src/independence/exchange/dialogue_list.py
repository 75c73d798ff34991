"""The dialogues of one subject, each with its scores by one judge."""

from __future__ import annotations

import sqlite3

from independence.errors import StoreError
from independence.report import planned_verdicts
from independence.report.table import Column, Table
from independence.store import queries
from independence.store.scopes import BoardScope


def table(connection: sqlite3.Connection, scope: BoardScope, config: str, judge: str | None, run: int | None) -> Table:
    """One row a dialogue, by scenario and run. `run`: that one alone. Raises StoreError where there is no such run."""
    read = planned_verdicts.planned_verdicts(connection, scope, judge)
    own = [cell for cell in read.planned if cell.config_dir == config and run in (None, cell.run)]
    if not own:
        raise StoreError(f"--run {run}: there is no such run here")
    label, _, simulated = queries.subjects(connection, scope.where)[config]
    own.sort(key=lambda cell: (cell.experiment, cell.scenario, cell.run))
    rows = tuple(
        (
            cell.experiment, cell.scenario, cell.run,
            ", ".join(f"{name} {float(value):g}" for name, value in (cell.given or {}).items()) or None,
            cell.missing, ", ".join(cell.flags) or None,
        )
        for cell in own
    )  # fmt: skip
    columns = (
        Column("experiment", "Experiment"),
        Column("scenario", "Scenario"),
        Column("run", "Run", "count"),
        Column("scores", "Scores"),
        Column("missing", "Missing"),
        Column("flags", "Flags"),
    )
    kept = [
        at for at, column in enumerate(columns) if column.key not in ("missing", "flags") or any(r[at] for r in rows)
    ]
    notes = (
        f"{scope.where.edition_name}, {scope.condition}, judge {read.judge or 'none'}.",
        "`independence show SUBJECT SCENARIO --run N` prints a dialogue with every verdict and its reasons.",
    )
    title = f"Dialogues of {label}" + " (simulated)" * simulated
    return Table(
        "dialogues",
        title,
        tuple(columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        notes,
    )
