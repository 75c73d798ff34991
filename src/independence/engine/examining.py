"""Before a model judge grades: it grades the known dialogues of the suite, so that a judge that cannot judge is told.

They are graded as finished dialogues of a suite are. Verdicts on them are stored like all others and hold for the same
settings, rubric and words: they are bought once. Judges are examined before subjects are asked, so that nothing is
bought for one that is refused.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.engine import dialogue, plan, resume
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial, PendingWork
from independence.judge import examination, model
from independence.judge.examination import Examination, Graded
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge, verdict_key
from independence.store import context, gradings, queries, records
from independence.store.records import CallRow
from independence.suites import digest, load
from independence.suites.schema import KnownDialogue, Scenario, Suite
from independence.types import Grade, Missing, Reply, Usage, grouped

_SUBJECT = Subject("known", "", "", display_label="known dialogues")  # who watchers see at work
_PAIRS: Final = 2  # that are graded together: who gets both of them wrong is refused
_FIRST: Final = 2  # times so many, before all the rest: each time takes as long as an able judge's slowest answer
_UNGRADED: Final = Missing("unjudged")
CHARACTERS_PER_TOKEN: Final = 4.1  # least squares over the published requests


class KnownDialogues(msgspec.Struct, frozen=True, dict=True):
    """The known dialogues of a suite, as if a subject had answered in them."""

    known: Sequence[KnownDialogue]
    suite: Suite  # with a scenario for each of them, and no other
    trials: Sequence[Trial]
    calls: Sequence[Sequence[CallRow]]  # the answers in each

    @cached_property
    def rubrics(self) -> dict[str, str]:
        """Scenario -> rubric digest."""
        return {scenario.id: digest.rubric(self.suite, scenario) for scenario in self.suite.scenarios}

    def grades(self, connection: sqlite3.Connection, settings: str) -> list[Grade]:
        """What a judge of these settings gave them."""
        ends = [calls[-1].after for calls in self.calls]
        keys = [verdict_key(*parts, settings) for parts in zip(ends, self.rubrics.values(), strict=True)]
        stored = queries.grades(connection, keys)
        return [stored.get(key, _UNGRADED) for key in keys]

    def result(self, connection: sqlite3.Connection, name: str, settings: str) -> Examination:
        """What the grades of a judge come to so far."""
        grades = list(map(Graded, self.known, self.grades(connection, settings)))
        left = [one.dialogue for one in grades if one.grade == _UNGRADED]
        return examination.examine(name, self.suite, [one for one in grades if one.grade != _UNGRADED], left)


class ExaminationPlan(NamedTuple):
    """Judges that are to grade known dialogues, and those dialogues; none of either where nothing is to be shown."""

    suite: Suite  # that the dialogues are of
    judges: Sequence[ModelJudge] = ()
    dialogues: KnownDialogues | None = None

    @property
    def unknown(self) -> str:
        """What to say where judges are to grade, and the suite has no dialogue to examine them on."""
        if not self.judges or self.dialogues is not None:
            return ""
        names = ", ".join(judge.name for judge in self.judges)
        return f"suite {self.suite.suite} has no known dialogues: nothing shows whether {names} can judge it"

    def todo(self, connection: sqlite3.Connection | None) -> list[PendingTrial]:
        """What is left of it to grade; without a store all of it."""
        if self.dialogues is None:
            return []
        left: dict[int, list[Judge]] = {}
        for judge in self.judges:
            grades = self.dialogues.grades(connection, judge.settings) if connection else []
            for number in range(len(self.dialogues.trials)):
                if not grades or grades[number] == _UNGRADED:
                    left.setdefault(number, []).append(judge)
        return [PendingTrial(self.dialogues.trials[number], 0, tuple(own)) for number, own in sorted(left.items())]

    def begin(self, connection: sqlite3.Connection) -> list[PendingTrial]:
        """Store the answers of the known dialogues, and return the verdicts that are left to ask for."""
        todo = self.todo(connection)
        if todo and self.dialogues is not None:
            records.add_made(connection, [(trial.key, trial.dialogue.generated) for trial in self.dialogues.trials])
            records.add_calls_once(connection, (call for calls in self.dialogues.calls for call in calls))
        return todo

    def stages(self, todo: Sequence[PendingTrial]) -> Iterator[Sequence[PendingTrial]]:
        """Work in parts: what shows first whether a judge can judge at all, and the rest."""
        assert self.dialogues is not None
        pairs = {trial.key: one.pair for trial, one in zip(self.dialogues.trials, self.dialogues.known, strict=True)}
        part = {pair: at // _PAIRS for at, pair in enumerate(sorted({*pairs.values()} - {0}))}
        parts = grouped(todo, lambda item: min(_FIRST, part.get(pairs[item.trial.key], _FIRST)))
        return (items for _, items in sorted(parts.items()))

    def results(self, connection: sqlite3.Connection) -> dict[ModelJudge, Examination]:
        """What each judge's verdicts come to so far."""
        assert self.dialogues is not None
        return {judge: self.dialogues.result(connection, judge.name, judge.settings) for judge in self.judges}


def stored(connection: sqlite3.Connection, suite: Suite) -> list[Examination]:
    """Of every judge that graded all known dialogues of a stored suite, by name and settings."""
    made = dialogues(with_dialogues(suite))
    if made is None:
        return []
    judges = gradings.settings(connection, [trial.key for trial in made.trials])
    found = (made.result(connection, *judge) for judge in judges)
    return [one for one in found if not one.left]


def planned(suite: Suite, judges: Iterable[Judge], *, trusted: bool) -> ExaminationPlan:
    """The models among these judges, before the known dialogues of a suite.

    Simulated judges, which read the phrases of simulated subjects and nothing else, are not examined.
    """
    models = [judge for judge in dict.fromkeys(map(model.asked, judges)) if judge is not None]
    if trusted or not models:
        return ExaminationPlan(suite)
    return ExaminationPlan(suite, models, dialogues(suite))


def with_dialogues(suite: Suite) -> Suite:
    """A stored suite with its known dialogues: older stores have none, and those that ship belong to its edition."""
    if suite.known is not msgspec.UNSET or suite.suite not in load.built_in():
        return suite
    shipped = load.load(suite.suite)
    same = digest.edition(suite) == shipped.edition
    return msgspec.structs.replace(suite, known=shipped.suite.known) if same else suite


def dialogues(suite: Suite) -> KnownDialogues | None:
    """The known dialogues of a suite, as if they had been held; None where it has none.

    Their keys depend on what is said in them alone, and on their names.
    """
    if not suite.known:
        return None
    seen: Counter[str] = Counter()
    scenarios, answers = [], {}
    for one in suite.known:
        name = f"{one.scenario} {one.kind}"
        seen[name] += 1
        name += f" {seen[name]}" if seen[name] > 1 else ""
        answers[name] = [turn.reply or "" for turn in one.turns if turn.id]
        turns = tuple(msgspec.structs.replace(turn, reply=None) if turn.id else turn for turn in one.turns)
        experiment = next(iter(suite.experiments))
        made = Scenario(id=name, experiment=experiment, title=name, turns=turns, rubric=one.rubric, vars=one.vars)
        scenarios.append(made)
    whole = msgspec.structs.replace(suite, scenarios=tuple(scenarios), known=msgspec.UNSET)
    trials, calls = [], []
    for planned in plan.trials(whole, plan.select(whole, (), (), 1, ()), [_SUBJECT]):
        name = planned.dialogue.scenario.id
        lines = [(turn.human, turn.reply) for turn in planned.dialogue.turns]
        trial = msgspec.structs.replace(planned, key=digest.sha256([name, lines, answers[name]]), shape=records.MADE)
        trials.append(trial)
        at, own = context.begin(trial.key), list[CallRow]()
        for turn, text in enumerate(answers[name]):
            # With as many tokens as it will cost a judge to read.
            answer = Reply(text, "content", usage=Usage(completion_tokens=round(len(text) / CHARACTERS_PER_TOKEN)))
            before, at = at, context.extend(at, answer)
            own.append(CallRow(trial.key, turn, dialogue.turn_id(trial, turn), before, at, answer))
        calls.append(own)
    return KnownDialogues(suite.known, whole, trials, calls)


def without(left: PendingWork, unasked: Collection[Judge]) -> PendingWork:
    """The work without judges of which it is not known yet whether they can judge."""
    return msgspec.structs.replace(
        left, todo=resume.with_judges(left.todo, lambda judge: model.asked(judge) not in unasked)
    )
