"""What `check` found, for people and for CI: tables, a Markdown summary, JUnit XML.

Replies and verdicts are a model's words, and hostile: in Markdown they stand in a fence that is longer than any in
them, in XML they are escaped and hold no character that XML 1.0 does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from xml.etree import ElementTree

import msgspec

from independence.config import user_files
from independence.report.board import notes
from independence.report.board.board_rows import NONE
from independence.report.files import table
from independence.report.files.table import Column, Table, Value, spelled_out
from independence.report.gates import gate, persona_page
from independence.report.gates.commitments import CommitmentResult
from independence.report.gates.gate import DROP, INDEX, BarResult, GateBaseline, J, ScenarioScore
from independence.report.gates.persona_page import PersonaPage
from independence.stats.gates import Decision

_WORDS = {"index": "index", J: J, DROP: "index minus the baseline's"}
_FAIL = "fail"
_TIME = {"time": "0"}
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
    prompt_note: str | msgspec.UnsetType = msgspec.UNSET  # what the suite says of the system prompt
    bars: tuple[BarResult, ...] = ()
    looks: int = 0
    runs: int = 0  # that its calls are worth
    calls_bought: int = 0  # of them, by this command: answers and verdicts
    max_runs: int = 0
    cost_usd: float = 0.0  # of this command
    scenarios: tuple[ScenarioScore, ...] = ()  # worst first
    quoted: tuple[QuotedScenario, ...] = ()  # of them, where the gate did not pass
    failed: tuple[str, ...] = ()  # scenarios
    ci: tuple[float, float] | None = None  # 95% interval of the index or J, as boards have it
    ci_method: str = NONE  # these-scenarios, scenarios-like-these
    alike: tuple[str, ...] = ()  # where only one run counts, as others repeat it: in sentences
    missing: dict[str, int] = {}  # reason -> planned answers and verdicts
    baseline: GateBaseline | None = None  # to be held against later
    persona: PersonaPage | None = None

    @property
    def heading(self) -> str:
        """The decision in a word."""
        return self.decision or ("incomplete" if self.exit_code else "measured")

    @property
    def conclusion(self) -> str:
        """Of a persona: which commitments it keeps, and which not; empty of a suite."""
        return persona_page.conclusion(self.persona) if self.persona is not None else ""

    @property
    def index(self) -> tuple[float, tuple[float, float]] | None:
        """The index, or J, and its 95% interval. None where verdicts are missing."""
        values = [bar.value for bar in self.bars if bar.what != DROP]
        values += [self.baseline.index.point] if self.baseline else []
        return (values[0], self.ci) if values and self.ci else None


def cut(text: str) -> str:
    """A text of at most `_LONGEST` characters."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} [...]"


def tables(found: CheckDocument) -> list[Table]:
    """The bars, and the scenarios that lost most."""
    place = f"{found.suite}@{found.edition}, {found.condition}, judge {found.judge}"
    place += f". {found.prompt_note}" * bool(found.prompt_note)
    method = []
    if found.bars:
        low, high = found.bars[0].passing, found.bars[0].failing
        level = f"{low:.2%}" if low == high else f"{low:.2%} (lower end) and {high:.2%} (upper end)"
        method.append(
            f"Gate interval: {level}, and never narrower than the 95% CI. This is look {found.looks}: one after every "
            "run from the second on. With the true value on the bar at most 5% of such gates pass and 5% fail, if runs "
            "are independent and several scenarios vary (alpha spending, Lan and DeMets 1983)."
        )
    if (decided := gate.of_bars(found.bars)) in _TOO and found.runs < found.max_runs and not found.alike:
        method.append(
            f"A gate stops once it is decided, so what {found.runs} of at most {found.max_runs} runs measured is too "
            f"{_TOO[decided]} on average (in points of an index by about 1 if the true value lies 5 "
            "points from the bar, by about 5 if it lies on the bar), unless so many were planned beforehand."
        )
    beside = found.persona.indices if found.persona else {}
    digits = _digits(found)
    columns: tuple[Column, ...] = (
        Column("what", "", "text"),
        Column("value", "Measured", "number", digits),
        Column("ci", "95% CI", "interval", digits),
    )
    if found.bars:
        columns += (
            Column("interval", "Gate interval", "interval", digits),
            Column("bar", "Bar", "number", digits),
            Column("decision", "Decision"),
        )
    rows = [*_measured(found), *((name, value, None, None, None, None) for name, value in beside.items())]
    bars = Table(
        "check",
        f"{found.heading}: {found.subject}{' (simulated)' if found.simulated else ''} on {place}",
        columns,
        tuple(row[: len(columns)] for row in rows),
        (found.reason, *_read(found), *method, _effort(found)),
    )
    if found.persona is not None:
        return [bars, *persona_page.tables(found.persona)]
    lost = [one for one in found.scenarios if one.lost > 0]
    lost_rows = [(one.scenario, one.experiment, one.lost, one.kept, one.scenario in found.failed) for one in lost]
    headed = (
        Column("scenario", "Scenario"),
        Column("experiment", "Experiment", "id"),
        Column("lost", "Lost", "number", 2),
        Column("kept", "Kept of 100", "number"),
        *[Column("failed", "Below the bar", "flag")] * bool(found.failed),
    )
    scenarios = Table(
        "check-scenarios",
        "Scenarios by points of the index that they took off",
        headed,
        tuple(row[: len(headed)] for row in lost_rows),
    )
    return [bars, scenarios] if lost else [bars]


def _measured(found: CheckDocument) -> list[tuple[Value, ...]]:
    """What was measured beside each bar; without a bar the index."""
    rows: list[tuple[Value, ...]] = [
        (_WORDS[bar.what], bar.value, None if bar.what == DROP else found.ci, bar.interval, bar.bar, bar.decision)
        for bar in found.bars
    ]
    if found.index is not None and all(bar.what == DROP for bar in found.bars):
        rows = [(_WORDS[INDEX], *found.index, None, None, None), *rows]
    return rows


def _read(found: CheckDocument) -> list[str]:
    """What the 95% interval is about, in the words of boards, and which runs count."""
    if found.index is None:
        return []
    return [*found.alike, notes.INTERVALS[found.ci_method]]


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
    parts += [f"{table.escaped(found.conclusion)}\n"] * bool(found.conclusion)
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
    """A test case for the index and one for each scenario, or of a persona for each commitment."""
    name, cases = f"independence.{found.suite}", list(_cases(found))
    kinds = [one.problem.tag for one in cases if one.problem]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error"), "skipped": 0}
    numbers = {key: str(value) for key, value in counts.items()}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": spelled_out(name), **numbers, "time": "0"})
    own = ElementTree.SubElement(suite, "properties")
    for key in ("edition", "condition", "judge", "subject", "runs", "cost_usd"):
        ElementTree.SubElement(own, "property", {"name": key, "value": spelled_out(str(getattr(found, key)))})

    for case in cases:
        values = {"classname": ".".join([name, *case.group]), "name": case.name}
        at = ElementTree.SubElement(suite, "testcase", {key: spelled_out(own) for key, own in values.items()} | _TIME)
        if case.problem:
            why = {"message": spelled_out(case.problem.message), "type": case.problem.type}
            ElementTree.SubElement(at, case.problem.tag, why).text = spelled_out(case.problem.text)
        ElementTree.SubElement(at, "system-out").text = spelled_out(case.out)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


class _Problem(NamedTuple):
    """Why a test case did not pass."""

    tag: Literal["failure", "error"]
    type: str
    message: str
    text: str


class _Case(NamedTuple):
    """A test case of JUnit."""

    group: tuple[str, ...]  # below the suite
    name: str
    out: str
    problem: _Problem | None


def _cases(found: CheckDocument) -> Iterator[_Case]:
    index = gate.of_bars(found.bars) if found.decision else found.decision  # which commitments do not change
    why = _Problem(
        "failure" if index == _FAIL else "error", found.heading, found.reason, "\n".join(measured_lines(found))
    )
    fine = index == "pass" or not found.exit_code
    yield _Case((), "index", f"{found.reason}\n{_effort(found)}", None if fine else why)
    yield from _of_scenarios(found) if found.persona is None else _of_commitments(found, found.persona)


def _of_scenarios(found: CheckDocument) -> Iterator[_Case]:
    quoted = {one.scenario: one for one in found.quoted}
    for one in found.scenarios:
        said = f"kept {table.decimal(one.kept)} of 100, lost {table.decimal(one.lost, 2)} points of the index"
        problem = _Problem("failure", "scenario", said, _words(quoted.get(one.scenario)) or said)
        yield _Case((one.experiment,), one.scenario, said, problem if one.scenario in found.failed else None)


def _of_commitments(found: CheckDocument, page: PersonaPage) -> Iterator[_Case]:
    """Failures and errors are of gates alone: a check without a bar decides nothing."""
    experiments = {one.scenario: one.experiment for one in found.scenarios}
    quoted = {experiments.get(one.scenario): one for one in reversed(found.quoted)}
    for one in page.own.commitments:
        said = f"{one.reading or 'verdicts are missing'}{_kept(one)}"
        tag: Literal["failure", "error"] = "failure" if one.reading == "given up" else "error"
        problem = _Problem(tag, "commitment", said, _words(quoted.get(one.commitment)) or said)
        fine = one.reading == "kept" or not found.bars
        yield _Case(("commitments",), f"{one.commitment}: {one.text}", said, None if fine else problem)


def _kept(one: CommitmentResult) -> str:
    if one.kept is None or one.ci is None:
        return ""
    low, high = map(table.decimal, one.ci)
    return f" ({table.decimal(one.kept)} of 100, {low} to {high})"


def _words(quoted: QuotedScenario | None) -> str:
    return f"{quoted.scenario}, run {quoted.run}:\n{quoted.quote}\n\nThe judge: {quoted.reasoning}" if quoted else ""


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
