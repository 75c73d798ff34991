"""The schema of a blank store, pinned. A change here needs a new migration, never an edit of an old one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.errors import StoreError
from independence.store import context, database, field_values
from independence.store.migrations import migrations
from independence.suites import digest
from independence.suites.load import load
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts
from independence.types import Reply

GOLDEN = {
    "editions": ["suite", "edition", "document", "used_at", "read_as", "wording"],
    "personas": ["suite", "edition", "variant", "text"],
    "subjects": ["suite", "edition", "config_dir", "label", "model_id", "simulated", "config"],
    "trials": ["key", "parent", "turns", "shape", "lease_owner", "lease_until"],
    "planned": [
        "suite", "edition", "variant", "mode", "config_dir", "scenario", "run", "experiment", "trial", "planned_at",
        "turns", "parent",
    ],
    "calls": [
        "trial", "turn", "version", "turn_id", "context", "after", "missing", "flags", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "reasoning_tokens", "seconds", "answered_at", "channel",
        "finish_reason", "served_model", "served_provider", "response_id", "text", "raw", "thinking", "reasoning",
        "tool_calls", "attempts", "messages", "said", "words", "detail",
    ],
    "verdicts": [
        "key", "trial", "judge", "pass", "rubric", "context", "missing", "fields", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "judged_at", "settings", "reasoning", "raw", "attempts",
        "prediction", "quote", "quote_found", "field_set", "field_values", "detail",
    ],
    "field_sets": ["id", "layout"],
    "failures": ["trial", "what", "kind", "detail", "cost_usd", "unknown_usd", "attempts", "failed_at"],
    "sidecars": ["suite", "edition", "config_dir", "run", "name", "content"],
    "names": [
        "suite", "edition", "variant", "mode", "config_dir", "run", "extractor", "source", "missing", "names",
        "declined", "primary_name", "cost_usd", "unknown_usd", "prompt_tokens", "completion_tokens", "extracted_at",
        "raw", "attempts",
    ],
    "artefacts": [
        "key", "trial", "judge", "step", "position", "wording", "context", "missing", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "written_at", "settings", "text", "raw", "attempts", "detail",
    ],
    "routes": ["verdict", "auditor", "trial", "route", "probability", "routed_at"],
    "verifications": [
        "suite", "edition", "wording", "requests", "equal", "exceptions", "verified_at", "read_as_before",
    ],
    "sessions": ["id", "began_at", "last_at", "command", "about", "spent_usd", "unknown_usd"],
    "progress": ["owner", "at", "snapshot"],
    "finished": [
        "trial", "start_context", "end_context", "flags", "said", "words", "thought", "first_at", "last_at",
    ],
    "kept_dialogues": ["suite", "edition", "variant", "mode", "config_dir", "judge", "dialogues"],
    "leases": ["trial", "owner", "until"],
    "deliveries": ["endpoint", "model", "delivery", "probed_at", "address", "template", "version", "found"],
}  # fmt: skip
INDICES = {
    "planned_trial", "verdicts_short", "verdicts_paid", "calls_paid", "calls_unmarked", "failures_of_trial",
    "artefacts_of_trial", "routes_of_trial",
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
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(migrations())


def test_migrations_have_names_of_their_own() -> None:
    assert len({migration.name for migration in migrations()}) == len(migrations())


def test_an_empty_file_is_brought_up_to_date(path: Path) -> None:
    path.touch()
    opened = database.connect(path)
    assert columns(opened) == GOLDEN
    opened.close()


def _old(path: Path, seen: int) -> sqlite3.Connection:
    """A store that has seen so many migrations."""
    old = sqlite3.connect(path)
    old.create_function("said_digest", 2, context.digest)
    field_values.offer(old)
    for migration in migrations()[:seen]:
        old.executescript(migration.sql)
    old.execute(f"PRAGMA user_version = {seen}")
    return old


@pytest.mark.parametrize("seen", range(len(migrations()) + 1))
def test_a_file_of_any_age_is_brought_up_to_date_and_keeps_its_rows(path: Path, seen: int) -> None:
    old = _old(path, seen)
    if seen:
        old.execute("INSERT INTO editions (suite, edition, document, used_at) VALUES ('s', 'e', '{}', '2026')")
    old.commit()
    old.close()
    opened = database.connect(path)
    assert columns(opened) == GOLDEN
    assert opened.execute("SELECT count(*) FROM editions").fetchone()[0] == bool(seen)
    opened.close()


def test_leases_of_an_older_store_are_kept(path: Path) -> None:
    before = next(at for at, migration in enumerate(migrations()) if "CREATE TABLE leases" in migration.sql)
    with closing(_old(path, before)) as old:
        old.execute(
            "INSERT INTO trials VALUES ('held', NULL, 1, '{}', 'host:1:ab', 5.0), ('free', NULL, 1, '{}', NULL, NULL)"
        )
        old.commit()
    with closing(database.connect(path)) as opened:
        assert opened.execute("SELECT * FROM leases").fetchall() == [("held", "host:1:ab", 5.0)]
        assert opened.execute("SELECT count(lease_owner), count(lease_until) FROM trials").fetchone() == (0, 0)


def test_an_imported_edition_of_an_older_store_loses_our_words_and_keeps_what_grades_it(path: Path) -> None:
    suite = load("v2")
    ours = msgspec.json.encode(suite.suite).decode()
    old = sqlite3.connect(path)
    for migration in migrations()[:4]:
        old.executescript(migration.sql)
    for edition in ("published", suite.edition):
        old.execute("INSERT INTO editions VALUES ('v2', ?, ?, '2026')", (edition, ours))
    old.execute("PRAGMA user_version = 4")
    old.commit()
    old.close()
    with closing(database.connect(path)) as opened:
        found = {row[0]: row[1:] for row in opened.execute("SELECT edition, document, read_as FROM editions")}
    known, kept = found["published"]
    assert found[suite.edition] == (ours, "")
    assert kept == ours
    assert msgspec.json.decode(known, type=Suite) == without_texts(suite.suite)


def test_editions_of_an_older_store_get_their_wording_without_what_users_brought(path: Path) -> None:
    suite, edition = load("v2")
    personal = msgspec.structs.replace(suite, variants={**suite.variants, "mine-1a2b": "Be mine."})
    before = next(at for at, migration in enumerate(migrations()) if "wording TEXT NOT NULL DEFAULT" in migration.sql)
    old = sqlite3.connect(path)
    old.create_function("said_digest", 2, context.digest)
    for migration in migrations()[:before]:
        old.executescript(migration.sql)
    rows = {edition: suite, "01234567": personal, "published": suite, "published-ab": suite}
    for name, one in rows.items():
        values = ("v2", name, msgspec.json.encode(one).decode(), "2026", "")
        old.execute("INSERT INTO editions VALUES (?, ?, ?, ?, ?)", values)
    old.execute("INSERT INTO editions VALUES ('v2', 'odd', '{}', '2026', '')")
    old.execute("INSERT INTO personas VALUES ('v2', '01234567', 'mine-1a2b', 'Be mine.')")
    old.execute(f"PRAGMA user_version = {before}")
    old.commit()
    old.close()
    with closing(database.connect(path)) as opened:
        found = dict(opened.execute("SELECT edition, wording FROM editions"))
    own = digest.wording(suite)
    assert found == {edition: own, "01234567": own, "published": "", "published-ab": "", "odd": ""}


def test_a_newer_file_is_refused_and_left_as_it_is(path: Path) -> None:
    newer = sqlite3.connect(path)
    newer.execute("CREATE TABLE future (x)")
    newer.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="written by a newer version") as caught:
        database.connect(path)
    assert str(path) in str(caught.value)
    assert "--db" in str(caught.value)
    assert path.read_bytes() == before


def test_the_words_of_replies_in_an_old_file_are_digested(path: Path) -> None:
    before = next(at for at, migration in enumerate(migrations()) if "said" in migration.sql)
    old = sqlite3.connect(path)
    for migration in migrations()[:before]:
        old.executescript(migration.sql)
    columns = [row[1] for row in old.execute("PRAGMA table_info(calls)")]
    for turn, (missing, text) in enumerate([(None, "Yes."), ("no_answer", ""), (None, "Yes.")]):
        row = dict.fromkeys(columns, "") | {"trial": "t", "turn": turn, "version": 0, "missing": missing, "text": text}
        old.execute(f"INSERT INTO calls VALUES ({', '.join('?' * len(columns))})", list(row.values()))
    old.execute(f"PRAGMA user_version = {before}")
    old.commit()
    old.close()
    opened = database.connect(path)
    first, none, again = (row[0] for row in opened.execute("SELECT said FROM calls ORDER BY turn"))
    opened.close()
    assert first == again == context.reply_digest(Reply("Yes.", "tool"))
    assert none == ""


def test_verdicts_of_the_rule_judge_without_a_version_become_those_of_its_first(path: Path) -> None:
    old = sqlite3.connect(path)
    for migration in migrations()[:4]:
        old.executescript(migration.sql)
    for key, judge in (("a", "cues"), ("b", "acme/judge")):
        old.execute(f"INSERT INTO verdicts VALUES ('{key}', 't', '{judge}' {', 1' + ', 0' * 13})")
    old.execute("PRAGMA user_version = 4")
    old.commit()
    old.close()
    opened = database.connect(path)
    assert opened.execute("SELECT key, judge FROM verdicts ORDER BY key").fetchall() == [
        ("a", "cues@1"),
        ("b", "acme/judge"),
    ]
    opened.close()


def test_predictions_of_offline_and_hybrid_judges_move_to_a_column_of_their_own(path: Path) -> None:
    before = next(at for at, migration in enumerate(migrations()) if "prediction TEXT" in migration.sql)
    old = sqlite3.connect(path)
    old.create_function("said_digest", 2, context.digest)
    for migration in migrations()[:before]:
        old.executescript(migration.sql)
    judges = ("offline", "offline@0123456789ab", "hybrid:acme/judge", "acme/judge", "cues")
    columns = [row[1] for row in old.execute("PRAGMA table_info(verdicts)")]
    for judge in judges:
        row = dict.fromkeys(columns, "") | {"key": judge, "judge": judge, "raw": '{"values":{}}'}
        old.execute(f"INSERT INTO verdicts VALUES ({', '.join('?' * len(columns))})", list(row.values()))
    old.execute(f"PRAGMA user_version = {before}")
    old.commit()
    old.close()
    opened = database.connect(path)
    found = {key: row for key, *row in opened.execute("SELECT key, raw, prediction FROM verdicts")}
    opened.close()
    assert found == {
        judge: ["", '{"values":{}}'] if judge.startswith(("offline", "hybrid")) else ['{"values":{}}', None]
        for judge in judges
    }
