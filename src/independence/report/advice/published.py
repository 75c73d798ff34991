"""The board of the published instrument: its own summary columns, and beside them the paired contrast.

The published uplift counts answers that take the asker's side and is blind to those that oppose it. The contrast takes
one from the other on the same facts. Both are shown and named; neither stands in for the other.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from independence.report import study
from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import QuantityColumns, flags
from independence.report.table import Ends
from independence.stats import stance
from independence.stats.stance import Alignment, PairedContrast, PublishedSummary
from independence.store.spending import Dates

METHOD = "percentile bootstrap of cells"


class PartyAlignment(msgspec.Struct, frozen=True):
    """Answers to one party, read in its favour."""

    n: int
    mean: float | None  # -1 to 1
    ci: Ends | None
    opposes: int
    neutral: int
    agrees: int


class StanceRow(msgspec.Struct, frozen=True):
    """One subject."""

    label: str
    config: str
    coverage: float
    simulated: bool
    published: dict[str, str | int | float | None]  # the twelve columns of the published summary, by their names
    contrast: QuantityColumns | None  # score when the first party asks minus when the second does, -2 to 2
    S: QuantityColumns | None  # half of it: on the scale of paired boards
    asked: dict[str, PartyAlignment]  # by party
    unpaired: int  # cells of which one party's answer alone has a score
    flags: dict[str, int]
    cost_usd: float


class StanceBoard(msgspec.Struct, frozen=True):
    """Subjects under one condition and judge."""

    suite: str
    edition: str
    condition: str
    analysis: str
    judge: str | None
    parties: tuple[str, str]  # a score of 1 favours the first, of -1 the second
    threshold: float  # of the published bins
    draws: int
    contrast: QuantityColumns | None  # over all subjects, cells as clusters
    rows: tuple[StanceRow, ...]
    repeats: tuple[str, ...] = ()  # which runs only repeat earlier ones, and are counted once
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    dates: Dates | None = None  # of the replies and of this judge's verdicts


def board(read: AdviceStudy) -> StanceBoard:
    """The board of a place."""
    rated = [one for config in read.planned for one in advice_study.rated(read, config)]
    contrasts = stance.contrasts(rated, read.parties)
    asked: dict[str, dict[str, PartyAlignment]] = {config: {} for config in read.planned}
    for one in stance.alignments(rated, read.parties):
        asked[one.model][one.side] = _party_alignment(one)
    rows = [
        _row(read, found, contrasts[found.model], asked[found.model]) for found in stance.summary(rated, read.parties)
    ]
    scope = read.scope
    return StanceBoard(
        scope.suite.suite, scope.edition, str(scope.condition), scope.suite.analysis, read.judge,
        (read.parties.first, read.parties.second), stance.THRESHOLD, stance.DRAWS,
        _quantity(stance.contrast(rated, read.parties)), tuple(sorted(rows, key=_order)), study.repeat_notes(read),
        read.as_full, read.dates,
    )  # fmt: skip


def only(board: StanceBoard, read: AdviceStudy, names: Collection[str]) -> StanceBoard:
    """The rows of these labels, ids or directories, baselines over all; none named: all. Raises StoreError."""
    if not names:
        return board
    chosen = study.config_dirs_named(read, names)
    return msgspec.structs.replace(board, rows=tuple(row for row in board.rows if row.config in chosen))


def _order(row: StanceRow) -> tuple[bool, bool, float, str]:
    return row.coverage < 1, row.contrast is None, abs(row.contrast.est) if row.contrast else 0.0, row.config


def _row(
    read: AdviceStudy, found: PublishedSummary, pairs: PairedContrast, asked: dict[str, PartyAlignment]
) -> StanceRow:
    config = found.model
    own, about = read.planned[config], read.about[config]
    contrast = _quantity(pairs)
    return StanceRow(
        about.label, config, sum(cell.values is not None for cell in own) / len(own), about.simulated,
        columns(found, about.model_id, read.parties), contrast, _halved(contrast), asked, pairs.unpaired,
        flags(read, config), read.costs.get(config, 0.0),
    )  # fmt: skip


def columns(
    found: PublishedSummary, model_id: str, parties: stance.AskingParties
) -> dict[str, str | int | float | None]:
    """The published columns in their order, unrounded."""
    head: dict[str, str | int | float | None] = {
        "model_id": model_id, "n": found.n, "mean_score": found.mean_score,
        "p_neg": found.p_neg, "p_neu": found.p_neu, "p_pos": found.p_pos,
    }  # fmt: skip
    for party, own in zip(parties, (found.first, found.second), strict=True):
        head |= {f"{party}_n": own.n, f"{party}_agree_p": own.agree_p, f"{party}_uplift": own.uplift}
    return head


def _party_alignment(one: Alignment) -> PartyAlignment:
    return PartyAlignment(
        one.n, one.mean, one.interval, one.opposes, one.neutral, one.agrees
    )  # fmt: skip


def _quantity(found: PairedContrast) -> QuantityColumns | None:
    if found.estimate is None:
        return None
    return QuantityColumns(found.estimate, found.interval, found.cells, METHOD)


def _halved(contrast: QuantityColumns | None) -> QuantityColumns | None:
    if contrast is None:
        return None
    ends = (contrast.ci[0] / 2, contrast.ci[1] / 2) if contrast.ci else None
    return msgspec.structs.replace(contrast, est=contrast.est / 2, ci=ends)
