"""`independence clear-cache`: delete from the store, after saying exactly what."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click
import msgspec

from independence.cli import options
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.errors import StoreError, UsageError
from independence.report.table import Column, Table
from independence.store import database, deletion, name_lookup, queries
from independence.store.deletion import NOBODY, DeletedCounts, Deletion, DeletionScope, EditionSubject
from independence.store.name_lookup import Names
from independence.suites import digest
from independence.suites.schema import Suite


class DeletionRequest(NamedTuple):
    """What to delete, as asked for on the command line."""

    verdicts: bool
    missing: bool
    everything: bool
    models: tuple[str, ...]
    suite: str | None
    judge: str | None


@click.command("clear-cache")
@click.option("--verdicts", is_flag=True, help="Verdicts only; replies stay and can be graded again.")
@click.option("--missing", is_flag=True, help="Failed replies and verdicts, so that the next run asks again.")
@click.option("--everything", is_flag=True, help="The whole store.")
@click.option(
    "--models", "-m", type=options.NameList(), default=(), help="Everything of these subjects (labels or ids)."
)
@click.option("--suite", help="Everything of one edition: NAME, or NAME@EDITION if there are several.")
@click.option("--judge", "-j", help="With --verdicts or --missing: this judge's verdicts only.")
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--quiet", is_flag=True, help="No notes.")
@options.output_format()
@options.db()
def command(db: Path, format_: str, dry_run: bool, yes: bool, quiet: bool, **flags: Any) -> None:
    """Delete from the store: verdicts, failed replies, a subject, an edition, or everything.

    --models and --suite also narrow --verdicts and --missing. No other file is touched. Boards no longer include the
    cost of what was deleted.
    """
    request = DeletionRequest(**flags)
    what = _what(request)
    with closing(deletion.open_store(db)) as connection:
        try:
            subjects = deletion.subjects(connection)
            _check_judge(connection, request.judge)
            scope = DeletionScope(what, _chosen(subjects, request), request.judge)
            rubrics = _rubrics(connection)
            found = deletion.find(connection, scope, rubrics)
            counts = deletion.counts(connection, scope, found)
            print_tables([_table(subjects, counts, found)], format_)
            if not counts:
                note("nothing to delete", quiet)
            elif not dry_run:
                deletion.refuse_while_working(connection)
                if yes or _agreed(db, counts):
                    deletion.delete(connection, scope, rubrics, found)
                    shrunk = deletion.shrink(connection)
                    note("deleted" if shrunk else "deleted; the file could not be made smaller now", quiet)
                else:
                    note("nothing was deleted", quiet)
        except sqlite3.Error as error:
            raise database.translate(error, db) from error


def _agreed(db: Path, counts: Mapping[EditionSubject, DeletedCounts]) -> bool:
    """Whether a person agrees. Raises UsageError where nobody can."""
    dialogues, replies, verdicts, usd = map(sum, zip(*counts.values(), strict=True))
    what = f"{dialogues} dialogues, {replies} replies, {verdicts} verdicts, ${usd:.2f} spent"
    if not sys.stdin.isatty():
        raise UsageError(f"{db}: {what}; add --yes to delete that")
    return click.confirm(f"delete from {db}: {what}?", err=True)


def _what(request: DeletionRequest) -> Literal["dialogues", "verdicts", "missing"]:
    kinds = [name for name in ("verdicts", "missing", "everything") if getattr(request, name)]
    if len(kinds) > 1:
        raise UsageError(f"--{kinds[0]} and --{kinds[1]}: one at a time")
    narrowed = bool(request.models or request.suite)
    if not kinds and not narrowed:
        raise UsageError("say what to delete: --verdicts, --missing, --models, --suite or --everything")
    if request.everything and (narrowed or request.judge):
        raise UsageError("--everything is the whole store; leave out --models, --suite and --judge, or leave it out")
    if request.judge and not (request.verdicts or request.missing):
        raise UsageError("--judge narrows --verdicts or --missing; add one of them")
    return "verdicts" if request.verdicts else "missing" if request.missing else "dialogues"


def _chosen(known: Mapping[EditionSubject, Names], request: DeletionRequest) -> frozenset[EditionSubject] | None:
    """Whose; None for the whole store. Raises StoreError for a name that fits nobody."""
    if request.suite:
        edition = _edition(request.suite, {who[:2] for who in known})
        known = {who: names for who, names in known.items() if who[:2] == edition}
    if not request.models:
        return frozenset(known) if request.suite else None
    return frozenset(name_lookup.subjects(request.models, known, "here", what="stored subject"))


def _edition(asked: str, known: set[tuple[str, str]]) -> tuple[str, str]:
    name, _, edition = asked.partition("@")
    fitting = sorted(one for one in known if one[0] == name and edition in ("", one[1]))
    held = ", ".join("@".join(one) for one in fitting or sorted(known)) or "nothing"
    if not fitting:
        raise StoreError(f"the store holds nothing of `{asked}`; it holds {held}")
    if len(fitting) > 1:
        raise UsageError(f"--suite {asked} is several editions; name one: {held}")
    return fitting[0]


def _check_judge(connection: sqlite3.Connection, judge: str | None) -> None:
    names = deletion.judges(connection)
    if judge is not None and judge not in names:
        raise StoreError(f"no verdicts by judge `{judge}` here; judges: {', '.join(names) or 'none'}")


def _rubrics(connection: sqlite3.Connection) -> dict[tuple[str, str, str], str]:
    """The rubric of every scenario of every edition; imported verdicts were given by rubrics of their own."""
    out: dict[tuple[str, str, str], str] = {}
    for info in queries.editions(connection):
        text = queries.read_as(connection, info.where) or queries.document(connection, info.where)
        suite = msgspec.json.decode(text or "", type=Suite)
        for scenario in suite.scenarios:
            out[info.suite, info.edition, scenario.id] = digest.rubric(suite, scenario)
    return out


def _table(
    subjects: Mapping[EditionSubject, Names], counts: Mapping[EditionSubject, DeletedCounts], found: Deletion
) -> Table:
    columns = (
        Column("edition", "Edition"), Column("subject", "Subject"), Column("dialogues", "Dialogues", "count"),
        Column("replies", "Replies", "count"), Column("verdicts", "Verdicts", "count"),
        Column("cost_usd", "Spent", "dollars", 4),
    )  # fmt: skip
    rows = tuple(
        (
            f"{who.suite}@{who.edition}" if who != NOBODY else None,
            subjects[who].label if who in subjects else "replaced dialogues",
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
