"""What `check` found, for people and for CI: tables, a Markdown summary, JUnit XML.

Replies and verdicts are a model's words, and hostile: in Markdown they stand in a fence that is longer than any in
them, in XML they are escaped and hold no character that XML 1.0 does not know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import msgspec

from independence.config import user_files
from independence.report import persona_page, table
from independence.report.gate import DROP, INDEX, BarResult, GateBaseline, J, ScenarioScore
from independence.report.persona_page import PersonaPage
from independence.report.table import Column, Table, Value, spelled_out
from independence.stats.gates import Decision

_WORDS = {"index": "index", J: J, DROP: "index minus the baseline's"}
_FAIL = "fail"
_TOO = {"pass": "high", _FAIL: "low"}  # what is measured, on average, where a gate stopped early
_LONGEST = 600  # characters of one quotation


class QuotedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """Words of the worst run of a scenario that lost points."""

    scenario: str
    run: int
    title: str = ""  # of a persona: what the person does, and the commitment
    lost: float  # points of the index, over all of its runs
    quote: str  # the passage that the judge went by, else the last reply; may be cut
    reasoning: str  # the judge's; may be cut

    @property
    def heading(self) -> str:
        """What it lost, and whose words follow."""
        title = f" ({self.title})" if self.title else ""
        return (
            f"{self.scenario}{title}: lost {table.decimal(self.lost, 2)} points on average; its worst run, {self.run}:"
        )


class CheckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found: the document that `--format json` prints. Indices in points, 0-100."""

    decision: Decision | None  # None: nothing was to be decided, or verdicts are missing
    reason: str  # in a sentence
    exit_code: int
    suite: str
    edition: str
    condition: str
    judge: str
    subject: str
    simulated: bool
    bars: tuple[BarResult, ...] = ()
    looks: int = 0
    runs: int = 0  # that its calls are worth
    calls_bought: int = 0  # of them, by this command: answers and verdicts
    max_runs: int = 0
    cost_usd: float = 0.0  # of this command
    scenarios: tuple[ScenarioScore, ...] = ()  # worst first
    quoted: tuple[QuotedScenario, ...] = ()  # of them, where the gate did not pass
    failed: tuple[str, ...] = ()  # scenarios
    missing: dict[str, int] = {}  # reason -> planned answers and verdicts
    baseline: GateBaseline | None = None  # to be held against later
    persona: PersonaPage | None = None

    @property
    def heading(self) -> str:
        """The decision in a word."""
        return self.decision or ("incomplete" if self.exit_code else "measured")

    @property
    def index(self) -> tuple[float, tuple[float, float]] | None:
        """The index, or J, and its interval: that of its bar, else the 95% one. None where verdicts are missing."""
        beside = [(self.baseline.index.point, self.baseline.ci)] if self.baseline else []
        return next(iter([*((bar.value, bar.interval) for bar in self.bars if bar.what != DROP), *beside]), None)


def cut(text: str) -> str:
    """A text of at most `_LONGEST` characters."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} [...]"


def tables(found: CheckDocument) -> list[Table]:
    """The bars, and the scenarios that lost most."""
    place = f"{found.suite}@{found.edition}, {found.condition}, judge {found.judge}"
    method = []
    if found.bars:
        low, high = found.bars[0].passing, found.bars[0].failing
        level = f"{low:.2%}" if low == high else f"{low:.2%} (lower end) and {high:.2%} (upper end)"
        method.append(
            f"Confidence of the interval: {level}. It is computed again after every run from the second on; this is "
            f"number {found.looks}. With the true value on the bar at most 5% of such gates pass and 5% fail, however "
            "many runs are added, if they are independent and vary in several scenarios (Lan and DeMets 1983)."
        )
    if found.decision in _TOO and found.runs < found.max_runs:
        method.append(
            f"A gate stops once it is decided, so what {found.runs} of at most {found.max_runs} runs measured is too "
            f"{_TOO[found.decision]} on average (in points of an index by about 1 if the true value lies 5 "
            "points from the bar, by about 5 if it lies on the bar), unless so many were planned beforehand."
        )
    beside = found.persona.indices if found.persona else {}
    digits = _digits(found)
    bars = Table(
        "check",
        f"{found.heading}: {found.subject}{' (simulated)' if found.simulated else ''} on {place}",
        (
            Column("what", "", "text"),
            Column("value", "Measured", "number", digits),
            Column("interval", "Interval", "interval", digits),
            Column("bar", "Bar", "number", digits),
            Column("decision", "Decision"),
        ),
        (*_measured(found), *((name, value, None, None, None) for name, value in beside.items())),
        (found.reason, *method, _effort(found)),
    )
    if found.persona is not None:
        return [bars, *persona_page.tables(found.persona)]
    lost = [one for one in found.scenarios if one.lost > 0]
    rows = [(one.scenario, one.experiment, one.lost, one.kept, one.scenario in found.failed) for one in lost]
    columns = (
        Column("scenario", "Scenario"),
        Column("experiment", "Experiment", "id"),
        Column("lost", "Lost", "number", 2),
        Column("kept", "Kept of 100", "number"),
        *[Column("failed", "Below the bar", "flag")] * bool(found.failed),
    )
    scenarios = Table(
        "check-scenarios",
        "Scenarios by points of the index that they took off",
        columns,
        tuple(row[: len(columns)] for row in rows),
    )
    return [bars, scenarios] if lost else [bars]


def _measured(found: CheckDocument) -> list[tuple[Value, ...]]:
    """What was measured beside each bar; without a bar the index."""
    rows: list[tuple[Value, ...]] = [
        (_WORDS[bar.what], bar.value, bar.interval, bar.bar, bar.decision) for bar in found.bars
    ]
    if not rows and found.index is not None:
        rows = [(_WORDS[INDEX], *found.index, None, None)]
    return rows


def measured_lines(found: CheckDocument) -> list[str]:
    """A line for each bar; without a bar one for the index, where there is one."""

    def said(what: str, value: float, ends: tuple[float, float]) -> str:
        number, low, high = (table.decimal(one, _digits(found)) for one in (value, *ends))
        return f"{_WORDS[what]} {number}, {low} to {high}"

    if not found.bars and found.index is not None:
        return [said(INDEX, *found.index)]
    return [
        f"{said(bar.what, bar.value, bar.interval)}, bar {table.decimal(bar.bar, _digits(found))}: {bar.decision}"
        for bar in found.bars
    ]


def _digits(found: CheckDocument) -> int:
    return 2 if any(bar.what == J for bar in found.bars) else 1


def _effort(found: CheckDocument) -> str:
    cost = f", ${found.cost_usd:.4f}" if found.cost_usd else ""
    bought = f"{found.calls_bought} calls were bought by this command" if found.calls_bought else "no call was bought"
    return f"As many calls as {found.runs} runs of every scenario, more where scores vary more; {bought}{cost}."


def markdown(found: CheckDocument) -> str:
    """A summary, safe to be shown beside others' text."""
    parts = [f"## Independence check: {table.escaped(found.heading)}\n"]
    parts += [table.to_markdown(one, level=3) for one in tables(found)]
    if found.persona is not None and found.persona.observations:
        parts.append(
            "### What was seen\n\n" + "".join(f"- {table.escaped(one)}\n" for one in found.persona.observations)
        )
    for one in found.quoted:
        parts.append(f"### {table.escaped(one.heading)}\n\n{_fenced(one.quote)}")
        if one.reasoning:
            parts.append(f"The judge:\n\n{_fenced(one.reasoning)}")
    return spelled_out("\n".join(parts))


def _fenced(text: str) -> str:
    """Words of a model as a block of code: no Markdown, tag, link or mention begins in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def junit(found: CheckDocument) -> str:
    """A test case for each scenario and one for the index."""
    name, fails = f"independence.{found.suite}", found.decision == _FAIL
    errors = int(found.exit_code > 0 and not fails)
    counts = {"tests": len(found.scenarios) + 1, "failures": len(found.failed) + fails, "errors": errors, "skipped": 0}
    numbers = {key: str(value) for key, value in counts.items()}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": spelled_out(name), **numbers, "time": "0"})
    own = ElementTree.SubElement(suite, "properties")
    for key in ("edition", "condition", "judge", "subject", "runs", "cost_usd"):
        ElementTree.SubElement(own, "property", {"name": key, "value": spelled_out(str(getattr(found, key)))})

    def case(classname: str, name: str, out: str, problem: tuple[str, str, str, str] | None) -> None:
        """`problem`: failure or error, its type, message and text; None where it passed."""
        values = {"classname": spelled_out(classname), "name": spelled_out(name), "time": "0"}
        at = ElementTree.SubElement(suite, "testcase", values)
        if problem:
            tag, kind, message, text = problem
            why = {"message": spelled_out(message), "type": kind}
            ElementTree.SubElement(at, tag, why).text = spelled_out(text)
        ElementTree.SubElement(at, "system-out").text = spelled_out(out)

    problem = ("failure" if fails else "error", found.heading, found.reason, "\n".join(measured_lines(found)))
    case(name, "index", f"{found.reason}\n{_effort(found)}", problem if found.exit_code else None)
    quoted = {one.scenario: one for one in found.quoted}
    for one in found.scenarios:
        said = f"kept {table.decimal(one.kept)} of 100, lost {table.decimal(one.lost, 2)} points of the index"
        words = quoted.get(one.scenario)
        text = f"run {words.run}:\n{words.quote}\n\nThe judge: {words.reasoning}" if words else said
        problem = ("failure", "scenario", said, text)
        case(f"{name}.{one.experiment}", one.scenario, said, problem if one.scenario in found.failed else None)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def marked(text: str) -> str:
    """A file of Markdown or XML with the mark by which `check` knows it as its own."""
    return f"{text}{user_files.MARK.decode()}\n"


def most_lost(
    scores: Sequence[ScenarioScore], failed: frozenset[str], most: int, *, apart: bool = False
) -> list[ScenarioScore]:
    """Which scenarios to quote: those that failed first, then by points lost. `apart`: one of each experiment."""
    lost = sorted((one for one in scores if one.lost > 0), key=lambda one: (one.scenario not in failed, -one.lost))
    if apart:
        lost = list({one.experiment: one for one in reversed(lost)}.values())[::-1]
    return lost[:most]
