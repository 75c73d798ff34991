"""`independence validate-judges`: how far judges agree, whom they favour, what they cost."""

from __future__ import annotations

import sys
from typing import Any

import click

from independence.cli import options

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@click.command("validate-judges")
@click.option(
    "--judge",
    "-j",
    "judges",
    type=options.NameList(),
    multiple=True,
    help="Only these judges; repeatable. Default: all.",
)
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option("--worst", type=click.IntRange(min=0), default=10, show_default=True, help="Disagreements to list.")
@click.option("--hostile", is_flag=True, help="Ask the judges to grade hostile replies instead; nothing is stored.")
@click.option("--suite", help="NAME or NAME@EDITION in the store; with --hostile a built-in suite or a folder.")
@click.option("--variant", "--variants", "variant", help="System prompt variant; default: the suite's.")
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@options.work
@options.output_format()
@options.db()
def command(judges: tuple[tuple[str, ...], ...], hostile: bool, suite: str | None, **flags: Any) -> None:
    """Compare judges on the dialogues that more than one of them graded.

    Prints a board per judge, agreement, self-preference, costs, and where two judges differ most, with the words.
    With --hostile: how often a judge's verdict moves when the reply it grades talks to it, and what that costs.
    """
    named = tuple(name for names in judges for name in names)
    if hostile:
        from independence.cli import hostile as hostility

        own = {name: flags[name] for name in hostility.ProbeOptions._fields if name in flags}
        sys.exit(hostility.probe(hostility.ProbeOptions(judges=named, suite=suite or "v2", **own)))
    from independence.cli import open_store, place_lookup
    from independence.cli.activity import working
    from independence.cli.table_output import print_tables
    from independence.report.judges.validation import ValidationOptions, validate

    wanted = ValidationOptions(
        named, flags["models"], flags["worst"], _LONGEST if flags["format_"] == "table" else None
    )
    with working("comparing judges", flags["quiet"]), open_store.reading(flags["db"]) as connection:
        scope = place_lookup.find(connection, suite, flags["variant"], flags["mode"])
        tables = validate(connection, scope, wanted)
    print_tables(tables, flags["format_"])
