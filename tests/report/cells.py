"""Reading tables back: their rows by the keys of their columns."""

from __future__ import annotations

from collections.abc import Iterable

from independence.report.files.table import Table, Value


def rows(table: Table) -> list[dict[str, Value]]:
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def by(table: Table, key: str) -> dict[Value, dict[str, Value]]:
    """The rows of a table by one of their cells."""
    return {row[key]: row for row in rows(table)}


def by_id(tables: Iterable[Table]) -> dict[str, Table]:
    """Tables by their ids."""
    return {table.id: table for table in tables}
