"""The guide to exports is kept true: it lists every column of every file, and no other."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import msgspec
import pytest

from independence.report.advice.board import SidesBoard, SidesRow
from independence.report.advice.published import StanceBoard, StanceRow
from independence.report.board import Board
from independence.report.board_row import BoardRow
from independence.report.place_board import PlaceBoard
from tests.e2e import command, suites

GUIDE = Path(__file__).parents[2] / "docs" / "export.md"
ABOVE = {
    "subjects": ("In every table",),
    "dialogues": ("In every table", "In dialogues, verdicts and steps"),
    "verdicts": ("In every table", "In dialogues, verdicts and steps"),
    "steps": ("In every table", "In dialogues, verdicts and steps"),
}
RUNS = {
    "An index": ("--suite", "harbour", "-m", "sim/half,sim/never", "--runs", "2"),
    "Paired sides": ("--suite", "sides", "-m", "sim/fair", "--runs", "1", "--limit", "12"),
    "Stances": ("--suite", "rent", "-m", "sim/fair", "--runs", "1", "--limit", "12"),
}
JUDGES = {"An index": "cues", "Paired sides": "sim/judge", "Stances": "cues"}


def section(title: str) -> list[list[set[str]]]:
    """The rows of a section's table, each cell as the names in it; `=` stands for those of the first cell."""
    text = re.split(r"^#+ ", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    (own,) = [part for part in text if part.split("\n", 1)[0] == title]
    rows = [line.strip("|").split("|") for line in own.splitlines() if line.startswith("| `")]
    return [[named(cell, row[0]) for cell in row] for row in rows]


def named(cell: str, first: str) -> set[str]:
    names = set(re.findall(r"`([\w.]+)`", first if cell.strip().startswith("=") else cell))
    interval = ("_ci_low", "_ci_high", "_cells") if "+ interval" in cell else ()
    return names | {name + end for name in names for end in interval}


def listed(*titles: str, column: int = 0) -> set[str]:
    return {name for title in titles for row in section(title) for name in row[column]}


def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


@pytest.fixture(scope="module", params=RUNS)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    kind, folder = request.param, tmp_path_factory.mktemp("columns")
    suites.write(folder / "harbour", suites.harbour())
    ended = command.run("run", *RUNS[kind], "-j", JUDGES[kind], "--quiet", "--db", "here.db", cwd=folder)
    assert ended.code == 0, ended.err
    for format_ in ("jsonl", "csv"):
        ended = command.run("export", format_, "--format", format_, "--db", "here.db", cwd=folder)
        assert ended.code == 0, ended.err
    return kind, folder


def test_every_column_of_a_table_is_listed(exported: tuple[str, Path]):
    _, folder = exported
    tables = [path.stem for path in (folder / "jsonl").glob("*.jsonl") if path.stem != "board"]
    assert {"subjects", "dialogues", "verdicts"} <= set(tables)
    for name in tables:
        known = listed(*ABOVE[name], name)
        (line, *_) = (folder / "jsonl" / f"{name}.jsonl").read_text("utf-8").splitlines()
        assert set(json.loads(line)) == known
        columns = {column.split(".", 1)[0] for column in header(folder / "csv" / f"{name}.csv")}
        assert columns | {"factors"} == known | {"factors"}  # without a grid a CSV has no column of it


def test_every_column_of_a_board_is_listed(exported: tuple[str, Path]):
    kind, folder = exported
    (line, *_) = (folder / "jsonl" / "board.jsonl").read_text("utf-8").splitlines()
    optional = listed("Only where it applies")
    assert set(json.loads(line)) - optional == listed("In every board", kind)
    columns = [re.sub(r"^(landlord|tenant)_", "PARTY_", name) for name in header(folder / "csv" / "board.csv")]
    assert {name for name in columns if name[:1].islower() or name[:1] in "SBP"} == listed(
        "In every board", kind, column=1
    )


def test_columns_that_only_some_boards_have_are_listed():
    documents = (BoardRow, Board, SidesBoard, SidesRow, StanceBoard, StanceRow, PlaceBoard)
    fields = [field for one in documents for field in msgspec.structs.fields(one)]
    assert {field.name for field in fields if field.default is msgspec.UNSET} == listed("Only where it applies")
    columns = {"evades", "without_evasions", "origin", "language", "words", "caution"}
    assert listed("Only where it applies", column=1) == columns
