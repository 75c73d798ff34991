from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from independence.exchange.rent import folder, log, reader, stored, storing
from independence.exchange.rent.stored import Kept
from independence.report import place
from independence.suites.schema import Suite
from independence.types import Attempt

from . import folders
from .folders import JUDGE, MODEL, TRIPLET, answer, judged


def entries(
    connection: sqlite3.Connection, suite: Suite, top: Path, change: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    found = folder.find(top)
    assert found is not None
    storing.store(connection, suite, reader.read(found, suite))
    run = stored.read(connection, place.find(connection, None, None, None))
    if change:
        first: Kept = run.kept[0]._replace(**change)
        run = msgspec.structs.replace(run, kept=(first, *run.kept[1:]))
    return [json.loads(line) for line in log.lines(run)]


def test_what_was_planned_asked_scored_and_how_it_ended(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    found = entries(connection, rent, folders.whole(tmp_path / "run", rent))
    assert [one["event"] for one in found] == ["planned", *["call"] * 3, *["verdict"] * 3, "stopped"]
    assert found[0] == {
        "time": "2025-10-11T04:52:38Z", "level": "info", "event": "planned", "model": MODEL, "calls": 3
    }  # fmt: skip
    assert found[1] == {
        "time": "2025-10-11T04:52:38Z", "level": "info", "event": "call", "model": MODEL, "subject": MODEL,
        "condition": "helper/user_role", "scenario": "000", "run": 1, "attempt": 1, "status": "ok", "seconds": 1.5,
    }  # fmt: skip
    assert (found[4]["model"], found[4]["subject"], found[4]["time"]) == (JUDGE, MODEL, "2025-10-11T05:16:02Z")
    assert (found[-1]["calls"], found[-1]["verdicts"]) == (3, 3)


def test_failures_and_missing_scores_are_warnings(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [folders.failed(rent, "000"), answer(rent, "001"), answer(rent, "002")]
    given = [judged(said[0]), judged(said[1], 3), judged(said[2])]
    found = entries(connection, rent, folders.write(tmp_path / "run", answers=said, judged=given))
    warned = [(one["event"], one["scenario"], one["status"]) for one in found if one["level"] == "warning"]
    assert warned == [("call", "000", "transport"), ("verdict", "001", "unreadable_verdict")]


def test_every_retry_is_a_line(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    tried = (Attempt("429", 0.5), Attempt("timeout", 60.0), Attempt("ok", 1.0))
    found = entries(connection, rent, folders.whole(tmp_path / "run", rent), {"attempts": tried})
    retries = [(one["attempt"], one["status"], one["seconds"]) for one in found if one["event"] == "retry"]
    assert retries == [(1, "429", 0.5), (2, "timeout", 60.0)]


def test_a_repeated_answer_was_one_call(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    found = entries(connection, rent, folders.whole(tmp_path / "run", rent), {"repeated": True})
    assert [one["scenario"] for one in found if one["event"] == "call"] == list(TRIPLET[1:])


def test_no_answer_is_in_the_log(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = answer(rent, "000", response_text="SECRET WORDS")
    found = entries(connection, rent, folders.write(tmp_path / "run", answers=[said]))
    assert "SECRET" not in str(found)
