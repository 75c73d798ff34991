"""Whether each run is whole: what is missing of it and why, and whether its parts belong together."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from independence.report.planned_verdicts import PlannedVerdict
from independence.report.study import StudiedSubjects
from independence.report.table import Column, Table, Value
from independence.stats.validity import VOID
from independence.store.spending import RunTimes, times

SPLIT = timedelta(days=1)

_COLUMNS = (
    Column("subject", "Subject"), Column("run", "Run", "count"), Column("valid", "Valid", "count"),
    Column("planned", "Planned", "count"), Column("missing", "Missing"), Column("marked", "Marked answers"),
    Column("hours", "Hours apart", "number"),
)  # fmt: skip


def table(connection: sqlite3.Connection, read: StudiedSubjects) -> Table:
    """Every run with something amiss: a missing verdict, a void or cut answer, answers more than a day apart."""
    scope = read.scope
    when = times(connection, scope.where)
    rows: list[tuple[Value, ...]] = []
    runs = 0
    for config, planned in read.planned.items():
        for run, own in _by_run(planned).items():
            runs += 1
            missing = Counter(cell.missing for cell in own if cell.missing is not None)
            marks = Counter(flag for cell in own for flag in cell.flags if flag in VOID or flag == "truncated")
            apart = _hours_apart(when.get((config, run)))
            if missing or marks or apart is not None:
                rows.append(
                    (read.about[config].name, run, len(own) - missing.total(), len(own), _counted(missing) or None,
                     _counted(marks) or None, apart)
                )  # fmt: skip
    note = f"{runs - len(rows)} of {runs} runs are whole, unmarked, and were answered within a day."
    return Table("run-health", "Run health", _COLUMNS, tuple(rows), (note,))


def _by_run(planned: Sequence[PlannedVerdict]) -> dict[int, list[PlannedVerdict]]:
    runs: dict[int, list[PlannedVerdict]] = {}
    for cell in planned:
        runs.setdefault(cell.run, []).append(cell)
    return dict(sorted(runs.items()))


def _hours_apart(when: RunTimes | None) -> float | None:
    """Hours between first and last answer, where that is more than a day."""
    if when is None:
        return None
    span = datetime.fromisoformat(when.last) - datetime.fromisoformat(when.first)
    return span.total_seconds() / 3600 if span > SPLIT else None


def _counted(counts: Mapping[str | None, int] | Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: str(pair[0])))
