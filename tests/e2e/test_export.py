"""The published summary and tables for other tools: written, and refused where somebody loses."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from independence.exchange.rent import words
from independence.suites.load import load
from tests.e2e import command
from tests.e2e.command import Ended
from tests.exchange.rent import folders

KEY = "sk-or-v1-5f0c1e7a9d3b4268e2e2e2e2e2e2e2e2"
TABLES = ("subjects", "dialogues", "verdicts", "board")
MODELS = "sim/adviser-s80-n20,sim/adviser-b50"


def do(folder: Path, *arguments: str | Path) -> Ended:
    """A command in a folder, with a key about."""
    with contextlib.chdir(folder):
        return command.run(*map(str, arguments), env={"OPENROUTER_API_KEY": KEY})


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
    """A graded run in `here.db`, its summary in `out`, an imported run folder in `run`."""
    folder = tmp_path_factory.mktemp("export")
    ended = ran(folder, "-j", "cues")
    assert ended.code == 0, ended.err
    ended = export(folder, "--summary", "out", "--db", "here.db")
    assert ended.code == 0, ended.err
    folders.whole(folder / "run", load("rent").suite)
    return folder


def test_the_summary_is_the_only_file_that_is_written(place: Path) -> None:
    assert sorted(path.name for path in (place / "out").iterdir()) == ["export.json", "summary.csv"]
    about = json.loads((place / "out" / "export.json").read_text())
    assert (about["suite"], about["conditions"], about["judge"]) == ("rent", ["helper/user_role"], "cues")


def test_the_summary_says_what_the_board_says(place: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((place / "out" / "summary.csv").read_bytes().decode(), newline="")))
    published = {name: row["published"] for name, row in board(place, "here.db").items()}
    assert [row["model_id"] for row in rows] == sorted(published) == ["sim/adviser-b50", "sim/adviser-s80-n20"]
    for row in rows:
        own = published[row["model_id"]]
        assert row == {n: f"{value:.4f}" if isinstance(value, float) else str(value) for n, value in own.items()}
    assert [(row["landlord_agree_p"], row["tenant_agree_p"]) for row in rows] == [
        ("1.0000", "0.0000"), ("1.0000", "1.0000")
    ]  # fmt: skip


def test_without_verdicts_there_is_no_summary(tmp_path: Path) -> None:
    assert ran(tmp_path, "--no-judge").code == 0
    first = export(tmp_path, "--summary", "out", "--db", "here.db")
    assert first.code == 2
    assert "no verdicts yet" in command.one_sentence(first)
    assert not (tmp_path / "out").exists()
    assert do(tmp_path, "judge", "-j", "cues", "--db", "here.db").code == 0
    assert export(tmp_path, "--summary", "out", "--db", "here.db").code == 0
    assert len((tmp_path / "out" / "summary.csv").read_text().splitlines()) == 3


def test_tables_for_other_tools_hold_every_answer_in_both_formats(place: Path) -> None:
    rent = load("rent").suite
    for format_ in ("jsonl", "csv"):
        assert export(place, "tables", "--format", format_, "--db", "here.db").code == 0
    names = {path.name for path in (place / "tables").iterdir()}
    assert names >= {f"{name}.{end}" for name in TABLES for end in ("jsonl", "csv")}
    answers, verdicts = (objects(place / "tables" / f"{name}.jsonl") for name in ("dialogues", "verdicts"))
    assert len(answers) == len(verdicts) == 16
    assert {verdict["judge"] for verdict in verdicts if verdict["current"]} == {"cues"}
    rows = command.ask(
        place / "here.db", "SELECT p.config_dir, p.scenario, c.text FROM planned p JOIN calls c USING (trial)"
    )
    texts = {(config, scenario): text for config, scenario, text in rows}
    prompts = {row["prompt_id"]: row for row in map(json.loads, words.grid_lines(rent, [s.id for s in rent.scenarios]))}
    for answer in answers:
        prompt = prompts[answer["scenario"]]
        assert answer["answer"] == texts[answer["config"], answer["scenario"]]
        assert answer["messages"] == prompt["messages"]
        assert (answer["simulated"], answer["side"]) == (True, prompt["factors"]["perspective"])
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
    assert export(place, "--summary", "one", "-m", "sim/adviser-b50", "--db", "here.db").code == 0
    (line,) = (place / "one" / "summary.csv").read_text().splitlines()[1:]
    assert line.startswith("sim/adviser-b50,8,")
    ended = export(place, "one-table", "-m", "sim/adviser-b50", "--db", "here.db")
    assert ended.code == 0
    for name in TABLES:
        rows = objects(place / "one-table" / f"{name}.jsonl")
        assert {row["label"].split("@")[0] for row in rows} == {"sim/adviser-b50"}


def test_somebody_else_s_files_are_not_written_over(place: Path) -> None:
    (place / "theirs").mkdir()
    (place / "theirs" / "summary.csv").write_text("mine")
    ended = export(place, "--summary", "theirs", "--db", "here.db")
    assert ended.code == 2
    assert "summary.csv would be written over" in command.one_sentence(ended)
    assert [path.name for path in (place / "theirs").iterdir()] == ["summary.csv"]
    assert export(place, "--summary", "theirs", "--force", "--db", "here.db").code == 0
    assert (place / "theirs" / "summary.csv").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "--summary", "x", "-m", "sim/nobody", "--db", "here.db"], "no subject `sim/nobody`"),
        (["export", "--summary", "x", "-j", "nobody", "--db", "here.db"], "no verdicts by judge `nobody`"),
        (["export", "x", "--suite", "v2", "--db", "here.db"], "no trials of `v2`"),
        (["export", "x", "--db", "nowhere.db"], "no store here"),
        (["export", "here.db", "--db", "here.db"], "cannot be written"),
        (["import", ".", "--db", "new.db"], "holds run folders of the rent benchmark; name one of them: "),
        (["import", "run", "--suite", "v2", "--db", "new.db"], "suite v2 has no grid of sides"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(place: Path, arguments: list[str], said: str) -> None:
    ended = do(place, *arguments)
    assert ended.code == 2
    assert said in command.one_sentence(ended)
    assert not (place / "x").exists()


def test_a_models_file_is_refused_where_it_would_say_nothing(place: Path) -> None:
    (place / "models.yaml").write_text("models: []\n")
    ended = do(place, "import", "run", "--models-file", "models.yaml", "--db", "new.db")
    assert ended.code == 2
    assert "--models-file names configurations of the bench" in ended.err


def test_bad_records_are_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    rent = load("rent").suite
    asked = ["000", "001", "002", "003", "005"]
    said = [folders.answer(rent, prompt) for prompt in asked]
    given = [folders.judged(one, score) for one, score in zip(said, (0.5, -0.5, 0.0, 1.5, 0.0), strict=True)]
    lines = ['{"broken": ', *said, said[0] | {"response_text": "again"}, folders.answer(rent, "001", model="")]
    folders.write(tmp_path / "run", answers=lines, judged=given, snapshot=folders.snapshot(rent, asked))
    ended = do(tmp_path, "import", "run", "--db", "here.db", "--format", "json")
    assert ended.code == 0, ended.err
    for where in ("run.jsonl:1: ", "run.jsonl:7: ", "run.jsonl:8: "):
        assert f"skipped, {where}" in ended.err
    (row,) = ended.board["models"]["rows"]
    assert (row["answers"], row["failed"], row["scored"]) == (5, 0, 4)
    kept = command.ask(tmp_path / "here.db", "SELECT text FROM calls JOIN planned USING (trial) ORDER BY scenario")
    assert [text for (text,) in kept] == [record["response_text"] for record in said]
    assert export(tmp_path, "--summary", "out", "--db", "here.db").code == 0
    (line,) = (tmp_path / "out" / "summary.csv").read_text().splitlines()[1:]
    assert line.startswith(f"{folders.MODEL},5,0.0000,0.2500,0.5000,0.2500,")


@pytest.mark.published
def test_the_published_run_and_its_summary(published_data: Path, tmp_path: Path) -> None:
    top = published_data / "rent-1760158358"
    for new in ("216 replies, 215 verdicts", "nothing"):
        ended = do(tmp_path, "import", top, "--db", "here.db")
        assert ended.code == 0, ended.err
        assert f"new in the store: {new}" in ended.err
    assert export(tmp_path, "--summary", "out", "--db", "here.db").code == 0
    assert (tmp_path / "out" / "summary.csv").read_bytes() == (top / "run_scored.csv").read_bytes()
    assert {name: round(row["contrast"]["est"], 3) for name, row in board(tmp_path, "here.db").items()} == {
        "nvidia/nemotron-nano-9b-v2:free": -0.197, "openai/gpt-oss-20b:free": 0.05
    }  # fmt: skip
