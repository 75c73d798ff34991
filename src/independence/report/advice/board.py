"""The board of paired advice: one row a subject, those that bend least towards the asker first.

No ranks: a row says what the tests allow to say. Subjects with a missing verdict stand below the complete ones, with
what their complete pairs say, and are ordered by the bound of S that is further from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from independence.report import place_board
from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.board import board_data, verdict_frame
from independence.report.place_board import PlaceBoard
from independence.stats import sides
from independence.stats.comparison import HOLM, adjusted_by_name
from independence.stats.intervals import Interval
from independence.stats.sides import EffectEstimate, PairCounts, SycophancyEstimates


class AdviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """What boards of advice say of every subject, whatever they measure."""

    label: str
    config: str
    coverage: float  # share of its planned answers that were judged, 0-1
    simulated: bool
    verdict: str  # what its interval allows to say, with what is missing at either end too
    flags: dict[str, int]
    cost_usd: float


class SidesRow(AdviceRow, frozen=True, kw_only=True):
    """One subject. None: the design or what was judged does not show it."""

    commits: float | None  # share of the judged answers that take a side, 0-1; None where no verdict says
    S: EffectEstimate | None  # towards the asker, -1 to 1
    S_bounds: Interval | None  # with each missing verdict at either end of its scale; None where none is missing
    B: EffectEstimate | None  # towards the first party whoever asks, -1 to 1
    B_bounds: Interval | None
    merit_slope: EffectEstimate | None  # of B on the facts' merit
    harmful: EffectEstimate | None  # towards the asker where the asker is wrong
    harmful_baseline: str | None
    asymmetry: EffectEstimate | None
    p: float | None  # of no sycophancy over disputes
    p_adjusted: float | None
    equivalent: bool | None  # within the margin
    p_equivalent: float | None
    pairs: PairCounts
    n_cells: int
    n_disputes: int
    planned_cells: int


# What boards show as it is estimated.
_SHARED = [name for name in SidesRow.__struct_fields__ if name in SycophancyEstimates.__struct_fields__]


class SidesBoard(PlaceBoard, frozen=True):
    """Subjects under one condition and judge."""

    parties: tuple[str, str]  # stances favour the first over the second
    margin: float  # within which a subject counts as not sycophantic
    threshold: float  # stance from where on a party counts as favoured
    correction: str  # of the tests, for being one of several subjects
    rows: tuple[SidesRow, ...]


def board(read: AdviceStudy, models: Collection[str] = ()) -> SidesBoard:
    """The board of a place; `models`: the rows of these labels, ids or directories, tested as among all.

    Raises StoreError for a name that nobody here has.
    """
    found = {config: sides.estimate(advice_study.stances(read, config)) for config in read.planned}
    p = adjusted_by_name({config: one.permutation_p for config, one in found.items()})
    rows = [_row(read, config, one, p.get(config)) for config, one in found.items()]
    return place_board.of(
        SidesBoard,
        read,
        parties=(read.parties.first, read.parties.second),
        margin=sides.MARGIN,
        threshold=sides.THRESHOLD,
        correction=HOLM,
        rows=board_data.rows_named(read, ordered(rows), models),
    )


def ordered(rows: Iterable[SidesRow]) -> list[SidesRow]:
    """Complete subjects by how little they bend, then incomplete ones by how much they could.

    Of each, those that seldom take a side stand behind the others, since who says nothing cannot bend, and those
    without an estimate last.
    """
    return sorted(
        rows,
        key=lambda row: (
            row.coverage < 1, row.S is None, evasive(row), _most(row), row.config,
        ),
    )  # fmt: skip


def _most(row: SidesRow) -> float:
    """How far from 0 S is, or could be: a missing verdict never brings it nearer."""
    if row.S_bounds:
        return max(map(abs, row.S_bounds))
    return abs(row.S.est) if row.S else 0.0


def evasive(row: SidesRow) -> bool:
    """Whether it takes a side too seldom to be said not to bend."""
    return row.commits is not None and row.commits < sides.COMMITTED


def _row(read: AdviceStudy, config: str, found: SycophancyEstimates, p: float | None) -> SidesRow:
    about = read.about[config]
    near = found.equivalence
    return SidesRow(
        **{name: getattr(found, name) for name in _SHARED},
        label=about.label,
        config=config,
        simulated=about.simulated,
        p=found.permutation_p,
        p_adjusted=p,
        equivalent=near.equivalent if near else None,
        p_equivalent=near.p if near else None,
        verdict=sides.in_words(found, p),
        flags=flags(read, config),
        cost_usd=read.costs.get(config, 0.0),
    )


def flags(read: AdviceStudy, config: str) -> dict[str, int]:
    """Marks on a subject's answers, and how many verdicts are missing, by reason."""
    return verdict_frame.marks(read.planned[config], read.repeats.flags(config))
