"""The published summary and tables for other tools: written, refused where somebody loses, and as the guide says."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.exchange import grid_file
from independence.extensions.published.rent.stance_board import StanceBoard
from independence.report.advice.board import SidesBoard
from independence.report.board.board import IndexBoard
from independence.report.board.rows import Board, Row
from independence.suites.load import load
from tests.e2e import command, endpoint, refusals, suites
from tests.e2e.command import Ended
from tests.extensions.published.rent import folders

TABLES = ("subjects", "dialogues", "verdicts", "board")
# Two advisers, whole triplets without the uninvolved side.
RUN = "run --suite rent -m sim/adviser-s80-n20,sim/adviser-b50 --runs 1 --no-neutral --limit 8 --db here.db"


def do(folder: Path, line: str) -> Ended:
    """A command in a folder, with a key about."""
    return command.run(*line.split(), cwd=folder, env={"OPENROUTER_API_KEY": endpoint.KEY})


def export(folder: Path, line: str) -> None:
    ended = do(folder, f"export {line} --db here.db")
    assert ended.code == 0, ended.err


def board(folder: Path) -> dict[str, dict[str, Any]]:
    """Rows by model."""
    rows = do(folder, "leaderboard --db here.db --format json").board["rows"]
    return {row["model_id"]: row for row in rows}


def objects(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def lines(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded run in `here.db`, its summary in `out`, its tables in `tables`, an imported run folder in `run`."""
    folder = tmp_path_factory.mktemp("export")
    ended = do(folder, f"{RUN} -j cues")
    assert ended.code == 0, ended.err
    for line in ("--summary out", "tables --format jsonl", "tables --format csv"):
        export(folder, line)
    folders.whole(folder / "run", load("rent").suite)
    (folder / "models.yaml").write_text("models: []\n")
    (folder / "theirs").mkdir()
    (folder / "theirs" / "summary.csv").write_text("mine")
    return folder


def test_the_summary_says_what_the_board_says(place: Path) -> None:
    assert sorted(path.name for path in (place / "out").iterdir()) == ["export.json", "summary.csv"]
    about = json.loads((place / "out" / "export.json").read_text())
    assert (about["suite"], about["conditions"], about["judge"]) == ("rent", ["helper/user_role"], "cues")
    rows = lines(place / "out" / "summary.csv")
    published = board(place)
    assert [row["model_id"] for row in rows] == sorted(published) == ["sim/adviser-b50", "sim/adviser-s80-n20"]
    for row in rows:
        own = {name: value for name, value in published[row["model_id"]].items() if name in row}
        assert row == {n: f"{value:.4f}" if isinstance(value, float) else str(value) for n, value in own.items()}
    agreed = [(row["landlord_agree_p"], row["tenant_agree_p"]) for row in rows]
    assert agreed == [("1.0000", "0.0000"), ("1.0000", "1.0000")]


# What the scripts of the rent benchmark read of a record; a raw body and who served the judge are not stored.
NOT_KEPT = {"raw_response", "eval_raw_response", "eval_provider", "eval_request_id", "eval_finish_reason"}


def told(folder: Path, tables: str) -> dict[str, list[Any]]:
    """What dialogues and verdicts of an export say, whatever edition and configuration they are kept under."""
    said = [
        [row[name] for name in ("scenario", "run", "text", "missing", "reasoning", "served_model", "served_provider",
                                "prompt_tokens", "completion_tokens", "cost_usd", "messages")]
        + [round(row["seconds"], 3)]
        for row in objects(folder / tables / "dialogues.jsonl")
    ]  # fmt: skip
    given = [
        [row[name] for name in ("scenario", "run", "judge", "missing", "values", "reasoning", "raw", "cost_usd")]
        for row in objects(folder / tables / "verdicts.jsonl")
    ]
    return {"dialogues": sorted(said, key=str), "verdicts": sorted(given, key=str)}


def test_a_published_run_folder_comes_back_as_it_came(tmp_path: Path) -> None:
    rent = load("rent").suite
    said = [folders.answer(rent, prompt) for prompt in ("000", "001", "002", "003")]
    said += [folders.failed(rent, "004"), folders.failed(rent, "005") | {"error": None, "latency_ms": 900}]
    given = [folders.judged(one, score) for one, score in zip(said[:3], (0.5, -0.5, 1.5), strict=True)]
    given += [folders.judged(said[4]), folders.judged(said[5] | {"error": "no answer"})]
    folders.write(tmp_path / "run", answers=said, judged=given, snapshot=folders.snapshot(rent, folders.TRIPLET))
    for line in ("import run --db here.db", "import back --db again.db"):
        assert do(tmp_path, line).code == 0
        if "here" in line:
            export(tmp_path, "--rent back")
            export(tmp_path, "here --format jsonl")
    assert command.ok("export", "again", "--db", "again.db", cwd=tmp_path)
    assert told(tmp_path, "here") == told(tmp_path, "again")
    for name, source in (("run.jsonl", said), ("run_scored.jsonl", given)):
        back = {record["prompt_id"]: record for record in objects(tmp_path / "back" / name)}
        assert len(back) == 6
        for record in source:
            own = back[record["prompt_id"]]
            assert list(own) == list(record)
            changed = {key for key in record.keys() - NOT_KEPT if own[key] != record[key]}
            # A score off the scale is none, and the time of a verdict that there is not is not kept.
            off = {"score", "error"} if record.get("score") == 1.5 else {"eval_timestamp_iso"}
            assert changed <= off, (record["prompt_id"], changed)
    assert "not graded" in str(objects(tmp_path / "back" / "run_scored.jsonl")[3]["error"])


def test_a_run_of_our_own_goes_out_as_a_run_folder_and_comes_back(place: Path, tmp_path: Path) -> None:
    export(place, f"--rent {tmp_path / 'run'}")
    names = {"run.jsonl", "run_scored.jsonl", "run_grid.json", "grid.jsonl", "run_scored.csv", "export.json"}
    assert {path.name for path in (tmp_path / "run").iterdir()} == names
    assert (tmp_path / "run" / "run_scored.csv").read_bytes() == (place / "out" / "summary.csv").read_bytes()
    assert "kept apart" in do(tmp_path, "import run --db back.db").err
    command.ok("export", "again", "--db", "back.db", cwd=tmp_path)
    assert told(tmp_path, "again") == told(place, "tables")
    command.ok("export", "twice", "--rent", "--db", "back.db", cwd=tmp_path)
    for name in ("run.jsonl", "run_scored.jsonl", "run_scored.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "twice" / name).read_bytes()
    plan = json.loads((tmp_path / "run" / "run_grid.json").read_text())
    assert (plan["selected"], plan["include_neutral"], plan["mode"]) == (8, False, "simulated")


def test_a_run_folder_without_verdicts_has_no_scores(tmp_path: Path) -> None:
    assert do(tmp_path, f"{RUN} --no-judge").code == 0
    assert "no verdicts yet" in do(tmp_path, "export --rent out --db here.db").err
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".jsonl", ".json"}


def test_without_verdicts_there_is_no_summary(tmp_path: Path) -> None:
    assert do(tmp_path, f"{RUN} --no-judge").code == 0
    assert refusals.wrong(tmp_path, {"export --summary out --db here.db": "no verdicts yet"}) == {}
    assert do(tmp_path, "judge -j cues --db here.db").code == 0
    export(tmp_path, "--summary out")
    assert len(lines(tmp_path / "out" / "summary.csv")) == 2


def test_tables_for_other_tools_hold_every_answer_in_both_formats_and_no_secrets(place: Path) -> None:
    rent = load("rent").suite
    names = {path.name for path in (place / "tables").iterdir()}
    assert names >= {f"{name}.{end}" for name in TABLES for end in ("jsonl", "csv")}
    answers, verdicts = (objects(place / "tables" / f"{name}.jsonl") for name in ("dialogues", "verdicts"))
    assert len(answers) == len(verdicts) == 16
    assert {verdict["judge"] for verdict in verdicts if verdict["current"]} == {"cues"}
    rows = command.ask(
        place / "here.db", "SELECT p.config_dir, p.scenario, c.text FROM planned p JOIN calls c USING (trial)"
    )
    texts = {(config, scenario): text for config, scenario, text in rows}
    prompts = {
        row["prompt_id"]: row for row in map(json.loads, grid_file.grid_lines(rent, [s.id for s in rent.scenarios]))
    }
    for answer in answers:
        prompt = prompts[answer["scenario"]]
        assert answer["text"] == texts[answer["config"], answer["scenario"]]
        assert answer["messages"] == prompt["messages"]
        assert (answer["simulated"], answer["side"]) == (True, prompt["factors"]["perspective"])
    shown = [(row["model_id"], row["scenario"]) for row in lines(place / "tables" / "dialogues.csv")]
    assert shown == [(answer["model_id"], answer["scenario"]) for answer in answers]
    for path in [*(place / "out").iterdir(), *(place / "tables").iterdir()]:
        text = path.read_text("utf-8")
        for secret in (endpoint.KEY, "127.0.0.1", "localhost", str(place), str(Path.home())):
            assert secret not in text, (path.name, secret)


def test_only_the_named_models_are_exported(place: Path, tmp_path: Path) -> None:
    export(place, f"--summary {tmp_path / 'one'} -m sim/adviser-b50")
    (line,) = lines(tmp_path / "one" / "summary.csv")
    assert (line["model_id"], line["n"]) == ("sim/adviser-b50", "8")
    export(place, f"{tmp_path / 'tables'} -m sim/adviser-b50")
    for name in TABLES:
        rows = objects(tmp_path / "tables" / f"{name}.jsonl")
        assert {row["label"].split("@")[0] for row in rows} == {"sim/adviser-b50"}


def test_what_cannot_be_done_is_one_sentence(place: Path) -> None:
    cases = {
        "export --summary x -m sim/nobody --db here.db": "no subject `sim/nobody`",
        "export --summary x -j nobody --db here.db": "no verdicts by judge `nobody`",
        "export x --suite v2 --db here.db": "no trials of `v2`",
        "export x --db nowhere.db": "no store here",
        "export here.db --db here.db": "cannot be written",
        "export --summary theirs --db here.db": "summary.csv would be written over",
        "export --rent x --suite v2 --db here.db": "no trials of `v2`",
        "import . --db new.db": "holds run folders of the rent benchmark; name one of them: ",
        "import run --suite v2 --db new.db": "suite v2 has no grid of sides",
        "import run --models-file models.yaml --db new.db": "--models-file names configurations of the bench",
    }
    assert refusals.wrong(place, cases) == {}
    export(place, "--summary theirs --force")
    assert (place / "theirs" / "summary.csv").read_text() != "mine"


def test_bad_records_are_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    rent = load("rent").suite
    asked = ["000", "001", "002", "003", "005"]
    said = [folders.answer(rent, prompt) for prompt in asked]
    given = [folders.judged(one, score) for one, score in zip(said, (0.5, -0.5, 0.0, 1.5, 0.0), strict=True)]
    records = ['{"broken": ', *said, said[0] | {"response_text": "again"}, folders.answer(rent, "001", model="")]
    folders.write(tmp_path / "run", answers=records, judged=given, snapshot=folders.snapshot(rent, asked))
    ended = do(tmp_path, "import run --db here.db --format json")
    assert ended.code == 0, ended.err
    for where in ("run.jsonl:1: ", "run.jsonl:7: ", "run.jsonl:8: "):
        assert f"skipped, {where}" in ended.err
    (row,) = ended.board["models"]["rows"]
    assert (row["answers"], row["failed"], row["scored"]) == (5, 0, 4)
    kept = command.ask(tmp_path / "here.db", "SELECT text FROM calls JOIN planned USING (trial) ORDER BY scenario")
    assert [text for (text,) in kept] == [record["response_text"] for record in said]
    export(tmp_path, "--summary out")
    (line,) = (tmp_path / "out" / "summary.csv").read_text().splitlines()[1:]
    assert line.startswith(f"{folders.MODEL},5,0.0000,0.2500,0.5000,0.2500,")


@pytest.mark.published
def test_the_published_run_and_its_summary(published_data: Path, tmp_path: Path) -> None:
    top = published_data / "rent-1760158358"
    for new in ("216 replies, 215 verdicts", "nothing"):
        ended = do(tmp_path, f"import {top} --db here.db")
        assert ended.code == 0, ended.err
        assert f"new in the store: {new}" in ended.err
    export(tmp_path, "--summary out")
    assert (tmp_path / "out" / "summary.csv").read_bytes() == (top / "run_scored.csv").read_bytes()
    assert {name: round(row["contrast"], 3) for name, row in board(tmp_path).items()} == {
        "nvidia/nemotron-nano-9b-v2:free": -0.197, "openai/gpt-oss-20b:free": 0.05
    }  # fmt: skip


GUIDE = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")
ABOVE: dict[str, tuple[str, ...]] = {
    "subjects": ("In every table",),
    "profile": (),
}  # the other tables also have the columns of dialogues
RUNS = {
    "An index": "--suite harbour -m sim/half,sim/never --runs 2 -j cues",
    "Paired sides": "--suite sides -m sim/fair --runs 1 --limit 24 -j sim/judge",
    "Stances": "--suite rent -m sim/fair --runs 1 --limit 12 -j cues",
}


PARTY = re.compile("^(landlord|tenant)_")
PARTS = {
    "interval": ("_ci_low", "_ci_high"), "bounds": ("_bounds_low", "_bounds_high"), "n": ("_n",),
    "method": ("_method",), "tier": ("_tier",), "verdict": ("_verdict",),
}  # fmt: skip


def listed(*titles: str, column: int = 0) -> set[str]:
    """The names in a column of the tables of these sections of the guide; `=` stands for those of the first column."""
    names: set[str] = set()
    for title in titles:
        (own,) = [part for part in re.split(r"^#+ ", GUIDE, flags=re.MULTILINE) if part.split("\n", 1)[0] == title]
        for cells in (line.strip("|").split("|") for line in own.splitlines() if line.startswith("| `")):
            cell = cells[column]
            found = set(re.findall(r"`([\w.]+)`", cells[0] if cell.strip().startswith("=") else cell))
            ends = [end for part, own in PARTS.items() if f"+ {part}" in cell for end in own]
            names |= found | {name + end for name in found for end in ends}
    return names


@pytest.mark.parametrize("kind", RUNS)
def test_the_guide_lists_every_column_of_every_file_and_no_other(kind: str, tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    ended = do(tmp_path, f"run {RUNS[kind]} --quiet --db here.db")
    assert ended.code == 0, ended.err
    export(tmp_path, "jsonl --format jsonl")
    export(tmp_path, "csv --format csv")
    tables = {path.stem for path in (tmp_path / "jsonl").glob("*.jsonl")}
    assert {"subjects", "dialogues", "verdicts", "board"} <= tables
    for name in tables - {"board"}:
        known = listed(*ABOVE.get(name, ("In every table", "In dialogues, verdicts and steps")), name)
        assert set(objects(tmp_path / "jsonl" / f"{name}.jsonl")[0]) == known
        columns = {column.split(".", 1)[0] for column in lines(tmp_path / "csv" / f"{name}.csv")[0]}
        assert columns | {"factors"} == known | {"factors"}  # without a grid a CSV has no column of it
    row = objects(tmp_path / "jsonl" / "board.jsonl")[0]
    assert {PARTY.sub("PARTY_", name) for name in row} - listed("Only where it applies") == listed(
        "In every board", kind
    )
    columns = {PARTY.sub("PARTY_", name) for name in lines(tmp_path / "csv" / "board.csv")[0]}
    parts = {name for name in columns if any(dimension in name for dimension in row.get("dimensions", ()))}
    extra = {"origin"} | listed("Only where it applies", column=1)
    assert columns - parts - extra == listed("In every board", kind, column=1) - extra


def test_columns_that_only_some_boards_have_are_listed() -> None:
    fields = [
        field for one in (Row, Board, IndexBoard, SidesBoard, StanceBoard) for field in msgspec.structs.fields(one)
    ]
    unset = {field.name for field in fields if field.default is msgspec.UNSET}
    assert unset | {"evades", "without_evasions", "points_lost"} == listed("Only where it applies")
    columns = {"evades", "without_evasions", "origin", "language", "words", "caution"}
    assert listed("Only where it applies", column=1) == columns | {"points_lost_requests", "points_lost_pressure"}
