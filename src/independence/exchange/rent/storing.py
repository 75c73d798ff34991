"""A run folder as rows of the store, under the edition of its words. Importing twice changes nothing.

What the tables have no column for is kept beside them, one file a record: everything but texts. Raw bodies stay as they
came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from independence.config.subjects import SIM
from independence.exchange.rent import mending, replies
from independence.exchange.rent.folder import Line
from independence.exchange.rent.reader import Held, Imported, Judged
from independence.exchange.rent.records import answer_file, verdict_file
from independence.judge.spec import verdict_key
from independence.store import context, export_rows, queries, records
from independence.store.queries import PUBLISHED
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest
from independence.suites.schema import Scenario, Suite
from independence.types import Where

UNKNOWN_JUDGE = "unknown"
RUN_ID = "run_id"
SNAPSHOT, GRID = "run_grid.json", "grid.jsonl"
TEXTS = ("messages", "response_text")  # in the tables alone


class Beside(msgspec.Struct, frozen=True):
    """What is kept beside a row: where the record stood, and its values without the texts."""

    line: int
    record: dict[str, msgspec.Raw]


class Stored(NamedTuple):
    """How many rows were new."""

    trials: int
    replies: int
    verdicts: int


class _Rows(NamedTuple):
    trials: list[TrialRow]
    calls: list[CallRow]
    verdicts: list[VerdictRow]
    beside: list[export_rows.Sidecar]


def store(connection: sqlite3.Connection, suite: Suite, imported: Imported) -> Stored:
    """Write a folder in one transaction. Raises sqlite3.Error, then nothing was written."""
    name = suite.suite
    models = dict.fromkeys(held.read.record.model_id for held in imported.held)
    edition = imported.edition
    subjects = [SubjectRow(name, edition, config_dir(model), model, model, _simulated(model)) for model in models]
    connection.execute("BEGIN IMMEDIATE")
    try:
        mending.remove(connection, name, mending.misplaced(connection, name, imported))
        rows = _rows(suite, imported, _runs(connection, suite, imported))
        if queries.document(connection, Where(name, edition)) is None:
            document = msgspec.json.encode(suite).decode()
            records.add_edition(connection, EditionRow(name, edition, document))
        records.add_subjects(connection, subjects)
        stored = Stored(
            records.add_trials(connection, rows.trials),
            records.add_calls_once(connection, rows.calls),
            records.add_verdicts(connection, rows.verdicts),
        )
        owners = {subject.config_dir: subject for subject in subjects}
        for one in rows.beside:
            records.add_sidecar(connection, owners[one.config_dir], one.run, one.name, one.content)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return stored


def config_dir(model: str) -> str:
    """The configuration of a published model: no effort sent, temperature 0.2."""
    return f"{model.replace('/', '--')}@off-t0.2"


def _simulated(model: str) -> bool:
    """An exported run of our own says so in the model's id."""
    return model.startswith(f"{SIM}/")


def _runs(connection: sqlite3.Connection, suite: Suite, imported: Imported) -> dict[tuple[str, int], int]:
    """(model, run id) -> number of the run: what is stored keeps its number, what is new counts on."""
    numbers = {
        (one.config_dir, int(one.content)): one.run
        for one in export_rows.sidecars(connection, Where(suite.suite, imported.edition), RUN_ID)
    }
    out = {}
    for model, run_id in sorted({held.place[:2] for held in imported.held}):
        own = [run for (config, _), run in numbers.items() if config == config_dir(model)]
        out[model, run_id] = numbers.setdefault((config_dir(model), run_id), max(own, default=0) + 1)
    return out


def _rows(suite: Suite, imported: Imported, numbers: Mapping[tuple[str, int], int]) -> _Rows:
    by_place = {held.place: held for held in imported.held}
    rows = _Rows([], [], [], [])
    for (model, run_id), run in numbers.items():
        config = config_dir(model)
        rows.beside.extend(
            export_rows.Sidecar(config, run, name, content)
            for name, content in (
                (RUN_ID, str(run_id).encode()),
                (SNAPSHOT, imported.snapshot),
                (GRID, imported.grid),
            )
            if content
        )
        for scenario in imported.planned:
            trial = _trial(suite, imported.edition, suite.scenario(scenario), (config, run))
            rows.trials.append(trial)
            held = by_place.get((model, run_id, scenario))
            if held:
                _add(rows, suite, trial, held)
    return rows


def _trial(suite: Suite, edition: str, scenario: Scenario, of: tuple[str, int]) -> TrialRow:
    config, run = of
    condition = (suite.default.variant, suite.default.mode)
    place = {"edition": edition, "suite": suite.suite, "config_dir": config, "run": run, "scenario": scenario.id,
             "condition": condition}  # fmt: skip
    return TrialRow(
        digest.sha256(place), suite.suite, edition, config, *condition, scenario.experiment, scenario.id, run, None,
        1, digest.canonical(place).decode(),
    )  # fmt: skip


def _add(rows: _Rows, suite: Suite, trial: TrialRow, held: Held) -> None:
    record = held.read.record
    answer = replies.answer(record)
    begin = context.begin(trial.key)
    turn, after = suite.scenario(trial.scenario).turns[0].id, context.extend(begin, answer)
    at = record.timestamp_iso or None
    rows.calls.append(CallRow(trial.key, 0, turn, begin, after, answer, bytes(record.messages), at))
    name = answer_file(trial.scenario)
    rows.beside.append(export_rows.Sidecar(trial.config_dir, trial.run, name, _beside(held.at, held.read.whole)))
    for judged in held.judged:
        judge = judged.read.record.scorer_model or UNKNOWN_JUDGE
        name = verdict_file(trial.scenario, judge)
        content = _beside(judged.at, judged.read.whole)
        rows.beside.append(export_rows.Sidecar(trial.config_dir, trial.run, name, content))
        rows.verdicts.extend(_verdict(suite, trial, judged, judge))


def _verdict(suite: Suite, trial: TrialRow, judged: Judged, judge: str) -> Iterator[VerdictRow]:
    """The verdict of a scored record, on the words that were scored: where the answer has others it will not count."""
    assert suite.grid is not None
    field = suite.rubrics[suite.grid.rubric].fields[suite.grid.stance]
    record = judged.read.record
    grade = replies.grade(record, suite.grid.stance, field)
    if grade is None:
        return
    at = context.extend(context.begin(trial.key), replies.answer(replies.recovered(record)))
    settings = digest.canonical({"judge": judge, "published": True}).decode()
    yield VerdictRow(
        verdict_key(at, PUBLISHED, settings), trial.key, judge, PUBLISHED, at, settings, grade,
        judged_at=record.eval_timestamp_iso or None,
    )  # fmt: skip


def _beside(at: Line, whole: Mapping[str, msgspec.Raw]) -> bytes:
    kept = {name: value for name, value in whole.items() if name not in TEXTS}
    return msgspec.json.encode(Beside(at.number, kept))
