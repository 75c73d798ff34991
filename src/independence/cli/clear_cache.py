"""`independence clear-cache`: delete from the store, after saying exactly what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from independence.cli import options


@click.command("clear-cache")
@click.option("--verdicts", is_flag=True, help="Verdicts only; replies stay and can be graded again.")
@click.option(
    "--missing", is_flag=True, help="Replies and verdicts that came to nothing, so that they are asked again."
)
@click.option("--everything", is_flag=True, help="The whole store.")
@click.option("--models", "-m", type=options.NameList(), default=(), help="All of these subjects (labels or ids).")
@click.option("--suite", help="All of one edition: NAME, or NAME@EDITION where there are several.")
@click.option("--judge", "-j", help="With --verdicts or --missing: this judge's verdicts only.")
@click.option("--dry-run", is_flag=True, help="Say what would go, delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--quiet", is_flag=True, help="No notes.")
@options.output_format()
@options.db()
def command(db: Path, format_: str, dry_run: bool, yes: bool, quiet: bool, **flags: Any) -> None:
    """Delete from the store: verdicts, what came to nothing, a subject, an edition, or everything.

    --models and --suite also narrow --verdicts and --missing. No file but the store is touched. What it cost goes with
    it: boards no longer count it.
    """
    from independence.cli import clearing

    clearing.clear(db, clearing.Asked(**flags), clearing.Manner(format_, dry_run, yes, quiet))
