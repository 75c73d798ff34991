from __future__ import annotations

from independence.report.table import Column, Table, without_empty_columns

COLUMNS = (Column("a", "a"), Column("b", "b", "number"), Column("c", "c", "flag"))


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    table = without_empty_columns(Table("t", "T", COLUMNS, (("x", None, None), ("y", None, False)), ("note",)))
    assert [column.key for column in table.columns] == ["a", "c"]
    assert table.rows == (("x", None), ("y", False))
    assert (table.id, table.title, table.notes) == ("t", "T", ("note",))


def test_zero_is_something_and_an_empty_table_keeps_its_columns() -> None:
    assert len(without_empty_columns(Table("t", "T", COLUMNS, (("", 0, False),))).columns) == 3
    assert without_empty_columns(Table("t", "T", COLUMNS, ())).columns == COLUMNS
