"""Whether each run is whole: what is missing of it and why, whether its parts belong together, marks on answers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from independence.report import declared, legend
from independence.report.planned_verdicts import FLAG, grouped
from independence.report.study import StudiedSubjects
from independence.report.table import Table, Value
from independence.stats.strict import UNANSWERED, VOID
from independence.store.spending import RunTimes, times

SPLIT = timedelta(days=1)
_QUALITY = (
    "A void dialogue counts as missing under strict scoring. No other mark changes what a model said of a reply.",
    "The rule judge gives no verdict on a reply marked no_answer or refused.",
)
_NO_MARK = "No answer is marked: none void, cut, replayed or otherwise odd."


def table(connection: sqlite3.Connection, read: StudiedSubjects) -> Table:
    """Every run with something amiss: a missing verdict, a void or cut answer, answers more than a day apart."""
    scope = read.scope
    when = times(connection, scope.where)
    rows: list[tuple[Value, ...]] = []
    runs = 0
    for config, planned in read.planned.items():
        for run, own in sorted(grouped(planned, lambda cell: cell.run).items()):
            runs += 1
            missing = Counter(cell.missing for cell in own if cell.missing is not None)
            marks = Counter(flag for cell in own for flag in cell.flags if flag in VOID or flag == "truncated")
            apart = _hours_apart(when.get((config, run)))
            if missing or marks or apart is not None:
                rows.append(
                    (read.about[config].name, run, len(own) - missing.total(), len(own), _counted(missing) or None,
                     _counted(marks) or None, apart)
                )  # fmt: skip
    return declared.made("runs/run-health", rows, whole=runs - len(rows), runs=runs)


def _hours_apart(when: RunTimes | None) -> float | None:
    """Hours between first and last answer, where that is more than a day."""
    if when is None:
        return None
    span = datetime.fromisoformat(when.last) - datetime.fromisoformat(when.first)
    return span.total_seconds() / 3600 if span > SPLIT else None


def _counted(counts: Mapping[str | None, int] | Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: str(pair[0])))


def tables(read: StudiedSubjects) -> list[Table]:
    """Marks over all subjects, and the subjects with most of them."""
    by_subject = {config: Counter(flag for cell in own for flag in cell.flags) for config, own in read.planned.items()}
    dialogues = {config: sum(bool(cell.flags) for cell in own) for config, own in read.planned.items()}
    for config, count in read.repeats.dialogues.items():
        if config in by_subject:
            by_subject[config][FLAG] += count
            dialogues[config] += count
    marks = _marks(read, by_subject)
    return [marks, _subjects(read, by_subject, dialogues)] if marks.rows else [marks]


def _marks(read: StudiedSubjects, by_subject: dict[str, Counter[str]]) -> Table:
    total: Counter[str] = sum(by_subject.values(), Counter())
    rows: list[tuple[Value, ...]] = []
    for flag, count in sorted(total.items(), key=lambda pair: (-pair[1], pair[0])):
        having = [config for config, own in by_subject.items() if own[flag]]
        most = max(having, key=lambda config: (by_subject[config][flag], config))
        rows.append(
            (flag, count, len(having), f"{read.about[most].label} ({by_subject[most][flag]})",
             flag in VOID or flag == UNANSWERED, legend.texts("marks").get(flag))
        )  # fmt: skip
    return declared.made("runs/data-quality", rows, _QUALITY if rows else [_NO_MARK])


def _subjects(read: StudiedSubjects, by_subject: dict[str, Counter[str]], dialogues: dict[str, int]) -> Table:
    rows = [
        (read.about[config].name, dialogues[config],
         dialogues[config] / (len(read.planned[config]) + read.repeats.dialogues.get(config, 0)),
         ", ".join(f"{flag} {count}" for flag, count in own.most_common(4)))
        for config, own in sorted(by_subject.items(), key=lambda pair: (-dialogues[pair[0]], pair[0]))
        if own
    ]  # fmt: skip
    return declared.made("runs/data-quality-by-subject", rows)
