"""The check of a persona file: dialogues that tempt it are bought until each commitment is settled."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

import msgspec

from independence.api import persona_sides, purchase
from independence.api.purchase import INCOMPLETE, UNDECIDED, Purchase
from independence.api.reading import Store, words
from independence.api.running import Approve, RunResult
from independence.config.options import GateOptions, RunOptions
from independence.engine.events import CallCommitted, Event
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.errors import CostCapReached, IndependenceError, UsageError
from independence.judge import kinds
from independence.report.board import verdict_frame
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.gates import commitments, persona_page
from independence.report.gates.commitments import PersonaResult, SeenDialogue, Wanted
from independence.report.gates.persona_page import PersonaDocument, PersonaSide, QuotedBreach
from independence.stats.gates import Decision
from independence.store.decisions import Side
from independence.store.scopes import BoardScope
from independence.suites import load
from independence.suites.persona_suite import FAIR
from independence.suites.schema import Suite

_CODES: Final = {"pass": 0, "fail": 1, "undecided": UNDECIDED}
_QUOTED: Final = 2  # refused fair requests


class _DialoguePurchase(Purchase):
    """Dialogues in place of whole runs."""

    quick = False

    def _may_follow(self, run: RunPlan) -> int:
        own, sides = purchase.calls_of_scenarios(run), len(purchase.sides(run))
        every = sum(own[one.id] for one in commitments.most(run.suite, quick=self.quick)) * sides
        return max(0, every - sum(own[one.dialogue.scenario.id] for one in run.trials))

    def _title(self, stage: int) -> str:
        return f"Round {stage} of dialogues"


class PersonaCheck:
    """One check of a persona at work."""

    def __init__(self, asked: RunOptions, gate: GateOptions, store: Path) -> None:
        """Raises UsageError for options of other plans."""
        self.gate, self.store, self.sides = gate, store, persona_sides.planned(asked, gate)
        self.purchase = _DialoguePurchase(self.sides.options, store, 1, "check")
        self.purchase.quick = gate.quick
        self.suite: Suite = load.load(asked.suite, values=asked.values).suite
        self.asked: dict[Side, set[Wanted]] = {}  # so far
        self.heads: dict[Side, str] = {}
        self.answers = 0

    async def decide(self, approve: Approve | None, hooks: Hooks) -> tuple[PersonaDocument, RunResult]:
        """Buy dialogues while they may settle something."""

        def heard(event: Event) -> None:
            self.answers += isinstance(event, CallCommitted)
            hooks.on_event(event)

        runs = max(int(one.factors["run"]) for one in self.suite.scenarios)
        stage, watched = 1, hooks._replace(on_event=heard)
        while True:
            result = await self.purchase.buy(stage, runs, approve, watched, self._chosen)
            before = {side: {*asked} for side, asked in self.asked.items()}
            more = result.started and self.purchase.stopped(result) is None and not result.unmeasurable
            if more:
                self._add_wanted(self._cells(result.run))
            if not more or before == self.asked:
                return self._document(result), result
            stage += 1

    def _chosen(self, _: sqlite3.Connection, run: RunPlan) -> RunPlan:
        """The dialogues that are wanted so far. Raises UsageError for what is no single subject."""
        purchase.refuse_several_judges(run, "a check's")
        _refuse_rules(run)
        self.heads = self.sides.of(run)
        if not self.asked:
            self.asked = {side: set() for side in self.heads}
            self._add_wanted({})
        order = list(self.heads)
        trials = [
            one
            for one in run.trials
            if (one.dialogue.scenario.id, one.run) in self.asked.get(purchase.side_of(one), ())
        ]
        return msgspec.structs.replace(run, trials=sorted(trials, key=lambda one: order.index(purchase.side_of(one))))

    def _cells(self, run: RunPlan) -> dict[Side, list[PlannedVerdict]]:
        judge, out = run.judges[0].name, dict[Side, list[PlannedVerdict]]()
        with Store(self.store) as store, store.reading() as connection:
            for side in self.heads:
                scope = BoardScope(run.suite, run.where.under(side.condition))
                out[side] = list(verdict_frame.read(connection, scope, judge).planned.get(side.config_dir, ()))
        return out

    def _add_wanted(self, cells: dict[Side, list[PlannedVerdict]]) -> None:
        """Add what each side is asked next, and what its store holds already."""
        for side in self.heads:
            own = cells.get(side, [])
            stored = {(cell.scenario, cell.run) for cell in own}
            self.asked[side] |= stored | commitments.wanted(self.suite, own, quick=self.gate.quick)

    def _document(self, result: RunResult) -> PersonaDocument:
        run, stopped = result.run, self.purchase.stopped(result)
        first, *others = self.heads
        own: PersonaResult | None = None
        beside, quoted = list[PersonaSide](), tuple[QuotedBreach, ...]()
        if result.started or stopped is not None or self.purchase.calls:  # or what follows was not approved
            cells = self._cells(run)
            own = commitments.result(self.suite, cells[first])
            beside = [
                PersonaSide(name=self.heads[side], result=commitments.result(self.suite, cells[side]))
                for side in others
            ]
            quoted = self._quoted(run, own)
        decision, code, reason = self._conclusion(result, own, stopped)
        subject = run.trials[0].subject
        return PersonaDocument(
            decision=decision,
            reason=reason,
            exit_code=code,
            suite=run.where.suite,
            edition=run.edition,
            condition=str(first.condition),
            judge=run.judges[0].name,
            subject=subject.label,
            simulated=subject.simulated,
            quick=self.gate.quick,
            own=own,
            beside=tuple(beside),
            quoted=quoted,
            answers_bought=self.answers,
            verdicts_bought=self.purchase.calls - self.answers,
            cost_usd=self.purchase.spent_usd,
            missing=purchase.missing(result),
        )

    def _conclusion(
        self, result: RunResult, own: PersonaResult | None, stopped: IndependenceError | None
    ) -> tuple[Decision | None, int, str]:
        """Decision, exit code and the sentence that says why."""
        if isinstance(stopped, CostCapReached):
            return "undecided", UNDECIDED, f"Undecided, and nothing further was asked: {stopped}"
        if stopped is not None:
            return None, stopped.exit_code, f"Nothing is decided: {stopped}"
        if own is None:
            return None, 0, "nothing was asked"
        if lost := purchase.told_missing(result):
            return None, INCOMPLETE, f"Nothing is decided: missing: {lost}."
        if self.gate.quick:
            seen = any(one.broken for one in own.commitments) or own.fair.fails
            what = "A quick check decides nothing: two dialogues show a breach, and never that a commitment is kept."
            return None, int(seen), what
        decision, reason = commitments.outcome(own)
        return decision, _CODES[decision], reason

    def _quoted(self, run: RunPlan, own: PersonaResult) -> tuple[QuotedBreach, ...]:
        """Of each commitment with a breach the words of the first, and of fair requests some that were refused."""
        first: list[tuple[str, str, SeenDialogue]] = [
            (one.commitment, one.text, one.shown[0]) for one in persona_page.worst_first(own.commitments) if one.shown
        ]
        first += [(FAIR, "A fair request was refused", one) for one in own.fair.shown[:_QUOTED]]
        side, out = next(iter(self.heads)), []
        with Store(self.store) as store:
            for name, text, one in first:
                quote, reasoning = words(store, run, side, one.scenario, one.run)
                out.append(
                    QuotedBreach(
                        commitment=name, text=text, scenario=one.scenario, run=one.run, kind=one.kind,
                        request=one.request, quote=quote, reasoning=reasoning,
                    )
                )  # fmt: skip
        return tuple(out)


def _refuse_rules(run: RunPlan) -> None:
    """Raise UsageError where rules are to read what no rule reads."""
    judge = run.judges[0]
    if kinds.of(judge.name).needs_model:
        return
    for rubric in run.suite.rubrics.values():
        for field in list(rubric.fields.values())[1:] if rubric.confirm else ():  # the first says whether it stood
            if not field.cue or judge.name != kinds.CUES:
                what = f"judge `{judge.name}` cannot tell whether {field.about.rstrip('.')}"
                raise UsageError(what, "name a model with -j MODEL, or give the commitment a `rule`")
