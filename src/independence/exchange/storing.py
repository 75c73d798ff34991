"""Imported runs as rows of the store, under the edition `published`.

Importing twice changes nothing, but that a verdict which an older version could not read is mended.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import SIM
from independence.exchange.anomalies import EMPTY_VERDICT
from independence.exchange.rows import ImportedRun, ImportedTrial
from independence.judge.spec import verdict_key
from independence.store import context, records
from independence.store.queries import PUBLISHED, REREAD
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.suites.without_texts import without_texts
from independence.types import Reply, Verdict


class Stored(NamedTuple):
    """How many rows were new."""

    trials: int
    replies: int
    verdicts: int


def store(
    connection: sqlite3.Connection, suite: Suite, runs: Sequence[ImportedRun], labels: Mapping[str, str]
) -> Stored:
    """Write a result set in one transaction; `labels` by config_dir. Raises sqlite3.Error, then nothing was written."""
    known, ours = (msgspec.json.encode(one).decode() for one in (without_texts(suite), suite))
    edition = EditionRow(suite.suite, PUBLISHED, known, ours)
    trials = [(run, row, trial) for run in runs for row, trial in _places(run, suite)]
    calls = [call for _, row, trial in trials if trial for call in _calls(row, trial)]
    ends = {call.trial: call.after for call in calls}
    verdicts = [v for _, row, trial in trials if trial and (v := _verdict(row, trial, ends.get(row.key, row.key)))]
    connection.execute("BEGIN IMMEDIATE")
    try:
        if (
            connection.execute(
                "SELECT 1 FROM editions WHERE suite = ? AND edition = ?", (suite.suite, PUBLISHED)
            ).fetchone()
            is None
        ):
            records.add_edition(connection, edition)
        records.add_subjects(connection, {run.config_dir: _subject(run, suite, labels) for run in runs}.values())
        stored = Stored(
            records.add_trials(connection, [row for _, row, _ in trials]),
            records.add_calls_once(connection, calls),
            records.mend_verdicts(connection, verdicts) + records.add_verdicts(connection, verdicts),
        )
        for run in runs:
            if run.name_extraction:
                subject = _subject(run, suite, labels)
                records.add_sidecar(connection, subject, run.run, "name_extraction.json", run.name_extraction)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return stored


def _subject(run: ImportedRun, suite: Suite, labels: Mapping[str, str]) -> SubjectRow:
    label = labels.get(run.config_dir, run.model_id)
    simulated = run.model_id.startswith(f"{SIM}/")  # an exported run of our own says so in the id
    return SubjectRow(suite.suite, PUBLISHED, run.config_dir, label, run.model_id, simulated)


def _places(run: ImportedRun, suite: Suite) -> Iterator[tuple[TrialRow, ImportedTrial | None]]:
    """Every scenario of the suite under every condition the run has, with what was published for it."""
    found = {(trial.variant, trial.mode, trial.scenario): trial for trial in run.trials}
    for variant, mode in dict.fromkeys((trial.variant, trial.mode) for trial in run.trials):
        for scenario in suite.scenarios:
            yield _trial(run, suite, scenario, (variant, mode)), found.get((variant, mode, scenario.id))


def _trial(run: ImportedRun, suite: Suite, scenario: Scenario, condition: tuple[str, str]) -> TrialRow:
    place = {"edition": PUBLISHED, "suite": suite.suite, "config_dir": run.config_dir, "run": run.run,
             "scenario": scenario.id, "condition": condition}  # fmt: skip
    turns = sum(turn.reply is None for turn in scenario.turns)
    return TrialRow(
        digest.sha256(place), suite.suite, PUBLISHED, run.config_dir, *condition, scenario.experiment, scenario.id,
        run.run, None, turns, digest.canonical(place).decode(),
    )  # fmt: skip


def _calls(row: TrialRow, trial: ImportedTrial) -> Iterator[CallRow]:
    at = context.begin(row.key)
    for call in trial.calls:
        answer = call.answer
        if isinstance(answer, Reply) and call.flags:
            answer = msgspec.structs.replace(answer, flags=(*answer.flags, *call.flags))
        after = context.extend(at, answer)
        yield CallRow(
            row.key, call.turn, call.turn_id, at, after, answer, call.request_messages, call.timestamp or None
        )
        at = after


def _verdict(row: TrialRow, trial: ImportedTrial, at: str) -> VerdictRow | None:
    if trial.grade is None:
        return None
    settings = digest.canonical({"judge": trial.judge_model, "published": True}).decode()
    grade = trial.grade
    if isinstance(grade, Verdict):
        grade = msgspec.structs.replace(grade, usage=trial.judge_usage)
    at_last = max((call.timestamp for call in trial.calls), default="")
    key = verdict_key(at, PUBLISHED, settings)
    reread = isinstance(grade, Verdict) and EMPTY_VERDICT in trial.flags
    return VerdictRow(
        key, row.key, trial.judge_model or "unknown", REREAD if reread else PUBLISHED, at, settings, grade,
        judged_at=at_last or None,
    )  # fmt: skip
