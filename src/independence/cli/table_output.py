"""Tables on stdout, in the asked format."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from independence.cli.board_output import spelled
from independence.cli.terminal import one_line, plain
from independence.report import table_formats as formats
from independence.report.table import Table, display_text

if TYPE_CHECKING:
    from rich.table import Table as Grid

    from independence.cli.table_layout import ColumnGroup

_NARROWEST, _WIDEST = 40, 140


def print_tables(tables: Sequence[Table], format_: str) -> None:
    """Print tables: JSON as one object keyed by table, CSV one after the other with an empty line between."""
    if format_ == "json":
        print(spelled(formats.to_json(tables)))
    elif format_ == "csv":
        sys.stdout.write(plain("\n".join(map(formats.to_csv, tables))))
    elif format_ == "md":
        sys.stdout.write(plain("\n".join(map(formats.to_markdown, tables))))
    else:
        for table in tables:
            _show(table)


def _show(table: Table) -> None:
    from rich.text import Text

    from independence.cli.hints import runnable
    from independence.cli.table_layout import lay_out, wrapped
    from independence.cli.terminal import console

    out = console()
    out.width = max(_NARROWEST, min(out.width, _WIDEST))
    notes = [plain(runnable(line)) for line in table.notes]
    out.print(Text("\n".join(["", *wrapped(plain(table.title), out.width)]), style="bold"))
    cells = [
        [one_line(runnable(display_text(column, value))) for column, value in zip(table.columns, row, strict=True)]
        for row in table.shown
    ]
    if cells:
        layout = lay_out(table.columns, cells, out.width)
        for part in layout.parts:
            out.print(_grid(part))
        if layout.constant:
            notes.insert(0, f"In every row: {', '.join(f'{head} {value}' for head, value in layout.constant)}.")
    else:
        out.print(Text("nothing to show", style="dim"))
    for line in notes:
        out.print(Text("\n".join(wrapped(line, out.width)), style="dim"))


def _grid(part: ColumnGroup) -> Grid:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(part.columns, part.widths, strict=True):
        grid.add_column(column.head, justify="right" if column.numeric else "left", width=width, overflow="fold")
    for row in part.cells:
        grid.add_row(*map(Text, row))
    return grid
