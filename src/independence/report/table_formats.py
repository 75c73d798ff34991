"""Tables as JSON, CSV and Markdown, and a whole report as Markdown. What a model or a file wrote is escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec

from independence.report.table import Block, Prose, Section, Svg, Table, Value, display_text, flat

# An underscore within a word emphasises nothing.
CODE = re.compile(r"`([\w .,:;/@+=-]+)`")  # a command or a name in a sentence of ours
_SIGNS = re.compile(r"[\\|`*\[\]]|(?<!\w)_|_(?!\w)")


class _Encoded(msgspec.Struct):
    title: str
    rows: list[dict[str, Value]]
    notes: tuple[str, ...]


def to_json(tables: Sequence[Table]) -> str:
    """One object: table id -> {title, rows, notes}; rows as objects, numbers unrounded, intervals as pairs."""
    encoded = {
        table.id: _Encoded(
            table.title,
            [dict(zip((c.key for c in table.columns), row, strict=True)) for row in table.rows],
            table.notes,
        )
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
        for row in table.shown:
            texts = (escaped(display_text(column, value)) for column, value in zip(table.columns, row, strict=True))
            lines.append("| " + " | ".join(texts) + " |")
    elif not table.notes:
        lines.append("Nothing to show.")
    about = [column.about for column in table.columns if column.about]
    lines += [f"\n{quoted(note)}" for note in (*table.notes, *about)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text for one line of Markdown: no cell, line, tag or emphasis begins in it."""
    one_line = _SIGNS.sub(r"\\\g<0>", " ".join(text.splitlines()))
    return one_line.replace("&", "&amp;").replace("<", "&lt;")


def quoted(text: str) -> str:
    """The same, with what stands between back-ticks left as code; a paragraph may follow another."""
    paragraphs = (" ".join(part.splitlines()) for part in text.split("\n\n"))
    return "\n\n".join(
        "".join(f"`{part}`" if place % 2 else escaped(part) for place, part in enumerate(CODE.split(paragraph)))
        for paragraph in paragraphs
    )


def cell(text: str) -> str:
    """Text for a cell of CSV: no formula begins in it, and no line that the csv module would leave unquoted."""
    one_line = text.replace("\r", " ")
    return "'" + one_line if one_line.lstrip().startswith(("=", "+", "-", "@")) else one_line


def document(title: str, sections: Sequence[Section], figure_path: Callable[[str], str]) -> str:
    """One document: contents, then every section. `figure_path` says where the figure of an id lies."""
    contents = [line for section in sections for line in _contents(section)]
    parts = [f"# {escaped(title)}", *(["\n".join(contents)] if len(sections) > 1 else [])]
    for section in sections:
        parts.append(f'<a id="{section.id}"></a>\n\n## {escaped(section.title)}')
        parts += [_block(section, block, figure_path) for block in section.body]
    return "\n\n".join(parts) + "\n"


def _contents(section: Section) -> list[str]:
    """A section's line in the contents, and below it those of its tables where they are many."""
    lines = [f"- [{escaped(section.title)}](#{section.id})"]
    return lines + [f"  - [{escaped(table.title)}](#table-{table.id})" for table in section.listed]


def _block(section: Section, block: Block, figure_path: Callable[[str], str]) -> str:
    if isinstance(block, Prose):
        return block.markdown.strip()
    if isinstance(block, Svg):
        caption = escaped(block.caption)
        return f"![{caption}]({quote(figure_path(block.id))})\n\n*{caption}*"
    return _table(section, block)


def _table(section: Section, table: Table) -> str:
    heading, _, content = to_markdown(table, level=3).strip().partition("\n\n")
    if section.folded(table):
        content = f"<details>\n<summary>{len(table.rows)} rows</summary>\n\n{content}\n\n</details>"
    if table.title == section.title:
        return content
    anchor = f'<a id="table-{table.id}"></a>\n\n' if section.listed else ""
    return f"{anchor}{heading}\n\n{content}"
