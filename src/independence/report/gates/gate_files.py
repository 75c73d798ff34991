"""What `check` found, for people and for CI: tables, a Markdown summary, JUnit XML.

Replies and verdicts are a model's words, and hostile: in Markdown they stand in a fence that is longer than any in
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from independence.config import user_files
from independence.report.board import notes
from independence.report.board.rows import NONE
from independence.report.files import table
from independence.report.files.table import Column, Table, Value, spelled_out
from independence.report.gates import junit as junit_file
from independence.report.gates.gate import DROP, INDEX, BarResult, GateBaseline, J, ScenarioScore
from independence.report.gates.junit import Case, Problem
from independence.stats.gates import Decision

_WORDS = {"index": "index", J: J, DROP: "index minus the baseline's"}
_FAIL = "fail"
_TOO = {"pass": "high", _FAIL: "low"}  # what is measured, on average, where a gate stopped early
_LONGEST = 600  # characters of one quotation


class QuotedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """Words of the worst run of a scenario that lost points."""

    scenario: str
    run: int
    lost: float  # points of the index, over all of its runs
    quote: str  # the passage that the judge went by, else the last reply; may be cut
    reasoning: str  # the judge's; may be cut

    @property
    def heading(self) -> str:
        """What it lost, and whose words follow."""
        return f"{self.scenario}: lost {table.decimal(self.lost, 2)} points on average; its worst run, {self.run}:"


class CheckHead(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, why, and about what: how each document begins."""

    decision: Decision | None  # None: nothing was to be decided, or verdicts are missing
    reason: str  # in a sentence
    exit_code: int
    suite: str
    edition: str
    condition: str
    judge: str
    subject: str
    simulated: bool


class CheckDocument(CheckHead, frozen=True, kw_only=True):
    """What a check found: the document that `--format json` prints. Indices in points, 0-100."""

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

    @property
    def heading(self) -> str:
        """The decision in a word."""
        return self.decision or ("incomplete" if self.exit_code else "measured")

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
    if (decided := found.decision) in _TOO and found.runs < found.max_runs and not found.alike:
        method.append(
            f"A gate stops once it is decided, so what {found.runs} of at most {found.max_runs} runs measured is too "
            f"{_TOO[decided]} on average (in points of an index by about 1 if the true value lies 5 "
            "points from the bar, by about 5 if it lies on the bar), unless so many were planned beforehand."
        )
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
    rows = _measured(found)
    bars = Table(
        "check",
        f"{found.heading}: {found.subject}{' (simulated)' if found.simulated else ''} on {place}",
        columns,
        tuple(row[: len(columns)] for row in rows),
        (found.reason, *_read(found), *method, _effort(found)),
    )
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
    parts += [table.to_markdown(one, level=3) for one in tables(found)]
    for one in found.quoted:
        parts.append(f"### {table.escaped(one.heading)}\n\n{fenced(one.quote)}")
        if one.reasoning:
            parts.append(f"The judge:\n\n{fenced(one.reasoning)}")
    return spelled_out("\n".join(parts))


def fenced(text: str) -> str:
    """Words of a model as a block of code: no Markdown, tag, link or mention begins in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def junit(found: CheckDocument) -> str:
    """A test case for the index and one for each scenario."""
    keys = ("edition", "condition", "judge", "subject", "runs", "cost_usd")
    return junit_file.document(found.suite, {key: getattr(found, key) for key in keys}, _cases(found))


def _cases(found: CheckDocument) -> Iterator[Case]:
    why = Problem(
        "failure" if found.decision == _FAIL else "error", found.heading, found.reason,
        "\n".join(measured_lines(found)),
    )  # fmt: skip
    fine = found.decision == "pass" or not found.exit_code
    yield Case((), "index", f"{found.reason}\n{_effort(found)}", None if fine else why)
    quoted = {one.scenario: one for one in found.quoted}
    for one in found.scenarios:
        said = f"kept {table.decimal(one.kept)} of 100, lost {table.decimal(one.lost, 2)} points of the index"
        problem = Problem("failure", "scenario", said, _words(quoted.get(one.scenario)) or said)
        yield Case((one.experiment,), one.scenario, said, problem if one.scenario in found.failed else None)


def _words(quoted: QuotedScenario | None) -> str:
    return f"{quoted.scenario}, run {quoted.run}:\n{quoted.quote}\n\nThe judge: {quoted.reasoning}" if quoted else ""


def marked(text: str) -> str:
    """A file of Markdown or XML with the mark by which `check` knows it as its own."""
    return f"{text}{user_files.MARK.decode()}\n"


def most_lost(scores: Sequence[ScenarioScore], failed: frozenset[str], most: int) -> list[ScenarioScore]:
    """Which scenarios to quote: those that failed first, then by points lost."""
    lost = sorted((one for one in scores if one.lost > 0), key=lambda one: (one.scenario not in failed, -one.lost))
    return lost[:most]
