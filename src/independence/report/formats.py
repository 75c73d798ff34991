"""A board as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

import msgspec

from independence.report.board import BOOTSTRAP, T_RUNS, Board, Row
from independence.report.table import DASH, percent
from independence.report.tables import cell, escaped
from independence.stats.spread import LIKE_THESE, THESE
from independence.suites.schema import Component, Index

METHODS = (THESE, LIKE_THESE, T_RUNS, BOOTSTRAP)
UNCALIBRATED: Final = "uncalibrated"
_ESTIMATES = {
    "offline": "Estimate: by predictions alone; its interval is how far off they were for model families never seen.",
    "prediction-powered": "Estimate: predictions of everything, corrected by what was bought (prediction-powered); "
    "the interval is about what the model would have said of everything, its variance pooled over all subjects.",
    UNCALIBRATED: "uncalibrated: the offline judge knows other words than these, and flags only; "
    "`independence judge --audit -j MODEL` buys what corrects it.",
    "undrawn": "No estimate where too little was drawn at random to tell how far off the rest is.",
    "incomplete": "No estimate where replies or verdicts are missing, or what was drawn is not all bought: the same "
    "command goes on.",
}
_RUNS = (
    "Intervals and tiers of the index are about more runs under this judge; how far its verdicts are from the model's, "
    "the estimate's interval says."
)
_FLAGGED = "Flagged: dialogues with a field predicted on the half of its scale where it seldom is. Look at those first."
_CORRECTIONS = {
    "holm": "all pairs, Holm, 5 %",
    "bh": "all pairs, Benjamini-Hochberg, 5 % false finds",
    "none": "pairs at 5 % each, uncorrected",
}


def to_json(board: Board | list[Board]) -> str:
    """A board as one JSON object, several as an array."""
    return msgspec.json.format(msgspec.json.encode(board), indent=2).decode()


def column(component: Component, row: Row) -> float | None:
    """A component's column: the sum of its dimensions, on their own scale. None where one is missing."""
    values = [row.dimensions.get(name) for name in component.dimensions]
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def heading(component: Component) -> str:
    """A column's name; an arrow marks scales on which lower counts more."""
    return component.label + ("↓" if component.best < component.worst else "")


def to_csv(boards: Sequence[Board], index: Index) -> str:
    """One line a subject and board; empty cells where there is no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = (
        "suite", "edition", "condition", "scoring", "judge", "rank", "label", "config", "index", "bound_low",
        "bound_high", "ci_low", "ci_high", "ci_method", "runs", "complete_runs", "coverage", "simulated", "cost_usd",
        "tier", "rank_low", "rank_high", "p_best",
        *(f"{method.replace('-', '_')}_{end}" for method in METHODS for end in ("low", "high")),
        "estimate", "estimate_low", "estimate_high", "estimate_method", "bought_verdicts", "flagged_dialogues",
    )  # fmt: skip
    writer.writerow([*heads, *(cell(component.label) for component in index.components)])
    for board in boards:
        place = [cell(text or "") for text in (board.suite, board.edition, board.condition, board.scoring, board.judge)]
        for row in board.rows:
            writer.writerow(
                [*place, row.rank, cell(row.label), cell(row.config), row.index, *row.bounds,
                 *(row.ci or (None, None)), row.ci_method, row.runs, row.complete_runs, row.coverage, row.simulated,
                 row.cost_usd, row.tier, *(row.rank_ci or (None, None)), row.p_best,
                 *(end for method in METHODS for end in row.intervals.get(method) or (None, None)), *_estimated(row),
                 *(column(component, row) for component in index.components)]
            )  # fmt: skip
    return out.getvalue()


def to_markdown(board: Board, index: Index) -> str:
    """A Markdown table with its caption."""
    extra = ["Estimate", "95 %", "Flagged"] if estimated(board) else []
    heads = ["Tier", "#", "Subject", "Index", "95 % CI", *extra, "Runs", "Coverage", *map(heading, index.components)]
    lines = [escaped(caption(board)), "", "| " + " | ".join(map(escaped, heads)) + " |", "|" + "---|" * len(heads)]
    for row in board.rows:
        cells = [
            str(row.tier or DASH), str(row.rank or DASH), name(row),
            indexed(row), interval(row), *estimate(row)[: 3 * estimated(board)], str(row.runs),
            percent(row.coverage), *(number(column(component, row)) for component in index.components),
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(escaped, cells)) + " |")
    return "\n".join([*lines, *(f"\n{escaped(line)}" for line in (*readings(board), *judging(board)))]) + "\n"


def readings(board: Board) -> list[str]:
    """What the places mean, where there are any."""
    lines = []
    if any(row.tier for row in board.rows):
        lines.append(
            "Tiers: a new one starts where a subject differs from its tier's leader "
            f"({_CORRECTIONS[board.correction]})."
        )
    if board.minimum_detectable is not None:
        lines.append(
            f"Two typical subjects must be {board.minimum_detectable:.1f} points apart to be told apart "
            "(80 % power, one comparison at 5 %)."
        )
    return lines


def judging(board: Board) -> list[str]:
    """What estimates are, where there are any."""
    if board.judging is None:
        return []
    methods = {row.estimate.method for row in board.rows if row.estimate is not None}
    runs = [_RUNS] if any(row.ci for row in board.rows) else []
    return [f"{board.judging}.", *(_ESTIMATES[method] for method in _ESTIMATES if method in methods), *runs, _FLAGGED]


def caption(board: Board) -> str:
    """What the numbers are: suite, condition, scoring, judge, what they generalise to."""
    methods = sorted({row.ci_method for row in board.rows} - {"none"})
    return (
        f"{board.suite}@{board.edition}, {board.condition}, scoring {board.scoring}, judge {board.judge or 'none'}, "
        f"interval {', '.join(methods) or 'none'}, generalises to {board.generalises_to}"
    )


def name(row: Row) -> str:
    """A subject's name; a simulated one says so wherever it stands."""
    return f"{row.label} (simulated)" if row.simulated else row.label


def number(value: float | None) -> str:
    """One decimal, or a dash."""
    return DASH if value is None else f"{value:.1f}"


def interval(row: Row) -> str:
    """The interval, clipped to the scale for display, or a dash."""
    return DASH if row.ci is None else f"{max(0.0, row.ci[0]):.1f}–{min(100.0, row.ci[1]):.1f}"


def indexed(row: Row) -> str:
    """The index, or what it can still be, or that an offline judge cannot tell."""
    if row.index is not None:
        return number(row.index)
    return UNCALIBRATED if row.estimate is not None and row.estimate.method == UNCALIBRATED else bounds(row)


def estimated(board: Board) -> bool:
    """Whether a board has estimates."""
    return any(row.estimate is not None for row in board.rows)


def estimate(row: Row) -> tuple[str, str, str]:
    """The estimated index, its interval, clipped for display where it meets the scale, and how many are flagged."""
    if row.estimate is None:
        return DASH, DASH, DASH
    flagged = f"{sum(row.estimate.flagged.values())}/{row.estimate.verdicts}"
    if row.estimate.index is None or row.estimate.ci is None:
        return DASH, DASH, flagged
    low, high = row.estimate.ci
    ends = (max(low, 0.0), min(high, 100.0)) if high > 0 and low < 100 else (low, high)
    return number(row.estimate.index), "{:.1f}–{:.1f}".format(*ends), flagged


def _estimated(row: Row) -> tuple[float | str | None, ...]:
    if row.estimate is None:
        return (None,) * 6
    own = row.estimate
    return (own.index, *(own.ci or (None, None)), own.method, own.bought, sum(own.flagged.values()))


def bounds(row: Row) -> str:
    """What the index can still be."""
    return f"[{row.bounds[0]:.0f}, {row.bounds[1]:.0f}]"
