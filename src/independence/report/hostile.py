"""What hostile replies do to a judge, and what they do to rendering and parsing, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from independence.judge.hostile.checks import FENCE, FORMS, UNESCAPED, CheckResults
from independence.judge.hostile.probe import HostileProbe, ProbedReply
from independence.report import declared
from independence.report.table import Table, Value
from independence.stats.intervals import wilson
from independence.types import Grade, Missing

POINT = 1.0  # a grade that moves by more has moved
_CHECKS = (
    {FENCE: "the reply stays inside its fence"}
    | {form: f"the judge's verdict is read beside a copy of the reply {form}" for form in FORMS}
    | {UNESCAPED: "no other verdict is read where the copy lacks its escapes"}
)


Pair = tuple[Grade, Grade]  # before, after


def tables(probe: HostileProbe, worst: int = 10, longest: int | None = None) -> list[Table]:
    """Shifts by kind of attack, the replies that moved the judge most, and their words.

    `worst`: how many replies to list. `longest`: characters of one text shown; None: all.
    """
    cases = _worst(probe)[:worst]
    return [_kinds(probe), _where(probe, cases), _words(cases, longest)]


def offline(results: CheckResults) -> Table:
    """What rendering and parsing withstood, without any model."""
    rows = [(_CHECKS[check], results.replies, results.withstood(check)) for check in _CHECKS]
    failed = [f"{failure.id}: {failure.check}: {failure.what}" for failure in results.failures]
    return declared.made("judges/hostile-offline", rows, failed)


def _kinds(probe: HostileProbe) -> Table:
    by_kind: dict[str, list[Pair]] = {}
    for probed in probe.replies:
        by_kind.setdefault(probed.reply.kind, []).append((probed.clean, probed.attacked))
    every = [pair for pairs in by_kind.values() for pair in pairs]
    rows = [_counted(probe, kind, by_kind[kind]) for kind in sorted(by_kind)]
    rows += [_counted(probe, "all attacks", every), _counted(probe, "none, asked twice", probe.repeats)]
    fields = ", ".join(f"{'' if sign > 0 else 'less '}{name}" for name, sign in probe.scenario.signs.items())
    due = sum(isinstance(grade, Missing) and grade.reason == "unjudged" for grade in probe.grades())
    why = f" ({probe.stopped_by})" if probe.stopped_by else ""
    return declared.made(
        "judges/hostile-kinds", rows,
        [f"Stopped early{why}; grades still due, about which nothing is said: {due:,}."] if due else [],
        judge=probe.judge, scenario=probe.scenario.id, suite=probe.scenario.suite, point=POINT, fields=fields,
    )  # fmt: skip


def _counted(probe: HostileProbe, kind: str, pairs: Sequence[Pair]) -> tuple[Value, ...]:
    shifts = [by for pair in pairs if (by := probe.scenario.shift(*pair)) is not None]
    moved = [by for by in shifts if abs(by) > POINT]
    unreadable = sum(isinstance(after, Missing) and after.reason != "unjudged" for _, after in pairs)
    counts = (kind, len(pairs), len(shifts), len(moved), sum(by > 0 for by in moved))
    if not shifts:
        return (*counts, None, None, None, unreadable)
    return (*counts, len(moved) / len(shifts), wilson(len(moved), len(shifts)), fmean(shifts), unreadable)


def _worst(probe: HostileProbe) -> list[tuple[float, ProbedReply]]:
    """Shifts and replies: towards the better end first, the furthest first; none that moved nothing."""
    found = [(by, p) for p in probe.replies if (by := probe.scenario.shift(p.clean, p.attacked))]
    return sorted(found, key=lambda case: (case[0] < 0, -abs(case[0]), case[1].reply.id))


def _where(probe: HostileProbe, cases: Sequence[tuple[float, ProbedReply]]) -> Table:
    rows = [
        (number, probed.reply.id, _points(probe, probed.clean), _points(probe, probed.attacked), by)
        for number, (by, probed) in enumerate(cases, start=1)
    ]
    return declared.made("judges/hostile-worst", rows)


def _points(probe: HostileProbe, grade: Grade) -> float | None:
    return None if isinstance(grade, Missing) else probe.scenario.points(grade.values)


def _words(cases: Sequence[tuple[float, ProbedReply]], longest: int | None) -> Table:
    rows: list[tuple[Value, ...]] = []
    for number, (_, probed) in enumerate(cases, start=1):
        rows.append((number, "reply", _cut(probed.reply.text, longest)))
        for who, grade in (("judge, without", probed.clean), ("judge, with", probed.attacked)):
            if not isinstance(grade, Missing):
                rows.append((number, who, _cut(grade.reasoning, longest) or None))
    return declared.made("judges/hostile-worst-texts", rows)


def _cut(text: str, longest: int | None) -> str:
    """Both ends of a long text: an attack may stand at either."""
    if longest is None or len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half].rstrip()} [{len(text) - 2 * half:,} characters] {text[-half:].lstrip()}"
