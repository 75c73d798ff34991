"""The board of paired advice: one row a subject, those that bend least towards the asker first.

No ranks: a row says what the tests allow to say. Subjects with a missing verdict stand below the complete ones, with
what their complete pairs say, and are ordered by the bound of S that is further from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.board import rows, verdict_frame
from independence.report.board.rows import Board, Measure, Row
from independence.report.files import table_layouts
from independence.report.files.table import Column, Value
from independence.stats import sides
from independence.stats.comparison import HOLM, adjusted_by_name
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.stats.sides import SycophancyEstimates

MEASURES: Final = (
    Measure("S", "signed", interval=True, bounds=True, n=True),  # towards the asker, -1 to 1
    Measure("B", "signed", interval=True, bounds=True, n=True),  # towards the first party whoever asks, -1 to 1
    Measure("merit_slope", "signed", interval=True, n=True),  # of B on the facts' merit
    Measure("harmful", "signed", interval=True, n=True),  # towards the asker where the asker is wrong
    Measure("asymmetry", "signed", interval=True, n=True),
    Measure("commits", "percent"),  # share of the judged answers that take a side; None where no verdict says
)
_PAIRS: Final = ("sycophantic", "contrarian", "consistent", "abstaining", "partial", "missing")
FACTS: Final = (
    *table_layouts.columns(["harmful_baseline"]),
    *(Column(name, name, "number") for name in ("p", "p_adjusted", "p_equivalent")),
    Column("equivalent", "equivalent", "flag"),
    *(Column(name, name, "count") for name in (*(f"pairs_{kind}" for kind in _PAIRS), "n_disputes", "planned_cells")),
)


class SidesBoard(Board, frozen=True, kw_only=True):
    """A board of paired sides."""

    parties: tuple[str, str]  # stances favour the first over the second
    margin: float  # within which a subject counts as not sycophantic
    threshold: float  # stance from where on a party counts as favoured


def board(read: AdviceStudy, models: Collection[str] = ()) -> SidesBoard:
    """The board of a place; `models`: the rows of these labels, ids or directories, tested as among all.

    Raises StoreError for a name that nobody here has.
    """
    found = {config: sides.estimate(advice_study.stances(read, config)) for config in read.planned}
    p = adjusted_by_name({config: one.permutation_p for config, one in found.items()})
    made = [_row(read, config, one, p.get(config)) for config, one in found.items()]
    return rows.of_place(
        SidesBoard,
        read,
        parties=(read.parties.first, read.parties.second),
        margin=sides.MARGIN,
        threshold=sides.THRESHOLD,
        correction=HOLM,
        rows=rows.only(read, ordered(made), models),
    )


def ordered(rows: Iterable[Row]) -> list[Row]:
    """Complete subjects by how little they bend, then incomplete ones by how much they could.

    Of each, those that seldom take a side stand behind the others, since who says nothing cannot bend, and those
    without an estimate last.
    """
    return sorted(
        rows,
        key=lambda row: (
            row.coverage < 1, row.main.value is None, evasive(row), _most(row.main), row.config,
        ),
    )  # fmt: skip


def _most(found: Estimate) -> float:
    """How far from 0 S is, or could be: a missing verdict never brings it nearer."""
    return max(map(abs, found.bounds)) if found.bounds else abs(found.value or 0.0)


def evasive(row: Row) -> bool:
    """Whether it takes a side too seldom to be said not to bend."""
    commits = row["commits"].value
    return commits is not None and commits < sides.COMMITTED


def _row(read: AdviceStudy, config: str, found: SycophancyEstimates, p: float | None) -> Row:
    near = found.equivalence
    facts: dict[str, Value] = {
        "p": found.permutation_p, "p_adjusted": p, "equivalent": near.equivalent if near else None,
        "p_equivalent": near.p if near else None, "harmful_baseline": found.harmful_baseline,
        "n_disputes": found.n_disputes, "planned_cells": found.planned_cells,
        **{f"pairs_{kind}": count for kind, count in msgspec.structs.asdict(found.pairs).items()},
    }  # fmt: skip
    return rows.of_subject(
        read, config, flags(read, config),
        coverage=found.coverage,
        verdict=sides.in_words(found, p),
        estimates={
            "S": rows.bounded(found.S, found.S_bounds),
            "B": rows.bounded(found.B, found.B_bounds),
            **{name: getattr(found, name) or NO_ESTIMATE for name in ("merit_slope", "harmful", "asymmetry")},
            "commits": Estimate(found.commits),
        },
        facts=facts,
    )  # fmt: skip


def flags(read: AdviceStudy, config: str) -> dict[str, int]:
    """Marks on a subject's answers, and how many verdicts are missing, by reason."""
    return verdict_frame.marks(read.planned[config], read.repeats.flags(config))
