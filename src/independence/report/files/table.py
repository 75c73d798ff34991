"""Tables and sections as data; tables as JSON, CSV and Markdown.

Every analysis yields tables, and every format is a rendering of one. What a model or a file wrote is escaped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from independence.report.files import legend
from independence.report.files.charts import Chart
from independence.types import Ends

DASH = "—"
Value = str | int | float | bool | Ends | None
Kind = Literal[
    "text",
    "id",  # read as words, stored as it is
    "words",  # what somebody wrote: its lines are read as one
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
INTERVALS: Final = ("interval", "signed_interval", "index_interval", "index_range")


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
        return self.kind not in ("text", "id", "words", "flag")


class Table(msgspec.Struct, frozen=True):
    """A titled table. Each row has one value per column; None is absent and never printed as a number."""

    id: str  # kebab-case: anchor and file name
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    limit: int | None = None  # rows that people are shown; JSON and CSV have all
    configs: tuple[str, ...] = ()  # config_dirs of its rows as it was made, where each is about one subject
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
        return between.join(signed(end, column.digits, sign) for end in (low, high))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _read(column, value)
    return _number(column, value)


def _read(column: Column, value: str) -> str:
    if column.kind == "words":
        return " ".join(value.split())
    return legend.words(value) if column.kind == "id" else value


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
    return signed(value, column.digits, "+" if column.kind == "signed" else "")


def signed(value: float, digits: int = 2, sign: str = "+") -> str:
    """A number with its sign, unless it is nothing as it is written: that has none."""
    text = decimal(value, digits, sign)
    return text if float(text) else f"{0:.{digits}f}"


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
    wide = [column.kind in INTERVALS for column in table.columns]
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


def without_notes(table: Table) -> Table:
    """The table without anything below it."""
    columns = tuple(column._replace(about="") for column in table.columns)
    return msgspec.structs.replace(table, columns=columns, notes=())


def without_empty_columns(table: Table) -> Table:
    """The table without columns in which no row has a value; a table without rows as it is."""
    if not table.rows:
        return table
    return table.only(
        [place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)]
    )


MEDALS: Final = {1: "🥇", 2: "🥈", 3: "🥉"}  # by rank, in Markdown
MANY: Final = 4  # tables of a section from which on each is found by its title
LONG: Final = 40  # rows above which a table starts folded


class Prose(msgspec.Struct, frozen=True, tag_field="kind", tag="prose"):
    """Our own words as Markdown. What a model or a file wrote is escaped by whoever quotes it here."""

    markdown: str


class Quotation(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="quotation"):
    """A passage of a reply that a verdict names. Its text is a model's: whoever writes it escapes it."""

    held: bool  # the subject kept at least half of the scenario's scale
    text: str
    turn: str  # id
    subject: str  # config_dir; in documents its slug
    name: str
    scenario: str
    run: int
    judge: str
    share: float  # of the scale that was kept
    asked: str = ""  # the message that it answers, as far as that is stored


Block = Table | Chart | Prose | Quotation


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


# An underscore within a word emphasises nothing.
CODE = re.compile(r"`([\w .,:;/@+=-]+)`")  # a command or a name in a sentence of ours
# Controls, separators of lines, marks of direction, half signs: a terminal acts on them, and nobody sees them. And what
# XML 1.0 cannot hold (section 2.2), which is little more.
_ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_SIGNS = re.compile(r"[\\|`*\[\]]|(?<!\w)_|_(?!\w)")


def to_json(tables: Sequence[Table]) -> str:
    """One object: table id -> {title, rows, notes}; rows as objects, numbers unrounded, intervals as pairs."""
    encoded = {
        table.id: {
            "title": table.title,
            "rows": [dict(zip((c.key for c in table.columns), row, strict=True)) for row in table.rows],
            "notes": table.notes,
        }
        for table in tables
    }
    return msgspec.json.format(msgspec.json.encode(encoded), indent=2).decode()


def to_csv(table: Table) -> str:
    """A header of keys and one line a row; empty cells where there is no number, intervals in two cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    keys, rows = flat(table)
    writer.writerow(map(cell, keys))
    writer.writerows([[cell(value) if isinstance(value, str) else value for value in row] for row in rows])
    return out.getvalue()


def to_markdown(table: Table, level: int = 2) -> str:
    """A heading, the table and its notes. `level` counts the signs of the heading."""
    lines = [f"{'#' * level} {escaped(table.title)}", ""]
    if table.rows:
        lines.append("| " + " | ".join(escaped(column.head) for column in table.columns) + " |")
        lines.append("|" + "".join("---:|" if column.numeric else "---|" for column in table.columns))
        medals = _medals(table)
        for row in table.shown:
            texts = (
                medals.get((column.key, value), "") + escaped(display_text(column, value))
                for column, value in zip(table.columns, row, strict=True)
            )
            lines.append("| " + " | ".join(texts) + " |")
    elif not table.notes:
        lines.append("Nothing to show.")
    about = [column.about for column in table.columns if column.about]
    lines += [f"\n{quoted(note)}" for note in (*table.notes, *about)]
    return "\n".join(lines) + "\n"


def _medals(table: Table) -> dict[tuple[str, Value], str]:
    """Column and rank -> its medal, on a board that ranks more subjects than there are medals."""
    ranks = [row[at] for at, column in enumerate(table.columns) if column.key == "rank" for row in table.rows]
    if table.id != "board" or sum(rank is not None for rank in ranks) <= len(MEDALS):
        return {}
    return {("rank", rank): f"{medal} " for rank, medal in MEDALS.items()}


def escaped(text: str) -> str:
    """Text for one line of Markdown: no cell, line, tag or emphasis begins in it, and nothing acts on a terminal."""
    one_line = _SIGNS.sub(r"\\\g<0>", " ".join(text.splitlines()))
    return spelled_out(one_line.replace("&", "&amp;").replace("<", "&lt;"))


def spelled_out(text: str) -> str:
    """A text in which characters that act on a terminal, reverse the text or cannot stand in XML are spelled out."""
    return _ACTING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def quoted(text: str) -> str:
    """A text escaped for Markdown, except code between back-ticks; it may have several paragraphs."""
    paragraphs = (" ".join(part.splitlines()) for part in text.split("\n\n"))
    return "\n\n".join(
        "".join(f"`{part}`" if place % 2 else escaped(part) for place, part in enumerate(CODE.split(paragraph)))
        for paragraph in paragraphs
    )


def cell(text: str) -> str:
    """Text for a cell of CSV: no formula begins in it, and no line that the csv module would leave unquoted.

    Characters that act on a terminal or turn the text around them are spelled out.
    """
    one_line = spelled_out(text.replace("\r", " "))
    return "'" + one_line if one_line.lstrip().startswith(("=", "+", "-", "@")) else one_line
