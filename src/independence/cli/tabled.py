"""Tables on stdout, in the asked format."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from independence.cli.printed import spelled
from independence.cli.terminal import plain
from independence.report import tables as formats
from independence.report.table import Table, shown


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
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    from independence.cli.terminal import console

    out = console()
    out.width = max(80, min(out.width, 120))
    out.print(Text(f"\n{plain(table.title)}", style="bold"))
    if table.rows:
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        for column in table.columns:
            # Numbers are never cut; text folds.
            grid.add_column(column.head, justify="right" if column.numeric else "left", no_wrap=column.numeric,
                            overflow="fold")  # fmt: skip
        for row in table.rows:
            texts = (shown(column, value) for column, value in zip(table.columns, row, strict=True))
            grid.add_row(*(Text(plain(text)) for text in texts))
        out.print(grid)
    else:
        out.print(Text("nothing to show", style="dim"))
    for line in table.notes:
        out.print(Text(plain(line), style="dim"))
