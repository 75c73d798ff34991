"""Dialogues of ours as finished dialogues of a suite, so that judges grade them as they grade every reply.

They are the known dialogues of a suite (`engine/examining.py`). A grade that cannot be had is `Missing`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import msgspec

from independence.config.subjects import Subject
from independence.engine import dialogue, plan
from independence.engine.plan import Trial
from independence.judge.protocol import verdict_key
from independence.store import context, records, routes
from independence.store.records import CallRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.types import Grade, Missing, Reply, Usage

CHARACTERS_PER_TOKEN: Final = 4.1  # least squares over the published requests
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
