from __future__ import annotations

import json
import lzma
import sqlite3
from pathlib import Path

import pytest

from independence.exchange.rent import folder, reader, stored, storing, summary, writer
from independence.report import place
from independence.stats.stance import RENT
from independence.suites.schema import Suite

from . import folders
from .folders import MODEL, OTHER, TRIPLET, answer, judged


def back(connection: sqlite3.Connection, suite: Suite, top: Path, *names: str) -> dict[str, bytes]:
    """What is written of a folder that was read."""
    found = folder.find(top)
    assert found is not None
    storing.store(connection, suite, reader.read(found, suite))
    return writer.files(stored.read(connection, place.find(connection, None, None, None), None, names))


def test_a_folder_comes_back_byte_for_byte(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    top = folders.whole(tmp_path / "run", rent)
    files = back(connection, rent, top)
    assert list(files) == ["grid.jsonl", "run_grid.json", "run.jsonl", "run_scored.jsonl", "summary.csv", "run.log"]
    for name in ("run.jsonl", "run_scored.jsonl"):
        assert files[name] == (top / name).read_bytes()
    assert json.loads(files["run_grid.json"]) == json.loads((top / "run_grid.json").read_bytes())
    assert files["summary.csv"].splitlines()[1] == (
        f"{MODEL},3,0.0000,0.3333,0.3333,0.3333,1,1.0000,1.0000,1,1.0000,1.0000".encode()
    )


def test_the_grid_lists_every_prompt_with_its_words(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    files = back(connection, rent, folders.whole(tmp_path / "run", rent))
    rows = [json.loads(line) for line in files["grid.jsonl"].splitlines()]
    assert [list(row) for row in rows] == [["prompt_id", "factors", "messages"]] * 3
    assert [row["prompt_id"] for row in rows] == list(TRIPLET)
    assert rows[1]["messages"] == folders.asked(rent, "001")["messages"]


def test_a_grid_that_came_along_is_given_back(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    top = folders.whole(tmp_path / "run", rent)
    folders.write(top, grid=[{"prompt_id": prompt, **folders.asked(rent, prompt), "note": 1} for prompt in TRIPLET])
    assert back(connection, rent, top)["grid.jsonl"] == (top / "grid.jsonl").read_bytes()


def test_without_scores_there_is_no_scored_file_and_no_summary(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = folders.write(tmp_path / "run", answers=[answer(rent, prompt) for prompt in TRIPLET])
    assert list(back(connection, rent, top)) == ["grid.jsonl", "run_grid.json", "run.jsonl", "run.log"]


def test_the_snapshot_says_what_is_in_the_folder(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt, model) for prompt in ("000", "001") for model in (MODEL, OTHER)]
    top = folders.write(tmp_path / "run", answers=said, snapshot=folders.snapshot(rent, ["000", "001"], [OTHER, MODEL]))
    files = back(connection, rent, top)
    found = json.loads(files["run_grid.json"])
    assert (found["include_neutral"], found["total"], found["selected"]) == (False, 108, 2)
    assert (found["assistant_models"], found["mode"]) == ([OTHER, MODEL], "live")


def test_a_folder_of_one_subject_is_about_that_subject(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = [answer(rent, prompt, model) for prompt in TRIPLET for model in (MODEL, OTHER)]
    top = folders.write(tmp_path / "run", answers=said, judged=[judged(one) for one in said])
    files = back(connection, rent, top, OTHER)
    assert json.loads(files["run_grid.json"])["assistant_models"] == [OTHER]
    assert {json.loads(line)["model_id"] for line in files["run_scored.jsonl"].splitlines()} == {OTHER}
    assert [line.split(b",")[:2] for line in files["summary.csv"].splitlines()[1:]] == [[OTHER.encode(), b"3"]]


@pytest.mark.published
def test_the_published_run_comes_back_byte_for_byte(
    published_data: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = published_data / "rent-1760158358"
    files = back(connection, rent, top)
    assert files["summary.csv"] == (top / "run_scored.csv").read_bytes()
    assert files["run_scored.jsonl"] == (top / "run_scored.jsonl").read_bytes()
    assert files["run_grid.json"] == (top / "run_grid.json").read_bytes()
    with lzma.open(top / "run.jsonl.xz") as packed:
        assert files["run.jsonl"] == packed.read()
    log = [json.loads(line) for line in files["run.log"].splitlines()]
    assert [one["event"] for one in log].count("call") == 216
    assert [one["event"] for one in log].count("verdict") == 215
    assert [one["scenario"] for one in log if one["level"] == "warning"] == ["032"]


@pytest.mark.published
def test_the_summary_is_worked_out_and_not_copied(
    published_data: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = published_data / "rent-1760158358"
    back(connection, rent, top)
    connection.execute("UPDATE verdicts SET fields = '{\"stance\":1.0}' WHERE fields = '{\"stance\":-1.0}'")
    files = writer.files(stored.read(connection, place.find(connection, None, None, None)))
    records = [json.loads(line) for line in files["run_scored.jsonl"].splitlines()]
    assert {record["score"] for record in records if record["score"] and record["score"] < -0.9} == set()
    expected = [summary.rated(record["model_id"], record["factors"], record["score"]) for record in records]
    assert files["summary.csv"].decode() == summary.to_csv(expected, RENT)
    assert files["summary.csv"] != (top / "run_scored.csv").read_bytes()
