"""Where the money went, by subject and by session, and what an index point costs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime

from independence.report import declared
from independence.report.board import Board
from independence.report.study import StudiedSubjects, Study
from independence.report.table import Table, Value
from independence.store import spending
from independence.store.scopes import BoardScope
from independence.store.spending import SubjectSpending

_EXCEPTIONS = ("failed_usd", "unknown_usd", "extra_attempts")


def per_run(own: SubjectSpending) -> float | None:
    """Mean dollars of the runs that were asked, answers, verdicts and lost calls; None where none was."""
    return _total(own) / own.runs if own.runs else None


def _total(own: SubjectSpending) -> float:
    return own.answers_usd + own.verdicts_usd + own.failed_usd


def spent_by(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, SubjectSpending]:
    """What was spent in a place, by config_dir."""
    return spending.by_subject(connection, scope.where)


def tables(read: Study, board: Board, spent: Mapping[str, SubjectSpending]) -> list[Table]:
    """The audit of every subject, and index per dollar of those whose answers cost something."""
    return [audit(read, [row.config for row in board.rows], spent), _value(read, board, spent)]


def audit(read: StudiedSubjects, configs: Iterable[str], spent: Mapping[str, SubjectSpending]) -> Table:
    """What was spent on every one of these subjects, by config_dir, the dearest first."""
    rows: list[tuple[Value, ...]] = []
    for config in configs:
        own = spent.get(config)
        if own is None:
            continue
        rows.append(
            (read.about[config].name, own.calls, own.answers_usd, own.verdicts, own.verdicts_usd, own.failed_usd,
             own.unknown_usd, _total(own), per_run(own), own.extra_attempts, own.tokens)
        )  # fmt: skip
    rows.sort(key=lambda cells: (-_usd(cells[7]), str(cells[0])))
    everything = sum(_usd(cells[7]) for cells in rows)
    return _without_zeros(declared.made("runs/costs", rows, everything=everything))


def _value(read: Study, board: Board, spent: Mapping[str, SubjectSpending]) -> Table:
    rows: list[tuple[Value, ...]] = []
    free = 0
    for row in board.rows:
        own = spent.get(row.config)
        if row.index is None or own is None:
            continue
        cost = per_run(own)
        if not own.answers_usd or not cost:
            free += 1
            continue
        rows.append((read.about[row.config].name, row.index, cost, row.index / cost, row.complete_runs))
    rows.sort(key=lambda cells: (-_usd(cells[3]), str(cells[0])))
    note = f"{free} subjects whose answers cost nothing (local, free or simulated) are left out."
    return declared.made("runs/index-per-dollar", rows, [note] if free else [])


def _without_zeros(table: Table) -> Table:
    """Without the columns in which everybody has nothing."""
    keep = [
        at for at, column in enumerate(table.columns)
        if column.key not in _EXCEPTIONS or any(row[at] for row in table.rows)
    ]  # fmt: skip
    return table.only(keep)


def _usd(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def table(connection: sqlite3.Connection) -> Table:
    """Every session that spent money, the newest first. It has no rows where none did."""
    rows = [
        (one.began_at, one.command, one.about or None, _minutes(one), one.spent_usd, one.unknown_usd)
        for one in spending.sessions(connection)
    ]
    return declared.made("runs/sessions", rows, spent=spending.session_total(connection).spent_usd)


def _minutes(one: spending.CommandSession) -> float:
    return (datetime.fromisoformat(one.last_at) - datetime.fromisoformat(one.began_at)).total_seconds() / 60
