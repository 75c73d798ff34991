"""The schema of a blank store, pinned. A change here needs a new migration, never an edit of an old one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.errors import StoreError
from independence.store import context, database, digests, field_values
from independence.store.migrations import mark_thoughts, migrations
from independence.suites import digest
from independence.suites.load import load
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts
from independence.types import Reply

GOLDEN = {
    "editions": ["suite", "edition", "document", "used_at", "read_as", "wording", "digest"],
    "personas": ["suite", "edition", "variant", "text", "digest"],
    "subjects": ["suite", "edition", "config_dir", "label", "model_id", "simulated", "config", "digest"],
    "trials": ["key", "parent", "turns", "shape", "lease_owner", "lease_until"],
    "planned": [
        "suite", "edition", "variant", "mode", "config_dir", "scenario", "run", "experiment", "trial", "planned_at",
        "turns", "parent", "digest",
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
        "prediction", "quote", "quote_found", "field_set", "field_values", "detail", "digest",
    ],
    "field_sets": ["id", "layout", "digest"],
    "failures": ["trial", "what", "kind", "detail", "cost_usd", "unknown_usd", "attempts", "failed_at", "digest"],
    "sidecars": ["suite", "edition", "config_dir", "run", "name", "content"],
    "names": [
        "suite", "edition", "variant", "mode", "config_dir", "run", "extractor", "source", "missing", "names",
        "declined", "primary_name", "cost_usd", "unknown_usd", "prompt_tokens", "completion_tokens", "extracted_at",
        "raw", "attempts",
    ],
    "artefacts": [
        "key", "trial", "judge", "step", "position", "wording", "context", "missing", "cost_usd", "unknown_usd",
        "prompt_tokens", "completion_tokens", "written_at", "settings", "text", "raw", "attempts", "detail", "digest",
    ],
    "routes": ["verdict", "auditor", "trial", "route", "probability", "routed_at", "digest"],
    "verifications": [
        "suite", "edition", "wording", "requests", "equal", "exceptions", "verified_at", "read_as_before", "digest",
        "configurations",
    ],
    "sessions": ["id", "began_at", "last_at", "command", "about", "spent_usd", "unknown_usd", "digest"],
    "progress": ["owner", "at", "snapshot"],
    "dialogues": [
        "trial", "start_context", "at", "answered", "missing", "broken", "flags", "said", "words", "thought",
        "first_at", "last_at", "cost_usd", "digest",
    ],
    "attempts": ["trial", "what", "number", "request", "attempt", "answer", "digest"],
    "tallies": ["name", "rows", "digests"],
    "leases": ["trial", "owner", "until"],
    "deliveries": ["endpoint", "model", "delivery", "probed_at", "address", "template", "version", "found", "digest"],
    "decisions": ["suite", "edition", "sides", "margin", "runs", "planned_at", "below", "digest"],
}  # fmt: skip
INDICES = {
    "planned_trial", "verdicts_short", "failures_of_trial", "artefacts_short", "routes_of_trial",
}  # fmt: skip
ALL = len(migrations())
V2 = load("v2")
OURS = msgspec.json.encode(V2.suite).decode()


def columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}


def before(words: str) -> int:
    """How many migrations a store has seen that lacks the first one with these words."""
    return next(at for at, migration in enumerate(migrations()) if words in migration.sql)


class Old:
    """A store that has seen so many migrations, to be filled and then brought up to date."""

    def __init__(self, path: Path, seen: int) -> None:
        self.path, self.seen = path, seen
        self.connection = sqlite3.connect(path)
        self.connection.create_function("said_digest", 2, context.digest)
        field_values.offer(self.connection)
        digests.offer(self.connection)
        for migration in migrations()[:seen]:
            self.connection.executescript(migration.sql)
            if migration.step is not None:
                migration.step(self.connection)

    def add(self, table: str, **values: object) -> None:
        """A row; what is not named is an empty text."""
        row = dict.fromkeys(columns(self.connection)[table], "") | values
        sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        self.connection.execute(sql, list(row.values()))

    def upgraded(self) -> sqlite3.Connection:
        self.connection.execute(f"PRAGMA user_version = {self.seen}")
        self.connection.commit()
        self.connection.close()
        return database.connect(self.path)

    def read(self, sql: str) -> list[tuple[object, ...]]:
        """Rows of the store as it is now."""
        with closing(self.upgraded()) as opened:
            return opened.execute(sql).fetchall()


def test_a_blank_store_has_exactly_these_tables_columns_and_indices(connection: sqlite3.Connection) -> None:
    assert columns(connection) == GOLDEN
    query = "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'"
    assert {row[0] for row in connection.execute(query)} == INDICES
    assert connection.execute("PRAGMA user_version").fetchone()[0] == ALL
    assert len({migration.name for migration in migrations()}) == ALL
    assert database.schema_digest(connection) == database.SCHEMA


@pytest.mark.parametrize("ages", [(0, 1, 4, ALL - 1, ALL), pytest.param(range(ALL + 1), marks=pytest.mark.deep)])
def test_a_file_of_any_age_is_brought_up_to_date_and_keeps_its_rows(tmp_path: Path, ages: Sequence[int]) -> None:
    for seen in ages:
        old = Old(tmp_path / f"{seen}.db", seen)
        if seen:
            old.connection.execute(
                "INSERT INTO editions (suite, edition, document, used_at) VALUES ('s', 'e', '{}', '2026')"
            )
        with closing(old.upgraded()) as opened:
            assert columns(opened) == GOLDEN, seen
            assert opened.execute("SELECT count(*) FROM editions").fetchone()[0] == bool(seen)


def test_leases_of_an_older_store_are_kept(path: Path) -> None:
    old = Old(path, before("CREATE TABLE leases"))
    for key, owner, until in (("held", "host:1:ab", 5.0), ("free", None, None)):
        old.add("trials", key=key, parent=None, turns=1, shape="{}", lease_owner=owner, lease_until=until)
    with closing(old.upgraded()) as opened:
        assert opened.execute("SELECT * FROM leases").fetchall() == [("held", "host:1:ab", 5.0)]
        assert opened.execute("SELECT count(lease_owner), count(lease_until) FROM trials").fetchone() == (0, 0)


def test_an_imported_edition_of_an_older_store_loses_our_words_and_keeps_what_grades_it(path: Path) -> None:
    old = Old(path, 4)
    for edition in ("published", V2.edition):
        old.add("editions", suite="v2", edition=edition, document=OURS, used_at="2026")
    found = {name: row for name, *row in old.read("SELECT edition, document, read_as FROM editions")}
    known, kept = found["published"]
    assert found[V2.edition] == [OURS, ""]
    assert kept == OURS
    assert msgspec.json.decode(str(known), type=Suite) == without_texts(V2.suite)


def test_all_that_an_older_store_holds_of_a_verified_import_was_admitted(path: Path) -> None:
    old = Old(path, before("ADD COLUMN configurations"))
    old.add("verifications", suite="v2", edition="published", requests=2, equal=2, exceptions="{}")
    for number, edition in enumerate(("published", "published", V2.edition)):
        place = {
            "suite": "v2",
            "edition": edition,
            "config_dir": f"acme--{number}",
            "run": 1,
            "turns": 1,
            "parent": None,
        }
        old.add("planned", trial=str(number), **place)
    assert old.read("SELECT configurations FROM verifications") == [('{"acme--0":"","acme--1":""}',)]


def test_editions_of_an_older_store_get_their_wording_without_what_users_brought(path: Path) -> None:
    personal = msgspec.structs.replace(V2.suite, variants={**V2.suite.variants, "mine-1a2b": "Be mine."})
    old = Old(path, before("wording TEXT NOT NULL DEFAULT"))
    documents: Mapping[str, str] = {
        V2.edition: OURS, "01234567": msgspec.json.encode(personal).decode(), "published": OURS, "published-ab": OURS,
        "odd": "{}",
    }  # fmt: skip
    for name, document in documents.items():
        old.add("editions", suite="v2", edition=name, document=document, used_at="2026")
    old.add("personas", suite="v2", edition="01234567", variant="mine-1a2b", text="Be mine.")
    own = digest.wording(V2.suite)
    assert dict(old.read("SELECT edition, wording FROM editions")) == {
        V2.edition: own, "01234567": own, "published": "", "published-ab": "", "odd": "",
    }  # fmt: skip


def test_a_newer_file_is_refused_and_left_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("CREATE TABLE future (x)")
        newer.execute(f"PRAGMA user_version = {ALL + 1}")
    content = path.read_bytes()
    with pytest.raises(StoreError, match="written by a newer version") as caught:
        database.connect(path)
    assert str(path) in str(caught.value)
    assert "--db" in str(caught.value)
    assert path.read_bytes() == content


def test_the_words_of_replies_in_an_old_file_are_digested(path: Path) -> None:
    old = Old(path, before("said"))
    for turn, (missing, text) in enumerate([(None, "Yes."), ("no_answer", ""), (None, "Yes.")]):
        old.add("calls", trial="t", turn=turn, version=0, missing=missing, text=text)
    first, none, again = (said for (said,) in old.read("SELECT said FROM calls ORDER BY turn"))
    assert first == again == context.reply_digest(Reply("Yes.", "tool"))
    assert none == ""


def test_answers_with_their_reasoning_in_an_old_file_count_as_reasoned(path: Path) -> None:
    old = Old(path, next(at for at, one in enumerate(migrations()) if one.step is mark_thoughts))
    for trial, reasoning in {"silent": "", "told": "Let me see."}.items():
        old.add(
            "calls",
            trial=trial,
            turn=0,
            version=0,
            missing=None,
            reasoning=reasoning,
            reasoning_tokens=0,
            said="0" * 64,
        )
        old.add("dialogues", trial=trial, thought=0, digest=0)
    assert old.read("SELECT trial, thought FROM dialogues") == [("silent", 0), ("told", 1)]


def test_verdicts_of_the_rule_judge_without_a_version_become_those_of_its_first(path: Path) -> None:
    old = Old(path, 4)
    for key, judge in (("a", "cues"), ("b", "acme/judge")):
        old.add("verdicts", key=key, trial="t", judge=judge)
    assert old.read("SELECT key, judge FROM verdicts ORDER BY key") == [("a", "cues@1"), ("b", "acme/judge")]


def test_predictions_of_offline_and_hybrid_judges_move_to_a_column_of_their_own(path: Path) -> None:
    old = Old(path, before("prediction TEXT"))
    predicting, others = ("offline", "offline@0123456789ab", "hybrid:acme/judge"), ("acme/judge", "cues")
    for judge in (*predicting, *others):
        old.add("verdicts", key=judge, judge=judge, raw='{"values":{}}')
    found = {key: row for key, *row in old.read("SELECT key, raw, prediction FROM verdicts")}
    moved, stayed = ["", '{"values":{}}'], ['{"values":{}}', None]
    assert found == dict.fromkeys(predicting, moved) | dict.fromkeys(others, stayed)
