"""Imported editions of older stores held a suite of ours, titles, prompts and rubrics, as if it were theirs."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts


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
