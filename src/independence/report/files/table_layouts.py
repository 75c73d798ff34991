"""Tables as `tables/*.yaml` declare them: titles, columns and notes are data; whoever makes a table brings its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from independence.config import documents
from independence.report.files import legend
from independence.report.files.table import Column, Table, Value

Row = Mapping[str, Value] | Sequence[Value]
"""Values by the keys of columns, or in their order."""


class DeclaredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a table before there are rows. Braces stand for values that its maker names."""

    title: str
    columns: tuple[Column, ...]  # key, head, kind, digits
    notes: tuple[str, ...] = ()
    id: str = ""  # where it is not the name under which it is declared


@cache
def _declared(family: str) -> dict[str, DeclaredTable]:
    return documents.packaged(legend.TABLES / f"{family}.yaml", dict[str, DeclaredTable])


def made(
    name: str, rows: Iterable[Row], notes: Iterable[str] = (), more: Mapping[str, Iterable[Column]] | None = None, /,
    **values: Any,
) -> Table:  # fmt: skip
    """A declared table, named `FAMILY/TABLE`, with its rows.

    `notes` stand below its own, `more` columns behind those of their keys; `values` are what its braces stand for.
    """
    family, _, table = name.partition("/")
    rows = list(rows)
    declared = _declared(family)[table]
    columns = tuple(
        column
        for own in declared.columns
        for column in (own._replace(head=own.head.format(**values)), *(more or {}).get(own.key, ()))
    )
    return Table(
        id=(declared.id or table).format(**values),
        title=declared.title.format(**values),
        columns=columns,
        rows=tuple(_in_order(row, columns) for row in rows),
        notes=(*(note.format(**values) for note in declared.notes), *notes),
        configs=tuple(str(row["config"]) for row in rows if isinstance(row, Mapping) and "config" in row),
    )


def columns_of(name: str) -> tuple[Column, ...]:
    """The columns of a declared table, named `FAMILY/TABLE`."""
    family, _, table = name.partition("/")
    return _declared(family)[table].columns


def edition_named(edition: str, language: str | msgspec.UnsetType) -> str:
    """An edition, and its language where that is not English."""
    return f"{edition}, language {language}" if language else edition


def particulars(board: msgspec.Struct) -> dict[str, Value]:
    """What only some boards say of themselves, by the columns of CSV that hold it."""
    named = {name: getattr(board, name, msgspec.UNSET) for name in ("language", "words", "caution")}
    return {name: value for name, value in named.items() if value is not msgspec.UNSET}


def columns(names: Iterable[str]) -> list[Column]:
    """Columns that are called the same everywhere."""
    return [Column(name, name) for name in names]


def _in_order(row: Row, columns: Sequence[Column]) -> tuple[Value, ...]:
    return tuple(row[column.key] for column in columns) if isinstance(row, Mapping) else tuple(row)
