"""Run folders of the rent benchmark and tables for other tools: written, read back, refused where somebody loses."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import command, inside
from tests.e2e.command import Ended
from tests.exchange.rent import folders

KEY = "sk-or-v1-5f0c1e7a9d3b4268e2e2e2e2e2e2e2e2"
FOLDER = ["grid.jsonl", "run.jsonl", "run_grid.json", "run_scored.jsonl", "summary.csv"]
TABLES = ("subjects", "dialogues", "verdicts", "board")
MODELS = "sim/adviser-s80-n20,sim/adviser-b50"


def do(folder: Path, *arguments: str | Path) -> Ended:
    """A command in a folder, with a key about."""
    with contextlib.chdir(folder):
        return inside.run(*map(str, arguments), env={"OPENROUTER_API_KEY": KEY})


def ran(folder: Path, *more: str) -> Ended:
    """The rent suite on two advisers: whole triplets without the uninvolved side."""
    asked = ("--suite", "rent", "-m", MODELS, "--runs", "1", "--no-neutral", "--limit", "8")
    return do(folder, "run", *asked, "--db", "here.db", *more)


def export(folder: Path, *arguments: str) -> Ended:
    return do(folder, "export", *arguments)


def board(folder: Path, db: str) -> dict[str, dict[str, Any]]:
    """Rows by model."""
    shown = do(folder, "leaderboard", "--db", db, "--format", "json").board
    return {row["published"]["model_id"]: row for row in shown["rows"]}


def objects(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded run in `here.db`, its run folder in `out`."""
    folder = tmp_path_factory.mktemp("export")
    ended = ran(folder, "-j", "cues")
    assert ended.code == 0, ended.err
    ended = export(folder, "--rent", "out", "--db", "here.db")
    assert ended.code == 0, ended.err
    return folder


def test_a_run_of_our_own_goes_through_its_folder_and_back(place: Path) -> None:
    taken = do(place, "import", "out", "--db", "there.db", "--format", "json")
    assert (taken.code, list(taken.board)) == (0, ["models"]), taken.out
    assert export(place, "--rent", "again", "--db", "there.db").code == 0
    for name in FOLDER:
        assert (place / "again" / name).read_bytes() == (place / "out" / name).read_bytes(), name
    ours, theirs = (board(place, db) for db in ("here.db", "there.db"))
    assert {name: row["published"] for name, row in ours.items()} == {n: row["published"] for n, row in theirs.items()}
    assert all(row["simulated"] for row in (*ours.values(), *theirs.values()))


def test_the_summary_of_a_folder_is_its_board(place: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((place / "out" / "summary.csv").read_bytes().decode(), newline="")))
    published = {name: row["published"] for name, row in board(place, "here.db").items()}
    assert [row["model_id"] for row in rows] == sorted(published) == ["sim/adviser-b50", "sim/adviser-s80-n20"]
    for row in rows:
        own = published[row["model_id"]]
        assert row == {n: f"{value:.4f}" if isinstance(value, float) else str(value) for n, value in own.items()}
    assert [(row["landlord_agree_p"], row["tenant_agree_p"]) for row in rows] == [
        ("1.0000", "0.0000"), ("1.0000", "1.0000")
    ]  # fmt: skip


def test_a_sampled_grid_is_whole_and_says_what_it_is(place: Path) -> None:
    snapshot = json.loads((place / "out" / "run_grid.json").read_text())
    assert (snapshot["include_neutral"], snapshot["total"], snapshot["selected"]) == (False, 108, 8)
    assert snapshot["mode"] == "simulated"
    sides = [row["factors"]["perspective"] for row in objects(place / "out" / "grid.jsonl")]
    assert sides == ["landlord", "tenant"] * 4


def test_scores_come_when_they_are_there(tmp_path: Path) -> None:
    assert ran(tmp_path, "--no-judge").code == 0
    first = export(tmp_path, "--rent", "out", "--db", "here.db")
    assert first.code == 0
    assert "no verdicts yet" in first.err
    assert not (tmp_path / "out" / "summary.csv").exists()
    assert do(tmp_path, "judge", "-j", "cues", "--db", "here.db").code == 0
    assert export(tmp_path, "--rent", "out", "--db", "here.db").code == 0
    assert len((tmp_path / "out" / "summary.csv").read_text().splitlines()) == 3
    assert all(record["score"] is not None for record in objects(tmp_path / "out" / "run_scored.jsonl"))


def test_tables_for_other_tools_hold_every_answer_in_both_formats(place: Path) -> None:
    for format_ in ("jsonl", "csv"):
        assert export(place, "tables", "--format", format_, "--db", "here.db").code == 0
    names = {path.name for path in (place / "tables").iterdir()}
    assert names >= {f"{name}.{end}" for name in TABLES for end in ("jsonl", "csv")}
    answers, verdicts = (objects(place / "tables" / f"{name}.jsonl") for name in ("dialogues", "verdicts"))
    assert len(answers) == len(verdicts) == 16
    assert {verdict["judge"] for verdict in verdicts if verdict["current"]} == {"cues"}
    records = {(r["model_id"], r["prompt_id"]): r for r in objects(place / "out" / "run.jsonl")}
    for answer in answers:
        record = records[answer["model_id"], answer["scenario"]]
        assert (answer["answer"], answer["messages"]) == (record["response_text"], record["messages"])
        assert (answer["simulated"], answer["side"]) == (True, record["perspective"])
    with (place / "tables" / "dialogues.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["model_id"], row["scenario"]) for row in rows] == [(a["model_id"], a["scenario"]) for a in answers]


def test_neither_keys_nor_addresses_nor_places_are_in_any_file(place: Path) -> None:
    export(place, "tables", "--db", "here.db")
    for path in [*(place / "out").iterdir(), *(place / "tables").iterdir()]:
        text = path.read_text("utf-8")
        for secret in (KEY, "127.0.0.1", "localhost", str(place), str(Path.home())):
            assert secret not in text, (path.name, secret)


def test_only_the_named_models_are_exported(place: Path) -> None:
    assert export(place, "--rent", "one", "-m", "sim/adviser-b50", "--db", "here.db").code == 0
    assert {record["model_id"] for record in objects(place / "one" / "run.jsonl")} == {"sim/adviser-b50"}
    ended = export(place, "one-table", "-m", "sim/adviser-b50", "--db", "here.db")
    assert ended.code == 0
    for name in TABLES:
        rows = objects(place / "one-table" / f"{name}.jsonl")
        assert {row["label"].split("@")[0] for row in rows} == {"sim/adviser-b50"}


def test_somebody_else_s_files_are_not_written_over(place: Path) -> None:
    (place / "theirs").mkdir()
    (place / "theirs" / "summary.csv").write_text("mine")
    ended = export(place, "--rent", "theirs", "--db", "here.db")
    assert ended.code == 2
    assert "summary.csv would be written over" in command.one_sentence(ended)
    assert [path.name for path in (place / "theirs").iterdir()] == ["summary.csv"]
    assert export(place, "--rent", "theirs", "--force", "--db", "here.db").code == 0
    assert (place / "theirs" / "summary.csv").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "--rent", "x", "-m", "sim/nobody", "--db", "here.db"], "no subject `sim/nobody`"),
        (["export", "--rent", "x", "-j", "nobody", "--db", "here.db"], "no verdicts by judge `nobody`"),
        (["export", "x", "--suite", "v2", "--db", "here.db"], "no trials of `v2`"),
        (["export", "x", "--db", "nowhere.db"], "no store here"),
        (["export", "here.db", "--db", "here.db"], "cannot be written"),
        (["import", ".", "--db", "new.db"], "holds run folders of the rent benchmark; name one of them: "),
        (["import", "out", "--suite", "v2", "--db", "new.db"], "suite v2 has no grid of sides"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(place: Path, arguments: list[str], said: str) -> None:
    ended = do(place, *arguments)
    assert ended.code == 2
    assert said in command.one_sentence(ended)
    assert not (place / "x").exists()


def test_a_models_file_is_refused_where_it_would_say_nothing(place: Path) -> None:
    (place / "models.yaml").write_text("models: []\n")
    ended = do(place, "import", "out", "--models-file", "models.yaml", "--db", "new.db")
    assert ended.code == 2
    assert "--models-file names configurations of the bench" in ended.err


def test_bad_records_are_named_and_counted_and_nothing_else_is_lost(tmp_path: Path) -> None:
    rent = load("rent").suite
    asked = ["000", "001", "002", "003", "005"]  # the second triplet lacks its tenant
    said = [folders.answer(rent, prompt) for prompt in asked]
    given = [folders.judged(one, score) for one, score in zip(said, (0.5, -0.5, 0.0, 1.5, 0.0), strict=True)]
    lines = ['{"broken": ', *said, said[0] | {"response_text": "again"}, folders.answer(rent, "001", model="")]
    folders.write(
        tmp_path / "run",
        answers=lines,
        judged=[given[0] | {"mood": 1}, *given[1:]],
        snapshot=folders.snapshot(rent, asked),
    )
    ended = do(tmp_path, "import", "run", "--db", "here.db", "--format", "json")
    assert ended.code == 0, ended.err
    assert [(row["oddity"], row["count"]) for row in ended.board["oddities"]["rows"]] == [
        ("broken_line", 1), ("no_model", 1), ("duplicate", 1), ("unknown_key", 1), ("bad_score", 1),
        ("split_triplet", 1),
    ]  # fmt: skip
    for where in ("run.jsonl:1: ", "run.jsonl:7: ", "run.jsonl:8: ", "run_scored.jsonl:1: ", "run_scored.jsonl:4: ",
                  "run_grid.json:4: "):  # fmt: skip
        assert where in ended.err
    (row,) = ended.board["models"]["rows"]
    assert (row["answers"], row["failed"], row["scored"]) == (5, 0, 4)
    assert export(tmp_path, "--rent", "out", "--db", "here.db").code == 0
    assert [record["response_text"] for record in objects(tmp_path / "out" / "run.jsonl")] == [
        record["response_text"] for record in said
    ]
    assert [record["score"] for record in objects(tmp_path / "out" / "run_scored.jsonl")] == [0.5, -0.5, 0.0, None, 0.0]


@pytest.mark.published
def test_the_published_run_in_and_out(published_data: Path, tmp_path: Path) -> None:
    top = published_data / "rent-1760158358"
    for new in ("216 replies, 215 verdicts", "nothing"):
        ended = do(tmp_path, "import", top, "--db", "here.db")
        assert ended.code == 0, ended.err
        assert f"new in the store: {new}" in ended.err
    assert export(tmp_path, "--rent", "out", "--db", "here.db").code == 0
    out = tmp_path / "out"
    assert (out / "summary.csv").read_bytes() == (top / "run_scored.csv").read_bytes()
    assert (out / "run_scored.jsonl").read_bytes() == (top / "run_scored.jsonl").read_bytes()
    assert (out / "run_grid.json").read_bytes() == (top / "run_grid.json").read_bytes()
    with lzma.open(top / "run.jsonl.xz") as packed:
        assert (out / "run.jsonl").read_bytes() == packed.read()
    assert {name: round(row["contrast"]["est"], 3) for name, row in board(tmp_path, "here.db").items()} == {
        "nvidia/nemotron-nano-9b-v2:free": -0.197, "openai/gpt-oss-20b:free": 0.05
    }  # fmt: skip
