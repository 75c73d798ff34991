"""Tables on stdout, in the asked format."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from independence.cli.printed import spelled
from independence.cli.terminal import plain
from independence.report import tables as formats
from independence.report.table import Column, Table, shown

if TYPE_CHECKING:
    from rich.table import Table as Grid

_NARROWEST, _WIDEST = 80, 140
_READABLE = 26  # cells of text below which folding makes it hard to read ...
_CROWDED = 18  # ... and where more than two columns of text share a line
_GAP = 2  # between columns
_LEADING = 3  # columns within which the first text names the row


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

    from independence.cli.terminal import console

    out = console()
    out.width = max(_NARROWEST, min(out.width, _WIDEST))
    out.print(Text(f"\n{plain(table.title)}", style="bold"))
    cells = [
        [plain(shown(column, value)) for column, value in zip(table.columns, row, strict=True)] for row in table.rows
    ]
    if cells:
        for part in _parts(table.columns, cells, out.width):
            out.print(_grid([table.columns[at] for at in part], [[row[at] for at in part] for row in cells]))
    else:
        out.print(Text("nothing to show", style="dim"))
    for line in table.notes:
        out.print(Text(plain(line), style="dim"))


def _grid(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> Grid:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for at, column in enumerate(columns):
        # Numbers are never cut; text folds, but not below what can be read.
        least = _least(column, [row[at] for row in cells], _room(columns))
        grid.add_column(column.head, justify="right" if column.numeric else "left", no_wrap=column.numeric,
                        overflow="fold", min_width=least)  # fmt: skip
    for row in cells:
        grid.add_row(*map(Text, row))
    return grid


def _parts(columns: Sequence[Column], cells: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Columns that fit side by side: all, or groups that each begin with those that say whose row it is."""
    room = _room(columns)
    least = [_least(column, [row[at] for row in cells], room) + _GAP for at, column in enumerate(columns)]
    if sum(least) <= width:
        return [list(range(len(columns)))]
    named = next((at for at, column in enumerate(columns) if not column.numeric), 0)
    keys = list(range(named + 1)) if named < _LEADING else [0]
    parts: list[list[int]] = []
    for at in range(len(columns)):
        if at in keys:
            continue
        if not parts or sum(least[one] for one in (*parts[-1], at)) > width:
            parts.append(list(keys))
        parts[-1].append(at)
    return parts


def _room(columns: Sequence[Column]) -> int:
    return _READABLE if sum(not column.numeric for column in columns) <= 2 else _CROWDED


def _least(column: Column, texts: Sequence[str], room: int) -> int:
    """Cells a column needs: a number's whole width, of text as much as keeps it readable."""
    longest = max(len(text) for text in (column.head, *texts))
    return longest if column.numeric else min(longest, room)
