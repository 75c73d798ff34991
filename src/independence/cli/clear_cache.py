"""`independence clear-cache`: delete from the store, after saying exactly what."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    from independence.report.table import Table
    from independence.store.deletion import DeletedCounts, Deletion, EditionSubject
    from independence.store.scopes import Names


@click.command("clear-cache")
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
    from independence.cli.table_output import print_tables
    from independence.store import database, deletion, scopes

    kinds = [
        name for name, there in (("verdicts", verdicts), ("missing", missing), ("everything", everything)) if there
    ]
    what = _what(kinds, narrowed=bool(models or suite), judge=judge)
    with database.reading(db) as connection:
        judge = judge and scopes.judge(judge, deletion.judges(connection))
        scope = deletion.DeletionScope(what, _chosen(connection, suite, models), judge)
        found = deletion.find(connection, scope)
        counts = deletion.counts(connection, scope, found)
        print_tables([_table(deletion.subjects(connection), counts, found)], format_)
    if not counts:
        note("nothing to delete", quiet)
    elif dry_run:
        return
    elif yes or _agreed(db, counts):
        with database.writing(db, new=False) as connection:
            deletion.delete(connection, scope, found)
            shrunk = deletion.shrink(connection)
        note("deleted" if shrunk else "deleted; the file could not be made smaller now", quiet)
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


def _agreed(db: Path, counts: Mapping[EditionSubject, DeletedCounts]) -> bool:
    """Whether a person agrees. Raises UsageError where nobody can."""
    dialogues, replies, verdicts, usd = map(sum, zip(*counts.values(), strict=True))
    what = f"{dialogues} dialogues, {replies} replies, {verdicts} verdicts, ${usd:.2f} spent"
    if not sys.stdin.isatty():
        raise UsageError(f"{db}: {what}", "add --yes to delete that")
    return click.confirm(f"delete from {db}: {what}?", err=True)


def _chosen(
    connection: sqlite3.Connection, suite: str | None, models: Sequence[str]
) -> frozenset[EditionSubject] | None:
    """Whose; None for the whole store. Raises StoreError for a name that fits nobody, or several editions."""
    from independence.store import deletion, scopes

    known = deletion.subjects(connection)
    if suite:
        editions = scopes.editions(connection, suite)
        if len(editions) > 1:
            raise UsageError(f"--suite {suite} is several editions", f"name one: {scopes.names(editions)}")
        known = {who: names for who, names in known.items() if who[:2] == editions[0][:2]}
    if not models:
        return frozenset(known) if suite else None
    return frozenset(scopes.subjects(models, known, "here", what="stored subject"))


def _table(
    subjects: Mapping[EditionSubject, Names], counts: Mapping[EditionSubject, DeletedCounts], found: Deletion
) -> Table:
    from independence.report.table import Column, Table
    from independence.store import queries
    from independence.store.deletion import NOBODY

    columns = (
        Column("edition", "Edition"), Column("subject", "Subject"), Column("dialogues", "Dialogues", "count"),
        Column("replies", "Replies", "count"), Column("verdicts", "Verdicts", "count"),
        Column("cost_usd", "Spent", "dollars", 4),
    )  # fmt: skip
    rows = tuple(
        (
            "@".join(who[:2]) if who != NOBODY else None,
            subjects[who].label if who in subjects else "known or replaced dialogues",
            *count,
        )
        for who, count in counts.items()
    )
    notes = ["Boards no longer include its cost; the list of sessions in the report does."] if counts else []
    if found.kept:
        notes.append(f"{found.kept} of them stay: other subjects or editions use them too.")
    if any(queries.imported(who.edition) for who in counts):
        notes.append("This includes imports; `independence import` reads them again.")
    return Table("deletion", "To be deleted", columns, rows, tuple(notes))
