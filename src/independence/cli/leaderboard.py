"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from typing import Annotated

from independence.cli import options
from independence.cli.options import Detailed, Format, GeneralisesTo, Pooled, ReadDb, Scoring, ShownModels
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.config.options import Place
from independence.errors import UsageError


@options.command("leaderboard")
def command(
    *,
    matrix: Annotated[bool, Flag("Compare system prompts and delivery modes with the baseline instead.")] = False,
    items: Annotated[bool, Flag("Show which scenarios, and kinds of them, still separate subjects instead.")] = False,
    profile: Annotated[bool, Flag("Show one row a model over suites: what `run --suite profile` asks.")] = False,
    sort: Annotated[str | None, Flag("With --profile: the column that orders it, as J.", metavar="COLUMN")] = None,
    pooled: Pooled = False,
    models: ShownModels = (),
    place: Place,
    detailed: Detailed = False,
    explain: Annotated[bool, Flag("Say below the board what every column, mark and interval means.")] = False,
    scoring: Scoring = "strict",
    generalises_to: GeneralisesTo = "these-scenarios",
    format_: Format = "table",
    db: ReadDb = STORE,
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.api import profiling, reading
    from independence.cli.output import table_output
    from independence.report.board import board

    if profile:
        options.refuse_beside("--profile is about several suites", "profile", "sort", "judge", "models")
        with activity.working("reading the profile"), reading.Store(db, note) as store:
            found = profiling.read_profile(store, judge=place.get("judge"), models=models, sort=sort)
        table_output.print_profile(found, format_)
        return
    if sort is not None:
        raise UsageError("--sort is about the profile", "add --profile, or leave it out")
    if pooled and matrix:
        raise UsageError("--pooled is one board over every condition, and --matrix compares them; choose one")
    if matrix and models:
        raise UsageError("--matrix shows means over all subjects; leave --models out")
    if items and (matrix or pooled or scoring != "strict"):
        raise UsageError("--items is about one condition, strictly scored; leave --matrix, --pooled and --scoring out")
    with reading.Store(db, note) as store:
        if matrix or items:
            with activity.working("building the tables"):
                tables = store.matrix(**place) if matrix else store.items(**place, models=models)
            table_output.print_tables(tables, format_)
            return
        asked = board.InferenceOptions(generalises_to)
        with activity.working("building the board"):
            made = store.board(**place, scoring=scoring, models=models, reading=asked, pooled=pooled)
        more = f"More: --explain{'' if detailed else ', --detailed'}."
        table_output.print_boards([made.built], format_, detailed, explain, [more])
