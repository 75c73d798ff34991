"""How tables are printed, in every form, and laid out on a terminal that is too narrow for them."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from independence.cli.output.table_output import print_boards, print_tables
from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.board.board import IndexBoard
from independence.report.files.table import Column, Table
from independence.store.file import database
from independence.suites.load import LoadedSuite
from tests.report import filled

Capture = pytest.CaptureFixture[str]
TEXT, COUNT, NUMBER = "text", "count", "number"
WIDE = Table(
    "wide", "Wide",
    (Column("rank", "#", COUNT), Column("who", "Who"), *(Column(f"n{at}", f"Number{at}", NUMBER) for at in range(12))),
    tuple((row, f"subject {row}", *[row + 0.5] * 12) for row in range(3)), ("A note.",),
)  # fmt: skip
NARROW = Table("narrow", "Narrow", WIDE.columns[:4], tuple(row[:4] for row in WIDE.rows))
ODD = Table("odd", "Odd", (Column("a", "A"), Column("b", "B", COUNT)), (("\x1b[31m" + "word " * 60, 7),))
NONE = Table("none", "None", (Column("y", "Y"),), ())


def printed(capsys: Capture, form: str, *tables: Table) -> str:
    print_tables(tables, form)
    return capsys.readouterr().out


def test_what_does_not_fit_side_by_side_stands_below_with_its_names(capsys: Capture) -> None:
    out = printed(capsys, "table", WIDE)
    assert all(column.head in out for column in WIDE.columns)
    assert out.count("subject 2") > 1
    assert out.count("A note.") == 1
    assert max(map(len, out.splitlines())) <= 80
    assert printed(capsys, "table", NARROW).count("subject 2") == 1
    assert "nothing to show" in printed(capsys, "table", NONE)


def test_long_text_folds_and_hostile_text_is_spelled_out(capsys: Capture) -> None:
    out = printed(capsys, "table", ODD)
    assert "\x1b" not in out
    assert "\\u001b[31m" in out
    assert out.count("word") == 60


def test_json_is_one_object_and_csv_tables_follow_each_other(capsys: Capture) -> None:
    decoded = json.loads(printed(capsys, "json", WIDE, NONE))
    assert list(decoded) == ["wide", "none"]
    assert (len(decoded["wide"]["rows"]), decoded["none"]["rows"]) == (3, [])
    assert printed(capsys, "csv", Table("a", "A", (Column("x", "X"),), (("1",),)), NONE) == "x\n1\n\ny\n"


def test_every_interval_of_an_index_is_printed_on_its_scale(
    tmp_path: Path, toy_suite: LoadedSuite, capsys: Capture
) -> None:
    with closing(database.connect(tmp_path / "store.db")) as connection:
        filled.complete(connection, toy_suite, "a", ((10, 9, 1), (1, 2, 9)))
        built = analysis.board(connection, filled.scope(toy_suite), BoardOptions())
        assert isinstance(built.document, IndexBoard)
        ends = [own for own in built.document.rows[0].intervals.values() if own]
        assert min(own[0] for own in ends) == 0, "Student's over two runs would end far below"
        assert max(own[1] for own in ends) <= 100
        print_boards([built], "table", detailed=True)
    found = re.findall(r"(?<!from )(-?[0-9.]+) to (-?[0-9.]+)(?! with)", capsys.readouterr().out)
    assert len(found) == 4
    assert all(0 <= float(low) <= float(high) <= 100 for low, high in found)


def figures(count: int) -> list[Column]:
    return [Column(f"n{at}", f"Figure-number-{at}", NUMBER) for at in range(count)]


def test_each_part_of_a_table_repeats_the_columns_that_name_its_rows(capsys: Capture) -> None:
    columns = (Column("judge", "Judge"), Column("against", "Against"), Column("run", "Run", COUNT), *figures(6))
    rows = tuple((judge, "acme/one", run, *[1.5] * 6) for judge in ("cues", "picks") for run in (1, 2))
    out = printed(capsys, "table", Table("keys", "Keys", columns, rows))
    heads = [line for line in out.splitlines() if "Judge" in line]
    assert len(heads) > 1
    assert all("Against" in line and "Run" in line for line in heads)
    assert len(re.findall("picks +acme/one +2 ", out)) == len(heads)


def test_an_interval_is_not_parted_from_what_it_is_about(capsys: Capture) -> None:
    columns = (Column("who", "Who"), *(
        Column(f"{name}{end}", "95%-CI" if end else f"Shift-of-{name}", NUMBER)
        for name in ("one", "two", "three", "four") for end in ("", "_ci")
    ))  # fmt: skip
    rows = tuple((f"acme/{at}", *[at + 1000.5] * 8) for at in range(3))
    out = printed(capsys, "table", Table("pairs", "Pairs", columns, rows))
    heads = [line.split() for line in out.splitlines() if "Who" in line]
    assert len(heads) > 1
    for who, *others in heads:
        assert who == "Who"
        assert [head == "95%-CI" for head in others] == [False, True] * (len(others) // 2)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_part_is_wider_than_the_terminal_and_no_name_is_cut(
    width: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    columns = (Column("who", "Who"), *(Column(f"n{at}", f"N{at}", NUMBER) for at in range(12)))
    names = [f"google/gemini-2.5-flash-lite-preview-{at:02}-2025@none-t0.7" for at in range(12)]
    out = printed(capsys, "table", Table("t", "T", columns, tuple((name, *[12.5] * 12) for name in names)))
    assert max(map(len, out.splitlines())) <= width
    heads = sum("Who" in line for line in out.splitlines())
    assert "".join(re.findall(r"^ ?(\S+)", out, re.MULTILINE)).count("2025@none-t0.7") == heads * len(names)
