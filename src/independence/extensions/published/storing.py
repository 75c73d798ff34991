"""Imported results of the bench as rows of the store, under the edition `published`; twice changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from independence.config.registry import Registry
from independence.config.subjects import SIM
from independence.errors import UsageError
from independence.exchange.storing import ImportedRows, NewRows, write
from independence.extensions.published.dialogues import ImportedRun, ImportedTrial
from independence.extensions.published.responses import EMPTY_VERDICT
from independence.judge.protocol import verdict_key
from independence.store import context, names
from independence.store.database import transaction
from independence.store.queries import PUBLISHED, REREAD
from independence.store.records import CallRow, EditionRow, Sidecar, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.suites.without_texts import without_texts
from independence.types import Condition, Grade, Verdict

UNKNOWN_JUDGE = "unknown"  # whose verdicts were published without a name


def store(
    connection: sqlite3.Connection, suite: Suite, runs: Sequence[ImportedRun], labels: Mapping[str, str]
) -> NewRows:
    """Write a result set in one transaction; `labels` by config_dir. Raises sqlite3.Error, then nothing was written."""
    known, ours = (msgspec.json.encode(one).decode() for one in (without_texts(suite), suite))
    rows = ImportedRows(EditionRow(suite.suite, PUBLISHED, known, ours))
    for run in runs:
        label = labels.get(run.config_dir, run.model_id)
        rows.subjects[run.config_dir] = subject_row(suite, PUBLISHED, run.config_dir, run.model_id, label)
        published = {(trial.condition, trial.scenario.id): trial for trial in run.trials}
        for condition in dict.fromkeys(trial.condition for trial in run.trials):
            for scenario in suite.scenarios:  # what a run lacks is planned too
                row = trial_row(suite, PUBLISHED, scenario, config_dir=run.config_dir, run=run.run, condition=condition)
                rows.trials.append(row)
                if found := published.get((condition, scenario.id)):
                    _add(rows, row.key, found)
        if run.name_extraction:
            rows.sidecars.append(Sidecar(run.config_dir, run.run, names.SIDECAR, run.name_extraction))
    with transaction(connection):
        return write(connection, rows)


def refuse_older(path: Path, older: int, suite: str | None) -> None:
    """Raises UsageError for folders of the older layout where nobody says whose they are."""
    if older and suite is None:
        raise UsageError(
            f"{path}: folders named like `vendor--model` are of the older layout of several suites",
            "say which one this is: --suite v1 or --suite lite",
        )


def published_labels(runs: Iterable[ImportedRun], known: Registry | None) -> dict[str, str]:
    """Labels as published: `display_label`, or the id behind its vendor; an unlisted configuration keeps its raw id."""
    subjects = known.subjects if known else ()
    labels = {subject.config_dir: subject.display_label or subject.label.removeprefix("local/") for subject in subjects}
    taken = set(labels.values())
    for run in runs:
        if run.config_dir not in labels:
            labels[run.config_dir] = run.config_dir if run.model_id in taken else run.model_id
            taken.add(labels[run.config_dir])
    return labels


def subject_row(suite: Suite, edition: str, config_dir: str, model_id: str, label: str) -> SubjectRow:
    """A subject of an import; an exported run of a simulated one says so in the model's id."""
    simulated = model_id.startswith(f"{SIM}/")
    return SubjectRow(
        suite=suite.suite, edition=edition, config_dir=config_dir, label=label, model_id=model_id, simulated=simulated
    )  # fmt: skip


def trial_row(
    suite: Suite, edition: str, scenario: Scenario, *, config_dir: str, run: int, condition: Condition
) -> TrialRow:
    """A planned trial of an import. Its key is its place: the exact wording that was asked is not known."""
    where = {"edition": edition, "suite": suite.suite, "config_dir": config_dir, "run": run, "scenario": scenario.id,
             "condition": condition}  # fmt: skip
    return TrialRow(
        key=digest.sha256(where), suite=suite.suite, edition=edition, config_dir=config_dir, variant=condition.variant,
        mode=condition.mode, experiment=scenario.experiment, scenario=scenario.id, run=run, parent=None,
        turns=sum(turn.reply is None for turn in scenario.turns), shape=digest.canonical(where).decode(),
    )  # fmt: skip


def verdict_row(
    trial: str, at: str, judge: str, grade: Grade, *, judged_at: str | None, rubric: str = PUBLISHED
) -> VerdictRow:
    """The verdict of a published judge on a dialogue that ends `at`."""
    settings = digest.canonical({"judge": judge, "published": True}).decode()
    return VerdictRow(
        key=verdict_key(at, PUBLISHED, settings), trial=trial, judge=judge or UNKNOWN_JUDGE, rubric=rubric, context=at,
        settings=settings, grade=grade, judged_at=judged_at,
    )  # fmt: skip


def _add(rows: ImportedRows, trial: str, found: ImportedTrial) -> None:
    """The answers of a dialogue, each on the ones before it, and the verdict on the last."""
    at = context.begin(trial)
    for call in found.calls:
        after = context.extend(at, call.answer)
        row = CallRow(
            trial=trial, turn=call.turn, turn_id=call.turn_id, context=at, after=after, answer=call.answer,
            messages=call.request_messages, answered_at=call.timestamp or None,
        )  # fmt: skip
        rows.calls.append(row)
        at = after
    grade, judge, flags = found.verdict
    if grade is not None:
        reread = isinstance(grade, Verdict) and EMPTY_VERDICT in flags
        last = max((call.timestamp for call in found.calls), default="")
        rubric = REREAD if reread else PUBLISHED
        rows.verdicts.append(verdict_row(trial, at, judge, grade, judged_at=last or None, rubric=rubric))
