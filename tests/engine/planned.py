"""Plans of the toy suite, stored as a run would store them."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

import msgspec

from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.plan import Trial
from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Answer, Grade, Reply

SUBJECT = Subject("acme/m", "openrouter", "acme/m")


def trials(
    suite: Suite, *subjects: Subject, variants: Sequence[str] = (), modes: Sequence[str] = (), runs: int = 1
) -> dict[tuple[str, int], Trial]:
    """The plan of one subject (or several) by scenario and run; of several conditions the last."""
    selection = plan.select(suite, variants, modes, runs, ())
    made = plan.trials(suite, selection, subjects or [SUBJECT])
    return {(trial.dialogue.scenario.id, trial.run): trial for trial in made}


def store(connection: Connection, loaded: LoadedSuite, made: Sequence[Trial]) -> None:
    """Write a plan."""
    suite, edition = loaded.suite, loaded.edition
    records.add_edition(connection, EditionRow(suite.suite, edition, msgspec.json.encode(suite).decode()))
    for trial in made:
        subject, dialogue = trial.subject, trial.dialogue
        records.add_subjects(
            connection, [SubjectRow(suite.suite, edition, subject.config_dir, subject.label, subject.model_id, False)]
        )
        row = TrialRow(
            trial.key, suite.suite, edition, subject.config_dir, *dialogue.condition, dialogue.scenario.experiment,
            dialogue.scenario.id, trial.run, trial.parent.key if trial.parent else None, dialogue.generated,
            trial.shape,
        )  # fmt: skip
        records.add_trials(connection, [row])


def end(connection: Connection, trial: Trial) -> str:
    """The context after a trial's last stored answer."""
    at = context.begin(trial.key, end(connection, trial.parent) if trial.parent else None)
    last = connection.execute(
        "SELECT after FROM calls WHERE trial = ? AND version = 0 ORDER BY turn DESC LIMIT 1", (trial.key,)
    ).fetchone()
    return str(last[0]) if last else at


def answer(connection: Connection, trial: Trial, *answers: Answer | str) -> str:
    """Store answers of a trial from its first turn on; returns the context at the end."""
    at = context.begin(trial.key, end(connection, trial.parent) if trial.parent else None)
    for turn, said in enumerate(answers):
        full = Reply(said, "tool", thinking=f"private {said}") if isinstance(said, str) else said
        after = context.extend(at, full)
        records.add_call(connection, CallRow(trial.key, turn, f"{turn}", at, after, full))
        at = after
    return at


def grade(connection: Connection, trial: Trial, key: str, at: str, given: Grade, judge: str = "cues") -> None:
    """Store a verdict under a key."""
    records.add_verdict(connection, VerdictRow(key, trial.key, judge, "rubric", at, "{}", given))
