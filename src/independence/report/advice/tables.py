"""The board of paired advice as tables and as a plot of signs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from independence.report import board_notes
from independence.report.advice.board import QuantityColumns, SidesBoard, SidesRow
from independence.report.board_notes import unanswered
from independence.report.judge_choice import also_graded
from independence.report.legend import distinct_labels, fitted, subject_name
from independence.report.table import Column, Ends, Table, Value, percent

_QUANTITIES = ("S", "B", "merit_slope", "harmful", "asymmetry", "S_mixed", "merit_slope_mixed")
_KINDS = ("sycophantic", "contrarian", "consistent", "abstaining", "partial", "missing")


def compact(board: SidesBoard, named: Sequence[str]) -> Table:
    """What fits 80 columns; `named` are short names in the order of the rows."""
    columns = (
        Column("subject", "Subject"), Column("S", "S", "signed", 2), Column("S_ci", "95 % CI", "signed_interval", 2),
        Column("B", "B", "signed", 2), Column("merit_slope", "Merit", "signed", 2),
        Column("harmful", "Harm", "signed", 2), Column("abstaining", "Abst", "percent"),
        Column("coverage", "Cov", "percent"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name, est(row.S), ends(row.S), est(row.B), est(row.merit_slope), est(row.harmful),
         share(row, row.pairs.abstaining), row.coverage)
        for name, row in zip(named, board.rows, strict=True)
    ]  # fmt: skip
    notes = (*captions(board), *missing(named, [(row.coverage, row.flags) for row in board.rows]))
    return Table("board", "Does advice bend towards the person who asks?", columns, tuple(rows), notes)


def full(board: SidesBoard) -> Table:
    """Every complete subject with the intervals of what it is judged by."""
    rows = tuple(_full(row) for row in board.rows if row.coverage >= 1)
    return Table("board", "The board", _FULL, rows, tuple(captions(board)))


def incomplete(board: SidesBoard) -> Table | None:
    """Subjects with a hole, from their complete pairs; None where there are none."""
    own = [row for row in board.rows if row.coverage < 1]
    if not own:
        return None
    columns = (*_FULL, Column("missing", "Missing verdicts"))
    rows: list[tuple[Value, ...]] = [(*_full(row), why(row.flags)) for row in own]
    note = (
        "From the pairs with two verdicts. The missing ones may differ from these, so incomplete subjects are not "
        "ordered among the others."
    )
    return Table("incomplete", "Incomplete subjects", columns, tuple(rows), (note,))


def tilt(board: SidesBoard) -> Table:
    """Where each subject leans whoever asks, how far it goes by the facts, and what the asker counts beside them."""
    columns = (
        Column("subject", "Subject"), Column("B", "Tilt B", "signed", 2),
        Column("B_ci", "95 % CI", "signed_interval", 2), Column("merit_slope", "Merit slope", "signed", 2),
        Column("merit_slope_ci", "95 % CI", "signed_interval", 2), Column("ratio", "|S| / |merit slope|", "number", 2),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name(row), est(row.B), ends(row.B), est(row.merit_slope), ends(row.merit_slope), row.sycophancy_per_merit)
        for row in board.rows
    ]
    first, second = (the(party) for party in board.parties)
    note = (
        f"Tilt: +1 favours {first}, -1 favours {second}. The ratio is shown only if the merit slope differs "
        "significantly from 0."
    )
    return Table("tilt", "Tilt and merit slope", columns, tuple(rows), (note,))


def harm(board: SidesBoard) -> Table:
    """Shifts towards askers who are wrong, and whether one party gets more out of asking."""
    columns = (
        Column("subject", "Subject"), Column("harmful", "Harmful", "signed", 2),
        Column("harmful_ci", "95 % CI", "signed_interval", 2), Column("baseline", "Measured from"),
        Column("asymmetry", "Asymmetry", "signed", 2), Column("asymmetry_ci", "95 % CI", "signed_interval", 2),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name(row), est(row.harmful), ends(row.harmful), row.harmful_baseline, est(row.asymmetry), ends(row.asymmetry))
        for row in board.rows
    ]
    first, second = (the(party) for party in board.parties)
    note = (
        "Harmful: how far the advice moves towards an asker who is in the wrong, compared with the advice an "
        "uninvolved person gets (without one: with the middle of both parties). Asymmetry: what "
        f"{first} gains by asking minus what {second} gains."
    )
    return Table("harm", "Harm and asymmetry", columns, tuple(rows), (note,))


def record(board: SidesBoard) -> Table:
    """Everything of every row, flat."""
    columns = (
        *(Column(key, key) for key in ("suite", "edition", "condition", "analysis", "judge", "label", "config")),
        Column("simulated", "simulated", "flag"), Column("coverage", "coverage", "percent"),
        *(part for name in _QUANTITIES for part in _quantity_columns(name)),
        Column("harmful_baseline", "harmful_baseline"),
        *(Column(key, key, "number") for key in ("sycophancy_per_merit", "p", "p_adjusted", "p_equivalent")),
        Column("equivalent", "equivalent", "flag"), Column("verdict", "verdict"),
        *(Column(f"pairs_{kind}", f"pairs_{kind}", "count") for kind in _KINDS),
        Column("n_cells", "n_cells", "count"), Column("planned_cells", "planned_cells", "count"),
        Column("cost_usd", "cost_usd", "dollars"),
    )  # fmt: skip
    return Table("board", "The board", columns, tuple(_record(board, row) for row in board.rows))


def captions(board: SidesBoard) -> list[str]:
    """What the numbers are: place, judge, cells, method, thresholds, and what each column says."""
    first, second = (the(party) for party in board.parties)
    cells = sorted({row.planned_cells for row in board.rows})
    methods = sorted({row.S.method for row in board.rows if row.S})
    where = (
        f"{board.suite}@{board.edition}, {board.condition}, judge {board.judge or 'none'}, {_range(cells)} cells, "
        f"intervals: {', '.join(methods) or 'none'}."
    )
    what = (
        "S: how far the advice moves towards the asker (0: the asker makes no difference, 1: the asker decides, "
        f"below 0: against the asker). B: tilt towards {first} (+) or {second} (-), whoever asks. Merit: how strongly "
        "B follows the facts. Harm: shift towards an asker who is in the wrong. Abst: pairs in which no side is "
        "taken. Cov: share of the planned verdicts that are complete."
    )
    order = (
        "Ordered by |S|, which is no ranking: differences between subjects are not tested. Conclusions come from tests "
        f"({_CORRECTIONS[board.correction]}; none: within {board.margin:g} of 0, two one-sided tests). An answer "
        f"favours a party from {board.threshold:g} on."
    )
    also = (*_also(board), *board.repeats, *also_graded(board.as_full))
    return [where, *board_notes.date_line(board.dates), what, order, *also]


_CORRECTIONS = {
    "holm": "permutation test, Holm",
    "bh": "permutation test, 5 % false discoveries",
    "none": "permutation test",
}


def est(value: QuantityColumns | None) -> float | None:
    """The estimate alone."""
    return value.est if value else None


def ends(value: QuantityColumns | None) -> Ends | None:
    """The interval alone."""
    return value.ci if value else None


def share(row: SidesRow, count: int) -> float | None:
    """A count as a share of the judged pairs; None without any."""
    return count / row.pairs.judged if row.pairs.judged else None


def name(row: SidesRow) -> str:
    """A subject's name; a simulated one says so wherever it stands."""
    return subject_name(row.label, row.simulated)


def spoken(party: str) -> str:
    """A side's name as words: `landlord`, `party A`."""
    words = party.replace("_", " ")
    return f"{words[:-1]}{words[-1].upper()}" if words[:-1] == "party " else words


def the(party: str) -> str:
    """The same with its article."""
    words = spoken(party)
    return words if words.startswith("party ") else f"the {words}"


def missing(named: Sequence[str], rows: Sequence[tuple[float, dict[str, int]]]) -> list[str]:
    """What incomplete subjects lack, from their coverage and flags."""
    there = list(zip(named, rows, strict=True))
    lacking = [f"{name}: missing {why(flags)}." for name, (coverage, flags) in there if coverage < 1]
    return [*unanswered([(name, flags) for name, (_, flags) in there]), *lacking]


def why(flags: dict[str, int]) -> str:
    """Missing verdicts by reason."""
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def _also(board: SidesBoard) -> list[str]:
    lines = []
    if any(row.simulated for row in board.rows):
        lines.append("sim/ subjects are simulated: programs with known behaviour, no model was asked.")
    if any(row.coverage < 1 for row in board.rows):
        lines.append(f"Below {percent(1)} coverage: computed from complete pairs, listed after the complete subjects.")
    return lines


def _range(counts: Sequence[int]) -> str:
    return "no" if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


_FULL = (
    Column("subject", "Subject"), Column("S", "S", "signed", 2), Column("S_ci", "95 % CI of S", "signed_interval", 2),
    Column("p", "p, adjusted", "p"), Column("verdict", "Conclusion"), Column("B", "Tilt B", "signed", 2),
    Column("merit_slope", "Merit slope", "signed", 2), Column("cells", "Cells", "count"),
    Column("coverage", "Coverage", "percent"),
)  # fmt: skip


def _full(row: SidesRow) -> tuple[Value, ...]:
    return (
        name(row), est(row.S), ends(row.S), row.p_adjusted, row.verdict, est(row.B), est(row.merit_slope), row.n_cells,
        row.coverage,
    )  # fmt: skip


def _quantity_columns(key: str) -> tuple[Column, ...]:
    return (
        Column(key, key, "signed", 2), Column(f"{key}_ci", key, "signed_interval", 2),
        Column(f"{key}_cells", key, "count"),
    )  # fmt: skip


def _record(board: SidesBoard, row: SidesRow) -> tuple[Value, ...]:
    quantities: tuple[QuantityColumns | None, ...] = (
        row.S, row.B, row.merit_slope, row.harmful, row.asymmetry, row.S_mixed, row.merit_slope_mixed,
    )  # fmt: skip
    flat = (part for one in quantities for part in (est(one), ends(one), one.n_cells if one else None))
    pairs = row.pairs
    return (
        board.suite, board.edition, board.condition, board.analysis, board.judge, row.label, row.config,
        row.simulated, row.coverage, *flat, row.harmful_baseline, row.sycophancy_per_merit, row.p, row.p_adjusted,
        row.p_equivalent, row.equivalent, row.verdict, pairs.sycophantic, pairs.contrarian, pairs.consistent,
        pairs.abstaining, pairs.partial, pairs.missing, row.n_cells, row.planned_cells, row.cost_usd,
    )  # fmt: skip


WIDTH = 80
_PLOT = 29  # odd, so that nothing has a place of its own
_NAMED = 20
_STEP = 0.25


class TextPlotRow(NamedTuple):
    """One subject; without an estimate its line is empty."""

    label: str
    est: float | None
    ci: Ends | None
    said: str
    hollow: bool = False  # from part of its answers


def lines(given: Sequence[TextPlotRow], title: str, band: float | None = None) -> list[str]:
    """At most 80 signs a line: labels, signs on a common scale, words. Within +-`band` a value counts as nothing."""
    limit = _limit(given, band)
    named = min(max((len(mark.label) for mark in given), default=0), _NAMED)
    said = WIDTH - named - _PLOT - 4
    out = [title]
    out += [
        f"{name:{named}}  {_draw_line(mark, limit, band)}  {_brief(mark.said, said)}".rstrip()
        for name, mark in zip(distinct_labels([mark.label for mark in given], named), given, strict=True)
    ]
    return [*out, f"{'':{named}}  {_scale(limit)}"]


def _limit(given: Sequence[TextPlotRow], band: float | None) -> float:
    far = [abs(end) for mark in given if mark.est is not None for end in (mark.est, *(mark.ci or ()))]
    return float(math.ceil(round(max([*far, 2 * (band or 0.0), _STEP]) / _STEP, 6)) * _STEP)


def _draw_line(mark: TextPlotRow, limit: float, band: float | None) -> str:
    signs = [" "] * _PLOT
    if band:
        low, high = _place(-band, limit), _place(band, limit)
        signs[low : high + 1] = "░" * (high - low + 1)
    signs[_PLOT // 2] = "│"
    if mark.est is not None:
        if mark.ci:
            low, high = (_place(end, limit) for end in mark.ci)
            signs[low : high + 1] = "─" * (high - low + 1)
        signs[_place(mark.est, limit)] = "○" if mark.hollow else "●"
    return "".join(signs)


def _place(value: float, limit: float) -> int:
    return min(max(round((value / limit + 1) / 2 * (_PLOT - 1)), 0), _PLOT - 1)


def _scale(limit: float) -> str:
    low, high = f"{-limit:g}", f"+{limit:g}"
    signs = list(" " * _PLOT)
    signs[: len(low)] = low
    signs[_PLOT // 2] = "0"
    signs[_PLOT - len(high) :] = high
    return "".join(signs)


def _brief(text: str, room: int) -> str:
    """Words that fit: all, or what stands before their colon."""
    return text if len(text) <= room else fitted(text.split(":", maxsplit=1)[0], room)
