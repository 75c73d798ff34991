"""`independence clear-cache`: delete from the store, after saying exactly what."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import click

from independence.cli import options
from independence.cli.options import Db, Format
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.deleting import PlannedDeletion


@options.command("clear-cache")
def command(
    *,
    verdicts: Annotated[bool, Flag("Verdicts only; replies stay and can be graded again.")] = False,
    missing: Annotated[bool, Flag("Failed replies and verdicts, so that the next run asks again.")] = False,
    everything: Annotated[bool, Flag("The whole store.")] = False,
    models: Annotated[tuple[str, ...], Flag(
        "Everything of these subjects (labels or ids).", "-m", offers="subjects"
    )] = (),
    suite: Annotated[str | None, Flag(
        "Everything of one edition: NAME, or NAME@EDITION if there are several."
    )] = None,
    judge: Annotated[str | None, Flag("With --verdicts or --missing: this judge's verdicts only.", "-j")] = None,
    dry_run: Annotated[bool, Flag("Only list what would be deleted.")] = False,
    yes: Annotated[bool, Flag("Do not ask.")] = False,
    format_: Format = "table",
    db: Db = STORE,
) -> None:  # fmt: skip
    """Delete from the store: verdicts, failed replies, a subject, an edition, or everything.

    --models and --suite also narrow --verdicts and --missing. No other file is touched. Boards no longer include the
    cost of what was deleted.
    """
    from independence.api import deleting
    from independence.cli.output.table_output import print_tables

    kinds = [
        name for name, there in (("verdicts", verdicts), ("missing", missing), ("everything", everything)) if there
    ]
    what = _what(kinds, narrowed=bool(models or suite), judge=judge)
    planned = deleting.planned(db, what, suite=suite, models=models, judge=judge)
    print_tables([planned.table()], format_)
    if not planned.counts:
        note("nothing to delete")
    elif dry_run:
        return
    elif yes or _agreed(planned):
        note("deleted" if planned.carry_out() else "deleted; the file could not be made smaller now")
    else:
        note("nothing was deleted")


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
