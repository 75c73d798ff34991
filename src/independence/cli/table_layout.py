"""How a table is laid out on a terminal: which columns stand side by side, how wide, and how names are cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from independence.report.legend import SIMULATED, distinct_labels, tight
from independence.report.table import Column

Cells = Sequence[Sequence[str]]
GAP = 2  # between columns
_COMFORT = (18, 14)  # signs of text a column should keep: rather less of it than a second part
_LONGEST_WORD = 30  # a longer one is broken
_NAME = 24  # signs of a name in such a table, at the least: names come before further columns
_MANY = 3  # rows from which what all have in common is no result of its own
_SENTENCE = 60  # longer text names no row
_LEADING = 3  # columns within which the first text names the row


class TablePart(NamedTuple):
    """Columns that stand side by side, each with its width and its cells."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    cells: list[list[str]]


class TableLayout(NamedTuple):
    """The parts of a table, one below the other, and what is true of all rows."""

    parts: list[TablePart]
    constant: list[tuple[str, str]]  # head, value


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
    longest = widths[named]
    wanted = min(_NAME, longest)
    kept = next((at for at in range(len(columns), least, -1) if sum(others[:at]) + wanted <= width), least)
    widths[named] = min(width - sum(others[:kept]), longest)
    names = distinct_labels([row[named] for row in cells], widths[named])
    lines = [[*row[:named], name, *row[named + 1 : kept]] for row, name in zip(cells, names, strict=True)]
    return TablePart(tuple(columns[:kept]), tuple(widths[:kept]), lines)
