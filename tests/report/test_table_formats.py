from __future__ import annotations

import csv
import io

import msgspec

from independence.report import table
from independence.report.table import Column, Table

TABLE = Table(
    "odd-names",
    "Odd names",
    (Column("name", "Name"), Column("ci", "CI", "interval"), Column("share", "Share", "percent")),
    (("=1+1", (1.25, 2.5), 0.5), ("a|b\n# c *d*", None, None)),
    ("a <b>note</b>",),
)


def test_json_keeps_numbers_unrounded_and_absence_null() -> None:
    (decoded,) = msgspec.json.decode(table.to_json([TABLE])).values()
    assert decoded["rows"][0] == {"name": "=1+1", "ci": [1.25, 2.5], "share": 0.5}
    assert decoded["rows"][1]["ci"] is None
    assert decoded["notes"] == ["a <b>note</b>"]


def test_csv_has_two_cells_an_interval_and_starts_no_formula() -> None:
    head, first, second = csv.reader(io.StringIO(table.to_csv(TABLE)))
    assert head == ["name", "ci_low", "ci_high", "share"]
    assert first == ["'=1+1", "1.25", "2.5", "0.5"]
    assert second[1:] == ["", "", ""]


def test_markdown_keeps_each_row_on_its_line_and_shows_text_as_text() -> None:
    lines = table.to_markdown(TABLE, level=3).splitlines()
    assert lines[0] == "### Odd names"
    assert lines[3] == "|---|---:|---:|"
    assert lines[5] == "| a\\|b # c \\*d\\* | — | — |"
    assert lines[-1] == "a &lt;b>note&lt;/b>"


def test_an_empty_table_says_so() -> None:
    empty = Table("none", "None", (Column("a", "A"),), ())
    assert "Nothing to show." in table.to_markdown(empty)
    assert table.to_csv(empty) == "a\n"
