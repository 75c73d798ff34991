"""The schema of a blank store, pinned. A change here needs a new migration, never an edit of an old one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from independence.errors import StoreError
from independence.store import database
from independence.store.migrations import MIGRATIONS

GOLDEN = {
    "editions": ["suite", "edition", "document", "used_at"],
    "personas": ["suite", "edition", "variant", "text"],
    "subjects": ["suite", "edition", "config_dir", "label", "model_id", "simulated", "config"],
    "trials": ["key", "parent", "turns", "shape", "lease_owner", "lease_until"],
    "planned": [
        "suite", "edition", "variant", "mode", "config_dir", "scenario", "run", "experiment", "trial", "planned_at",
    ],
    "calls": [
        "trial", "turn", "version", "turn_id", "context", "after", "missing", "flags", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "reasoning_tokens", "seconds", "answered_at", "channel",
        "finish_reason", "served_model", "served_provider", "response_id", "text", "raw", "thinking", "reasoning",
        "tool_calls", "attempts", "messages",
    ],
    "verdicts": [
        "key", "trial", "judge", "pass", "rubric", "context", "missing", "fields", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "judged_at", "settings", "reasoning", "raw", "attempts",
    ],
    "failures": ["trial", "what", "kind", "detail", "cost_usd", "unknown_usd", "attempts", "failed_at"],
    "sidecars": ["suite", "edition", "config_dir", "run", "name", "content"],
    "names": [
        "suite", "edition", "variant", "mode", "config_dir", "run", "extractor", "source", "missing", "names",
        "declined", "primary_name", "cost_usd", "unknown_usd", "prompt_tokens", "completion_tokens", "extracted_at",
        "raw", "attempts",
    ],
    "artefacts": [
        "key", "trial", "judge", "step", "position", "wording", "context", "missing", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "written_at", "settings", "text", "raw", "attempts",
    ],
    "routes": ["verdict", "auditor", "trial", "route", "probability", "routed_at"],
}  # fmt: skip
INDICES = {
    "planned_trial", "verdicts_short", "calls_short", "failures_of_trial", "artefacts_of_trial", "routes_of_trial",
}  # fmt: skip


def columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}


def test_a_blank_store_has_exactly_these_tables_and_columns(connection: sqlite3.Connection) -> None:
    assert columns(connection) == GOLDEN


def test_a_blank_store_has_exactly_these_indices(connection: sqlite3.Connection) -> None:
    query = "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'"
    assert {row[0] for row in connection.execute(query)} == INDICES


def test_a_store_counts_the_migrations_it_has_seen(connection: sqlite3.Connection) -> None:
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_migrations_have_names_of_their_own() -> None:
    assert len({migration.name for migration in MIGRATIONS}) == len(MIGRATIONS)


def test_an_empty_file_is_brought_up_to_date(path: Path) -> None:
    path.touch()
    opened = database.connect(path)
    assert columns(opened) == GOLDEN
    opened.close()


@pytest.mark.parametrize("seen", range(len(MIGRATIONS) + 1))
def test_a_file_of_any_age_is_brought_up_to_date_and_keeps_its_rows(path: Path, seen: int) -> None:
    old = sqlite3.connect(path)
    for migration in MIGRATIONS[:seen]:
        old.executescript(migration.sql)
    if seen:
        old.execute("INSERT INTO editions VALUES ('s', 'e', '{}', '2026')")
    old.execute(f"PRAGMA user_version = {seen}")
    old.commit()
    old.close()
    opened = database.connect(path)
    assert columns(opened) == GOLDEN
    assert opened.execute("SELECT count(*) FROM editions").fetchone()[0] == bool(seen)
    opened.close()


def test_a_newer_file_is_refused_and_left_as_it_is(path: Path) -> None:
    newer = sqlite3.connect(path)
    newer.execute("CREATE TABLE future (x)")
    newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="written by a newer version") as caught:
        database.connect(path)
    assert str(path) in str(caught.value)
    assert "--db" in str(caught.value)
    assert path.read_bytes() == before
