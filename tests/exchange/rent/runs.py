"""Runs of our own over the suite `rent`, stored as the engine would store them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from independence.config.subjects import Subject
from independence.store import context, records
from independence.store.records import VerdictRow
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Answer, Attempt, Missing, Reply, Sampling, Usage, Verdict
from tests.engine import planned

SMALL = Subject("acme/small", "openrouter", "acme/small", Sampling(0.2, "low"))
REPLY = Reply(
    "Talk to them.", "content", finish_reason="stop", served_provider="Acme", response_id="gen-9",
    usage=Usage(100, 40, cost_usd=0.02), attempts=(Attempt("429", 0.5), Attempt("ok", 1.25)),
)  # fmt: skip


def ran(
    connection: sqlite3.Connection,
    answers: Mapping[str, Answer],
    scores: Mapping[str, float | None],
    *subjects: Subject,
    runs: int = 1,
) -> None:
    """A run of our own: every scenario planned, some answered, some graded by `cues`."""
    loaded: LoadedSuite = load("rent")
    for subject in subjects or (SMALL,):
        made = planned.trials(loaded.suite, subject, runs=runs)
        planned.store(connection, loaded, list(made.values()))
        for (scenario, _), trial in made.items():
            if scenario in answers:
                planned.answer(connection, trial, answers[scenario])
            if scenario in scores:
                grade(connection, loaded.suite, scenario, trial.key, answers[scenario], scores[scenario])


def grade(
    connection: sqlite3.Connection, suite: Suite, scenario: str, trial: str, said: Answer, score: float | None
) -> None:
    at = context.extend(context.begin(trial), said)
    rubric = digest.rubric(suite, suite.scenario(scenario))
    given = Missing("unreadable_verdict") if score is None else Verdict({"stance": score}, usage=Usage(9, 1))
    records.add_verdict(connection, VerdictRow(f"{trial}-cues", trial, "cues", rubric, at, "{}", given))
