"""`independence train-judge`: learn an offline judge from another judge's verdicts, if measuring says it works."""

from __future__ import annotations

import itertools
import sqlite3
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from independence.api.importing import read_results
from independence.api.reading import Store
from independence.cli import options
from independence.cli.activity import Say, working
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.config import user_files
from independence.config.options import ConnectionOptions
from independence.config.subjects import family
from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.engine.executors import choice
from independence.errors import StoreError, UsageError
from independence.exchange import requests
from independence.judge.kinds import WEIGHTS
from independence.judge.offline import training, weights
from independence.judge.offline.training import HeldOutPredictions, TrainingExample, TrainingSet
from independence.judge.offline.views import scenario_digest
from independence.judge.offline.weights import Weights, WeightsInfo
from independence.judge.protocol import CalibrationLine
from independence.report import planned_verdicts
from independence.report import training as report
from independence.report.planned_verdicts import REREAD
from independence.report.table import Table
from independence.stats import strict
from independence.store import queries, scopes
from independence.store.scopes import BoardScope

_GATE = 1
_NOTHING = (
    "Error: these verdicts cannot train a judge: on unseen model families no field is predicted better than by "
    "its mean (table `by-family`); nothing was written"
)
_ABSTAIN = 0.05  # share of held-out verdicts whose doubt is too great


class TrainingData(NamedTuple):
    """Lessons and where they are from."""

    course: TrainingSet
    scope: BoardScope
    teacher: str


@click.command("train-judge")
@click.option("--from", "source", type=click.Path(path_type=Path), required=True,
              help="A store, or a published result set (folder or tar).")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="Folder for offline.npz and card.md.")  # fmt: skip
@click.option("--licence", default="not stated", help="Licence of the data, printed on the card.")
@options.FORCE
@options.EXECUTOR
@options.place_options
@options.output_format()
def command(
    source: Path,
    out: Path,
    licence: str,
    judge: str | None,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    format_: str,
    force: bool,
    executor: str,
    ray_address: str | None,
) -> None:
    """Train an offline judge on the verdicts in --from, and write its weights to --out. Needs scikit-learn.

    Cross-validation by model family and by scenario measures first how well it predicts unseen verdicts. Fields that
    are predicted no better than by their mean are left out. If none remains, nothing is written and the exit code is 1.
    """
    if find_spec("sklearn") is None:
        raise UsageError("train-judge needs scikit-learn:", "pip install 'ai-independence-bench[train]'")
    who = choice.chosen(ConnectionOptions(executor=executor, ray_address=ray_address))
    _check_output(out, force)
    with working("reading verdicts"), _opened(source, suite) as store, store.reading() as connection:
        scope = scopes.find(connection, suite, variant, mode)
        taught = training_data(connection, scope, judge)
    if not taught.course.lessons:
        raise StoreError(f"{source}: no verdict of {scope.where.edition_name} to learn from")
    families = {one.family for one in taught.course.lessons}
    note(f"{len(taught.course.lessons):,} verdicts by {taught.teacher} on {len(families)} model families")
    with working("measuring") as say, who as processors:
        tables, held, line = _measured(taught, say, processors.map)
    learnable = [one for one in held if report.trainable(one)]
    if not learnable:
        print_tables(tables[:1], format_)
        note(_NOTHING)
        sys.exit(_GATE)
    for name in sorted(set(taught.course.fields) - {one.field for one in learnable}):
        note(f"{name} is left out: predictions of it are no better than its mean")
    with working("training on all verdicts"):
        trained = _trained(taught, learnable, line)
    path = _written(out, trained, licence, tables)
    print_tables(tables, format_)
    note(f"{path} written ({path.stat().st_size / 1e6:.1f} MB), with its card beside it")


def _check_output(out: Path, force: bool) -> None:
    """Raises UsageError where files would be written over that no training wrote, before the time is spent."""
    user_files.check(out / WEIGHTS, "--out", weights.SIGNATURE, forcible=True, force=force)
    user_files.check(out / weights.CARD, "--out", b"# Card of the offline judge ", forcible=True, force=force)


def _opened(source: Path, suite: str | None) -> Store:
    """The store of that name, or a result set as one. Raises StoreError, UsageError."""
    if user_files.is_store(source):
        return Store(source)
    return read_results(source, suite=(suite or "").partition("@")[0] or None)


def training_data(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> TrainingData:
    """All verdicts of a judge at a place, with their dialogues."""
    asked = planned_verdicts.judge_here(connection, scope, judge)
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


def _measured(
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


def _trained(taught: TrainingData, learnable: list[HeldOutPredictions], line: CalibrationLine | None) -> Weights:
    """Weights from all verdicts; what they hold back, and their line, by what was held out."""
    about = WeightsInfo(
        suite=taught.scope.suite.suite,
        edition=taught.scope.edition,
        teacher=taught.teacher,
        limit=float(np.quantile(report.verdict_doubts(learnable), 1 - _ABSTAIN)),
        line=line,
    )
    return training.build(taught.course, {one.field for one in learnable}, about)


def _written(out: Path, trained: Weights, licence: str, tables: list[Table]) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
        weights.save(out / WEIGHTS, trained.about, trained.heads)
        version = weights.load(out / WEIGHTS).version
        (out / weights.CARD).write_text(report.card(trained.about, version, licence, tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
    return out / WEIGHTS
