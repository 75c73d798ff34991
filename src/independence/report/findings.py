"""What a check found, in a form that every check shares, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from independence.report.table import Column, Table

State = Literal["ok", "warn", "fail", "skipped"]
_STATES: tuple[State, ...] = ("ok", "warn", "fail", "skipped")
_CHECK, _OF, _FIX = Column("check", "check"), Column("of", "of"), Column("fix", "what to do")
_RESULT, _FOUND = Column("result", "result"), Column("found", "found")
_COST = Column("cost_usd", "cost", "dollars", 6)


class Finding(NamedTuple):
    """The result of one check."""

    check: str
    of: str  # endpoint, model or file
    result: State
    found: str
    fix: str = ""
    usd: float | None = None  # what finding it out cost; None: no model was asked


def table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> Table:
    """Findings in their order, with how many there are of each kind and what they cost below."""
    rows = tuple((f.check, f.of, f.result, f.found, f.fix or None, f.usd) for f in findings)
    return Table("doctor", "Doctor", (_CHECK, _OF, _RESULT, _FOUND, _FIX, _COST), rows, (_summary(findings), *notes))


def terminal_table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> list[Table]:
    """The same for a terminal, whose lines are short: what was found, then what to do."""
    rows = tuple((f.check, f.of, f.result, f.found, f.usd) for f in findings)
    found = Table("doctor", "Doctor", (_CHECK, _OF, _RESULT, _FOUND, _COST), rows, (_summary(findings), *notes))
    fixes = tuple((f.check, f.of, f.fix) for f in findings if f.fix)
    return [found, Table("fixes", "What to do", (_CHECK, _OF, _FIX), fixes)] if fixes else [found]


def failed(findings: Iterable[Finding]) -> bool:
    """Whether any check failed; a warning is no failure."""
    return any(finding.result == "fail" for finding in findings)


def _summary(findings: Sequence[Finding]) -> str:
    counts = [(sum(f.result == state for f in findings), state) for state in _STATES]
    costs = [f.usd for f in findings if f.usd is not None]
    calls = f"; {len(costs)} model call{'s' * (len(costs) != 1)}, ${sum(costs):.6f}" if costs else ""
    return ", ".join(f"{count} {state}" for count, state in counts if count) + calls
