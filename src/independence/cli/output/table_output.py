"""Tables and boards on stdout, in the asked format. On a terminal a table that is too wide continues below."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from independence.cli.output.table_layout import one_line_rows, side_by_side, widths
from independence.cli.output.terminal import one_line, plain, runnable
from independence.report.files import table as formats
from independence.report.files.table import Column, Table, display_text

if TYPE_CHECKING:
    from independence.api.profiling import ProfileResult
    from independence.report.analysis import RenderedBoard

_NARROWEST, _WIDEST, _WIDEST_LINES = 40, 140, 200  # the last of a table with a line a row
_GOOD, _FAIR, _POOR = 80, 60, 40  # indices from which on they are coloured so


def console() -> Console:
    """Rich's stdout, which never reads markup out of the text it prints."""
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False)


def print_tables(tables: Sequence[Table], format_: str) -> None:
    """Print tables: JSON as one object keyed by table, CSV one after the other with an empty line between."""
    if format_ == "json":
        print(spelled(formats.to_json(tables)))
    elif format_ in ("csv", "md"):
        encode = formats.to_csv if format_ == "csv" else formats.to_markdown
        sys.stdout.write(plain("\n".join(map(encode, tables))))
    else:
        for table in tables:
            out = console()
            out.width = max(_NARROWEST, min(out.width, _WIDEST_LINES if table.one_line else _WIDEST))
            if not any(column.head for column in table.columns):
                _show_pairs(table, out)
            elif table.one_line:
                _show_lines(table, out)
            else:
                _show_parts(table, out)


def print_boards(
    built: Sequence[RenderedBoard],
    format_: str,
    detailed: bool = False,
    explain: bool = False,
    more: Sequence[str] = (),
) -> None:
    """Print boards of one suite: JSON as one document (an array where there are several), CSV as one table.

    On a terminal with its plot and three lines; `more`: where the rest of each is found, `explain`: with the rest,
    `detailed`: with every column, and what stands behind the numbers.
    """
    from independence.report import analysis  # which loads numpy, and not every table is a board

    if not built:
        return
    if format_ == "json":
        print(spelled(analysis.to_json(built)))
    elif format_ in ("csv", "md"):
        text = analysis.to_csv(built) if format_ == "csv" else "".join(map(analysis.to_markdown, built))
        sys.stdout.write(plain(text))
    else:
        for number, (one, where) in enumerate(zip(built, chain(more, repeat("")), strict=False)):
            sys.stdout.write("\n" * (number > 0))
            tables = [*one.tables, *one.details()] if detailed else one.narrow
            all_said = explain or not one.brief
            print_tables(tables if all_said else list(map(formats.without_notes, tables)), format_)
            if one.plot:
                print("", *map(plain, one.plot), sep="\n")
            if not all_said:
                _say(console(), [*one.brief[:-1], f"{one.brief[-1]} {where}".strip()])


def print_profile(found: ProfileResult, format_: str) -> None:
    """Print a profile: CSV as one table, JSON with what its columns are about."""
    print_tables(
        found.shown if format_ in ("table", "md") else found.tables[: 1 if format_ == "csv" else None], format_
    )


def spelled(document: str) -> str:
    """JSON in which every character that `plain` would spell out is an escape."""
    return re.sub(r"[^\n -~]", lambda match: match[0] if plain(match[0]) == match[0] else _escape(match[0]), document)


def _escape(character: str) -> str:
    return re.sub("....", r"\\u\g<0>", character.encode("utf-16-be").hex())


def _show_parts(table: Table, out: Console) -> None:
    """A table under its title, continued below where it is too wide."""
    _say(out, ["", plain(table.title)], style="bold")
    columns, cells = _columns(table), _cells(table)
    texts = list(zip(*cells, strict=True))
    for part in side_by_side(columns, texts, out.width) if cells else []:
        shown = [columns[at] for at in part]
        rows = [[row[at] for at in part] for row in cells]
        _print_grid(shown, rows, out, box.SIMPLE_HEAD, widths(shown, [texts[at] for at in part], out.width))
    if not cells:
        _say(out, ["nothing to show"])
    _say(out, [*table.notes, *(column.about for column in columns if column.about)])


def _show_lines(table: Table, out: Console) -> None:
    """A table with a line a row, without its title: its notes begin with what it is."""
    columns, lines = one_line_rows(_columns(table), _cells(table), out.width)
    _print_grid(columns, lines, out, None)
    left_out = [column.head for column in table.columns[len(columns) :]]
    room = [f"No room for {', '.join(left_out)}: widen the terminal, or add --format csv."] if left_out else []
    if table.notes:
        _say(out, [*table.notes, *room, *(column.about for column in columns if column.about)])


def _show_pairs(table: Table, out: Console) -> None:
    """Two columns without heads: what is known of the one that the title names."""
    _say(out, ["", one_line(table.title)], style="bold")
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for head, text in _cells(table):
        grid.add_row(Text(f"  {head}"), Text(text))
    out.print(grid)


def _columns(table: Table) -> list[Column]:
    """Its columns; some are named by what somebody else wrote."""
    return [column._replace(head=one_line(column.head)) for column in table.columns]


def _cells(table: Table) -> list[list[str]]:
    return [
        [one_line(runnable(display_text(column, value))) for column, value in zip(table.columns, row, strict=True)]
        for row in table.shown
    ]


def _say(out: Console, lines: Sequence[str], style: str = "dim") -> None:
    for line in lines:
        out.print(Text(plain(runnable(line)), style=style))


def _print_grid(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    out: Console,
    frame: box.Box | None,
    widths: Iterable[int | None] = repeat(None),
) -> None:
    grid = Grid(box=frame, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=False):
        grid.add_column(column.head, justify="right" if column.numeric else "left", width=width, overflow="fold")
    for row in rows:
        cells = zip(columns, row, strict=True)
        grid.add_row(*(Text(text, style=_style(column.key, text)) for column, text in cells))
    out.print(grid)


def _style(key: str, text: str) -> str:
    """The colour of an index; what has none is yellow."""
    if key != "index":
        return ""
    value = float(text) if text.replace(".", "", 1).isdigit() else _POOR
    return "bold green" if value >= _GOOD else "green" if value >= _FAIR else "yellow" if value >= _POOR else "red"
