from __future__ import annotations

import pytest

from independence.report.table import Column, Table, Value, display_text, flat


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("x", "X"), "as it is", "as it is"),
        (Column("x", "X"), None, "—"),
        (Column("x", "X", "number"), None, "—"),
        (Column("x", "X", "number"), 0.0, "0.0"),
        (Column("x", "X", "number", 2), 1.005, "1.00"),
        (Column("x", "X", "count"), 12345, "12,345"),
        (Column("x", "X", "signed"), 2.0, "+2.0"),
        (Column("x", "X", "signed"), -0.04, "0.0"),
        (Column("x", "X", "signed_interval"), (-1.0, 2.0), "-1.0 to +2.0"),
        (Column("x", "X", "interval"), (0.0, 99.96), "0.0 to 100.0"),
        (Column("x", "X", "index_interval"), (-1.0, 101.2), "0.0 to 100.0"),
        (Column("x", "X", "index"), 100.7, "100.0"),
        (Column("x", "X", "index"), -3.0, "0.0"),
        (Column("x", "X", "number"), 63.05 + 1e-14, "63.0"),  # as 63.05 reads, whatever order it was added up in
        (Column("x", "X", "number"), 63.05, "63.0"),
        (Column("x", "X", "percent"), 0.9999, "99%"),
        (Column("x", "X", "percent"), 0.0001, "1%"),
        (Column("x", "X", "dollars", 4), 0.5, "$0.5000"),
        (Column("x", "X", "p"), 0.0004, "<.001"),
        (Column("x", "X", "p"), 0.0461, ".046"),
        (Column("x", "X", "p"), 1.0, "1.000"),
        (Column("x", "X", "words"), "First.\n\n  Then\tmore.", "First. Then more."),
        (Column("x", "X", "flag"), True, "yes"),
        (Column("x", "X", "flag"), False, "no"),
    ],
)
def test_a_value_reads_as_its_column_says(column: Column, value: Value, text: str) -> None:
    assert display_text(column, value) == text


def test_an_interval_takes_two_plain_columns_absent_or_not() -> None:
    table = Table("t", "T", (Column("a", "A"), Column("ci", "CI", "interval")), (("x", (1.0, 2.0)), ("y", None)))
    assert flat(table) == (["a", "ci_low", "ci_high"], [["x", 1.0, 2.0], ["y", None, None]])
