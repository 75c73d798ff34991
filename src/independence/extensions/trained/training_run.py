"""Training an offline judge: the lessons in a store, what measuring on unseen ones says, and the files it writes."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from independence.api.importing import read_results
from independence.api.reading import Store
from independence.cli.activity import Say
from independence.config import user_files
from independence.config.subjects import family
from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.errors import UsageError
from independence.exchange import requests
from independence.extensions.trained import WEIGHTS, training, weights
from independence.extensions.trained import training_tables as report
from independence.extensions.trained.training import HeldOutPredictions, TrainingExample, TrainingSet
from independence.extensions.trained.views import scenario_digest
from independence.extensions.trained.weights import CalibrationLine, Weights, WeightsInfo
from independence.report import judge_choice, planned_verdicts
from independence.report.planned_verdicts import REREAD
from independence.report.table import Table
from independence.stats import strict
from independence.store import queries, scopes
from independence.store.scopes import BoardScope

_ABSTAIN = 0.05  # share of held-out verdicts whose doubt is too great


class TrainingData(NamedTuple):
    """Lessons and where they are from."""

    course: TrainingSet
    scope: BoardScope
    teacher: str


def check_output(out: Path, force: bool) -> None:
    """Raises UsageError where files would be written over that no training wrote, before the time is spent."""
    user_files.check(out / WEIGHTS, "--out", weights.SIGNATURE, forcible=True, force=force)
    user_files.check(out / weights.CARD, "--out", b"# Card of the offline judge ", forcible=True, force=force)


def opened(source: Path, suite: str | None) -> Store:
    """The store of that name, or a result set as one. Raises StoreError, UsageError."""
    if user_files.is_store(source):
        return Store(source)
    return read_results(source, suite=(suite or "").partition("@")[0] or None)


def training_data(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> TrainingData:
    """All verdicts of a judge at a place, with their dialogues."""
    asked = judge_choice.judge_here(connection, scope, judge)
    table = planned_verdicts.planned_verdicts(connection, scope, asked)
    about = queries.subjects(connection, scope.where)
    trials = dialogue.trials(connection, scope.suite, scope.where)
    if queries.imported(scope.edition):
        trials = requests.in_published_words(connection, trials)
    found = {(trial.subject.label, trial.dialogue.scenario.id, trial.run): trial for trial in trials}
    lessons = []
    for cell in table.every:
        label, model_id, _ = about[cell.config_dir]
        trial = found.get((label, cell.scenario, cell.run))
        progress = dialogue.load(connection, trial) if trial and cell.given and REREAD not in cell.flags else None
        if trial and isinstance(progress, TrialProgress):
            turns = tuple(dialogue.transcript_turns(trial, progress))
            values = {name: float(value) for name, value in (cell.given or {}).items()}
            example = TrainingExample(
                cell.config_dir,
                family(model_id),
                cell.scenario,
                scenario_digest(turns),
                cell.run,
                lines=turns,
                values=values,
            )
            lessons.append(example)
    used = {name for one in lessons for name in one.values}
    rubrics = scopes.grading(connection, scope).rubrics.values()  # published verdicts lack the fields of ours alone
    fields = {name: field for rubric in rubrics for name, field in rubric.fields.items() if name in used}
    course = training.training_set(lessons, fields)
    return TrainingData(course, scope, table.judge or "")


def _counting(say: Say, what: str, parts: str) -> Callable[[], None]:
    """What a step of the work is told: how many of them are done."""
    done = itertools.count(1)
    say(f"{what}: 0 of {parts} parts")
    return lambda: say(f"{what}: {next(done)} of {parts} parts")


def measured(
    taught: TrainingData, say: Say, apply: training.Apply
) -> tuple[list[Table], list[HeldOutPredictions], CalibrationLine | None]:
    """What is said of unseen families and of unseen scenarios, the former predictions, and the index's line by them."""
    suite, line = taught.scope.suite, None
    course = taught.course
    most = f"at most {training.FOLDS * len(course.heads())}"
    step = _counting(say, "measuring on unseen model families", most)
    opened = [one for sentence in report.OPENINGS.values() for one in training.opened(course, sentence)]
    told = training.cross_validate(course, "family", step, opened, apply)
    parts = [one.split(1 + len(report.OPENINGS)) for one in told]
    held = [own[0] for own in parts]
    altered = {name: [own[at] for own in parts] for at, name in enumerate(report.OPENINGS, 1)}
    step = _counting(say, "measuring on unseen scenarios", most)
    strange = training.cross_validate(course, "scenario", step, apply=apply)
    tables = [report.agreement(held, course.fields, "by-family", "Unseen families")]
    tables.append(report.by_scenario(held, course.fields, "each-scenario", "Each scenario, on unseen families"))
    tables.append(report.openings(held, altered))
    if suite.index is not None:
        indices = report.teacher_student_indices(held, course.fields, strict.frame(suite))
        tables.append(report.index(indices))
        line = report.line(indices, suite.suite)
    if strange:
        tables.append(report.agreement(strange, course.fields, "by-scenario", "Unseen scenarios"))
        tables.append(report.by_scenario(strange, course.fields, "each-unseen-scenario", "Each unseen scenario"))
    return tables, held, line


def trained(taught: TrainingData, learnable: list[HeldOutPredictions], line: CalibrationLine | None) -> Weights:
    """Weights from all verdicts; what they hold back, and their line, by what was held out."""
    about = WeightsInfo(
        suite=taught.scope.suite.suite,
        edition=taught.scope.edition,
        teacher=taught.teacher,
        limit=float(np.quantile(report.verdict_doubts(learnable), 1 - _ABSTAIN)),
        line=line,
    )
    return training.build(taught.course, {one.field for one in learnable}, about)


def written(out: Path, trained: Weights, licence: str, tables: list[Table]) -> Path:
    """Write weights and their card into a folder; the file of the weights. Raises UsageError where that fails."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        weights.save(out / WEIGHTS, trained.about, trained.heads)
        version = weights.load(out / WEIGHTS).version
        (out / weights.CARD).write_text(report.card(trained.about, version, licence, tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
    return out / WEIGHTS
