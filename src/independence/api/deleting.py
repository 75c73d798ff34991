"""Deleting from a store what was named, after looking at what that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from independence.errors import UsageError
from independence.report.files.table import Column, Table
from independence.store import deletion, queries, scopes
from independence.store.deletion import NOBODY, DeletedCounts, Deletion, DeletionScope, EditionSubject
from independence.store.file import database
from independence.store.scopes import Names

What = Literal["dialogues", "verdicts", "missing"]
_COLUMNS = (
    Column("edition", "Edition"), Column("subject", "Subject"), Column("dialogues", "Dialogues", "count"),
    Column("replies", "Replies", "count"), Column("verdicts", "Verdicts", "count"),
    Column("cost_usd", "Spent", "dollars", 4),
)  # fmt: skip


class PlannedDeletion(NamedTuple):
    """What is to be deleted from a store."""

    store: Path
    scope: DeletionScope
    found: Deletion
    counts: Mapping[EditionSubject, DeletedCounts]
    subjects: Mapping[EditionSubject, Names]

    def total(self) -> str:
        """All of it in a few words."""
        dialogues, replies, verdicts, usd = map(sum, zip(*self.counts.values(), strict=True))
        return f"{dialogues} dialogues, {replies} replies, {verdicts} verdicts, ${usd:.2f} spent"

    def table(self) -> Table:
        """A row for each subject of an edition."""
        rows = tuple(
            (
                "@".join(who[:2]) if who != NOBODY else None,
                self.subjects[who].label if who in self.subjects else "known or replaced dialogues",
                *count,
            )
            for who, count in self.counts.items()
        )
        notes = ["Boards no longer include its cost; the list of sessions in the report does."] if self.counts else []
        if self.found.kept:
            notes.append(f"{self.found.kept} of them stay: other subjects or editions use them too.")
        if any(queries.imported(who.edition) for who in self.counts):
            notes.append("This includes imports; `independence import` reads them again.")
        return Table("deletion", "To be deleted", _COLUMNS, rows, tuple(notes))

    def carry_out(self) -> bool:
        """Delete it. Returns whether the file could be made smaller."""
        with database.writing(self.store, new=False) as connection:
            deletion.delete(connection, self.scope, self.found)
            return deletion.shrink(connection)


def planned(
    store: Path, what: What, *, suite: str | None = None, models: Sequence[str] = (), judge: str | None = None
) -> PlannedDeletion:
    """What deleting would delete: of a suite (NAME or NAME@EDITION), of subjects (labels or ids), else of all.

    Raises StoreError for a name that fits nobody, UsageError for a suite with several editions.
    """
    with database.reading(store) as connection:
        judge = judge and scopes.judge(judge, deletion.judges(connection))
        subjects = deletion.subjects(connection)
        chosen = dict(subjects)
        if suite:
            editions = scopes.editions(connection, suite)
            if len(editions) > 1:
                raise UsageError(f"--suite {suite} is several editions", f"name one: {scopes.names(editions)}")
            one = (editions[0].suite, editions[0].edition)
            chosen = {who: names for who, names in subjects.items() if who[:2] == one}
        if models:
            own = frozenset(scopes.subjects(models, chosen, "here", what="stored subject"))
        scope = DeletionScope(what, own if models else frozenset(chosen) if suite else None, judge)
        found = deletion.find(connection, scope)
        return PlannedDeletion(store, scope, found, deletion.counts(connection, scope, found), subjects)
