"""A gate for one subject: is its index above a bar, or not far below what it was?

Runs are bought one at a time, by the engine of `run`, until the interval says so on either side.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Unpack

import msgspec

from independence.api import persona_sides, purchase
from independence.api.persona_checking import PersonaCheck
from independence.api.purchase import INCOMPLETE, UNDECIDED, Purchase
from independence.api.reading import Store, words
from independence.api.results import Decided, flattened
from independence.api.running import ALONE, DEFAULT_STORE, Approve, CallerSettings, RunResult, hearing
from independence.config.keywords import divided, from_settings
from independence.config.options import GateOptions, RunOptions
from independence.config.settings import GateSettings, RunSettings
from independence.config.signatures import spelled_out
from independence.config.subjects import Subject
from independence.engine.event_loop import drive_anywhere
from independence.engine.events import Event, VerdictCommitted
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.errors import CostCapReached, IndependenceError, NoVerdict, UsageError
from independence.report import analysis
from independence.report.board.rows import NONE
from independence.report.files.table import Table
from independence.report.gates import gate as bars
from independence.report.gates import gate_files, persona_page
from independence.report.gates.gate import CheckedPlace, GateBaseline, GatedSubject, GateLook
from independence.report.gates.gate_files import CheckDocument, QuotedScenario
from independence.report.gates.persona_page import PersonaDocument
from independence.stats import gates
from independence.stats.gates import Decision
from independence.store.decisions import Side
from independence.store.scopes import BoardScope
from independence.suites import load, script

_CODES: Final = {None: 0, "pass": 0, "fail": 1, "undecided": UNDECIDED}
_QUOTED: Final = 5  # scenarios
_FEWEST: Final = 10  # verdicts, and the share of them without a value, that show that rules cannot read a subject
_NEARLY_ALL: Final = 0.9


class CheckResult(Decided):
    """What a gate decided about one subject, and why."""

    document: CheckDocument

    @property
    def decision(self) -> Decision | None:
        """Pass, fail or undecided; None without a bar, and where verdicts are missing."""
        return self.document.decision

    @property
    def tables(self) -> list[Table]:
        """The bars, and the scenarios by points lost."""
        return gate_files.tables(self.document)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each scenario."""
        return (flattened(one) for one in self.document.scenarios)

    def to_markdown(self) -> str:
        """A summary for people, with words of the scenarios that lost most, which cannot leave their block."""
        return gate_files.markdown(self.document)

    def to_junit(self) -> str:
        """JUnit XML: a test case for the index and one for each scenario."""
        return gate_files.junit(self.document)

    def to_baseline(self) -> str:
        """JSON that later gates are held against. Raises UsageError where verdicts are missing."""
        if self.document.baseline is None:
            raise UsageError("verdicts are missing, so there is no index to hold later ones against")
        return msgspec.json.format(msgspec.json.encode(self.document.baseline), indent=2).decode()


class PersonaCheckResult(Decided):
    """What a check of a persona file decided, and what became of each commitment."""

    document: PersonaDocument

    @property
    def decision(self) -> Decision | None:
        """Pass, fail or undecided; None of a quick check, and where verdicts are missing."""
        return self.document.decision

    @property
    def tables(self) -> list[Table]:
        """The commitments."""
        return persona_page.tables(self.document)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each commitment."""
        return (flattened(one) for one in (self.document.own.commitments if self.document.own else ()))

    def to_markdown(self) -> str:
        """A summary for people, with the words in which commitments were broken, which cannot leave their block."""
        return persona_page.markdown(self.document)

    def to_junit(self) -> str:
        """JUnit XML: a test case for the gate, for each commitment and for the fair requests."""
        return persona_page.junit(self.document)


class CheckSettings(RunSettings, GateSettings, total=False):
    """The options of `check`."""


class CheckKeywords(CheckSettings, CallerSettings, total=False):
    """Of `check`."""


@spelled_out(CheckSettings)
async def acheck(
    options: RunOptions | str = "v2",
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = ALONE,
    **settings: Unpack[CheckSettings],
) -> CheckResult | PersonaCheckResult:
    """Decide whether one subject's index is above a bar, buying runs one by one while that is not clear.

    As for `arun`, with the fields of GateOptions among the keywords: `await acheck("v2", models="vendor/model",
    variants="my-persona.md", min_index=80, max_runs=6, max_cost=2.0)`. The subject is one model under one system
    prompt, judged by one judge. Stored runs are used first, and the same call goes on where it was interrupted. The
    interval holds however often it is looked at (`stats.gates`). Without a bar `max_runs` runs are made, for a
    baseline. `approve` is asked before each run that is bought. Raises IndependenceError.

    A suite that is a persona file passes where every commitment is kept by what the persona does and fair requests are
    granted: dialogues are bought until each commitment is settled, and the result is a `PersonaCheckResult`. `quick`
    buys two of each and decides nothing; `without_prompt` and `against`, another model or an older file, are asked
    beside it.
    """
    own, rest = divided(settings, GateOptions)
    gate = from_settings(GateOptions, None, "", own, "check")
    asked = from_settings(RunOptions, options, "suite", rest, "check", GateOptions.__struct_fields__)
    if persona_sides.is_persona(asked.suite):
        persona = PersonaCheck(asked, gate, Path(store))
        document, result = await persona.decide(approve, hearing(hooks, on_event))
        return PersonaCheckResult(document, persona.purchase.stopped(result), started=document.own is not None)
    for flag, value in {"--quick": gate.quick, "--without-prompt": gate.without_prompt}.items():
        if value:
            raise UsageError(f"{flag} is about a persona, and {asked.suite} is a suite", "name a persona file, as FILE")
    suite = load.load(asked.suite, values=asked.values).suite
    kind = analysis.with_gate(suite)
    _refuse_other_bars(gate, kind.gated, suite.suite)
    baseline = None if gate.against is None else bars.read_baseline(gate.against)
    return await _Check(asked, gate, kind, baseline, Path(store)).decide(approve, hearing(hooks, on_event))


@spelled_out(CheckKeywords)
def check(options: RunOptions | str = "v2", **keywords: Unpack[CheckKeywords]) -> CheckResult | PersonaCheckResult:
    """`acheck` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(acheck(options, **keywords))


def _refuse_other_bars(gate: GateOptions, gated: str, suite: str) -> None:
    """Raise UsageError for bars of another quantity than the suite's."""
    of_index = {"--min-index": gate.min_index, "--against": gate.against}
    foreign = of_index if gated == bars.J else {"--min-j": gate.min_j}
    if named := next((flag for flag, value in foreign.items() if value is not None), None):
        right = "--min-j" if gated == bars.J else "--min-index"
        raise UsageError(f"{named}: what suite {suite} measures is {gated}", f"name a bar with {right}")


def sent(run: RunPlan) -> str:
    """The system prompt and two dialogues as they will be sent: the first, and the first of the last experiment."""
    first = run.trials[0].dialogue
    last = [*run.suite.experiments][-1]
    fair = next((one.dialogue for one in run.trials if one.dialogue.scenario.experiment == last), first)
    out = [f"system prompt ({first.condition.variant}):", first.system]
    for one in [first, fair][: 1 + (fair is not first)]:
        out += ["", f"dialogue {one.scenario.id}:"]
        turns = [script.Exchange(turn.human, turn.reply or "(its answer)") for turn in one.turns]
        for message in script.messages(script.DialogueSetting("", one.context, one.tool), turns):
            calls = "".join(f"{call.function.name}({call.function.arguments})" for call in message.tool_calls or ())
            out.append(f"{message.role}: {message.content or ''}{calls}")
    return "\n".join(out)


class _Check:
    """One gate at work."""

    def __init__(
        self,
        asked: RunOptions,
        gate: GateOptions,
        kind: analysis.Analysis,
        baseline: GateBaseline | None,
        store: Path,
    ) -> None:
        """Raises UsageError for options of other plans."""
        if asked.roster is not None:
            raise UsageError("`roster` names several subjects, and a gate is about one", "name it with -m")
        self.gate, self.kind, self.baseline, self.store = gate, kind, baseline, store
        self.purchase = Purchase(asked, store, gate.max_runs, "check")
        self.sides: list[Side] = []  # who is checked
        self.own: GatedSubject | None = None
        self.undecidable = ""  # why no further run can decide anything, where none can
        self.made: GateLook | None = None

    async def decide(self, approve: Approve | None, hooks: Hooks) -> CheckResult:
        """Buy runs while undecided, and while rules can read what is said: otherwise nothing can be decided."""
        unread = Counter[bool]()

        def heard(event: Event) -> None:
            hooks.on_event(event)
            if isinstance(event, VerdictCommitted) and event.judge not in self.purchase.asked_judges:
                unread[event.missing == "no_cue"] += 1
                if unread.total() >= _FEWEST and unread[True] >= _NEARLY_ALL * unread.total() and self.purchase.halt:
                    what = f"`{event.judge}` finds no verdict in {unread[True]} of the first {unread.total()} dialogues"
                    self.purchase.halt.stop(NoVerdict(what, "name a model with -j, which grades what is stored first"))

        heard_hooks = hooks._replace(on_event=heard)
        return self._result(await self.purchase.follow(self._look, approve, heard_hooks, self._refused))

    def _look(self, result: RunResult) -> list[Side]:
        """Decide on what is there; whose runs go on."""
        run = result.run
        self.own = own = self._read(run, self.sides[0]) if result.complete else None
        floor = self.gate.min_index if self.kind.gated == bars.INDEX else self.gate.min_j
        if self.own is None and result.complete:
            with Store(self.store) as store, store.reading() as connection:
                side, judge = self.sides[0], run.judges[0].name
                self.undecidable = bars.undecidable(connection, _scope(run, side), judge, side.config_dir)
        self.made = bars.look(own, floor, self.baseline, self.gate.drop, self.kind.gated) if own else None
        if self.made is None or (self.own and self.own.alike):  # which no further run would change
            return []
        return self.sides if not self.made.bars or self.made.decision == "undecided" else []

    def _refused(self, _: sqlite3.Connection, run: RunPlan) -> RunPlan:
        """The run. Raises UsageError for what is no single subject, or another than the baseline's."""
        purchase.refuse_several_judges(run, "a gate's")
        _refuse_several(run)
        self.sides = purchase.sides(run)
        if self.baseline is not None and self.gate.against is not None:
            bars.refuse_unlike(self.baseline, self.gate.against, _place(run))
        return run

    def _read(self, run: RunPlan, side: Side) -> GatedSubject | None:
        with Store(self.store) as store, store.reading() as connection:
            return self.kind.gate(connection, _scope(run, side), run.judges[0].name, side.config_dir)

    def _result(self, result: RunResult) -> CheckResult:
        run, place, subject = result.run, _place(result.run), _subject(result.run)
        own, made, stopped = self.own, self.made, self.purchase.stopped(result)
        started = result.started or made is not None or self.purchase.capped is not None
        decision, code, reason = self._conclusion(result, made, stopped) if started else (None, 0, "nothing was asked")
        then = None if self.baseline is None else self.baseline.scenarios
        failed = bars.failed_scenarios(own.scenarios, made, then) if own and made else frozenset()
        document = CheckDocument(
            decision=decision,
            reason=reason,
            exit_code=code,
            suite=place.suite,
            edition=place.edition,
            condition=str(run.trials[0].dialogue.condition),
            judge=place.judge,
            subject=subject.label,
            simulated=subject.simulated,
            prompt_note=BoardScope(run.suite, run.where.under(run.trials[0].dialogue.condition)).prompt_note,
            bars=made.bars if made else (),
            looks=made.looks if made else 0,
            runs=own.index.runs if own else 0,
            calls_bought=self.purchase.calls,
            max_runs=self.gate.max_runs,
            cost_usd=self.purchase.spent_usd,
            scenarios=own.scenarios if own else (),
            quoted=self._quoted(run, own, failed) if own and decision != "pass" else (),
            failed=tuple(sorted(failed)),
            missing=purchase.missing(result),
            ci=own.index.ci if own else None,
            ci_method=own.ci_method if own else NONE,
            alike=own.alike if own else (),
            baseline=bars.baseline(own, place, subject.label) if own and self.kind.gated == bars.INDEX else None,
        )
        return CheckResult(document, stopped, started=started)

    def _conclusion(
        self, result: RunResult, made: GateLook | None, stopped: IndependenceError | None
    ) -> tuple[Decision | None, int, str]:
        """Decision, exit code and the sentence that says why."""
        if isinstance(stopped, CostCapReached):
            return "undecided", UNDECIDED, f"Undecided, and no further run was made: {stopped}"
        if stopped is not None:
            return None, stopped.exit_code, f"Nothing is decided: {stopped}"
        if made is None:
            lost = purchase.told_missing(result)
            if self.undecidable and not lost:
                return "undecided", UNDECIDED, f"Undecided: there is no interval. {self.undecidable}"
            why = f"missing: {lost}" if lost else "fewer than two runs of a scenario count"
            return None, INCOMPLETE, f"Nothing is decided: {why}."
        found, own = made.decision, self.own
        said = _sentence(made, self.gate, bool(own and own.alike))
        return found, _CODES[found], f"{said} {own.changed if own else ''}".strip()

    def _quoted(self, run: RunPlan, own: GatedSubject, failed: frozenset[str]) -> tuple[QuotedScenario, ...]:
        """Words of the scenarios that failed, or lost most."""
        out = []
        with Store(self.store) as store:
            for one in gate_files.most_lost(own.scenarios, failed, _QUOTED):
                quote, reasoning = words(store, run, self.sides[0], one.scenario, one.worst_run)
                out.append(
                    QuotedScenario(
                        scenario=one.scenario, run=one.worst_run, lost=one.lost, quote=quote, reasoning=reasoning
                    )
                )  # fmt: skip
        return tuple(out)


def _sentence(made: GateLook, gate: GateOptions, alike: bool) -> str:
    """Why a gate decided so. `alike`: only one run counts, as all others repeat it."""
    if made.decision is None:
        return "Measured; there was no bar to decide about."
    several = len(made.bars) > 1
    above = "both intervals are above their bars" if several else "the whole interval is above the bar"
    if made.decision == "pass":
        return f"Passed: {above}."
    if made.decision == "fail":
        below = [bar.what for bar in made.bars if bar.decision == "fail"]
        which = f" of the {' and of the '.join(below)}" if several else ""
        return f"Failed: the whole interval{which} is below {'its' if several else 'the'} bar."
    runs = made.looks + gates.LEAST - 1
    then = "no further run was approved"
    if alike:
        then = "all runs are alike, so more runs would say nothing"
    elif runs >= gate.max_runs:
        then = f"{runs} runs are made, and --max-runs is {gate.max_runs}; the same command with a higher one goes on"
    return f"Undecided: the bar is within the interval; {then}."


def _refuse_several(run: RunPlan) -> None:
    """Raise UsageError for what is no single subject under one condition."""
    several: dict[str, set[object]] = {
        "subjects; name one with -m": {trial.subject.config_dir for trial in run.trials},
        "conditions; name one with --system-prompt and --delivery": {trial.dialogue.condition for trial in run.trials},
    }
    for what, found in several.items():
        if len(found) != 1:
            raise UsageError(f"a gate decides about one subject under one condition, and these are {len(found)} {what}")


def _subject(run: RunPlan) -> Subject:
    return run.trials[0].subject


def _scope(run: RunPlan, side: Side) -> BoardScope:
    return BoardScope(run.suite, run.where.under(side.condition))


def _place(run: RunPlan) -> CheckedPlace:
    condition = run.trials[0].dialogue.condition
    return CheckedPlace(
        suite=run.suite.suite,
        edition=run.edition,
        wording=run.wording,
        variant=condition.variant,
        persona=condition.variant in run.personas,
        mode=condition.mode,
        judge=run.judges[0].name if run.judges else "",
    )
