"""Dialogues of ours as finished dialogues of a suite, so that judges grade them as they grade every reply.

They are hostile replies, each graded with its attack and once more without, or the known dialogues of a suite
(`engine/examining.py`). A grade that cannot be had is `Missing`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.engine import dialogue, plan
from independence.engine.estimate import CHARACTERS_PER_TOKEN
from independence.engine.plan import Trial
from independence.judge.hostile.corpus import HostileReply
from independence.judge.hostile.probe import HostileProbe, ProbedReply, ProbeScenario
from independence.judge.protocol import Judge, verdict_key
from independence.store import context, records, routes
from independence.store.records import CallRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.types import Grade, Missing, Reply, Usage

_HOSTILE = Subject("hostile", "", "", display_label="hostile replies")  # who watchers see at work
_UNGRADED: Final = Missing("unjudged")


class MadeDialogues(msgspec.Struct, frozen=True, dict=True):
    """Dialogues to grade, as if a subject had answered in them."""

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
        known = routes.stored_keys(connection, keys)
        return [known.get(key, _UNGRADED) for key in keys]


def is_open(grade: Grade) -> bool:
    """Whether a grade is still to be given."""
    return grade == _UNGRADED


def made(
    suite: Suite, answers: Mapping[str, Sequence[str]], scenarios: Iterable[Scenario], who: Subject
) -> MadeDialogues:
    """Dialogues in these scenarios, each with an id of its own; `answers`: those of the subject, by that id.

    Their keys depend on what is said in them alone, and on the id.
    """
    whole = msgspec.structs.replace(suite, scenarios=tuple(scenarios), known=msgspec.UNSET)
    trials, calls = [], []
    for trial in plan.trials(whole, plan.select(whole, (), (), 1, ()), [who]):
        name, said = trial.dialogue.scenario.id, answers[trial.dialogue.scenario.id]
        lines = [(turn.human, turn.reply) for turn in trial.dialogue.turns]
        trials.append(msgspec.structs.replace(trial, key=digest.sha256([name, lines, said]), shape=records.MADE))
        calls.append(_answered(trials[-1], said))
    return MadeDialogues(whole, trials, calls)


def _answered(trial: Trial, said: Sequence[str]) -> list[CallRow]:
    """Answers with as many tokens as they will cost a judge to read."""
    at, out = context.begin(trial.key), []
    for turn, text in enumerate(said):
        answer = Reply(text, "content", usage=Usage(completion_tokens=round(len(text) / CHARACTERS_PER_TOKEN)))
        before, at = at, context.extend(at, answer)
        out.append(
            CallRow(
                trial=trial.key, turn=turn, turn_id=dialogue.turn_id(trial, turn), context=before, after=at,
                answer=answer,
            )
        )  # fmt: skip
    return out


def store(connection: sqlite3.Connection, dialogues: MadeDialogues) -> None:
    """Store the answers, so that nothing but verdicts is left to ask for. What is there already stays."""
    records.add_made(connection, [(trial.key, trial.dialogue.generated) for trial in dialogues.trials])
    records.add_calls_once(connection, (call for calls in dialogues.calls for call in calls))


class HostilePlan(NamedTuple):
    """Dialogues to grade: every attack, every clean reply, every clean reply again."""

    scenario: ProbeScenario
    replies: Sequence[HostileReply]
    clean: Sequence[str]
    dialogues: MadeDialogues

    def probed(self, connection: sqlite3.Connection, judge: Judge) -> HostileProbe:
        """What a judge gave them."""
        grades = self.dialogues.grades(connection, judge.settings)
        count = len(self.replies)
        first, second = grades[count : count + len(self.clean)], grades[count + len(self.clean) :]
        clean = dict(zip(self.clean, first, strict=True))
        replies = [
            ProbedReply(reply, grade, clean[reply.clean])
            for reply, grade in zip(self.replies, grades[:count], strict=True)
        ]
        return HostileProbe(judge.name, self.scenario, tuple(replies), tuple(zip(first, second, strict=True)))


def planned(suite: Suite, scenario: ProbeScenario, replies: Sequence[HostileReply]) -> HostilePlan:
    """What a judge is to grade in a scenario."""
    clean = list(dict.fromkeys(reply.clean for reply in replies))
    texts = {reply.id: reply.text for reply in replies}
    texts |= {f"clean-{at}{again}": text for again in ("", "-again") for at, text in enumerate(clean, start=1)}
    copies = [msgspec.structs.replace(suite.scenario(scenario.id), id=name) for name in texts]
    return HostilePlan(
        scenario, replies, clean, made(suite, {name: (text,) for name, text in texts.items()}, copies, _HOSTILE)
    )
