"""Tables and boards on stdout, in the asked format.

On a terminal a table that is too wide loses the columns that say the same in every row, which become a note, and then
continues below with the columns that tell its rows apart.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from independence.cli.terminal import one_line, plain, runnable
from independence.report import analysis
from independence.report import table as formats
from independence.report.analysis import RenderedBoard
from independence.report.legend import SIMULATED, distinct_labels, tight
from independence.report.table import Column, Table, display_text

Cells = Sequence[Sequence[str]]
GAP = 2  # between columns
_NARROWEST, _WIDEST = 40, 140
_COMFORT = (18, 14)  # signs of text a column should keep: rather less of it than a second part
_LONGEST_WORD = 30  # a longer one is broken
_ROOMY = 100  # columns that a table of one line a row fills; only for long names it grows further
_NAME = 18  # signs of a name in such a table, at the least
_MANY = 3  # rows from which what all have in common is no result of its own
_SENTENCE = 60  # longer text names no row
_LEADING = 3  # columns within which the first text names the row
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
        out = console()
        out.width = max(_NARROWEST, min(out.width, _WIDEST))
        for table in tables:
            _show(table, out)


def print_board(built: RenderedBoard, format_: str, detailed: bool = False) -> None:
    """Print a board; on a terminal with its plot, and with `detailed` what stands behind its numbers."""
    print_boards([built], format_)
    if format_ == "table" and detailed:
        print_tables(built.details(), format_)


def print_boards(built: Sequence[RenderedBoard], format_: str) -> None:
    """Print boards of one suite: JSON as one document (an array where there are several), CSV as one table."""
    if not built:
        return
    if format_ == "json":
        print(spelled(analysis.to_json(built)))
    elif format_ in ("csv", "md"):
        text = analysis.to_csv(built) if format_ == "csv" else "".join(map(analysis.to_markdown, built))
        sys.stdout.write(plain(text))
    else:
        for one in built:
            print_tables(one.narrow, format_)
            if one.plot:
                print("", *map(plain, one.plot), sep="\n")


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
    _say(out, ["", plain(table.title)], style="bold")
    cells, notes = _cells(table), list(table.notes)
    if cells:
        layout = lay_out(table.columns, cells, out.width)
        for part in layout.parts:
            _print_grid(part, out, box.SIMPLE_HEAD)
        if layout.constant:
            notes.insert(0, f"In every row: {', '.join(f'{head} {value}' for head, value in layout.constant)}.")
    else:
        _say(out, ["nothing to show"])
    _say(out, [*notes, *(column.about for column in table.columns if column.about)])


def _show_lines(table: Table, out: Console) -> None:
    """A table with a line a row, what it is and what its columns say below it."""
    part = lay_out_lines(table.columns, _cells(table), out.width)
    _print_grid(part, out, None)
    left_out = [column.head for column in table.columns[len(part.columns) :]]
    room = [f"No room for {', '.join(left_out)}: widen the terminal, or add --detailed."] if left_out else []
    _say(out, [table.title, *table.notes, *room, *(column.about for column in part.columns if column.about)])


def _show_pairs(table: Table, out: Console) -> None:
    """Two columns without heads: what is known of the one that the title names."""
    _say(out, ["", one_line(table.title)], style="bold")
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for head, text in _cells(table):
        grid.add_row(Text(f"  {head}"), Text(text))
    out.print(grid)


def _cells(table: Table) -> list[list[str]]:
    return [
        [one_line(runnable(display_text(column, value))) for column, value in zip(table.columns, row, strict=True)]
        for row in table.shown
    ]


def _say(out: Console, lines: Sequence[str], style: str = "dim") -> None:
    for line in lines:
        out.print(Text(plain(runnable(line)), style=style))


class TablePart(NamedTuple):
    """Columns that stand side by side, each with its width and its cells."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    cells: list[list[str]]


class TableLayout(NamedTuple):
    """The parts of a table, one below the other, and what is true of all rows."""

    parts: list[TablePart]
    constant: list[tuple[str, str]]  # head, value


def _print_grid(part: TablePart, out: Console, frame: box.Box | None) -> None:
    grid = Grid(box=frame, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(part.columns, part.widths, strict=True):
        grid.add_column(column.head, justify="right" if column.numeric else "left", width=width, overflow="fold")
    for row in part.cells:
        cells = zip(part.columns, row, strict=True)
        grid.add_row(*(Text(text, style=_style(column.key, text)) for column, text in cells))
    out.print(grid)


def _style(key: str, text: str) -> str:
    """The colour of an index; what has none is yellow."""
    if key != "index":
        return ""
    value = float(text) if text.replace(".", "", 1).isdigit() else _POOR
    return "bold green" if value >= _GOOD else "green" if value >= _FAIR else "yellow" if value >= _POOR else "red"


def lay_out(columns: Sequence[Column], cells: Cells, width: int) -> TableLayout:
    """A table of at least one row on `width` signs."""
    left, least, constant = list(range(len(columns))), [0], list[int]()
    for comfort in _COMFORT:
        least = [_least(column, [row[at] for row in cells], comfort) + GAP for at, column in enumerate(columns)]
        constant = _constant(columns, cells) if sum(least) > width and len(cells) >= _MANY else []
        left = [at for at in range(len(columns)) if at not in constant]
        if sum(least[at] for at in left) <= width:
            break
    groups = [left]
    if sum(least[at] for at in left) > width:
        keys = _keys(columns, cells, left)
        groups = [list(keys)]
        for unit in _units(columns, [at for at in left if at not in keys]):
            if len(groups[-1]) > len(keys) and sum(least[at] for at in (*groups[-1], *unit)) > width:
                groups.append(list(keys))
            groups[-1] += unit
    parts = [_part([columns[at] for at in group], [[row[at] for row in cells] for at in group],
                   [least[at] for at in group], width) for group in map(sorted, groups)]  # fmt: skip
    return TableLayout(parts, [(columns[at].head, cells[0][at]) for at in constant])


def _constant(columns: Sequence[Column], cells: Cells) -> list[int]:
    """Columns that say the same in every row; none where all do, or where a head alone does not tell which it is."""
    heads = [column.head for column in columns]
    same = [at for at, head in enumerate(heads) if heads.count(head) == 1 and len({row[at] for row in cells}) == 1]
    return same if len(same) < len(heads) else []


def _least(column: Column, texts: Sequence[str], comfort: int) -> int:
    """Signs a column needs: a number's whole width, of text as much as keeps it readable, and no broken word."""
    head = max(map(len, column.head.split(" ")))
    longest = max(map(len, texts))
    if column.numeric:
        return max(head, longest)
    words = () if _is_label(texts) else (word for text in texts for word in text.split())
    return max(head, min(longest, comfort), min(max(map(len, words), default=0), _LONGEST_WORD))


def _is_label(texts: Sequence[str]) -> bool:
    """Whether a column holds names alone, which are cut and not broken."""
    return not any(sign.isspace() for text in texts for sign in text.removesuffix(SIMULATED))


def _keys(columns: Sequence[Column], cells: Cells, left: Sequence[int]) -> list[int]:
    """What names a row, and as many further columns of text or counts as no two rows have in common."""
    named = next((place for place, at in enumerate(left) if not columns[at].numeric), 0)
    keys = list(left[: named + 1]) if named < _LEADING else list(left[:1])
    for at in left:
        short = max(len(row[at]) for row in cells) <= _SENTENCE
        if at not in keys and short and columns[at].kind in ("text", "count"):
            keys += [at] * (_distinct_rows(cells, [*keys, at]) > _distinct_rows(cells, keys))
    return keys


def _distinct_rows(cells: Cells, keys: Sequence[int]) -> int:
    return len({tuple(row[at] for at in keys) for row in cells})


def _units(columns: Sequence[Column], left: Sequence[int]) -> Iterator[list[int]]:
    """Columns that must not be parted: one whose head says nothing by itself stays with that on its left."""
    heads = [columns[at].head for at in left]
    starts = [place for place, head in enumerate(heads) if heads.count(head) == 1 or head == heads[place - 1]]
    for start, end in itertools.pairwise(sorted({0, *starts, len(left)})):
        yield list(left[start:end])


def _part(columns: Sequence[Column], texts: list[list[str]], least: Sequence[int], width: int) -> TablePart:
    """Columns side by side, of which those that could use little more than they need are served first."""
    wanted = [max(len(column.head), *map(len, own)) + GAP for column, own in zip(columns, texts, strict=True)]
    widths = list(least)
    wanting = sorted((at for at in range(len(least)) if wanted[at] > least[at]), key=lambda at: wanted[at] - least[at])
    for place, at in enumerate(wanting):
        widths[at] += min(wanted[at] - least[at], max(width - sum(widths), 0) // (len(wanting) - place))
    inner = [own - GAP for own in widths]
    cut = [tight(own, room) if _is_label(own) and not column.numeric else own
           for column, own, room in zip(columns, texts, inner, strict=True)]  # fmt: skip
    return TablePart(tuple(columns), tuple(inner), [list(row) for row in zip(*cut, strict=True)])


def lay_out_lines(columns: Sequence[Column], cells: Cells, width: int) -> TablePart:
    """A table whose rows stay one line each: the last columns go where names would have too little room."""
    widths = [max([len(column.head), *(len(row[at]) for row in cells)]) for at, column in enumerate(columns)]
    named = next(at for at, column in enumerate(columns) if not column.numeric)
    others = [0 if at == named else own + 1 for at, own in enumerate(widths)]  # a space between columns
    least = named + 2  # the name and what follows it
    kept = next((at for at in range(len(columns), least, -1) if sum(others[:at]) + _NAME <= width), least)
    room = width - sum(others[:kept])
    longest = max((len(row[named]) for row in cells), default=0)
    widths[named] = max(room - max(0, width - _ROOMY), min(room, longest))
    names = distinct_labels([row[named] for row in cells], widths[named])
    lines = [[*row[:named], name, *row[named + 1 : kept]] for row, name in zip(cells, names, strict=True)]
    return TablePart(tuple(columns[:kept]), tuple(widths[:kept]), lines)
