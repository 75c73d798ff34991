"""Before a model judge grades: it grades the known dialogues of the suite, so that a judge that cannot judge is told.

Its verdicts on them are stored like all others and hold for the same settings, rubric and words: they are bought once.
Judges are examined before subjects are asked, so that nothing is bought for one that is refused.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import SIM, Subject
from independence.engine import probing, resume
from independence.engine.probing import MadeDialogues
from independence.engine.resume import PendingTrial, PendingWork
from independence.judge import examination
from independence.judge.examination import Examination, Graded
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.store import gradings
from independence.suites import digest, load
from independence.suites.schema import Scenario, Suite

_SUBJECT = Subject("known", "", "", display_label="known dialogues")  # who watchers see at work


class ExaminationPlan(NamedTuple):
    """Judges that are to grade known dialogues, and those dialogues; none of either where nothing is to be shown."""

    suite: Suite  # that the dialogues are of
    judges: Sequence[ModelJudge] = ()
    dialogues: MadeDialogues | None = None

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
                if not grades or probing.is_open(grades[number]):
                    left.setdefault(number, []).append(judge)
        return [PendingTrial(self.dialogues.trials[number], 0, tuple(own)) for number, own in sorted(left.items())]

    def result(self, connection: sqlite3.Connection, judge: ModelJudge) -> Examination | None:
        """What a judge's verdicts come to; None where some are still to be given."""
        assert self.dialogues is not None
        return _examined(connection, self.suite, self.dialogues, (judge.name, judge.settings))


def _examined(
    connection: sqlite3.Connection, suite: Suite, made: MadeDialogues, judge: tuple[str, str]
) -> Examination | None:
    """What the grades of a judge (name, settings) come to; None where some are still to be given."""
    name, settings = judge
    grades = made.grades(connection, settings)
    if any(map(probing.is_open, grades)):
        return None
    graded = [Graded(*pair) for pair in zip(suite.known or (), grades, strict=True)]
    return examination.examine(name, suite, graded)


def stored(connection: sqlite3.Connection, suite: Suite) -> list[Examination]:
    """Of every judge that graded all known dialogues of a stored suite, by name and settings."""
    own = with_dialogues(suite)
    made = dialogues(own)
    if made is None:
        return []
    judges = gradings.settings(connection, [trial.key for trial in made.trials])
    found = (_examined(connection, own, made, judge) for judge in judges)
    return [one for one in found if one is not None]


def planned(suite: Suite, judges: Iterable[Judge], *, trusted: bool) -> ExaminationPlan:
    """The models among these judges, before the known dialogues of a suite.

    Simulated judges, which read the phrases of simulated subjects and nothing else, are not examined.
    """
    models = [
        judge for judge in dict.fromkeys(map(_asked, judges)) if isinstance(judge, ModelJudge) and judge.endpoint != SIM
    ]
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


def dialogues(suite: Suite) -> MadeDialogues | None:
    """The known dialogues of a suite, as if they had been held; None where it has none."""
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
        scenarios.append(
            Scenario(
                id=name, experiment=next(iter(suite.experiments)), title=name, turns=turns, rubric=one.rubric,
                vars=one.vars,
            )
        )  # fmt: skip
    return probing.made(suite, answers, scenarios, _SUBJECT)


def without(left: PendingWork, unasked: Collection[Judge]) -> PendingWork:
    """The same work without judges of which it is not known yet whether they can judge."""
    return left._replace(todo=resume.with_judges(left.todo, lambda judge: _asked(judge) not in unasked))


def _asked(judge: Judge) -> Judge:
    """Who gives the verdicts of a judge that are not predicted."""
    return judge.auditor or judge
