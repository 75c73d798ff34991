"""Tables on stdout, in the asked format."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from independence.cli.hints import runnable
from independence.cli.terminal import console, one_line, plain
from independence.report import table as formats
from independence.report.table import Table, display_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from independence.cli.table_layout import ColumnGroup

_NARROWEST, _WIDEST = 40, 140
_GOOD, _FAIR, _POOR = 80, 60, 40  # indices from which on they are coloured so


def print_tables(tables: Sequence[Table], format_: str) -> None:
    """Print tables: JSON as one object keyed by table, CSV one after the other with an empty line between."""
    if format_ == "json":
        print(spelled(formats.to_json(tables)))
    elif format_ == "csv":
        sys.stdout.write(plain("\n".join(map(formats.to_csv, tables))))
    elif format_ == "md":
        sys.stdout.write(plain("\n".join(map(formats.to_markdown, tables))))
    else:
        out = console()
        out.width = max(_NARROWEST, min(out.width, _WIDEST))
        for table in tables:
            _show(table, out)


def spelled(document: str) -> str:
    """The same JSON with every character that `plain` would spell out written as JSON does."""
    return re.sub(r"[^\n -~]", lambda match: match[0] if plain(match[0]) == match[0] else _escape(match[0]), document)


def _escape(character: str) -> str:
    return re.sub("....", r"\\u\g<0>", character.encode("utf-16-be").hex())


def _show(table: Table, out: Console) -> None:
    if not any(column.head for column in table.columns):
        _show_pairs(table, out)
    elif table.one_line:
        _show_lines(table, out)
    else:
        _show_parts(table, out)


def _show_parts(table: Table, out: Console) -> None:
    """A table under its title, continued below where it is too wide."""
    from independence.cli.table_layout import lay_out

    _say(out, ["", plain(table.title)], style="bold")
    cells, notes = _cells(table), list(table.notes)
    if cells:
        layout = lay_out(table.columns, cells, out.width)
        for part in layout.parts:
            out.print(_grid(part, framed=True))
        if layout.constant:
            notes.insert(0, f"In every row: {', '.join(f'{head} {value}' for head, value in layout.constant)}.")
    else:
        _say(out, ["nothing to show"])
    _say(out, [*notes, *(column.about for column in table.columns if column.about)])


def _show_lines(table: Table, out: Console) -> None:
    """A table with a line a row, what it is and what its columns say below it."""
    from independence.cli.table_layout import lay_out_lines

    part = lay_out_lines(table.columns, _cells(table), out.width)
    out.print(_grid(part, framed=False))
    left_out = [column.head for column in table.columns[len(part.columns) :]]
    room = [f"No room for {', '.join(left_out)}: widen the terminal, or add --detailed."] if left_out else []
    _say(out, [table.title, *table.notes, *room, *(column.about for column in part.columns if column.about)])


def _show_pairs(table: Table, out: Console) -> None:
    """Two columns without heads: what is known of the one that the title names."""
    from rich.table import Table as Grid
    from rich.text import Text

    from independence.cli.table_layout import wrapped

    _say(out, ["", one_line(table.title)], style="bold")
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    cells = _cells(table)
    room = out.width - max((len(head) for head, _ in cells), default=0) - 4
    for head, text in cells:
        grid.add_row(Text(f"  {head}"), Text("\n".join(wrapped(text, room))))
    out.print(grid)


def _cells(table: Table) -> list[list[str]]:
    return [
        [one_line(runnable(display_text(column, value))) for column, value in zip(table.columns, row, strict=True)]
        for row in table.shown
    ]


def _say(out: Console, lines: Sequence[str], style: str = "dim") -> None:
    from rich.text import Text

    from independence.cli.table_layout import wrapped

    for line in lines:
        out.print(Text("\n".join(wrapped(plain(runnable(line)), out.width)), style=style))


def _grid(part: ColumnGroup, framed: bool) -> Grid:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    frame = box.SIMPLE_HEAD if framed else None
    grid = Grid(box=frame, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(part.columns, part.widths, strict=True):
        grid.add_column(column.head, justify="right" if column.numeric else "left", width=width, overflow="fold")
    for row in part.cells:
        cells = zip(part.columns, row, strict=True)
        grid.add_row(*(Text(text, style=_style(column.key, text)) for column, text in cells))
    return grid


def _style(key: str, text: str) -> str:
    """The colour of an index; what has none is yellow."""
    if key != "index":
        return ""
    value = float(text) if text.replace(".", "", 1).isdigit() else _POOR
    return "bold green" if value >= _GOOD else "green" if value >= _FAIR else "yellow" if value >= _POOR else "red"
