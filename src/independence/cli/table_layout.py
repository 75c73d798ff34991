"""How a table is laid out on a terminal: which columns stand side by side, how wide, and where their text is broken.

A table that is too wide loses the columns that say the same in every row, which become a note, and then continues below
with every column that tells its rows apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from independence.report.legend import SIMULATED, distinct_labels, tight
from independence.report.table import Column

Cells = Sequence[Sequence[str]]
GAP = 2  # between columns
_COMFORT = (26, 18, 14)  # signs of text a column should keep: rather less of it than a second part
_LONGEST_WORD = 30  # a longer one is broken after a sign
_ROOMY = 100  # columns that a table of one line a row fills; only for long names it grows further
_NAME = 18  # signs of a name in such a table, at the least
_MANY = 3  # rows from which what all have in common is no result of its own
_SENTENCE = 60  # longer text names no row
_LEADING = 3  # columns within which the first text names the row
_SHARE = re.compile(r"(?<=\d) (?=%)")
_TIED = "\u00a0"  # holds a number and its sign together
_PIECE = re.compile(r"[^/_\-@,.:=]*[/_\-@,.:=]+|[^/_\-@,.:=]+")


class ColumnGroup(NamedTuple):
    """Columns that stand side by side, each with its width and its cells as lines."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    cells: list[list[str]]


class TableLayout(NamedTuple):
    """The parts of a table, one below the other, and what is true of all rows."""

    parts: list[ColumnGroup]
    constant: list[tuple[str, str]]  # head, value


def lay_out(columns: Sequence[Column], cells: Cells, width: int) -> TableLayout:
    """A table of at least one row on `width` signs."""
    every = list(range(len(columns)))
    heads = [column.head for column in columns]
    same = [at for at in every if heads.count(heads[at]) == 1 and len({row[at] for row in cells}) == 1]
    same = same if len(cells) >= _MANY else []
    differing = [at for at in every if at not in same] or every
    constant = [(columns[at].head, cells[0][at]) for at in same if at not in differing]
    for comfort in _COMFORT:
        if _fits(columns, cells, every, (width, comfort)):
            return TableLayout([_part(columns, cells, every, (width, comfort))], [])
        if _fits(columns, cells, differing, (width, comfort)):
            return TableLayout([_part(columns, cells, differing, (width, comfort))], constant)
    groups = _groups(columns, cells, differing, width)
    rooms = [(width, _comfort(columns, cells, group, width)) for group in groups]
    parts = [_part(columns, cells, group, room) for group, room in zip(groups, rooms, strict=True)]
    return TableLayout(parts, constant)


def lay_out_lines(columns: Sequence[Column], cells: Cells, width: int) -> ColumnGroup:
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
    return ColumnGroup(tuple(columns[:kept]), tuple(widths[:kept]), lines)


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` signs, broken between words; a longer word after a sign within it."""
    return [line for paragraph in text.split("\n") for line in _lines(paragraph, width)]


def _lines(paragraph: str, width: int) -> Iterator[str]:
    line = ""
    for word in re.split(r"[ \t]+", _SHARE.sub(_TIED, paragraph.strip(" \t"))):
        for at, piece in enumerate(_pieces(word, width)):
            joined = piece if at else f" {piece}" * bool(line) or piece
            if len(line) + len(joined) <= width and (not at or len(word) > width):
                line += joined
            else:
                yield line.replace(_TIED, " ")
                line = piece
    yield line.replace(_TIED, " ")


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word that fits as it is; of a longer one the pieces between its signs, in the worst case cut."""
    if len(word) <= width:
        yield word
        return
    for piece in _PIECE.findall(word):
        yield from (piece[at : at + width] for at in range(0, len(piece), width))


def _groups(columns: Sequence[Column], cells: Cells, left: Sequence[int], width: int) -> list[list[int]]:
    """Columns that fit side by side, each group beginning with those that tell the rows apart."""
    keys = _keys(columns, cells, left)
    groups: list[list[int]] = []
    for own in _units(columns, [at for at in left if at not in keys]):
        if not groups or not any(_fits(columns, cells, [*groups[-1], *own], (width, c)) for c in _COMFORT[1:]):
            groups.append(list(keys))
        groups[-1] += own
    return [sorted(group) for group in groups] or [keys]


def _keys(columns: Sequence[Column], cells: Cells, left: Sequence[int]) -> list[int]:
    """What names a row, and as many further columns of text or counts as no two rows have in common."""
    named = next((place for place, at in enumerate(left) if not columns[at].numeric), 0)
    keys = list(left[: named + 1]) if named < _LEADING else list(left[:1])
    told = _distinct_rows(cells, keys)
    for at in left:
        short = max(len(row[at]) for row in cells) <= _SENTENCE
        if at not in keys and short and columns[at].kind in ("text", "count") and told < len(cells):
            more = _distinct_rows(cells, [*keys, at])
            if more > told:
                keys, told = [*keys, at], more
    return sorted(keys)


def _distinct_rows(cells: Cells, keys: Sequence[int]) -> int:
    return len({tuple(row[at] for at in keys) for row in cells})


def _units(columns: Sequence[Column], left: Sequence[int]) -> Iterator[list[int]]:
    """Columns that must not be parted: one whose head says nothing by itself stays with that on its left."""
    heads = [columns[at].head for at in left]
    unit: list[int] = []
    for at in left:
        if unit and (heads.count(columns[at].head) == 1 or columns[at].head == columns[unit[-1]].head):
            yield unit
            unit = []
        unit.append(at)
    if unit:
        yield unit


def _comfort(columns: Sequence[Column], cells: Cells, group: Sequence[int], width: int) -> int:
    return next((c for c in _COMFORT if _fits(columns, cells, group, (width, c))), _COMFORT[-1])


def _fits(columns: Sequence[Column], cells: Cells, group: Sequence[int], room: tuple[int, int]) -> bool:
    width, comfort = room
    return sum(_least(columns[at], [row[at] for row in cells], comfort) + GAP for at in group) <= width


def _least(column: Column, texts: Sequence[str], comfort: int) -> int:
    """Signs a column needs: a number's whole width, of text as much as keeps it readable, and no broken word."""
    head = max(map(len, _SHARE.sub(_TIED, column.head).split(" ")))
    if column.numeric:
        return max(head, *map(len, texts))
    longest = max(map(len, texts))
    words = 0 if _is_label(texts) else max((len(word) for text in texts for word in text.split()), default=0)
    return max(head, min(longest, comfort), min(words, _LONGEST_WORD))


def _is_label(texts: Sequence[str]) -> bool:
    """Whether a column holds names alone, which are cut and not broken."""
    return not any(sign.isspace() for text in texts for sign in text.removesuffix(SIMULATED))


def _part(columns: Sequence[Column], cells: Cells, group: Sequence[int], room: tuple[int, int]) -> ColumnGroup:
    width, comfort = room
    own = [[row[at] for row in cells] for at in group]
    least = [_least(columns[at], texts, comfort) for at, texts in zip(group, own, strict=True)]
    most = [max(len(columns[at].head), *(len(line) for text in texts for line in text.split("\n")), 1)
            for at, texts in zip(group, own, strict=True)]  # fmt: skip
    widths = _shared(least, most, width - GAP * len(group))
    lined = [_broken(columns[at], texts, given) for at, texts, given in zip(group, own, widths, strict=True)]
    heads = [column._replace(head="\n".join(wrapped(column.head, given)))
             for column, given in zip((columns[at] for at in group), widths, strict=True)]  # fmt: skip
    return ColumnGroup(tuple(heads), tuple(widths), [list(row) for row in zip(*lined, strict=True)])


def _shared(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Widths between what columns need and what they could use; those that need little more are served first."""
    widths = list(least)
    spare = room - sum(least)
    wanting = sorted((at for at in range(len(least)) if most[at] > least[at]), key=lambda at: most[at] - least[at])
    for place, at in enumerate(wanting):
        more = min(most[at] - least[at], max(spare, 0) // (len(wanting) - place))
        widths[at] += more
        spare -= more
    return widths


def _broken(column: Column, texts: Sequence[str], width: int) -> list[str]:
    if column.numeric:
        return list(texts)
    if _is_label(texts):
        return tight(texts, width)
    return ["\n".join(wrapped(text, width)) for text in texts]
