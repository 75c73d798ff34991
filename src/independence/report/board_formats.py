"""A board as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from independence.report import legend
from independence.report.board import BOOTSTRAP, STRICT, T_RUNS, Board, BoardRow
from independence.report.judge_choice import also_graded
from independence.report.legend import heading
from independence.report.planned_verdicts import OUR_RUBRIC
from independence.report.table import DASH, Ends, decimal, on_scale, percent
from independence.report.table_formats import cell, escaped
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.validity import UNANSWERED
from independence.store.spending import Dates
from independence.suites.schema import Component, Index

METHODS = (THESE, LIKE_THESE, T_RUNS, BOOTSTRAP)
THINKS: Final = "†"
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


def column(component: Component, row: BoardRow) -> float | None:
    """A component's column: the sum of its dimensions, on their own scale. None where one is missing."""
    values = [row.dimensions.get(name) for name in component.dimensions]
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


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
        "thinking",
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
                 row.thinking,
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
    about = legend.lines(index, ("tier", "rank", "index", "ci", "runs", "coverage"), index.components)
    told = [escaped(line) for line in (*date_line(board.dates), *readings(board), *judging(board))] + [
        f"- {escaped(line)}" for line in about
    ]
    return "\n".join([*lines, "", "\n\n".join(told)]) + "\n"


def readings(board: Board) -> list[str]:
    """Whose verdicts there are besides, by what imports were graded, and what the places mean, where there are any."""
    lines = [f"{THINKS} thinks: answers took reasoning tokens."] if any(row.thinking for row in board.rows) else []
    if board.scoring == STRICT:
        lines += unanswered([(name(row), row.flags) for row in board.rows])
    lines += [*board.repeats, *also_graded(board.as_full)]
    if any(OUR_RUBRIC in row.flags for row in board.rows):
        lines.append("Imported dialogues, graded by rubrics of ours: those that they were published with are unknown.")
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


def unanswered(rows: Sequence[tuple[str, Mapping[str, int]]]) -> list[str]:
    """Who has no number for want of answers, from names and flags."""
    named = [f"{who} ({flags[UNANSWERED]})" for who, flags in rows if flags.get(UNANSWERED)]
    if not named:
        return []
    what = "error messages, noise, the prompt or the human said back, the same words to several questions"
    return [
        f"No answers: {', '.join(named)}. Half of the replies or more are none ({what}): no verdict on them counts."
    ]


def judging(board: Board) -> list[str]:
    """What estimates are, where there are any."""
    if board.judging is None:
        return []
    methods = {row.estimate.method for row in board.rows if row.estimate is not None}
    runs = [_RUNS] if any(row.ci for row in board.rows) else []
    return [f"{board.judging}.", *(_ESTIMATES[method] for method in _ESTIMATES if method in methods), *runs, _FLAGGED]


def caption(board: Board) -> str:
    """What the numbers are: suite, condition, scoring, judge, what they generalise to."""
    return (
        f"{board.suite}@{board.edition}, {board.condition}, scoring {board.scoring}, judge {board.judge or 'none'}, "
        f"{_intervals(board)}"
    )


def _intervals(board: Board) -> str:
    """What the intervals are about, and their method where it has a name of its own."""
    methods = sorted({row.ci_method for row in board.rows} - {"none"})
    if not methods:
        return "no intervals"
    about = f"intervals generalise to {board.generalises_to}"
    return about if methods == [board.generalises_to] else f"{about}, by {', '.join(methods)}"


def name(row: BoardRow) -> str:
    """A subject's name, with the mark of those that think; a simulated one says so wherever it stands."""
    label = row.label + f" {THINKS}" * row.thinking
    return f"{label} (simulated)" if row.simulated else label


def number(value: float | None) -> str:
    """One decimal, or a dash."""
    return DASH if value is None else decimal(value)


def interval(row: BoardRow) -> str:
    """The interval, clipped to the scale for display, or a dash."""
    return DASH if row.ci is None else ends(row.ci)


def ends(interval: Ends, between: str = "–") -> str:
    """Both ends of an index's interval, on its scale."""
    return between.join(decimal(on_scale(end)) for end in interval)


def indexed(row: BoardRow) -> str:
    """The index, or what it can still be, or that an offline judge cannot tell."""
    if row.index is not None:
        return number(row.index)
    return UNCALIBRATED if row.estimate is not None and row.estimate.method == UNCALIBRATED else bounds(row)


def estimated(board: Board) -> bool:
    """Whether a board has estimates."""
    return any(row.estimate is not None for row in board.rows)


def estimate(row: BoardRow) -> tuple[str, str, str]:
    """The estimated index and its interval on the index's scale, and how many are flagged."""
    if row.estimate is None:
        return DASH, DASH, DASH
    flagged = f"{sum(row.estimate.flagged.values())}/{row.estimate.verdicts}"
    if row.estimate.index is None or row.estimate.ci is None:
        return DASH, DASH, flagged
    return number(on_scale(row.estimate.index)), ends(row.estimate.ci), flagged


def _estimated(row: BoardRow) -> tuple[float | str | None, ...]:
    if row.estimate is None:
        return (None,) * 6
    own = row.estimate
    return (own.index, *(own.ci or (None, None)), own.method, own.bought, sum(own.flagged.values()))


def bounds(row: BoardRow) -> str:
    """What the index can still be."""
    return f"[{row.bounds[0]:.0f}, {row.bounds[1]:.0f}]"


def today() -> str:
    """The day a report is made, UTC."""
    return datetime.now(UTC).date().isoformat()


def reply_days(dates: Dates) -> str:
    """The days of the first and the last reply; empty where none is known."""
    return _days(dates.first_reply, dates.last_reply)


def verdict_days(dates: Dates) -> str:
    """The days of the first and the last verdict; empty where none is known."""
    return _days(dates.first_verdict, dates.last_verdict)


def date_line(dates: Dates | None) -> list[str]:
    """Both in one line below a board; none where nothing is known."""
    if dates is None:
        return []
    parts = [f"replies of {reply_days(dates)}"] * bool(reply_days(dates))
    parts += [f"verdicts of {verdict_days(dates)}"] * bool(verdict_days(dates))
    return [", ".join(parts)] * bool(parts)


def _days(first: str | None, last: str | None) -> str:
    days = list(dict.fromkeys(at[:10] for at in (first, last) if at))
    return " to ".join(days)
