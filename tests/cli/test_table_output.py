from __future__ import annotations

import json

import pytest

from independence.cli.table_output import print_tables
from independence.report.table import Column, Table

NUMBERS = [Column(f"n{at}", f"Number{at}", "number") for at in range(12)]
WIDE = Table(
    "wide",
    "Wide",
    (Column("rank", "#", "count"), Column("who", "Who"), *NUMBERS),
    tuple((row, f"subject {row}", *[row + 0.5] * 12) for row in range(3)),
    ("A note.",),
)


def test_what_does_not_fit_side_by_side_stands_below_with_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([WIDE], "table")
    out = capsys.readouterr().out
    assert all(column.head in out for column in WIDE.columns)
    assert out.count("subject 2") > 1
    assert out.count("A note.") == 1
    assert max(map(len, out.splitlines())) <= 80


def test_a_table_that_fits_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    narrow = Table("narrow", "Narrow", WIDE.columns[:4], tuple(row[:4] for row in WIDE.rows))
    print_tables([narrow], "table")
    assert capsys.readouterr().out.count("subject 2") == 1


def test_long_text_folds_and_hostile_text_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    odd = Table("odd", "Odd", (Column("a", "A"), Column("b", "B", "count")), (("\x1b[31m" + "word " * 60, 7),))
    print_tables([odd], "table")
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\u001b[31m" in out
    assert out.count("word") == 60


def test_json_is_one_object_with_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([WIDE, Table("none", "None", (Column("a", "A"),), ())], "json")
    decoded = json.loads(capsys.readouterr().out)
    assert list(decoded) == ["wide", "none"]
    assert decoded["none"]["rows"] == []


def test_csv_tables_follow_each_other_after_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([Table("a", "A", (Column("x", "X"),), (("1",),)), Table("b", "B", (Column("y", "Y"),), ())], "csv")
    assert capsys.readouterr().out == "x\n1\n\ny\n"


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([Table("none", "None", (Column("a", "A"),), ())], "table")
    assert "nothing to show" in capsys.readouterr().out
