"""Imported results as rows of the store. Importing twice changes nothing.

Results of the bench are kept under the edition `published`, answers of a rent folder under that of their words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config.registry import Registry
from independence.config.subjects import SIM
from independence.errors import UsageError
from independence.exchange.dialogues import ImportedCall, ImportedRun, ImportedTrial
from independence.exchange.rent.reader import ImportedAnswer, ImportedFolder
from independence.exchange.rent.records import answer, grade, recovered
from independence.exchange.rent.words import FolderEdition
from independence.exchange.responses import EMPTY_VERDICT
from independence.judge.protocol import verdict_key
from independence.store import artefacts, context, export_rows, names, queries, records, routes
from independence.store.artefacts import ArtefactRow
from independence.store.database import transaction
from independence.store.export_rows import Sidecar
from independence.store.queries import PUBLISHED, REREAD
from independence.store.records import CallRow, EditionRow, FailureRow, SubjectRow, TrialRow, VerdictRow
from independence.store.routes import RouteRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.suites.without_texts import without_texts
from independence.types import Condition, Grade, Verdict, Where

RUN_ID = "run_id"  # name of the sidecar that says which run of a rent folder it was
UNKNOWN_JUDGE = "unknown"  # whose verdicts were published without a name


class NewRows(NamedTuple):
    """How many rows were new."""

    trials: int
    replies: int
    verdicts: int


@dataclass(frozen=True)
class ImportedRows:
    """The rows that an import writes."""

    edition: EditionRow
    subjects: dict[str, SubjectRow] = field(default_factory=dict)  # by config_dir
    trials: list[TrialRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    verdicts: list[VerdictRow] = field(default_factory=list)
    sidecars: list[Sidecar] = field(default_factory=list)
    steps: list[ArtefactRow] = field(default_factory=list)
    routes: list[RouteRow] = field(default_factory=list)
    failures: list[FailureRow] = field(default_factory=list)
    personas: Mapping[str, str] = field(default_factory=dict)  # variant -> text


def write(connection: sqlite3.Connection, rows: ImportedRows) -> NewRows:
    """Write what is not there yet, within a transaction."""
    if queries.document(connection, Where(rows.edition.suite, rows.edition.edition)) is None:
        records.add_edition(connection, rows.edition)
    for variant, text in rows.personas.items():
        records.add_persona(connection, rows.edition, variant, text)
    records.add_subjects(connection, rows.subjects.values())
    trials = records.add_trials(connection, rows.trials)
    calls = records.add_calls_once(connection, rows.calls)
    verdicts = records.add_verdicts(connection, rows.verdicts)
    for step in rows.steps:
        artefacts.add(connection, step)
    routes.add(connection, rows.routes)
    for failure in rows.failures:
        records.add_failure(connection, failure)
    for one in rows.sidecars:
        records.add_sidecar(connection, rows.subjects[one.config_dir], one.run, one.name, one.content)
    return NewRows(trials, calls, verdicts)


def store(
    connection: sqlite3.Connection, suite: Suite, runs: Sequence[ImportedRun], labels: Mapping[str, str]
) -> NewRows:
    """Write a result set in one transaction; `labels` by config_dir. Raises sqlite3.Error, then nothing was written."""
    known, ours = (msgspec.json.encode(one).decode() for one in (without_texts(suite), suite))
    rows = ImportedRows(EditionRow(suite.suite, PUBLISHED, known, ours))
    for run in runs:
        label = labels.get(run.config_dir, run.model_id)
        rows.subjects[run.config_dir] = subject_row(suite, PUBLISHED, run.config_dir, run.model_id, label)
        for row, trial in _places(run, suite):
            rows.trials.append(row)
            if trial:
                calls = list(_calls(row.key, trial.calls))
                rows.calls.extend(calls)
                rows.verdicts.extend(_verdict(row.key, calls[-1].after if calls else row.key, trial))
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


def _places(run: ImportedRun, suite: Suite) -> Iterator[tuple[TrialRow, ImportedTrial | None]]:
    """Every scenario of the suite under every condition the run has, with what was published for it."""
    found = {(trial.condition, trial.scenario.id): trial for trial in run.trials}
    for condition in dict.fromkeys(trial.condition for trial in run.trials):
        for scenario in suite.scenarios:
            row = trial_row(
                suite, PUBLISHED, scenario, config_dir=run.config_dir, run=run.run, condition=condition
            )  # fmt: skip
            yield row, found.get((condition, scenario.id))


def _calls(trial: str, calls: Sequence[ImportedCall]) -> Iterator[CallRow]:
    at = context.begin(trial)
    for call in calls:
        after = context.extend(at, call.answer)
        yield CallRow(
            trial=trial, turn=call.turn, turn_id=call.turn_id, context=at, after=after, answer=call.answer,
            messages=call.request_messages, answered_at=call.timestamp or None,
        )  # fmt: skip
        at = after


def _verdict(trial: str, at: str, one: ImportedTrial) -> Iterator[VerdictRow]:
    grade, judge, flags = one.verdict
    if grade is not None:
        reread = isinstance(grade, Verdict) and EMPTY_VERDICT in flags
        last = max((call.timestamp for call in one.calls), default="")
        rubric = REREAD if reread else PUBLISHED
        yield verdict_row(trial, at, judge, grade, judged_at=last or None, rubric=rubric)


def store_folder(connection: sqlite3.Connection, imported: ImportedFolder) -> NewRows:
    """Write a folder in one transaction. Raises sqlite3.Error, then nothing was written."""
    with transaction(connection):
        return write(connection, _folder_rows(imported, _runs(connection, imported)))


def config_dir(model: str) -> str:
    """The configuration of a published model: no effort sent, temperature 0.2."""
    return f"{model.replace('/', '--')}@off-t0.2"


def _runs(connection: sqlite3.Connection, imported: ImportedFolder) -> dict[tuple[str, int], int]:
    """(model, run id) -> number of the run: what is stored keeps its number, what is new counts on."""
    numbers = {
        (one.config_dir, int(one.content)): one.run
        for one in export_rows.sidecars(connection, Where(imported.edition.suite.suite, imported.edition.name), RUN_ID)
    }
    out = {}
    for model, run_id in sorted({one.key[:2] for one in imported.answers}):
        own = [run for (config, _), run in numbers.items() if config == config_dir(model)]
        out[model, run_id] = numbers.setdefault((config_dir(model), run_id), max(own, default=0) + 1)
    return out


def _folder_rows(imported: ImportedFolder, numbers: Mapping[tuple[str, int], int]) -> ImportedRows:
    suite, edition = imported.edition.suite, imported.edition.name
    rows = ImportedRows(EditionRow(suite.suite, edition, msgspec.json.encode(suite).decode()))
    by_key = {one.key: one for one in imported.answers}
    condition = Condition(suite.default.variant, suite.default.mode)
    for (model, run_id), run in numbers.items():
        config = config_dir(model)
        rows.subjects[config] = subject_row(suite, edition, config, model, model)
        rows.sidecars.append(Sidecar(config, run, RUN_ID, str(run_id).encode()))
        for name in imported.planned:
            scenario = suite.scenario(name)
            trial = trial_row(suite, edition, scenario, config_dir=config, run=run, condition=condition)
            rows.trials.append(trial)
            if one := by_key.get((model, run_id, name)):
                rows.calls.append(_call(trial, scenario, one))
                rows.verdicts.extend(_verdicts(trial, one, imported.edition))
    return rows


def _call(trial: TrialRow, scenario: Scenario, one: ImportedAnswer) -> CallRow:
    reply, begin = answer(one.record), context.begin(trial.key)
    return CallRow(
        trial=trial.key, turn=0, turn_id=scenario.turns[0].id, context=begin, after=context.extend(begin, reply),
        answer=reply, messages=bytes(one.record.messages), answered_at=one.record.timestamp_iso or None,
    )  # fmt: skip


def _verdicts(trial: TrialRow, one: ImportedAnswer, edition: FolderEdition) -> Iterator[VerdictRow]:
    """The verdicts on an answer, on the words that were scored: one does not count where the answer has others."""
    for record in one.scores:
        found = grade(record, *edition.stance)
        if found is not None:
            at = context.extend(context.begin(trial.key), answer(recovered(record)))
            judge = record.scorer_model or UNKNOWN_JUDGE
            yield verdict_row(trial.key, at, judge, found, judged_at=record.eval_timestamp_iso or None)
