"""A run folder as rows of the store, under the edition of its words. Importing twice changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from independence.exchange.storing import ImportedRows, NewRows, write
from independence.extensions.published.dialogues import trial_row
from independence.extensions.published.rent.reader import ImportedFolder
from independence.extensions.published.rent.records import answer, grade, recovered
from independence.extensions.published.storing import UNKNOWN_JUDGE, subject_row, verdict_row
from independence.store import context, names
from independence.store.file.database import transaction
from independence.store.records import CallRow, EditionRow, Sidecar
from independence.types import Condition, Where

RUN_ID = "run_id"  # name of the sidecar that says which run of a rent folder it was


def store_folder(connection: sqlite3.Connection, imported: ImportedFolder) -> NewRows:
    """Write a folder in one transaction. Raises sqlite3.Error, then nothing was written."""
    with transaction(connection):
        return write(connection, _folder_rows(imported, _runs(connection, imported)))


def config_dir(model: str) -> str:
    """The configuration of a published model: no effort sent, temperature 0.2."""
    return f"{model.replace('/', '--')}@off-t0.2"


def _runs(connection: sqlite3.Connection, imported: ImportedFolder) -> dict[tuple[str, int], int]:
    """(model, run id) -> number of the run: what is stored keeps its number, what is new counts on."""
    where = Where(imported.edition.suite.suite, imported.edition.name)
    numbers = {(config, int(own)): run for (config, run), own in names.imported(connection, where, RUN_ID).items()}
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
                reply, begin = answer(one.record), context.begin(trial.key)
                rows.calls.append(CallRow(
                    trial=trial.key, turn=0, turn_id=scenario.turns[0].id, context=begin,
                    after=context.extend(begin, reply), answer=reply, messages=bytes(one.record.messages),
                    answered_at=one.record.timestamp_iso or None,
                ))  # fmt: skip
                for record in one.scores:
                    if (found := grade(record, *imported.edition.stance)) is not None:
                        # On the words that were scored: it does not count where the answer has others.
                        at = context.extend(begin, answer(recovered(record)))
                        judge, when = record.scorer_model or UNKNOWN_JUDGE, record.eval_timestamp_iso or None
                        rows.verdicts.append(verdict_row(trial.key, at, judge, found, judged_at=when))
    return rows
