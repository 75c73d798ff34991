"""A run folder as rows of the store, under the edition of its words. Importing twice changes nothing.

Values that the tables have no column for are kept in sidecars, one for each record, everything but texts. Raw bodies
stay as they came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from independence.exchange.rent import words
from independence.exchange.rent.reader import ImportedAnswer, ImportedFolder
from independence.exchange.rent.records import (
    SCORE_FILES,
    AnswerRecord,
    ParsedLine,
    ScoredRecord,
    answer,
    answer_file,
    grade,
    recovered,
    score_file,
)
from independence.exchange.storing import (
    UNKNOWN_JUDGE,
    ImportedRows,
    NewRows,
    subject_row,
    trial_row,
    verdict_row,
    write,
)
from independence.store import context, export_rows
from independence.store.database import transaction
from independence.store.deletion import OF_TRIALS
from independence.store.export_rows import Sidecar
from independence.store.queries import PUBLISHED
from independence.store.records import CallRow, EditionRow, TrialRow, VerdictRow
from independence.suites.schema import Suite
from independence.types import Condition, Where

RUN_ID, SNAPSHOT, GRID = "run_id", "run_grid.json", "grid.jsonl"
_TEXTS = ("messages", "response_text")  # in the tables alone


class RecordSidecar(msgspec.Struct, frozen=True):
    """The sidecar of a row: the line of its record, and the values without the texts."""

    line: int
    record: dict[str, msgspec.Raw]


class Misplaced(NamedTuple):
    """A trial of the edition `published` that was asked in words of another one."""

    trial: str
    config_dir: str
    run: int
    scenario: str


def store(connection: sqlite3.Connection, suite: Suite, imported: ImportedFolder) -> NewRows:
    """Write a folder in one transaction. Raises sqlite3.Error, then nothing was written."""
    with transaction(connection):
        _remove(connection, suite.suite, misplaced(connection, suite.suite, imported))
        return write(connection, _rows(suite, imported, _runs(connection, suite, imported)))


def config_dir(model: str) -> str:
    """The configuration of a published model: no effort sent, temperature 0.2."""
    return f"{model.replace('/', '--')}@off-t0.2"


def _runs(connection: sqlite3.Connection, suite: Suite, imported: ImportedFolder) -> dict[tuple[str, int], int]:
    """(model, run id) -> number of the run: what is stored keeps its number, what is new counts on."""
    numbers = {
        (one.config_dir, int(one.content)): one.run
        for one in export_rows.sidecars(connection, Where(suite.suite, imported.edition), RUN_ID)
    }
    out = {}
    for model, run_id in sorted({one.key[:2] for one in imported.answers}):
        own = [run for (config, _), run in numbers.items() if config == config_dir(model)]
        out[model, run_id] = numbers.setdefault((config_dir(model), run_id), max(own, default=0) + 1)
    return out


def _rows(suite: Suite, imported: ImportedFolder, numbers: Mapping[tuple[str, int], int]) -> ImportedRows:
    rows = ImportedRows(EditionRow(suite.suite, imported.edition, msgspec.json.encode(suite).decode()))
    for model in dict.fromkeys(one.key[0] for one in imported.answers):
        config = config_dir(model)
        rows.subjects[config] = subject_row(suite, imported.edition, config, model, model)
    by_key = {one.key: one for one in imported.answers}
    condition = Condition(suite.default.variant, suite.default.mode)
    for (model, run_id), run in numbers.items():
        config = config_dir(model)
        files = {RUN_ID: str(run_id).encode(), SNAPSHOT: imported.snapshot, GRID: imported.grid}
        rows.sidecars.extend(Sidecar(config, run, name, content) for name, content in files.items() if content)
        for name in imported.planned:
            scenario = suite.scenario(name)
            trial = trial_row(suite, imported.edition, scenario, config_dir=config, run=run, condition=condition)
            rows.trials.append(trial)
            if one := by_key.get((model, run_id, name)):
                _add(rows, suite, trial, one)
    return rows


def _add(rows: ImportedRows, suite: Suite, trial: TrialRow, one: ImportedAnswer) -> None:
    """Add the rows of an answer and its scores, and their sidecars."""
    reply, begin = answer(one.record), context.begin(trial.key)
    rows.calls.append(CallRow(
        trial=trial.key, turn=0, turn_id=suite.scenario(trial.scenario).turns[0].id, context=begin,
        after=context.extend(begin, reply), answer=reply, messages=bytes(one.record.messages),
        answered_at=one.record.timestamp_iso or None,
    ))  # fmt: skip
    rows.sidecars.append(_sidecar(trial, answer_file(trial.scenario), one.line))
    for score in one.scores:
        judge = score.line.record.scorer_model or UNKNOWN_JUDGE
        rows.sidecars.append(_sidecar(trial, score_file(trial.scenario, judge), score.line))
        rows.verdicts.extend(_verdict(suite, trial, score.line.record, judge))


def _verdict(suite: Suite, trial: TrialRow, record: ScoredRecord, judge: str) -> Iterator[VerdictRow]:
    """The verdict of a scored record, on the words that were scored: it does not count where the answer has others."""
    assert suite.grid is not None
    found = grade(record, suite.grid.stance, suite.rubrics[suite.grid.rubric].fields[suite.grid.stance])
    if found is not None:
        at = context.extend(context.begin(trial.key), answer(recovered(record)))
        yield verdict_row(trial.key, at, judge, found, judged_at=record.eval_timestamp_iso or None)


def _sidecar(trial: TrialRow, name: str, line: ParsedLine[AnswerRecord] | ParsedLine[ScoredRecord]) -> Sidecar:
    kept = {key: value for key, value in line.whole.items() if key not in _TEXTS}
    content = msgspec.json.encode(RecordSidecar(line.at.number, kept))
    return Sidecar(trial.config_dir, trial.run, name, content)


def misplaced(connection: sqlite3.Connection, suite: str, imported: ImportedFolder) -> list[Misplaced]:
    """Trials under `published` that were asked in the words of a folder of another edition.

    An earlier version placed answers by their facts alone; importing their folder again moves them.
    """
    if imported.edition == PUBLISHED:
        return []
    asked = {words.role_texts(one.record.messages) for one in imported.answers} - {()}
    rows = connection.execute(
        "SELECT p.trial, p.config_dir, p.run, p.scenario, c.messages FROM planned p JOIN calls c ON c.trial = p.trial "
        "WHERE p.suite = ? AND p.edition = ? AND c.messages IS NOT NULL",
        (suite, PUBLISHED),
    )
    return [
        Misplaced(trial, config, run, scenario)
        for trial, config, run, scenario, messages in rows.fetchall()
        if words.role_texts(msgspec.Raw(messages)) in asked
    ]


def _remove(connection: sqlite3.Connection, suite: str, found: list[Misplaced]) -> None:
    """Take trials out of `published`, with what is left of runs that held nothing else. Within a transaction."""
    if not found:
        return
    place = (suite, PUBLISHED)
    for one in found:
        _drop(connection, [one.trial])
        connection.execute(
            "DELETE FROM sidecars WHERE suite = ? AND edition = ? AND config_dir = ? AND run = ? "
            "AND (name = ? OR name LIKE ?)",
            (*place, one.config_dir, one.run, answer_file(one.scenario), f"{SCORE_FILES}{one.scenario}/%"),
        )
    for config, run in {(one.config_dir, one.run) for one in found}:
        _drop_empty(connection, (*place, config, run))
    for table in ("subjects", "editions"):
        same = "AND p.config_dir = subjects.config_dir" if table == "subjects" else ""
        connection.execute(
            f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND NOT EXISTS (SELECT 1 FROM planned p "
            f"WHERE p.suite = {table}.suite AND p.edition = {table}.edition {same})",
            place,
        )


def _drop_empty(connection: sqlite3.Connection, at: tuple[str, str, str, int]) -> None:
    """Take out a run in which nothing is answered any more; `at`: suite, edition, config_dir, run."""
    where = "suite = ? AND edition = ? AND config_dir = ? AND run = ?"
    answered = f"SELECT 1 FROM planned p JOIN calls c ON c.trial = p.trial WHERE {where} LIMIT 1"
    if connection.execute(answered, at).fetchone() is None:
        _drop(connection, [trial for (trial,) in connection.execute(f"SELECT trial FROM planned WHERE {where}", at)])
        for table in ("names", "sidecars"):
            connection.execute(f"DELETE FROM {table} WHERE {where}", at)


def _drop(connection: sqlite3.Connection, trials: list[str]) -> None:
    for table in (*OF_TRIALS, "planned"):
        connection.executemany(f"DELETE FROM {table} WHERE trial = ?", [(trial,) for trial in trials])
    connection.executemany("DELETE FROM trials WHERE key = ?", [(trial,) for trial in trials])
