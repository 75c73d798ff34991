"""The schema, as named, append-only migrations; their SQL is in `migrations.sql`.

`PRAGMA user_version` counts how many a file has seen.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.store import dialogue_rows, digests
from independence.suites import digest
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts


class Migration(NamedTuple):
    """One step of the schema; never edited once released."""

    name: str
    sql: str
    step: Callable[[sqlite3.Connection], None] | None = None  # after the SQL: what SQL cannot do


def remove_our_texts(connection: sqlite3.Connection) -> None:
    """Take our words out of every imported edition and keep them beside it, where judges find their rubrics."""
    for suite, text in connection.execute(
        "SELECT suite, document FROM editions WHERE edition = 'published'"
    ).fetchall():
        document = msgspec.json.encode(without_texts(msgspec.json.decode(text, type=Suite))).decode()
        connection.execute(
            "UPDATE editions SET document = ?, read_as = ? WHERE suite = ? AND edition = 'published'",
            (document, text, suite),
        )


def add_wordings(connection: sqlite3.Connection) -> None:
    """Say of every edition of one's own what its wording is; prompts that users brought are no part of it."""
    for suite, edition, text in connection.execute(
        "SELECT suite, edition, document FROM editions WHERE edition <> 'published' AND edition NOT LIKE 'published-%'"
    ).fetchall():
        brought = connection.execute("SELECT variant FROM personas WHERE suite = ? AND edition = ?", (suite, edition))
        own = {variant for (variant,) in brought}
        try:
            whole = msgspec.json.decode(text, type=Suite)
            variants = {name: prompt for name, prompt in whole.variants.items() if name not in own}
            wording = digest.wording(msgspec.structs.replace(whole, variants=variants))
        except (msgspec.ValidationError, KeyError):  # no suite that ever ran; it must not keep the store shut
            continue
        connection.execute("UPDATE editions SET wording = ? WHERE suite = ? AND edition = ?", (wording, suite, edition))


def mark_thoughts(connection: sqlite3.Connection) -> None:
    """Count as reasoned what came with its reasoning and no number of its tokens, as imports do."""
    found = connection.execute(
        "SELECT DISTINCT trial FROM calls JOIN dialogues USING (trial) WHERE reasoning <> '' AND NOT thought"
    )
    dialogue_rows.write(connection, [trial for (trial,) in found.fetchall()])


def add_digests(connection: sqlite3.Connection) -> None:
    """Write how far every dialogue is, and have what is scored counted from here on."""
    dialogue_rows.write(connection)
    digests.install(connection, _CHECKED_AT_FIRST)


def count_decisions(connection: sqlite3.Connection) -> None:
    """Have the rows of decisions counted."""
    digests.install(connection, ("decisions",))


_CHECKED_AT_FIRST = (
    "dialogues", "editions", "personas", "subjects", "planned", "verdicts", "field_sets", "routes", "artefacts",
    "failures", "attempts", "sessions", "verifications", "deliveries",
)  # fmt: skip
# By the name of the migration, what SQL cannot do.
_STEPS = {
    "imported editions hold no words of ours; the suite that they are read by is kept beside them": remove_our_texts,
    "editions of one wording": add_wordings,
    "what is scored is checked when it is read: digests of rows, how many there are, and the sum of their digests": (
        add_digests
    ),
    "answers that came with their reasoning count as reasoned": mark_thoughts,
    "decisions as they were planned, before anything of them was looked at": count_decisions,
}


@functools.cache
def migrations() -> tuple[Migration, ...]:
    """Every step of the schema, in order."""
    text = Path(__file__).with_name("migrations.sql").read_text("utf-8")
    _, *parts = re.split(r"^-- migration: (.*)\n", text, flags=re.MULTILINE)
    return tuple(Migration(name, sql, _STEPS.get(name)) for name, sql in zip(parts[::2], parts[1::2], strict=True))
