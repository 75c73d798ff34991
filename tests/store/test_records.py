from __future__ import annotations

import json
from datetime import datetime, timedelta
from sqlite3 import Connection

import msgspec
import pytest

from independence.store import context, leases, records
from independence.store.records import CallRow, EditionRow, FailureRow, SubjectRow, VerdictRow
from independence.types import Attempt, FunctionCall, Missing, Reply, ToolCall, Usage, Verdict

from . import rows

FULL = Reply(
    "Hello ☕",
    "tool",
    raw='{"words": "Hello"}',
    thinking="hm",
    reasoning="native",
    tool_calls=(ToolCall("abc", FunctionCall("speak", "{}")),),
    finish_reason="tool_calls",
    flags=("cleaned", "retried_length"),
    usage=Usage(100, 20, 5, 3, 0.25),
    served_model="acme/m:fp8",
    served_provider="Host",
    response_id="gen-1",
    attempts=(Attempt("429", 0.5, unknown_usd=0.1), Attempt("ok", 1.5, Usage(100, 20, 5, 3, 0.25))),
)


def stored(connection: Connection, table: str) -> list[dict[str, object]]:
    cursor = connection.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def test_a_reply_is_kept_whole(connection: Connection) -> None:
    after = context.extend("at", FULL)
    records.add_call(connection, CallRow("t", 1, "turn_id", "at", after, FULL, b"[]"))
    (row,) = stored(connection, "calls")
    assert datetime.fromisoformat(str(row.pop("answered_at"))).utcoffset() == timedelta(0)
    assert json.loads(str(row.pop("flags"))) == ["cleaned", "retried_length"]
    assert msgspec.json.decode(str(row.pop("attempts")), type=tuple[Attempt, ...]) == FULL.attempts
    assert msgspec.json.decode(str(row.pop("tool_calls")), type=tuple[ToolCall, ...]) == FULL.tool_calls
    assert row == {
        "trial": "t", "turn": 1, "version": 0, "turn_id": "turn_id", "context": "at", "after": after, "missing": None,
        "detail": "",
        "cost_usd": 0.25, "unknown_usd": 0.1, "prompt_tokens": 100, "completion_tokens": 20, "reasoning_tokens": 5,
        "seconds": 2.0, "channel": "tool", "finish_reason": "tool_calls", "served_model": "acme/m:fp8",
        "served_provider": "Host", "response_id": "gen-1", "text": "Hello ☕", "raw": '{"words": "Hello"}',
        "thinking": "hm", "reasoning": "native", "messages": b"[]", "said": context.reply_digest(FULL),
    }  # fmt: skip


def test_a_missing_answer_keeps_its_reason_what_came_and_its_cost(connection: Connection) -> None:
    rows.call(
        connection, "t", 0, "t", Missing("transport", "lone", "}", (Attempt("artefact", 2, Usage(3, 4, 0, 0, 0.5)),))
    )
    (row,) = stored(connection, "calls")
    assert (row["missing"], row["raw"], row["text"], row["cost_usd"]) == ("transport", "}", "", 0.5)
    assert row["detail"] == "lone"
    assert (row["prompt_tokens"], row["completion_tokens"], row["flags"]) == (3, 4, "[]")


def test_an_answer_that_is_replaced_keeps_an_older_version(connection: Connection) -> None:
    for text in ("first", "second", "third"):
        rows.call(connection, "t", 0, "t", rows.reply(text))
    rows.call(connection, "t", 1, "x", rows.reply("other turn"))
    rows.call(connection, "u", 0, "u", rows.reply("other trial"))
    kept = connection.execute("SELECT version, text FROM calls WHERE trial = 't' AND turn = 0 ORDER BY version")
    assert kept.fetchall() == [(0, "third"), (1, "first"), (2, "second")]
    assert connection.execute("SELECT count(*) FROM calls WHERE version = 0").fetchone()[0] == 3


def test_imported_calls_are_stored_once(connection: Connection) -> None:
    row = CallRow("t", 0, "id", "t", "after", FULL, answered_at="2026-01-02T03:04:05+00:00")
    assert records.add_calls_once(connection, [row]) == 1
    assert records.add_calls_once(connection, [row, msgspec.structs.replace(row, turn=1)]) == 1
    assert stored(connection, "calls")[0]["answered_at"] == "2026-01-02T03:04:05+00:00"


def test_a_verdict_is_kept_whole(connection: Connection) -> None:
    grade = Verdict({"a": 3, "b": True, "c": 0.5}, "because", "{}", Usage(7, 8, 0, 0, 0.5), (Attempt("ok", 1),))
    records.add_verdict(connection, VerdictRow("k", "t", "j", "r", "at", '{"x":1}', grade, 2))
    (row,) = stored(connection, "verdicts")
    assert json.loads(str(row["fields"])) == {"a": 3, "b": True, "c": 0.5}
    assert (row["judge"], row["pass"], row["rubric"], row["context"]) == ("j", 2, "r", "at")
    assert (row["settings"], row["reasoning"], row["raw"]) == ('{"x":1}', "because", "{}")
    assert (row["missing"], row["cost_usd"], row["prompt_tokens"]) == (None, 0.5, 7)


def test_a_missing_verdict_keeps_its_reason_and_its_cost(connection: Connection) -> None:
    grade = Missing("unreadable_verdict", "no", "prose", (Attempt("ok", 1, Usage(cost_usd=0.1)),) * 3)
    rows.verdict(connection, "k", "t", "at", grade)
    (row,) = stored(connection, "verdicts")
    assert (row["missing"], row["detail"], row["fields"], row["raw"]) == ("unreadable_verdict", "no", "{}", "prose")
    assert row["cost_usd"] == pytest.approx(0.3)


def test_a_verdict_is_never_overwritten_and_new_ones_are_counted(connection: Connection) -> None:
    one = VerdictRow("k", "t", "j", "r", "at", "{}", Verdict({"a": 1}))
    later = msgspec.structs.replace(one, grade=Verdict({"a": 2}))
    records.add_verdict(connection, one)
    records.add_verdict(connection, later)
    assert records.add_verdicts(connection, [later, *[msgspec.structs.replace(one, key="l")] * 2]) == 1
    assert [row["fields"] for row in stored(connection, "verdicts")] == ['{"a":1}', '{"a":1}']


def test_a_failure_keeps_what_was_tried(connection: Connection) -> None:
    attempts = (Attempt("503", 1, unknown_usd=0.2), Attempt("timeout", 90, Usage(cost_usd=0.1)))
    records.add_failure(connection, FailureRow("t", "pq01", "GaveUp", "503 six times", attempts))
    (row,) = stored(connection, "failures")
    assert (row["what"], row["kind"], row["cost_usd"], row["unknown_usd"]) == ("pq01", "GaveUp", 0.1, 0.2)
    assert msgspec.json.decode(str(row["attempts"]), type=tuple[Attempt, ...]) == attempts


def test_the_first_text_of_an_import_of_a_persona_and_of_a_file_stays_and_the_newest_label_counts(
    connection: Connection,
) -> None:
    for text in ("{}", "other"):
        edition = EditionRow("s", "e", text)
        records.add_edition(connection, EditionRow("s", "published", text, read_as="{}"))
        records.add_edition(connection, edition)
        records.add_persona(connection, edition, "pirate-ab12", text)
        subject = SubjectRow("s", "e", "a", f"label {text}", "acme/m", True)
        records.add_subjects(connection, [subject])
        records.add_sidecar(connection, subject, 3, "names.json", b"\x00" + text.encode())
        assert stored(connection, "editions")[0]["used_at"] != "long ago"
        connection.execute("UPDATE editions SET used_at = 'long ago'")
    # What one's own edition is called by is made of its texts: what may have changed is no part of it.
    assert {row["edition"]: row["document"] for row in stored(connection, "editions")} == {
        "e": "other",
        "published": "{}",
    }
    assert [row["text"] for row in stored(connection, "personas")] == ["{}"]
    assert [(row["run"], row["content"]) for row in stored(connection, "sidecars")] == [(3, b"\x00{}")]
    assert [(row["label"], row["simulated"]) for row in stored(connection, "subjects")] == [("label other", 1)]


def test_planning_counts_new_and_changed_places_and_leaves_leases_alone(connection: Connection) -> None:
    row = records.TrialRow("t", "s", "e", "a", "v", "m", "x", "one", 1, None, 2, "{}")
    assert records.add_trials(connection, [row]) == 1
    leases.take(connection, "t", "me")
    assert records.add_trials(connection, [row]) == 0
    assert connection.execute("SELECT owner FROM leases").fetchall() == [("me",)]
    moved = msgspec.structs.replace(row, key="t2")
    assert records.add_trials(connection, [moved, msgspec.structs.replace(row, key="t3", run=2)]) == 2
    places = connection.execute("SELECT run, trial FROM planned ORDER BY run").fetchall()
    assert places == [(1, "t2"), (2, "t3")]
    assert connection.execute("SELECT count(*) FROM trials").fetchone()[0] == 3
    many = [msgspec.structs.replace(row, key=f"m{run}", run=run) for run in range(3, 2_103)]  # more than go at once
    assert records.add_trials(connection, many) == 2_100
    assert records.add_trials(connection, many) == 0
    assert connection.execute("SELECT count(*) FROM planned").fetchone()[0] == 2_102
