"""`independence extract-names`: the names that subjects took when they were free to."""

from __future__ import annotations

from typing import Any

import click

from independence.cli import options


@click.command("extract-names")
@click.option(
    "--extractor",
    "-x",
    "extractors",
    multiple=True,
    help="A model id, or `cues` (rules: no key, no cost). Default: the default judge. Repeatable: the next one reads "
    "what the one before could not.",
)
@click.option("--force", "-f", is_flag=True, help="Read again what is read already.")
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option("--suite", help="NAME or NAME@EDITION; may be left out when the store holds one.")
@click.option("--variant", "--variants", "variant", help="System prompt variant; default: the suite's.")
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@options.work
@options.output_format()
@options.db()
def command(**flags: Any) -> None:
    """Read the names out of stored answers, one call a run, and print who took which.

    What is read already is not read again. Imported runs bring their names along.
    """
    import sys

    from independence.cli import names_run

    wanted = names_run.NamesRequest(**{name: flags[name] for name in names_run.NamesRequest.__struct_fields__})
    sys.exit(names_run.extract(wanted))
