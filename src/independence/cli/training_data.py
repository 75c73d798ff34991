"""What `train-judge` learns from: the verdicts of a store, or of a published result set, imported on the side."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from independence.config.subjects import family
from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.engine.plan import Trial
from independence.errors import StoreError
from independence.exchange import published, requests
from independence.exchange import storing as runs
from independence.exchange.rent import folder, reader
from independence.exchange.rent import storing as stances
from independence.judge.offline.training.training_set import FieldScale, TrainingExample, TrainingSet, make_training_set
from independence.judge.offline.training.weights_building import TrainingOrigin
from independence.judge.offline.views import scenario_digest
from independence.report import judge_choice, planned_verdicts
from independence.store import database, queries, scopes, spending
from independence.store.scopes import BoardScope
from independence.suites import load
from independence.suites.schema import Suite

_SQLITE = b"SQLite format 3\x00"


class VerdictSource(NamedTuple):
    """Which verdicts."""

    source: Path
    suite: str | None
    variant: str | None
    mode: str | None
    judge: str | None


class TrainingData(NamedTuple):
    """Lessons and where they are from."""

    course: TrainingSet
    origin: TrainingOrigin
    suite: Suite
    usd: float | None = None  # of one verdict of the teacher; None where none is known to have cost anything


def read(asked: VerdictSource) -> TrainingData:
    """Read all verdicts. Raises UsageError, StoreError where there are none."""
    with _opened(asked) as connection:
        scope = scopes.find(connection, asked.suite, asked.variant, asked.mode)
        table = planned_verdicts.planned_verdicts(
            connection, scope, judge_choice.judge_here(connection, scope, asked.judge)
        )
        lessons = _lessons(connection, scope, table)
        usd = _usd(connection, scope, table.judge)
    if not lessons:
        raise StoreError(f"{asked.source}: no verdict of {scope.where.edition_name} to learn from")
    origin = TrainingOrigin(scope.suite.suite, scope.edition, table.judge or "")
    return TrainingData(make_training_set(lessons, _scales(scope.suite, lessons)), origin, scope.suite, usd)


def _usd(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> float | None:
    """Mean dollars of a verdict."""
    spent = [one for one in spending.by_judge(connection, scope.where) if one.judge == judge and one.cost_usd]
    return sum(one.cost_usd for one in spent) / sum(one.verdicts for one in spent) if spent else None


@contextmanager
def _opened(asked: VerdictSource) -> Iterator[sqlite3.Connection]:
    if _is_store(asked.source):
        with closing(database.connect_existing(asked.source)) as connection:
            yield connection
        return
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(database.connect(Path(scratch, "lessons.db"))) as connection,
    ):
        _import(connection, asked)
        yield connection


def _is_store(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _import(connection: sqlite3.Connection, asked: VerdictSource) -> None:
    """The result set of a path into a store of its own."""
    found = folder.find(asked.source)
    name = (asked.suite or "").partition("@")[0]
    if found is not None:
        stances.store(connection, reader.read(found, load.load(name or "rent")))
        return
    suite = load.load(name or "v2").suite
    result = published.read(asked.source, suite)
    runs.store(connection, suite, result.runs, {run.config_dir: run.config_dir for run in result.runs})


def _lessons(
    connection: sqlite3.Connection, scope: BoardScope, table: planned_verdicts.PlannedVerdicts
) -> list[TrainingExample]:
    about = queries.subjects(connection, scope.where)
    trials = dialogue.trials(connection, scope.suite, scope.where)
    if queries.imported(scope.edition):
        trials = requests.in_published_words(connection, trials)
    found = {(trial.subject.label, trial.dialogue.scenario.id, trial.run): trial for trial in trials}
    out: list[TrainingExample] = []
    for cell in table.planned:
        label, model_id, _ = about[cell.config_dir]
        trial = found.get((label, cell.scenario, cell.run))
        if cell.given is not None and planned_verdicts.REREAD not in cell.flags and trial is not None:
            out += _lesson(connection, cell, trial, family(model_id))
    return out


def _lesson(
    connection: sqlite3.Connection, cell: planned_verdicts.PlannedVerdict, trial: Trial, family_: str
) -> Iterator[TrainingExample]:
    progress = dialogue.load(connection, trial)
    if isinstance(progress, TrialProgress) and cell.given is not None:
        lines = tuple(dialogue.transcript_turns(trial, progress))
        values = {name: float(value) for name, value in cell.given.items()}
        yield TrainingExample(
            cell.config_dir,
            family_,
            scenario=cell.scenario,
            digest=scenario_digest(lines),
            run=cell.run,
            lines=lines,
            values=values,
        )


def _scales(suite: Suite, lessons: list[TrainingExample]) -> dict[str, FieldScale]:
    used = {name for one in lessons for name in one.values}
    out = {}
    for rubric in suite.rubrics.values():
        for name, field in rubric.fields.items():
            if name in used:
                low, high = field.range or (0.0, 1.0)
                out[name] = FieldScale(low, high, field.type == "boolean", field.type == "integer")
    return out
