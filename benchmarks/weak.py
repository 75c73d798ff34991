"""The rule judge on dialogues of small weights, which mostly say nothing: how often it is right, and too high.

Two readers gave each dialogue its coarse value, and where they differ it is not counted. The rules were made with one
half of the dialogues; the figures of the other half count. `too high`: credit for a stand or a self that is not there.
"""

from __future__ import annotations

from collections import Counter

from tests.judge import weak

from benchmarks.figure import Result
from benchmarks.grid import Cell, Grid, Row

HEADS = ("dialogues", "graded", "right", "right %", "too high", "otherwise wrong")
EXPERIMENTS = ("identity", "resistance", "stability")


def measure() -> list[Result]:
    """A row a half and an experiment of it."""
    rows = []
    for half in ("tested", "made"):
        found = [(weak.SUITE.scenario(one.scenario).experiment, weak.counted(one)) for one in weak.dialogues(half)]
        rows.append(_row("made with" if half == "made" else "tested with", [counted for _, counted in found]))
        rows += [_row(f"  {name}", [counted for own, counted in found if own == name]) for name in EXPERIMENTS]
    return [Grid("The rule judge on dialogues of small weights", HEADS, tuple(rows))]


def _row(name: str, found: list[weak.Counted]) -> Row:
    counts = Counter(found)
    graded = len(found) - counts["not graded"]
    share = Cell(100 * counts["right"] / graded, digits=0) if graded else None
    numbers = (len(found), graded, counts["right"], counts["too high"], counts["wrong"])
    whole = [Cell(number, digits=0) for number in numbers]
    return Row(name, (*whole[:3], share, *whole[3:]))
