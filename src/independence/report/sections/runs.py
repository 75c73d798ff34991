"""Runs: what they cost and where the money went; what is missing of each and why, and marks on answers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from independence.config.subjects import LOCAL
from independence.errors import listed
from independence.report.board.board import IndexBoard
from independence.report.board.board_data import BoardData, SubjectInfo, VerdictData
from independence.report.board.repeated_runs import FLAG
from independence.report.files import legend, table_layouts
from independence.report.files.legend import span
from independence.report.files.table import Table, Value
from independence.stats.allocation import RunNoise
from independence.stats.strict import UNANSWERED, VOID
from independence.store import spending
from independence.store.spending import SubjectSpending
from independence.types import grouped

SPLIT = timedelta(days=1)
_QUALITY = (
    "A void dialogue counts as missing under strict scoring. No other mark changes what a model said of a reply.",
    "The rule judge gives no verdict on a reply marked no_answer or refused.",
)
_NO_MARK = "No answer is marked: none void, cut, replayed or otherwise odd."


def table(connection: sqlite3.Connection, read: VerdictData) -> Table:
    """Every run with something amiss.

    A verdict is missing, an answer is void or cut or came only when its question was asked again, or answers are more
    than a day apart.
    """
    scope = read.scope
    answered = {  # of two editions the newer
        (scope.key(one.where, config), run): found
        for one in reversed(scope.editions)
        for (config, run), found in spending.by_run(connection, one.where).items()
    }
    rows: list[tuple[Value, ...]] = []
    runs = 0
    for config, planned in read.planned.items():
        for run, own in sorted(grouped(planned, lambda cell: cell.run).items()):
            runs += 1
            missing = Counter(cell.missing for cell in own if cell.missing is not None)
            marks = Counter(flag for cell in own for flag in cell.flags if flag in VOID or flag == "truncated")
            apart = more = None
            if answers := answered.get((config, run)):
                span = datetime.fromisoformat(answers.last) - datetime.fromisoformat(answers.first)
                apart = span.total_seconds() / 3600 if span > SPLIT else None
                more = answers.asked_again or None
            if missing or marks or more or apart is not None:
                rows.append(
                    (read.about[config].name, run, len(own) - missing.total(), len(own), _counted(missing) or None,
                     _counted(marks) or None, more, apart)
                )  # fmt: skip
    return table_layouts.made("runs/run-health", rows, whole=runs - len(rows), runs=runs)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def tables(read: VerdictData) -> list[Table]:
    """Marks over all subjects, and the subjects with most of them."""
    by_subject = {config: Counter(flag for cell in own for flag in cell.flags) for config, own in read.planned.items()}
    dialogues = {config: sum(bool(cell.flags) for cell in own) for config, own in read.planned.items()}
    for config, count in read.repeats.dialogues.items():
        if config in by_subject:
            by_subject[config][FLAG] += count
            dialogues[config] += count
    marks = _marks(read, by_subject)
    return [marks, _subjects(read, by_subject, dialogues)] if marks.rows else [marks]


def _marks(read: VerdictData, by_subject: dict[str, Counter[str]]) -> Table:
    total: Counter[str] = sum(by_subject.values(), Counter())
    rows: list[tuple[Value, ...]] = []
    for flag, count in sorted(total.items(), key=lambda pair: (-pair[1], pair[0])):
        having = [config for config, own in by_subject.items() if own[flag]]
        most = max(having, key=lambda config: (by_subject[config][flag], config))
        rows.append(
            (flag, count, len(having), f"{read.about[most].label} ({by_subject[most][flag]})",
             flag in VOID or flag == UNANSWERED, legend.texts("marks").get(flag))
        )  # fmt: skip
    return table_layouts.made("runs/data-quality", rows, _QUALITY if rows else [_NO_MARK])


def _subjects(read: VerdictData, by_subject: dict[str, Counter[str]], dialogues: dict[str, int]) -> Table:
    rows = [
        (read.about[config].name, dialogues[config],
         dialogues[config] / (len(read.planned[config]) + read.repeats.dialogues.get(config, 0)),
         ", ".join(f"{flag} {count}" for flag, count in own.most_common(4)))
        for config, own in sorted(by_subject.items(), key=lambda pair: (-dialogues[pair[0]], pair[0]))
        if own
    ]  # fmt: skip
    return table_layouts.made("runs/data-quality-by-subject", rows)


# Columns that stand only where somebody has something in them.
_EXCEPTIONS = ("failed_usd", "unknown_usd", "extra_attempts")


def per_run(own: SubjectSpending) -> float | None:
    """Mean dollars of the runs that were asked, answers, verdicts and lost calls; None where none was."""
    return _total(own) / own.runs if own.runs else None


def _total(own: SubjectSpending) -> float:
    return own.answers_usd + own.verdicts_usd + own.failed_usd


def cost_tables(read: BoardData, board: IndexBoard, spent: Mapping[str, SubjectSpending]) -> list[Table]:
    """The audit of every subject, index per dollar of those whose answers cost something, and the others."""
    return [audit(read, [row.config for row in board.rows], spent), *_value(read, board, spent)]


def audit(read: VerdictData, configs: Iterable[str], spent: Mapping[str, SubjectSpending]) -> Table:
    """What was spent on every one of these subjects, by config_dir, the dearest first."""
    own = {config: spent[config] for config in configs if config in spent}
    order = sorted(own, key=lambda config: (-_total(own[config]), read.about[config].name))
    rows = [
        (read.about[config].name, one.calls, one.answers_usd, one.verdicts, one.verdicts_usd, one.failed_usd,
         one.unknown_usd, _total(one), per_run(one), one.extra_attempts, one.tokens)
        for config in order
        for one in (own[config],)
    ]  # fmt: skip
    made = table_layouts.made(
        "runs/costs", rows, _unstated(read, own),
        everything=sum(map(_total, own.values())), whom=_whom(own, spent),
        answers=sum(one.answers_usd for one in own.values()), judging=sum(one.verdicts_usd for one in own.values()),
        lost=sum(one.failed_usd for one in own.values()),
    )  # fmt: skip
    keep = [
        at
        for at, column in enumerate(made.columns)
        if column.key not in _EXCEPTIONS or any(row[at] for row in made.rows)
    ]
    return made.only(keep)


def _whom(own: Mapping[str, SubjectSpending], spent: Mapping[str, SubjectSpending]) -> str:
    """Of whom a total is, and what those cost who were asked in the same place and are not shown."""
    if len(own) == len(spent):
        return f"{len(own)} subject{'' if len(own) == 1 else 's'}"
    rest = sum(_total(one) for config, one in spent.items() if config not in own)
    return f"{len(own)} of {len(spent)} subjects (without the others, which cost ${rest:.2f})"


def _unstated(read: VerdictData, own: Mapping[str, SubjectSpending]) -> list[str]:
    """Whose answers have no cost although nothing says that they are free."""
    found = Counter({
        read.about[config].name: one.without_cost for config, one in own.items() if not free(read.about[config])
    })  # fmt: skip
    whose = [f"{name} ({count})" for name, count in found.most_common() if count]
    counted = f"No cost is stated for {found.total()} answers, so the total may be too low"
    return [f"{counted}: {listed(whose)}."] if whose else []


def free(who: SubjectInfo) -> str:
    """Why the answers of a subject cost nothing, by its id; empty where that does not say so."""
    if who.simulated:
        return "simulated"
    return "local" if who.model_id.startswith(f"{LOCAL}/") else "free" if who.model_id.endswith(":free") else ""


def _value(read: BoardData, board: IndexBoard, spent: Mapping[str, SubjectSpending]) -> list[Table]:
    """Index per dollar, the most first; then, where there is anybody to compare with, those that have no such ratio."""
    rows, unpriced = [], []
    for row in board.rows:
        who, own = read.about[row.config], spent.get(row.config)
        if row.main.value is None or own is None:
            continue
        cost = per_run(own)
        if own.answers_usd and cost:
            rows.append((who.name, row.main.value, cost, row.main.value / cost, span(row.runs, row.most_runs)))
        else:
            runs = span(row.runs, row.most_runs)
            unpriced.append((who.name, row.main.value, free(who) or "no cost stated", own.verdicts_usd, runs))
    rows.sort(key=lambda cells: (-cells[3], cells[0]))
    made = [table_layouts.made("runs/index-per-dollar", rows)]
    return [*made, table_layouts.made("runs/unpriced", unpriced)] if rows else made


def session_table(connection: sqlite3.Connection) -> Table:
    """Every session that spent money, the newest first. It has no rows where none did."""
    rows: list[tuple[Value, ...]] = []
    for one in spending.sessions(connection):
        span = datetime.fromisoformat(one.last_at) - datetime.fromisoformat(one.began_at)
        minutes = span.total_seconds() / 60
        rows.append((one.began_at, one.command, one.about or None, minutes, one.spent_usd, one.unknown_usd))
    return table_layouts.made("runs/sessions", rows, spent=spending.session_total(connection))


def run_noise(study: BoardData) -> dict[str, RunNoise]:
    """What the runs of each subject with two runs of every scenario say, by config_dir."""
    return {
        config: RunNoise(
            {scenario: float(points.var(ddof=1)) for scenario, points in study.points[config].totals.items()},
            {scenario: len(points) - 1 for scenario, points in study.points[config].totals.items()},
        )
        for config in study.same_scenarios
    }
