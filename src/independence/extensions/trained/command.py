"""`independence train-judge`: learn an offline judge from another judge's verdicts, if measuring says it works."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from independence.cli import options
from independence.config.options import ConnectionOptions
from independence.errors import StoreError, missing_extra

_GATE: Final = 1
_NOTHING: Final = (
    "Error: these verdicts cannot train a judge: on unseen model families no field is predicted better than by "
    "its mean (table `by-family`); nothing was written"
)


@options.command("train-judge")
@click.option("--from", "source", type=click.Path(path_type=Path), required=True,
              help="A store, or a published result set (folder or tar).")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="Folder for offline.npz and card.md.")  # fmt: skip
@click.option("--licence", default="not stated", help="Licence of the data, printed on the card.")
@options.FORCE
@options.EXECUTOR
@options.place_options
@options.output_format()
def command(  # noqa: PLR0913 - one parameter an option
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
        raise missing_extra("train-judge needs scikit-learn", "train")
    from independence.cli.activity import working
    from independence.cli.table_output import print_tables
    from independence.cli.terminal import note
    from independence.engine.executors import choice
    from independence.extensions.trained import training_run, training_tables
    from independence.store import scopes

    who = choice.chosen(ConnectionOptions(executor=executor, ray_address=ray_address))
    training_run.check_output(out, force)
    with working("reading verdicts"), training_run.opened(source, suite) as store, store.reading() as connection:
        scope = scopes.find(connection, suite, variant, mode)
        taught = training_run.training_data(connection, scope, judge)
    if not taught.course.lessons:
        raise StoreError(f"{source}: no verdict of {scope.where.edition_name} to learn from")
    families = {one.family for one in taught.course.lessons}
    note(f"{len(taught.course.lessons):,} verdicts by {taught.teacher} on {len(families)} model families")
    with working("measuring") as say, who as processors:
        tables, held, line = training_run.measured(taught, say, processors.map)
    learnable = [one for one in held if training_tables.trainable(one)]
    if not learnable:
        print_tables(tables[:1], format_)
        note(_NOTHING)
        sys.exit(_GATE)
    for name in sorted(set(taught.course.fields) - {one.field for one in learnable}):
        note(f"{name} is left out: predictions of it are no better than its mean")
    with working("training on all verdicts"):
        trained = training_run.trained(taught, learnable, line)
    path = training_run.written(out, trained, licence, tables)
    print_tables(tables, format_)
    note(f"{path} written ({path.stat().st_size / 1e6:.1f} MB), with its card beside it")
