"""`independence train-judge`: learn an offline judge from another judge's verdicts, if measuring says it works."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import click

from independence.cli import options, training_data
from independence.cli.activity import Say, working
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.cli.training_data import TrainingData
from independence.config import user_files
from independence.errors import UsageError
from independence.judge.offline import weights
from independence.judge.offline.training import appended_attacks, cross_validation, weights_building
from independence.judge.offline.training.cross_validation import HeldOutPredictions
from independence.judge.offline.weights import Weights
from independence.report import judge_card, training
from independence.report.table import Table
from independence.stats import strict

_GATE = 1
_NOTHING = (
    "Error: these verdicts cannot train a judge: on unseen model families no field is predicted better than by "
    "its mean (table `by-family`); nothing was written"
)
_FEWEST_FAMILIES = 2
_REPLIES, _EACH = 1000, 2  # of the gaming tables


@click.command("train-judge")
@click.option("--from", "source", type=click.Path(path_type=Path), required=True,
              help="A store, or a published result set (folder or tar).")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="Folder for offline.npz and card.md.")  # fmt: skip
@click.option("--hold-out", type=click.FloatRange(0, 0.5), default=0.2, show_default=True,
              help="Cross-validation over configurations: share left out at a time; 0 skips it.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Which configurations are left out together.")
@click.option("--licence", default="not stated", help="Licence of the data, printed on the card.")
@click.option("--force", is_flag=True, help="Overwrite files that no training wrote; never a store.")
@options.place_options
@options.output_format()
def command(
    source: Path,
    out: Path,
    hold_out: float,
    seed: int,
    licence: str,
    judge: str | None,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    format_: str,
    force: bool,
) -> None:
    """Train an offline judge on the verdicts in --from, and write its weights to --out.

    Cross-validation by model family and by scenario measures first how well it predicts unseen verdicts. Fields that
    are predicted no better than by their mean are left out. If none remains, nothing is written and the exit code is 1.
    """
    if not 0 <= hold_out <= 0.5:  # click lets "nan" through
        raise UsageError(f"--hold-out {hold_out:g}: write a share from 0 to 0.5")
    _check_output(out, force)
    with working("reading verdicts"):
        taught = training_data.read(training_data.VerdictSource(source, suite, variant, mode, judge))
    note(_about(taught))
    with working("measuring") as say:
        tables, held = _measured(taught, say)
    fields = _learnable(held)
    if not fields:
        print_tables(tables[:1], format_)
        note(_NOTHING)
        sys.exit(_GATE)
    for name in sorted(set(taught.course.scales) - fields):
        note(f"{name} is left out: predictions of it are no better than its mean")
    with working("learning") as say:
        trained, more = _trained(taught, fields, held, (hold_out, seed), say)
    tables += more
    path = _written(out, trained, licence, tables)
    print_tables(tables, format_)
    note(f"{path} written ({path.stat().st_size / 1e6:.1f} MB), with its card beside it")


def _check_output(out: Path, force: bool) -> None:
    """Raises UsageError where files would be written over that no training wrote, before the time is spent."""
    user_files.check(out / weights.FILE, "--out", weights.SIGNATURE, forcible=True, force=force)
    user_files.check(out / weights.CARD, "--out", b"# Card of the offline judge ", forcible=True, force=force)


def _about(taught: TrainingData) -> str:
    families = {one.family for one in taught.course.lessons}
    return f"{len(taught.course.lessons):,} verdicts by {taught.origin.teacher} on {len(families)} model families"


def _counting(say: Say, what: str, parts: str) -> Callable[[], None]:
    """What a step of the work is told: how many of them are done."""
    done = itertools.count(1)
    say(f"{what}: 0 of {parts} parts")
    return lambda: say(f"{what}: {next(done)} of {parts} parts")


def _measured(taught: TrainingData, say: Say) -> tuple[list[Table], list[HeldOutPredictions]]:

    course = taught.course
    most = f"at most {cross_validation.FOLDS * len(course.heads())}"
    held = cross_validation.cross_validate(course, step=_counting(say, "measuring on unseen model families", most))
    strange = cross_validation.cross_validate(course, True, _counting(say, "measuring on unseen scenarios", most))
    tables = [training.agreement(held, course.scales, "by-family", "Unseen families")]
    if held and taught.suite.index is not None:
        fleet = training.teacher_student_indices(held, course.scales, strict.frame(taught.suite))
        tables.append(training.index(fleet, "index", "The index, on unseen families"))
    if held:
        tables.append(training.coverage(held, course.scales, "coverage", "Agreement against coverage"))
    if strange:
        tables.append(training.agreement(strange, course.scales, "by-scenario", "Unseen scenarios"))
        tables.append(training.by_scenario(strange, course.scales, "each-scenario", "Each unseen scenario"))
    return tables, held


def _learnable(held: list[HeldOutPredictions]) -> set[str]:

    return {
        one.field
        for one in held
        if len({lesson.family for lesson in one.lessons}) >= _FEWEST_FAMILIES and training.trainable(one)
    }


def _trained(
    taught: TrainingData, fields: set[str], held: list[HeldOutPredictions], kept_back: tuple[float, int], say: Say
) -> tuple[Weights, list[Table]]:
    import numpy as np

    course, (share, seed) = taught.course, kept_back
    limit = float(
        np.quantile(
            training.verdict_doubts([one for one in held if one.field in fields])[1], 1 - weights_building.ABSTAIN
        )
    )
    tables, line = [], None
    if taught.suite.index is not None:
        line = training.line(
            training.teacher_student_indices(held, course.scales, strict.frame(taught.suite)), taught.suite.suite
        )
    if share > 0:
        parts = weights_building.held_out_parts(course, share, seed)
        step = _counting(say, "measuring on unseen configurations", str(len(parts)))
        told = weights_building.predict_held_out_parts(course, fields, parts, step)
        tables.append(training.agreement(told, course.scales, "held-back", "Unseen configurations"))
        if taught.suite.index is not None:
            fleet = training.teacher_student_indices(told, course.scales, strict.frame(taught.suite))
            tables.append(training.index(fleet, "held-back-index", "The index, on unseen configurations"))
    say("training on all verdicts")
    whole = weights_building.build(course, fields, weights_building.JudgeCalibration(limit, line), taught.origin)
    for id_, title, additions in (
        ("hostile", "Hostile texts appended to real replies", appended_attacks.attacks()),
        ("quoted", "Sentences appended that quote its cues", appended_attacks.quotations()),
    ):
        say(f"testing it on replies with appended texts ({id_})")
        tables.append(
            judge_card.gamed(appended_attacks.measure_attacks(course, whole, additions, _REPLIES, _EACH), id_, title)
        )
    return whole, tables


def _written(out: Path, trained: Weights, licence: str, tables: list[Table]) -> Path:

    try:
        out.mkdir(parents=True, exist_ok=True)
        weights.save(out / weights.FILE, trained.about, trained.heads)
        version = weights.load(out / weights.FILE).version
        (out / weights.CARD).write_text(judge_card.card(trained.about, version, licence, tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
    return out / weights.FILE
