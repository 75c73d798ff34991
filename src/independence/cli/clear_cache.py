"""`independence clear-cache`: delete from the store, after saying exactly what."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.deleting import PlannedDeletion


@options.command("clear-cache")
@click.option("--verdicts", is_flag=True, help="Verdicts only; replies stay and can be graded again.")
@click.option("--missing", is_flag=True, help="Failed replies and verdicts, so that the next run asks again.")
@click.option("--everything", is_flag=True, help="The whole store.")
@options.models("Everything of these subjects (labels or ids).")
@click.option("--suite", help="Everything of one edition: NAME, or NAME@EDITION if there are several.")
@click.option("--judge", "-j", help="With --verdicts or --missing: this judge's verdicts only.")
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.QUIET
@options.output_format()
@options.db()
def command(
    verdicts: bool,
    missing: bool,
    everything: bool,
    models: tuple[str, ...],
    suite: str | None,
    judge: str | None,
    dry_run: bool,
    yes: bool,
    quiet: bool,
    format_: str,
    db: Path,
) -> None:
    """Delete from the store: verdicts, failed replies, a subject, an edition, or everything.

    --models and --suite also narrow --verdicts and --missing. No other file is touched. Boards no longer include the
    cost of what was deleted.
    """
    from independence.api import deleting
    from independence.cli.table_output import print_tables

    kinds = [
        name for name, there in (("verdicts", verdicts), ("missing", missing), ("everything", everything)) if there
    ]
    what = _what(kinds, narrowed=bool(models or suite), judge=judge)
    planned = deleting.planned(db, what, suite=suite, models=models, judge=judge)
    print_tables([planned.table()], format_)
    if not planned.counts:
        note("nothing to delete", quiet)
    elif dry_run:
        return
    elif yes or _agreed(planned):
        note("deleted" if planned.carry_out() else "deleted; the file could not be made smaller now", quiet)
    else:
        note("nothing was deleted", quiet)


def _what(kinds: Sequence[str], *, narrowed: bool, judge: str | None) -> Literal["dialogues", "verdicts", "missing"]:
    """What the options ask for. Raises UsageError where they ask for nothing or for several things."""
    if len(kinds) > 1:
        raise UsageError(f"--{kinds[0]} and --{kinds[1]}:", "one at a time")
    if not kinds and not narrowed:
        raise UsageError("say what to delete:", "--verdicts, --missing, --models, --suite or --everything")
    if "everything" in kinds and (narrowed or judge):
        raise UsageError("--everything is the whole store", "leave out --models, --suite and --judge, or leave it out")
    if judge and kinds not in (["verdicts"], ["missing"]):
        raise UsageError("--judge narrows --verdicts or --missing", "add one of them")
    return "verdicts" if "verdicts" in kinds else "missing" if "missing" in kinds else "dialogues"


def _agreed(planned: PlannedDeletion) -> bool:
    """Whether a person agrees. Raises UsageError where nobody can."""
    if not sys.stdin.isatty():
        raise UsageError(f"{planned.store}: {planned.total()}", "add --yes to delete that")
    return click.confirm(f"delete from {planned.store}: {planned.total()}?", err=True)
