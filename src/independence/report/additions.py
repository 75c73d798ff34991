"""What other packages add to boards and reports: a column beside ours, a section behind ours.

class PerDialogue(BoardColumn):
    column = Column("usd_per_dialogue", "$/dialogue", "dollars", 4, "$/dialogue: mean cost of a dialogue.")

    def values(self, data, connection):
        return {config: data.costs.get(config, 0.0) / len(planned) for config, planned in data.planned.items()}

`docs/extending.md` has one of each, which a test runs as an installed package.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final, NamedTuple, TypeVar

import msgspec
import numpy as np

from independence.config import plugins
from independence.errors import IndependenceError, UsageError
from independence.report.board import board_data
from independence.report.board.board_data import VerdictData
from independence.report.files.charts import Chart
from independence.report.files.table import INTERVALS, Block, Column, Prose, Section, Table, Value
from independence.store.scopes import BoardScope

_MEND: Final = "correct that package, or uninstall it"
_TEXTS: Final = ("text", "id", "words")
B = TypeVar("B", Table, Block)
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class BoardColumn:
    """A column of every board: an object of a subclass, declared by an entry point `independence.columns`.

    People see it behind the column whose key is `after`, on a board without that one last; in CSV it is last, and in
    JSON a field of each row.
    """

    column: ClassVar[Column]
    after: ClassVar[str] = "coverage"

    def values(self, data: VerdictData, connection: sqlite3.Connection) -> Mapping[str, Value]:
        """The value of each subject, by config_dir; a dash stands where there is none.

        `data`: the planned verdicts of the board's place, its subjects and their costs. `connection`: its store, to be
        read only. Raises UsageError for what the user can mend.
        """
        raise NotImplementedError


class ReportSection:
    """A section of every report: an object of a subclass, declared by an entry point `independence.sections`.

    The name of the entry point is its anchor.
    """

    title: ClassVar[str]

    def body(self, data: VerdictData, connection: sqlite3.Connection) -> Sequence[Block]:
        """Its tables, with notes below them, prose and charts, in their order; the section is left out without any.

        `data`: of the subjects that are shown. Raises UsageError for what the user can mend.
        """
        raise NotImplementedError


class AddedColumn(NamedTuple):
    """A column of another package and what it says of each subject, by config_dir."""

    column: Column
    after: str
    values: Mapping[str, Value]


def columns(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, taken: Iterable[str]
) -> list[AddedColumn]:
    """What packages add to the board of a place. `taken`: keys that its columns have already. Raises UsageError."""
    objects = list(plugins.every(plugins.COLUMNS, BoardColumn))
    if not objects:
        return []
    data, known, found = board_data.read_verdicts(connection, scope, judge), set(taken), []
    for name, one in objects:
        with _blamed(who := f"board column `{name}` of {type(one).__module__}"):
            column, values = _column(one.column), one.values(data, connection)
            _require(column.key not in known, who, f"boards have a column `{column.key}` already")
            _require(isinstance(values, Mapping), who, "its `values` are no mapping")
            known.add(column.key)
            fitting = {config: _fitting(column, value, who) for config, value in values.items()}
            found.append(AddedColumn(column, one.after, fitting))
    return found


def sections(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    models: Collection[str],
    before: Sequence[Section],
) -> list[Section]:
    """What packages add to the report on a place behind the sections `before`. Raises UsageError, StoreError."""
    objects = list(plugins.every(plugins.SECTIONS, ReportSection))
    if not objects:
        return []
    data, made = board_data.read_verdicts(connection, scope, judge).only(models), list(before)
    for name, one in objects:
        with _blamed(who := f"report section `{name}` of {type(one).__module__}"):
            section = Section(name, one.title, one.body(data, connection))
            _require(isinstance(section.title, str) and section.title, who, "its `title` is no text")
            _require(isinstance(section.body, list | tuple), who, "its `body` is no list")
            ids = {block.id for other in made for block in other.body if isinstance(block, Table | Chart)}
            ids |= {other.id for other in made}
            for block in section.body:
                _require(isinstance(block, Table | Chart | Prose), who, "something in its `body` is no Table")
            blocks = [_checked(block, who) if isinstance(block, Table) else block for block in section.body]
            for id_ in (section.id, *(block.id for block in blocks if isinstance(block, Table | Chart))):
                _require(_ID.fullmatch(id_), who, f"the id `{id_}` has other signs than a-z, 0-9 and hyphens")
                _require(id_ not in ids, who, f"the report has something with the id `{id_}` already")
                ids.add(id_)
            made += [section._replace(body=blocks)] if blocks else []
    return made[len(before) :]


def widened(blocks: Iterable[B], added: Sequence[AddedColumn]) -> list[B]:
    """Tables of subjects with the added columns, in the first that shows a subject."""
    out: list[B] = []
    shown = set[str]()
    for block in blocks:
        if isinstance(block, Table) and shown.isdisjoint(block.configs):
            shown.update(block.configs)
            out.append(_widened(block, added))
        else:
            out.append(block)
    return out


def recorded(record: Table, added: Sequence[AddedColumn]) -> Table:
    """The table with everything of every subject, which a column `config` names; added columns are its last."""
    at = [column.key for column in record.columns].index("config")
    record = msgspec.structs.replace(record, configs=tuple(str(row[at]) for row in record.rows))
    return _widened(record, [one._replace(column=one.column._replace(head=one.column.key), after="") for one in added])


def _widened(table: Table, added: Sequence[AddedColumn]) -> Table:
    for one in added if table.configs else ():
        keys = [column.key for column in table.columns]
        at = keys.index(one.after) + 1 if one.after in keys else len(keys)
        cells = zip(table.rows, (one.values.get(config) for config in table.configs), strict=True)
        table = msgspec.structs.replace(
            table,
            columns=(*table.columns[:at], one.column, *table.columns[at:]),
            rows=tuple((*row[:at], value, *row[at:]) for row, value in cells),
        )
    return table


def _checked(table: Table, who: str) -> Table:
    """The table of a package, if every row has a value of its kind for every column."""
    for row in table.rows:
        what = f"a row of table `{table.id}` has {len(row)} values for {len(table.columns)} columns"
        _require(len(row) == len(table.columns), who, what)
    rows = tuple(tuple(map(_fitting, table.columns, row, [who] * len(row))) for row in table.rows)
    fields = msgspec.structs.asdict(table) | {"columns": [*map(_column, table.columns)], "rows": ()}
    return msgspec.structs.replace(msgspec.convert(fields, Table), rows=rows)


def _column(column: Column) -> Column:
    """A column of a package, if its fields have the right types. Raises ValidationError."""
    return msgspec.convert(tuple(column), Column)


def _fitting(column: Column, value: object, who: str) -> Value:
    """A value as its column's kind has it, of numpy too. Raises UsageError for another type."""
    match value:
        case None:
            return None
        case str() if column.kind in _TEXTS:
            return value
        case bool():
            if column.kind == "flag":
                return value
        case (int() | float() | np.number() as low, int() | float() | np.number() as high):
            if column.kind in (*INTERVALS, "index") and math.isfinite(low + high):
                return float(low), float(high)
        case int() | float() | np.number():
            if column.kind not in (*_TEXTS, *INTERVALS, "flag") and math.isfinite(value):
                return int(value) if isinstance(value, int | np.integer) else float(value)
    raise UsageError(f"{who}: column `{column.key}` is of kind `{column.kind}`, which {value!r} does not fit", _MEND)


def _require(fits: object, who: str, why: str) -> None:
    if not fits:
        raise UsageError(f"{who}: {why}", _MEND)


@contextmanager
def _blamed(who: str) -> Iterator[None]:
    """Whatever a package raises is its own error, in one sentence, and not one of this program."""
    try:
        yield
    except IndependenceError:
        raise
    except Exception as error:
        raise UsageError(f"{who}: {type(error).__name__}: {' '.join(str(error).split())}", _MEND) from error
