"""Hostile replies as finished dialogues of a suite of their own, so that judges grade them as they grade every reply.

Each is graded with its attack, and once more without; replies without an attack are graded twice. A grade that cannot
be had is `Missing`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

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
from independence.suites.schema import Suite
from independence.types import Missing, Reply, Usage

_SUBJECT = Subject("hostile", "", "", display_label="hostile replies")  # who watchers see at work


class HostilePlan(NamedTuple):
    """Dialogues to grade: every attack, every clean reply, every clean reply again."""

    scenario: ProbeScenario
    replies: Sequence[HostileReply]
    clean: Sequence[str]
    suite: Suite  # with that scenario alone, once for each dialogue
    trials: Sequence[Trial]
    calls: Sequence[CallRow]  # the replies, as if subjects had given them

    def probed(self, connection: sqlite3.Connection, judge: Judge) -> HostileProbe:
        """What a judge gave them."""
        rubric = digest.rubric(self.suite, self.suite.scenarios[0])
        keys = [verdict_key(call.after, rubric, judge.settings) for call in self.calls]
        known = routes.stored_keys(connection, keys)
        grades = [known.get(key, Missing("unjudged")) for key in keys]
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
    own = msgspec.structs.replace(suite, scenarios=tuple(copies))
    trials = [
        # What is sent is the same in every one of these scenarios, and so would be its key.
        msgspec.structs.replace(trial, key=digest.sha256([trial.key, trial.dialogue.scenario.id]))
        for trial in plan.trials(own, plan.select(own, (), (), 1, ()), [_SUBJECT])
    ]
    calls = [_answered(trial, text) for trial, text in zip(trials, texts.values(), strict=True)]
    return HostilePlan(scenario=scenario, replies=replies, clean=clean, suite=own, trials=trials, calls=calls)


def _answered(trial: Trial, text: str) -> CallRow:
    """A reply with as many tokens as it will cost a judge to read."""
    answer = Reply(text, "content", usage=Usage(completion_tokens=round(len(text) / CHARACTERS_PER_TOKEN)))
    before = context.begin(trial.key)
    after = context.extend(before, answer)
    return CallRow(
        trial=trial.key, turn=0, turn_id=dialogue.turn_id(trial, 0), context=before, after=after, answer=answer
    )


def store(connection: sqlite3.Connection, made: HostilePlan) -> None:
    """Store the replies, so that nothing but verdicts is left to ask for."""
    for call in made.calls:
        records.add_call(connection, call)
