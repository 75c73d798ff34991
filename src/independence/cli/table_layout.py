"""How a table is laid out on a terminal: which columns stand side by side, and how names are cut."""

from __future__ import annotations

from collections.abc import Sequence

from independence.report.legend import distinct_labels
from independence.report.table import Column

Cells = Sequence[Sequence[str]]
GAP = 2  # between columns
_COMFORT = 18  # signs to which a column of text may be narrowed
_LEADING = 3  # columns that may name a row
_NAME = 24  # signs of a name where a row stays one line, at the least: names come before further columns


def side_by_side(columns: Sequence[Column], cells: Cells, width: int) -> list[list[int]]:
    """The parts of a table on `width` signs, one below the other, as numbers of columns.

    Each part begins with the columns that name a row. A column whose head says nothing by itself, as `95% CI`, is not
    parted from that on its left.
    """
    numeric = [column.kind not in ("text", "count") for column in columns]
    keys = list(range(max(1, [*numeric, True].index(True))))[:_LEADING]
    heads = [column.head for column in columns]
    least = [
        max(longest if column.numeric else min(longest, _COMFORT), *map(len, column.head.split(" "))) + GAP
        for at, column in enumerate(columns)
        for longest in [max(len(row[at]) for row in cells)]
    ]
    parts = [list(keys)]
    units: list[list[int]] = []
    for at in range(len(keys), len(columns)):
        if units and heads.count(heads[at]) > 1:
            units[-1].append(at)
        else:
            units.append([at])
    for unit in units:
        if len(parts[-1]) > len(keys) and sum(least[at] for at in (*parts[-1], *unit)) > width:
            parts.append(list(keys))
        parts[-1] += unit
    return parts


def one_line_rows(columns: Sequence[Column], cells: Cells, width: int) -> tuple[Sequence[Column], list[list[str]]]:
    """The columns that rows of one line have room for, and the rows: the last columns go before names are cut short."""
    widths = [max(len(column.head), *(len(row[at]) for row in cells)) + 1 for at, column in enumerate(columns)]
    named = next(at for at, column in enumerate(columns) if not column.numeric)
    longest, widths[named] = widths[named] - 1, 0
    least = named + 2  # the name and what follows it
    fitting = (at for at in range(len(columns), least, -1) if sum(widths[:at]) + min(_NAME, longest) <= width)
    kept = next(fitting, least)
    names = distinct_labels([row[named] for row in cells], min(width - sum(widths[:kept]), longest))
    lines = [[*row[:named], name, *row[named + 1 : kept]] for row, name in zip(cells, names, strict=True)]
    return columns[:kept], lines
