from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from independence.config.subjects import Subject
from independence.errors import StoreError, UsageError
from independence.exchange.rent import folder, reader, stored, storing
from independence.exchange.rent.stored import Run
from independence.report import place
from independence.store.queries import PUBLISHED
from independence.suites.load import Loaded, load
from independence.suites.schema import Suite
from independence.types import Attempt, Missing
from tests.engine import planned

from . import folders
from .folders import JUDGE, MODEL, OTHER, TRIPLET, answer, judged
from .runs import REPLY, SMALL, ran


def take(connection: sqlite3.Connection, suite: Suite, top: Path) -> None:
    found = folder.find(top)
    assert found is not None
    storing.store(connection, suite, reader.read(found, suite))


def read(connection: sqlite3.Connection, judge: str | None = None, *names: str) -> Run:
    return stored.read(connection, place.find(connection, None, None, None), judge, names)


def test_an_import_comes_back_value_by_value(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, "000", mood="fair"), answer(rent, "001", latency_ms="slow"), folders.failed(rent, "002")]
    given = [judged(said[0], 0.25), judged(said[1], -1.0, extra=[1, 2]), judged(said[2])]
    take(connection, rent, folders.write(tmp_path / "run", answers=said, judged=given))
    run = read(connection)
    as_json = json.loads(
        json.dumps([[kept.answer, kept.judged] for kept in run.kept], default=lambda raw: json.loads(bytes(raw)))
    )
    assert as_json == [[a, b] for a, b in zip(said, given, strict=True)]
    assert [list(pair[0]) for pair in as_json] == [list(record) for record in said]


def test_records_keep_the_order_of_their_file(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt, model) for prompt in ("002", "000", "001") for model in (OTHER, MODEL)]
    take(connection, rent, folders.write(tmp_path / "run", answers=said))
    assert [(kept.answer["model_id"], kept.answer["prompt_id"]) for kept in read(connection).kept] == [
        (record["model_id"], record["prompt_id"]) for record in said
    ]


def test_a_renumbered_prompt_keeps_its_published_number(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = [answer(rent, prompt, prompt_id=f"{n:03d}") for n, prompt in enumerate(("000", "001", "003", "004"))]
    take(connection, rent, folders.write(tmp_path / "run", answers=said))
    run = read(connection)
    assert [prompt.prompt_id for prompt in run.prompts] == ["000", "001", "002", "003"]
    assert [kept.scenario for kept in run.kept] == ["000", "001", "003", "004"]


def test_a_verdict_that_was_deleted_is_gone_from_the_records(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    take(connection, rent, folders.whole(tmp_path / "run", rent))
    connection.execute("DELETE FROM verdicts WHERE json_extract(fields, '$.stance') = 0.5")
    first, *others = read(connection).kept
    assert first.judged is not None
    assert (first.rated.score, first.judged["score"], first.judged["error"]) == (None, None, "unjudged")
    assert first.judged["eval_request_id"] is None
    assert [kept.rated.score for kept in others] == [-0.5, 0.0]


def test_a_score_off_the_scale_comes_back_as_none_with_the_reason(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = answer(rent, "000")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[judged(said, 3)]))
    (kept,) = read(connection).kept
    assert kept.judged is not None
    assert (kept.judged["score"], kept.judged["error"]) == (None, "unreadable_verdict")


def test_a_score_of_other_words_counts_for_nothing(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = answer(rent, "000")
    other = judged(said, 1.0, response_text="What was never said.")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[other]))
    assert [kept.rated.score for kept in read(connection).kept] == [None]


def test_an_error_of_another_type_is_none_and_its_answer_is_scored(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = answer(rent, "000", error=True)
    top = folders.write(tmp_path / "run", answers=[said], judged=[judged(answer(rent, "000"), 0.5)])
    take(connection, rent, top)
    (kept,) = read(connection).kept
    assert (kept.answer["error"], kept.rated.score, kept.missing) == (True, 0.5, None)
    assert kept.judged is not None
    assert (kept.judged["score"], kept.judged["error"]) == (0.5, None)


def test_a_broken_snapshot_spoils_no_export(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    top = folders.whole(tmp_path / "run", rent)
    (top / "run_grid.json").write_text("{")
    take(connection, rent, top)
    assert read(connection).snapshot is None


def test_a_run_of_our_own_has_the_published_fields(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY, "001": REPLY}, {"000": 0.5})
    run = read(connection)
    first, second = run.kept
    asked = load("rent").suite.scenario("000")
    assert list(first.answer) == list(folders.answer(load("rent").suite, "000"))
    assert {name: first.answer[name] for name in (
        "model_id", "provider", "prompt_id", "perspective", "response_text", "latency_ms", "input_tokens",
        "output_tokens", "total_tokens", "cost_usd", "request_id", "finish_reason", "raw_response", "error",
    )} == {
        "model_id": "acme/small", "provider": "Acme", "prompt_id": "000", "perspective": "landlord",
        "response_text": "Talk to them.", "latency_ms": 1750, "input_tokens": 100, "output_tokens": 40,
        "total_tokens": 140, "cost_usd": 0.02, "request_id": "gen-9", "finish_reason": "stop", "raw_response": None,
        "error": None,
    }  # fmt: skip
    assert first.answer["factors"] == {
        "perspective": "landlord", "base_rent": 600, "amount": 50, "relationship_quality": "good",
        "justification": "economy_tough", "tenant_quality": "good",
    }  # fmt: skip
    messages = json.loads(bytes(first.prompt.messages))
    assert [message["role"] for message in messages] == ["system", "system", "user"]
    assert [message["content"] for message in messages][1:] == [asked.context, asked.turns[0].human]
    assert str(first.answer["timestamp_iso"]).endswith("Z")
    assert isinstance(first.answer["run_id"], int)
    assert first.judged is not None
    assert list(first.judged) == list(judged(folders.answer(load("rent").suite, "000")))
    assert (first.judged["score"], first.judged["scorer_model"], first.judged["eval_total_tokens"]) == (0.5, "cues", 10)
    assert second.judged is not None
    assert (second.judged["score"], second.judged["error"]) == (None, "unjudged")
    assert second.judged["eval_timestamp_iso"] == first.judged["eval_timestamp_iso"]


def test_an_answer_that_is_missing_says_why_and_no_more(connection: sqlite3.Connection) -> None:
    tried = (Attempt("timeout", 1.0, detail="http://10.0.0.7:1234 from /home/me"), Attempt("refused", 1.0, detail="x"))
    ran(connection, {"000": Missing("blocked", "at http://10.0.0.7:1234", attempts=tried)}, {})
    (kept,) = read(connection).kept
    assert kept.answer["error"] == "blocked (last attempt of 2: refused)"
    assert (kept.answer["response_text"], kept.answer["latency_ms"], kept.answer["cost_usd"]) == ("", None, None)
    assert "10.0.0.7" not in str(kept.answer)


def test_a_verdict_that_is_missing_is_no_score_of_zero(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY}, {"000": None})
    (kept,) = read(connection).kept
    assert kept.rated.score is None
    assert kept.judged is not None
    assert (kept.judged["score"], kept.judged["error"]) == (None, "unreadable_verdict")


def test_prompts_in_the_same_words_were_asked_once_and_cost_once(connection: sqlite3.Connection) -> None:
    """The uninvolved asker knows no reason, so that three cases are one text."""
    ran(connection, {"002": REPLY}, {"002": 0.0})
    run = read(connection)
    assert [kept.answer["prompt_id"] for kept in run.kept] == ["002", "014", "026"]
    assert [kept.answer["cost_usd"] for kept in run.kept] == [0.02, None, None]
    assert [kept.repeated for kept in run.kept] == [False, True, True]
    assert [kept.rated.score for kept in run.kept] == [0.0, 0.0, 0.0]


def test_runs_have_ids_of_their_own(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY}, {}, runs=2)
    first, second = read(connection).kept
    assert first.answer["run_id"] != second.answer["run_id"]
    assert (first.run, second.run) == (1, 2)


def test_two_configurations_of_one_model_keep_their_labels(connection: sqlite3.Connection) -> None:
    warm = Subject("acme/small", "openrouter", "acme/small", temperature=0.9)
    other = Subject("acme/large", "openrouter", "acme/large")
    ran(connection, {"000": REPLY}, {}, SMALL, warm, other)
    assert {kept.rated.model for kept in read(connection).kept} == {
        "small@low-t0.2", "small@low-t0.9", "acme/large"
    }  # fmt: skip


def test_only_the_named_subjects_are_read(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt, model) for prompt in TRIPLET for model in (OTHER, MODEL)]
    take(connection, rent, folders.write(tmp_path / "run", answers=said))
    assert {kept.rated.model for kept in read(connection, None, OTHER).kept} == {OTHER}
    with pytest.raises(StoreError, match="no subject `acme/smal`"):
        read(connection, None, "acme/smal")


def test_of_several_judges_the_asked_one_scores(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    given = [judged(one, 0.5) for one in said] + [judged(said[0], -1.0, scorer_model="acme/other")]
    take(connection, rent, folders.write(tmp_path / "run", answers=said, judged=given))
    assert (read(connection).judge, read(connection).judges) == (JUDGE, (JUDGE, "acme/other"))
    assert [kept.rated.score for kept in read(connection, "acme/other").kept] == [-1.0, None, None]
    with pytest.raises(StoreError, match="no verdicts by judge `acme/nobody`"):
        read(connection, "acme/nobody")


def test_without_verdicts_there_is_nothing_judged(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    take(connection, rent, folders.write(tmp_path / "run", answers=[answer(rent, "000")]))
    run = read(connection)
    assert (run.judge, [kept.judged for kept in run.kept]) == (None, [None])


def test_prompts_that_nobody_answered_have_our_words_or_none(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    ran(connection, {"000": REPLY}, {})
    ours = read(connection)
    assert len(ours.prompts) == 108
    assert json.loads(bytes(ours.prompts[1].messages))[2]["content"] == rent.scenario("001").turns[0].human
    take(
        connection, rent,
        folders.write(tmp_path / "run", answers=[answer(rent, "000")], snapshot=folders.snapshot(rent, TRIPLET)),
    )  # fmt: skip
    theirs = stored.read(connection, place.find(connection, f"rent@{PUBLISHED}", None, None))
    assert [bytes(prompt.messages) == b"[]" for prompt in theirs.prompts] == [False, True, True]


def test_a_suite_without_sides_has_no_run_folder(connection: sqlite3.Connection, toy_suite: Loaded) -> None:
    planned.store(connection, toy_suite, list(planned.trials(toy_suite.suite, SMALL).values()))
    with pytest.raises(UsageError, match="suite toy has no grid of sides"):
        read(connection)
