"""How a table is laid out on a terminal: which columns stand side by side, and how names are cut."""

from __future__ import annotations

from collections.abc import Sequence

from independence.report.files.legend import SIMULATED, distinct_labels
from independence.report.files.table import Column

Cells = Sequence[Sequence[str]]
GAP = 2  # between columns
_COMFORT = 18  # signs to which a column of text may be narrowed, if it has no longer word
_LONGEST_WORD = 30  # a longer one is broken
_LEADING = 3  # columns that may name a row
_NAME = 24  # signs of a name where a row stays one line, at the least: names come before further columns


def widths(columns: Sequence[Column], texts: Sequence[Sequence[str]], width: int) -> list[int]:
    """Signs of columns that stand side by side on `width`; those that want little more than they need get it first."""
    own = [_narrowest(*pair) for pair in zip(columns, texts, strict=True)]
    wanted = [max(len(column.head), *map(len, held)) for column, held in zip(columns, texts, strict=True)]
    wanting = sorted((at for at in range(len(own)) if wanted[at] > own[at]), key=lambda at: wanted[at] - own[at])
    for place, at in enumerate(wanting):
        left = max(width - sum(own) - GAP * len(own), 0)
        own[at] += min(wanted[at] - own[at], left // (len(wanting) - place))
    return own


def side_by_side(columns: Sequence[Column], texts: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """The parts of a table on `width` signs, one below the other, as numbers of columns. `texts`: of each column.

    Each part begins with the columns that name a row. A column whose head says nothing by itself, as `95% CI`, is not
    parted from that on its left.
    """
    pairs = list(zip(columns, texts, strict=True))
    named = next((at for at, (column, _) in enumerate(pairs[:_LEADING]) if not column.numeric), 0)
    keys = list(range(named + 1))
    rows = list(zip(*texts, strict=True))
    while len(keys) < min(_LEADING, len(pairs)) and len({row[: len(keys)] for row in rows}) < len(rows):
        keys.append(len(keys))
    heads = [column.head for column in columns]
    least = [_narrowest(*pair) + GAP for pair in pairs]
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


def _narrowest(column: Column, texts: Sequence[str]) -> int:
    """Signs a column needs: all of a number, of text as much as keeps it readable, and no broken word."""
    head = max(map(len, column.head.split(" ")))
    longest = max(map(len, texts))
    if column.numeric:
        return max(head, longest)
    named = not any(" " in text.removesuffix(SIMULATED) for text in texts)  # names alone may be broken
    words = () if named else (len(word) for text in texts for word in text.split())
    return max(head, min(longest, _COMFORT), min(max(words, default=0), _LONGEST_WORD))


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
