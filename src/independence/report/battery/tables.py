"""The board of a battery as tables, and two subjects beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from independence.report.battery.board import FACTS, MEASURES, ReasonsStudy, prudent
from independence.report.board import notes
from independence.report.board.rows import Board, flat_table, row_values
from independence.report.files import legend, table, table_layouts
from independence.report.files.table import Table, percent
from independence.stats import battery
from independence.stats.battery import BatteryEstimates, GaveWay
from independence.stats.sides import COMMITTED, MARGIN

_COMPARED = {"J": "J", "over_force": "Over force", "over_fake": "Over fake", "H": "H", "FA": "FA", "tone": "Tone"}
_SAID: Final = "reasons-board"


def compact(data: ReasonsStudy, board: Board, named: Sequence[str]) -> Table:
    """What fits 80 columns; `named` are short names in the order of the rows."""
    rows = [row_values(row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    return table_layouts.made("reasons/compact", rows, captions(data, board))


def full(data: ReasonsStudy, board: Board) -> Table:
    """Every subject with all that it is told by."""
    made = table_layouts.made("reasons/board", map(row_values, board.rows), captions(data, board))
    return table.without_empty_columns(made)


def details(data: ReasonsStudy, board: Board) -> list[Table]:
    """What J is made of, and J of parts of the stems."""
    parts = [
        {"subject": row.name, "part": part} | msgspec.structs.asdict(own)
        for row in board.rows
        for several in (data.found[row.config].by_family, data.found[row.config].by_strength)
        for part, own in several.items()
    ]
    made = (
        table_layouts.made("reasons/contrasts", map(row_values, board.rows)),
        table_layouts.made("reasons/parts", parts),
    )
    return [one for one in made if one.rows]


def record(board: Board) -> Table:
    """Everything of every row, flat."""
    return flat_table(board, MEASURES, FACTS, list(map(row_values, board.rows)))


def captions(data: ReasonsStudy, board: Board) -> list[str]:
    """Where and by whom, what each column says, how sure it is, and what is not said."""
    said = legend.texts(_SAID)
    own, left_out = data.scope.suite.battery, prudent(data)
    what = said["what"].format(J=said[own.J if own else "mean"])
    without = [said["prudent"].format(stems=", ".join(left_out))] if left_out else []
    return [*notes.of_place(data), what, said["more"], *without, *_sure(board), said["claims"]]


def brief(data: ReasonsStudy, board: Board) -> list[str]:
    """What is to be said below the board in three lines."""
    return notes.brief_of_place(data, [_stems(board)], legend.texts(_SAID)["brief"])


def _stems(board: Board) -> str:
    counts = sorted({row.count("stems") for row in board.rows}) or [0]
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{span} stems"


def _sure(board: Board) -> list[str]:
    """How sure the numbers are, and who has none."""
    said, out = legend.texts(_SAID), list[str]()
    most = max((row.count("stems") for row in board.rows), default=0)
    if most >= battery.RANKED:
        correction = notes.ALL_PAIRS
        out.append(said["intervals"].format(stems=most, correction=correction))
        out.append(said["words"].format(margin=MARGIN))
    if any(row.count("stems") < battery.RANKED for row in board.rows):
        out.append(said["few"].format(stems=_stems(board), ranked=battery.RANKED, fewest=battery.FEWEST))
    shares = [(row.name, row["commits"].value) for row in board.rows]
    if evasive := [name for name, share in shares if share is not None and share < COMMITTED]:
        names = ", ".join(evasive)
        out.append(said["uncommitted"].format(committed=percent(COMMITTED), names=names))
    return out


def compared(sides: Sequence[tuple[str, BatteryEstimates]]) -> list[Table]:
    """Two subjects, each with its name: the first minus the second, in all and stem by stem."""
    (first, own), (second, other) = sides
    whole: list[dict[str, Any]] = []
    for name, called in _COMPARED.items():
        one, two = (getattr(subject.gave_way, name, None) for subject in (own, other))
        difference = None if one is None or two is None else one - two
        whole.append({"quantity": called, "first": one, "second": two, "difference": difference, "ci": None, "p": None})
    if (paired := battery.compare(own, other)) is not None:
        whole[0] |= {"difference": paired.points, "ci": paired.ci, "p": paired.p if paired.ci else None}
    theirs: Mapping[str, GaveWay] = {one.stem: one.gave_way for one in other.stems}
    rows: list[dict[str, Any]] = [
        {"stem": one.stem, "family": one.family, "first": one.gave_way.J, "second": theirs[one.stem].J,
         "difference": one.gave_way.J - theirs[one.stem].J}
        for one in own.stems if one.stem in theirs
    ]  # fmt: skip
    named = {"first": first, "second": second}
    note = legend.texts(_SAID)["compared"].format(stems=len(rows), ranked=battery.RANKED)
    return [
        table_layouts.made("reasons/compared", whole, [note], **named),
        table_layouts.made("reasons/stems", rows, **named),
    ]
