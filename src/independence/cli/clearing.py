"""From flags to what goes: found, shown, agreed to, deleted."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.errors import StoreError, UsageError
from independence.report.table import Column, Table
from independence.store import database, deletion, name_lookup, queries
from independence.store.deletion import NOBODY, Doomed, Owner, Scope, Subject, Tally, What
from independence.store.name_lookup import Names
from independence.suites import digest
from independence.suites.schema import Suite


class Asked(NamedTuple):
    """What to delete, as asked for on the command line."""

    verdicts: bool = False
    missing: bool = False
    everything: bool = False
    models: tuple[str, ...] = ()
    suite: str | None = None
    judge: str | None = None


class Manner(NamedTuple):
    """How it is shown and agreed to."""

    format_: str = "table"
    dry_run: bool = False
    yes: bool = False
    quiet: bool = False


def clear(db: Path, asked: Asked, manner: Manner) -> None:
    """Show what was asked for and delete it. Raises UsageError, StoreError."""
    what = _what(asked)
    connection = deletion.open_store(db)
    try:
        subjects = deletion.subjects(connection)
        _known_judge(connection, asked.judge)
        scope = Scope(what, _owners(subjects, asked), asked.judge)
        rubrics = _rubrics(connection)
        doomed = deletion.find(connection, scope, rubrics)
        counts = deletion.tally(connection, scope, doomed)
        print_tables([_table(subjects, counts, doomed)], manner.format_)
        if not counts:
            note("nothing to delete", manner.quiet)
        elif not manner.dry_run and _agreed(connection, db, counts, manner):
            deletion.delete(connection, scope, rubrics, doomed)
            shrunk = deletion.shrink(connection)
            note("deleted" if shrunk else "deleted; the file could not be made smaller now", manner.quiet)
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()


def _agreed(connection: sqlite3.Connection, db: Path, counts: Mapping[Owner, Tally], manner: Manner) -> bool:
    """Whether to go ahead. Raises StoreError while a process works on the store, UsageError where nobody can say."""
    deletion.refuse_while_working(connection)
    whole = reduce(Tally.plus, counts.values())
    what = (
        f"{whole.dialogues} dialogues, {whole.replies} replies, {whole.verdicts} verdicts, ${whole.cost_usd:.2f} spent"
    )
    if manner.yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{db}: {what}; add --yes to delete that")
    agreed = click.confirm(f"delete from {db}: {what}?", err=True)
    if not agreed:
        note("nothing was deleted", manner.quiet)
    return agreed


def _what(asked: Asked) -> What:
    kinds = [name for name in ("verdicts", "missing", "everything") if getattr(asked, name)]
    if len(kinds) > 1:
        raise UsageError(f"--{kinds[0]} and --{kinds[1]}: one at a time")
    narrowed = bool(asked.models or asked.suite)
    if not kinds and not narrowed:
        raise UsageError("say what to delete: --verdicts, --missing, --models, --suite or --everything")
    if asked.everything and (narrowed or asked.judge):
        raise UsageError("--everything is the whole store; leave out --models, --suite and --judge, or leave it out")
    if asked.judge and not (asked.verdicts or asked.missing):
        raise UsageError("--judge narrows --verdicts or --missing; add one of them")
    return "verdicts" if asked.verdicts else "missing" if asked.missing else "dialogues"


def _owners(known: Mapping[Owner, Subject], asked: Asked) -> frozenset[Owner] | None:
    """Whose; None for the whole store. Raises StoreError for a name that nothing here answers to."""
    if asked.suite:
        place = _edition(asked.suite, {(owner.suite, owner.edition) for owner in known})
        known = {owner: subject for owner, subject in known.items() if (owner.suite, owner.edition) == place}
    if not asked.models:
        return frozenset(known) if asked.suite else None
    names = {owner: Names(owner.config_dir, one.label, one.model_id) for owner, one in known.items()}
    return frozenset(name_lookup.subjects(asked.models, names, "here", what="stored subject"))


def _edition(asked: str, known: set[tuple[str, str]]) -> tuple[str, str]:
    name, _, edition = asked.partition("@")
    fitting = sorted(place for place in known if place[0] == name and edition in ("", place[1]))
    held = ", ".join("@".join(place) for place in fitting or sorted(known)) or "nothing"
    if not fitting:
        raise StoreError(f"the store holds nothing of `{asked}`; it holds {held}")
    if len(fitting) > 1:
        raise UsageError(f"--suite {asked} is several editions; name one: {held}")
    return fitting[0]


def _known_judge(connection: sqlite3.Connection, judge: str | None) -> None:
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


def _table(subjects: Mapping[Owner, Subject], counts: Mapping[Owner, Tally], doomed: Doomed) -> Table:
    columns = (
        Column("edition", "Edition"), Column("subject", "Subject"), Column("dialogues", "Dialogues", "count"),
        Column("replies", "Replies", "count"), Column("verdicts", "Verdicts", "count"),
        Column("cost_usd", "Spent", "dollars", 4),
    )  # fmt: skip
    rows = tuple(
        (
            f"{owner.suite}@{owner.edition}" if owner != NOBODY else None,
            subjects[owner].label if owner in subjects else "replaced dialogues",
            *count,
        )
        for owner, count in counts.items()
    )
    notes = ["What was spent on it goes from boards with it; the ledger of sessions keeps it."] * bool(counts)
    if doomed.kept:
        notes.append(f"{doomed.kept} of them stay: other subjects or editions use them too.")
    if any(queries.imported(owner.edition) for owner in counts):
        notes.append("Imports are among it; `independence import` brings them back.")
    return Table("deletion", "To be deleted", columns, rows, tuple(notes))
