"""`independence train-judge`: learn an offline judge from another judge's verdicts, if measuring says it works."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from independence.cli.lessons import Taught
    from independence.judge.offline.training.crossing import Held
    from independence.judge.offline.weights import Weights
    from independence.report.table import Table

_GATE = 1
_FEWEST_FAMILIES = 2
_REPLIES, _EACH = 1000, 2  # of the gaming tables


@click.command("train-judge")
@click.option("--from", "source", type=click.Path(path_type=Path), required=True,
              help="A store, or a published result set (folder or tar).")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="Folder for offline.npz and card.md.")  # fmt: skip
@click.option("--hold-out", type=click.FloatRange(0, 0.5), default=0.2, show_default=True,
              help="Share of configurations kept back at a time, until each was; 0: none are.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Which configurations are kept back.")
@click.option("--licence", default="not stated", help="Under which the data may be used; printed on the card.")
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
) -> None:
    """Learn from the verdicts in --from, and write weights to --out.

    First it is measured, by model family and by scenario, how well unseen verdicts are told; fields that are told no
    better than by a constant are left out. When none is left nothing is written and the exit code is 1.
    """
    from independence.cli import lessons
    from independence.cli.tabled import print_tables
    from independence.cli.terminal import note
    from independence.errors import UsageError

    if not 0 <= hold_out <= 0.5:  # click lets "nan" through
        raise UsageError(f"--hold-out {hold_out:g}: write a share from 0 to 0.5")
    taught = lessons.read(lessons.Asked(source, suite, variant, mode, judge))
    families = {one.family for one in taught.course.lessons}
    note(f"{len(taught.course.lessons):,} verdicts by {taught.origin.teacher} on {len(families)} model families")
    tables, held = _measured(taught)
    fields = _learnable(held)
    if not fields:
        print_tables(tables[:1], format_)
        note(
            "Error: these verdicts cannot train a judge: of families it has not seen, no field is told better than by "
            "a constant (table `by-family`); nothing was written"
        )
        sys.exit(_GATE)
    for name in sorted(set(taught.course.scales) - fields):
        note(f"{name} is left out: it is told no better than by a constant")
    trained, more = _trained(taught, fields, held, (hold_out, seed))
    tables += more
    path = _written(out, trained, licence, tables)
    print_tables(tables, format_)
    note(f"{path} written ({path.stat().st_size / 1e6:.1f} MB), with its card beside it")


def _measured(taught: Taught) -> tuple[list[Table], list[Held]]:
    from independence.cli import rehearsals
    from independence.judge.offline.training import crossing
    from independence.report import training
    from independence.stats import strict

    course = taught.course
    held, strange = crossing.cross(course), crossing.cross(course, by_scenario=True)
    tables = [training.agreement(held, course.scales, "by-family", "Families it has not seen")]
    if held and taught.suite.index is not None:
        fleet = training.fleet(held, course.scales, strict.frame(taught.suite))
        tables.append(training.index(fleet, "index", "The index, of families it has not seen"))
        tables += rehearsals.hybrid(taught, held)
    if held:
        tables.append(training.coverage(held, course.scales, "coverage", "Agreement against coverage"))
    if held and strange and taught.suite.index is not None:
        tables += rehearsals.audit(taught, held, strange)
    if strange:
        tables.append(training.agreement(strange, course.scales, "by-scenario", "Scenarios it has not seen"))
        tables.append(training.by_scenario(strange, course.scales, "each-scenario", "Each scenario, not seen"))
    return tables, held


def _learnable(held: list[Held]) -> set[str]:
    from independence.report import training

    return {
        one.field
        for one in held
        if len({lesson.family for lesson in one.lessons}) >= _FEWEST_FAMILIES and training.trainable(one)
    }


def _trained(
    taught: Taught, fields: set[str], held: list[Held], kept_back: tuple[float, int]
) -> tuple[Weights, list[Table]]:
    import numpy as np

    from independence.judge.offline.training import building, gaming
    from independence.report import card, training
    from independence.stats import strict

    course, (share, seed) = taught.course, kept_back
    limit = float(np.quantile(training.doubts([one for one in held if one.field in fields])[1], 1 - building.ABSTAIN))
    tables, line = [], None
    if taught.suite.index is not None:
        line = training.line(training.fleet(held, course.scales, strict.frame(taught.suite)), taught.suite.suite)
    if share > 0:
        told = building.kept_back(course, fields, building.held_back(course, share, seed))
        tables.append(training.agreement(told, course.scales, "held-back", "Configurations it has not seen"))
        if taught.suite.index is not None:
            fleet = training.fleet(told, course.scales, strict.frame(taught.suite))
            tables.append(training.index(fleet, "held-back-index", "The index, of configurations it has not seen"))
    whole = building.build(course, fields, building.Told(limit, line), taught.origin)
    for id_, title, additions in (
        ("hostile", "Hostile texts appended to real replies", gaming.attacks()),
        ("quoted", "Sentences appended that quote its cues", gaming.quotations()),
    ):
        tables.append(card.gamed(gaming.game(course, whole, additions, _REPLIES, _EACH), id_, title))
    return whole, tables


def _written(out: Path, trained: Weights, licence: str, tables: list[Table]) -> Path:
    from independence.errors import UsageError
    from independence.judge.offline import weights
    from independence.report import card

    try:
        out.mkdir(parents=True, exist_ok=True)
        weights.save(out / weights.FILE, trained.about, trained.heads)
        version = weights.load(out / weights.FILE).version
        (out / weights.CARD).write_text(card.card(trained.about, version, licence, tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
    return out / weights.FILE
