"""Tables, figures and sections as data. Every analysis yields tables, and every format is a rendering of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from independence.report import legend

DASH = "—"
Ends = tuple[float, float]
Value = str | int | float | bool | Ends | None
Kind = Literal[
    "text",
    "id",  # read as words, stored as it is
    "count",
    "number",
    "signed",
    "percent",
    "dollars",
    "interval",
    "signed_interval",
    "index",
    "index_interval",
    "index_range",  # an interval of an index where there is little room
    "p",
    "flag",
]
_EXACT = 9  # digits up to which numbers are what they are, and not the error of computing them
_INTERVALS = ("interval", "signed_interval", "index_interval", "index_range")


class Column(NamedTuple):
    """One column: `key` names it in JSON and CSV, `head` for people."""

    key: str
    head: str
    kind: Kind = "text"
    digits: int = 1
    about: str = ""  # a line below the table: what the column says

    @property
    def numeric(self) -> bool:
        """True for columns that are read down, so that they stand to the right."""
        return self.kind not in ("text", "id", "flag")


class Table(msgspec.Struct, frozen=True):
    """A titled table. Each row has one value per column; None is absent and never printed as a number."""

    id: str  # kebab-case: anchor and file name
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    limit: int | None = None  # rows that people are shown; JSON and CSV have all
    one_line: bool = False  # a row stays one line on a terminal: what has no room goes, from the last column on

    @property
    def shown(self) -> tuple[tuple[Value, ...], ...]:
        """The rows that people are shown."""
        return self.rows[: self.limit]

    def only(self, places: Sequence[int]) -> Table:
        """The table with the columns at these places."""
        columns = tuple(self.columns[place] for place in places)
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return msgspec.structs.replace(self, columns=columns, rows=rows)


def display_text(column: Column, value: Value) -> str:
    """A value as people read it; a dash where there is none."""
    if value is None:
        return DASH
    if isinstance(value, tuple):
        sign = "+" if column.kind == "signed_interval" else ""
        low, high = value
        if column.kind == "index":  # what it can still be
            return f"[{low:.0f}, {high:.0f}]"
        if column.kind.startswith("index"):
            low, high = on_scale(low), on_scale(high)
        between = "–" if column.kind == "index_range" else " to "
        return between.join(_signed(end, sign, column.digits) for end in (low, high))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return legend.words(value) if column.kind == "id" else value
    return _number(column, value)


def _number(column: Column, value: float) -> str:
    if column.kind == "index":
        value = on_scale(value)
    if column.kind == "count":
        return f"{value:,.0f}"
    if column.kind == "percent":
        return percent(value)
    if column.kind == "dollars":
        return f"${value:.{max(column.digits, 2)}f}"
    if column.kind == "p":
        return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
    return _signed(value, "+" if column.kind == "signed" else "", column.digits)


def _signed(value: float, sign: str, digits: int) -> str:
    text = decimal(value, digits, sign)
    return text if float(text) else f"{0:.{digits}f}"  # nothing has no sign


def decimal(value: float, digits: int = 1, sign: str = "") -> str:
    """A number with its digits; what computing it added to 63.05 does not make 63.1 of it."""
    return f"{round(value, _EXACT):{sign}.{digits}f}"


def on_scale(index: float) -> float:
    """An index, or the end of its interval, as it is printed: on 0-100."""
    return min(max(index, 0.0), 100.0)


def percent(share: float) -> str:
    """A share in percent; 100 only when nothing is missing, 0 only when nothing is there."""
    return f"{min(max(share * 100, 1.0 if share > 0 else 0.0), 99.0 if share < 1 else 100.0):.0f}%"


def flat(table: Table) -> tuple[list[str], list[list[str | int | float | bool | None]]]:
    """Keys and rows of plain values: an interval becomes KEY_low and KEY_high."""
    wide = [column.kind in _INTERVALS for column in table.columns]
    keys = [key for column, both in zip(table.columns, wide, strict=True) for key in _keys(column.key, both)]
    rows = [
        [plain for both, value in zip(wide, row, strict=True) for plain in _plain(value, both)] for row in table.rows
    ]
    return keys, rows


def _keys(key: str, wide: bool) -> tuple[str, ...]:
    return (f"{key}_low", f"{key}_high") if wide else (key,)


def _plain(value: Value, wide: bool) -> Iterator[str | int | float | bool | None]:
    if isinstance(value, tuple):
        yield from value
    elif wide:
        yield from (None, None)
    else:
        yield value


def without_empty_columns(table: Table) -> Table:
    """The table without columns in which no row has a value; a table without rows as it is."""
    if not table.rows:
        return table
    return table.only(
        [place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)]
    )


MANY: Final = 4  # tables of a section from which on each is found by its title
LONG: Final = 40  # rows above which a table starts folded


class Prose(NamedTuple):
    """Our own words as Markdown. What a model or a file wrote is escaped by whoever quotes it here."""

    markdown: str


class Svg(NamedTuple):
    """A figure. `id` is kebab-case and unique in the report: anchor and file name; `caption` is one plain line."""

    id: str
    svg: str
    caption: str
    narrow: str = ""  # the same drawn for a phone, under ids of its own


Block = Table | Svg | Prose


class Section(NamedTuple):
    """One heading and what stands under it. `folds` is off where even a long table is what readers came for."""

    id: str  # kebab-case, unique in the report
    title: str
    body: Sequence[Block]
    folds: bool = True

    @property
    def listed(self) -> list[Table]:
        """Its tables, where there are so many that readers look for one by its title; else none."""
        own = [block for block in self.body if isinstance(block, Table)]
        return own if len(own) >= MANY else []

    def folded(self, table: Table) -> bool:
        """True for a table that starts folded."""
        return self.folds and len(table.rows) > LONG
