"""What an import writes, as rows of the store. Importing twice changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from independence.store import artefacts, queries, records
from independence.store.artefacts import ArtefactRow
from independence.store.records import CallRow, EditionRow, FailureRow, Sidecar, SubjectRow, TrialRow, VerdictRow
from independence.types import Where


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
    records.forget_wordless(connection, [row.trial for row in rows.calls])
    calls = records.add_calls_once(connection, rows.calls)
    verdicts = records.add_verdicts(connection, rows.verdicts)
    for step in rows.steps:
        artefacts.add(connection, step)
    for failure in rows.failures:
        records.add_failure(connection, failure)
    for one in rows.sidecars:
        records.add_sidecar(connection, rows.subjects[one.config_dir], one.run, one.name, one.content)
    return NewRows(trials, calls, verdicts)
