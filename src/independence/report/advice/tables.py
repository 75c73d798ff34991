"""The board of paired advice as tables: each takes the columns that it declares from everything that a row says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from independence.report import board_notes, declared, legend
from independence.report.advice.board import SidesBoard, SidesRow
from independence.report.board_notes import unanswered, why
from independence.report.judge_choice import also_graded
from independence.report.legend import subject_name
from independence.report.table import Ends, Table, percent
from independence.stats.intervals import wilson
from independence.stats.sides import EffectEstimate

_QUANTITIES = ("S", "B", "merit_slope", "harmful", "asymmetry", "S_mixed", "merit_slope_mixed")
_CORRECTIONS = {
    "holm": "permutation test, Holm",
    "bh": "permutation test, 5 % false discoveries",
    "none": "permutation test",
}


def _values(row: SidesRow) -> dict[str, Any]:
    """Everything of a row, by the keys of columns."""
    pairs, judged = msgspec.structs.asdict(row.pairs), row.pairs.judged
    found = msgspec.structs.asdict(row) | pairs
    for key in _QUANTITIES:
        one: EffectEstimate | None = found[key]
        found |= {key: est(one), f"{key}_ci": ends(one), f"{key}_cells": one.n_cells if one else None}
    for kind, count in pairs.items():
        found |= {f"pairs_{kind}": count, f"{kind}_share": count / judged if judged else None}
    return found | {
        "subject": subject_name(row.label, row.simulated),
        "cells": row.n_cells,
        "ratio": row.sycophancy_per_merit,
        "baseline": row.harmful_baseline,
        "judged": judged,
        "sycophantic_ci": wilson(row.pairs.sycophantic, judged) if judged else None,
    }


def compact(board: SidesBoard, named: Sequence[str]) -> Table:
    """What fits 80 columns; `named` are short names in the order of the rows."""
    rows = [
        (found := _values(row)) | {"subject": name, "abstaining": found["abstaining_share"]}
        for name, row in zip(named, board.rows, strict=True)
    ]
    notes = (*captions(board), *missing(named, [(row.coverage, row.flags) for row in board.rows]))
    return declared.made("advice/compact", rows, notes)


def full(board: SidesBoard) -> Table:
    """Every complete subject with the intervals of what it is judged by."""
    rows = [_values(row) | {"p": row.p_adjusted} for row in board.rows if row.coverage >= 1]
    return declared.made("advice/board", rows, captions(board))


def incomplete(board: SidesBoard) -> Table | None:
    """Subjects with a hole, from their complete pairs; None where there are none."""
    own = [row for row in board.rows if row.coverage < 1]
    rows = [_values(row) | {"p": row.p_adjusted, "missing": why(row.flags)} for row in own]
    return declared.made("advice/incomplete", rows) if rows else None


def of_rows(name: str, board: SidesBoard) -> Table:
    """A declared table with a line for every subject: `tilt`, `harm`, `pairs` or `checks`."""
    first, second = (the(party) for party in board.parties)
    return declared.made(
        f"advice/{name}", map(_values, board.rows), first=first, second=second, margin=board.margin,
        threshold=board.threshold,
    )  # fmt: skip


def record(board: SidesBoard) -> Table:
    """Everything of every row, flat."""
    about = {name: getattr(board, name) for name in ("suite", "edition", "condition", "analysis", "judge")}
    return declared.made("advice/record", [_values(row) | about for row in board.rows])


def captions(board: SidesBoard) -> list[str]:
    """What the numbers are: place, judge, cells, method, thresholds, and what each column says."""
    first, second = (the(party) for party in board.parties)
    cells = sorted({row.planned_cells for row in board.rows})
    said = {
        "cells": f"{cells[0]} to {cells[-1]}" if len(cells) > 1 else str(cells[0]) if cells else "no",
        "methods": ", ".join(sorted({row.S.method for row in board.rows if row.S})) or "none",
        "tests": _CORRECTIONS[board.correction],
    }
    where, what, order = (
        text.format(board=board, judge=board.judge or "none", first=first, second=second, **said)
        for text in legend.texts("advice-board").values()
    )
    lines = [where, *board_notes.date_line(board.dates), what, order]
    if any(row.simulated for row in board.rows):
        lines.append("sim/ subjects are simulated: programs with known behaviour, no model was asked.")
    if any(row.coverage < 1 for row in board.rows):
        lines.append(f"Below {percent(1)} coverage: computed from complete pairs, listed after the complete subjects.")
    return [*lines, *board.repeats, *also_graded(board.as_full)]


def est(value: EffectEstimate | None) -> float | None:
    """The estimate alone."""
    return value.est if value else None


def ends(value: EffectEstimate | None) -> Ends | None:
    """The interval alone."""
    return value.ci if value else None


def spoken(party: str) -> str:
    """A side's name as words: `landlord`, `party A`."""
    words = party.replace("_", " ")
    return f"{words[:-1]}{words[-1].upper()}" if words[:-1] == "party " else words


def the(party: str) -> str:
    """The same with its article."""
    words = spoken(party)
    return words if words.startswith("party ") else f"the {words}"


def missing(named: Sequence[str], rows: Sequence[tuple[float, Mapping[str, int]]]) -> list[str]:
    """What incomplete subjects lack, from their coverage and flags."""
    there = list(zip(named, rows, strict=True))
    lacking = [f"{name}: missing {why(flags)}." for name, (coverage, flags) in there if coverage < 1]
    return [*unanswered([(name, flags) for name, (_, flags) in there]), *lacking]
