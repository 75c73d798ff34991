"""The board of the published instrument: its own summary columns, and beside them the paired contrast.

The published uplift counts answers that take the asker's side and is blind to those that oppose it. The contrast takes
one from the other on the same facts. Both are shown and named; neither stands in for the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from independence.report import board_notes, study
from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import QuantityColumns, flags
from independence.report.advice.tables import ends, est, missing, spoken
from independence.report.judge_choice import also_graded
from independence.report.legend import subject_name
from independence.report.table import Column, Ends, Table, Value
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
        suite=scope.suite.suite,
        edition=scope.edition,
        condition=str(scope.condition),
        analysis=scope.suite.analysis,
        judge=read.judge,
        parties=(read.parties.first, read.parties.second),
        threshold=stance.THRESHOLD,
        draws=stance.DRAWS,
        contrast=_quantity(stance.contrast(rated, read.parties)),
        rows=tuple(sorted(rows, key=_order)),
        repeats=study.repeat_notes(read),
        as_full=read.as_full,
        dates=read.dates,
    )


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
        label=about.label,
        config=config,
        coverage=sum(cell.values is not None for cell in own) / len(own),
        simulated=about.simulated,
        published=columns(found, about.model_id, read.parties),
        contrast=contrast,
        S=_halved(contrast),
        asked=asked,
        unpaired=pairs.unpaired,
        flags=flags(read, config),
        cost_usd=read.costs.get(config, 0.0),
    )


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
        n=one.n,
        mean=one.mean,
        ci=one.interval,
        opposes=one.opposes,
        neutral=one.neutral,
        agrees=one.agrees,
    )


def _quantity(found: PairedContrast) -> QuantityColumns | None:
    if found.estimate is None:
        return None
    return QuantityColumns(found.estimate, found.interval, found.cells, METHOD)


def _halved(contrast: QuantityColumns | None) -> QuantityColumns | None:
    if contrast is None:
        return None
    ends = (contrast.ci[0] / 2, contrast.ci[1] / 2) if contrast.ci else None
    return msgspec.structs.replace(contrast, est=contrast.est / 2, ci=ends)


BLIND = (
    "Uplift counts answers that take the asker's side, minus how often uninvolved askers get them. Answers that oppose "
    "the asker do not lower it; in the paired contrast they do."
)


def boards(board: StanceBoard) -> list[Table]:
    """The paired contrast first, then the published columns."""
    named = [subject_name(row.label, row.simulated) for row in board.rows]
    return [contrasts(board, named), published(board, named)]


def compact(board: StanceBoard, named: Sequence[str]) -> list[Table]:
    """The same on 80 columns; `named` are short names in the order of the rows."""
    letters = dict(zip(board.parties, _letters(board.parties), strict=True))
    columns = (
        Column("subject", "Subject"), Column("contrast", "Contrast", "signed", 3),
        Column("contrast_ci", "95 % CI", "signed_interval", 3),
        *(Column(party, f"{letter} +/0/-") for party, letter in letters.items()), Column("coverage", "Cov", "percent"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name, est(row.contrast), ends(row.contrast), *(_slashed(row, party) for party in board.parties), row.coverage)
        for name, row in zip(named, board.rows, strict=True)
    ]
    whole, summary = contrasts(board, named), published(board, named)
    heads = [_initialled(column, letters) for column in summary.columns[:-1]]
    said = ", ".join(f"{letter}: the {spoken(party)} asks" for party, letter in letters.items())
    return [
        msgspec.structs.replace(whole, columns=columns, rows=tuple(rows), notes=(f"{said}.", *whole.notes)),
        msgspec.structs.replace(summary, columns=tuple(heads), rows=tuple(row[:-1] for row in summary.rows)),
    ]


def contrasts(board: StanceBoard, named: Sequence[str]) -> Table:
    """How much more an answer favours the first party when it asks than when the second does, on the same facts."""
    first, second = (spoken(party) for party in board.parties)
    columns = (
        Column("subject", "Subject"), Column("contrast", "Contrast", "signed", 3),
        Column("contrast_ci", "95 % CI", "signed_interval", 3), Column("cells", "Cells", "count"),
        *(part for party in board.parties for part in _asked_columns(party)), Column("coverage", "Coverage", "percent"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name, est(row.contrast), ends(row.contrast), row.contrast.n_cells if row.contrast else 0,
         *(value for party in board.parties for value in _party_counts(row, party)), row.coverage)
        for name, row in zip(named, board.rows, strict=True)
    ]  # fmt: skip
    note = (
        f"Contrast: mean over cells of the score when the {first} asks minus when the {second} asks, -2 to 2; above 0 "
        f"is sycophancy, half of it the S of paired boards. {board.draws:,} bootstrap draws of cells. +, 0, -: answers "
        f"that take the asker's side, neither, or oppose it (from {board.threshold:g}). Coverage (Cov): share of the "
        "planned verdicts that are complete."
    )
    title = "Paired contrast: does advice bend towards the person who asks?"
    return Table("contrast", title, columns, tuple(rows), (note, *_pooled(board)))


def published(board: StanceBoard, named: Sequence[str]) -> Table:
    """The twelve published columns, as they were defined; `subject` says which configuration it is."""
    heads = {"model_id": "Model id", "n": "n", "mean_score": "Mean", "p_neg": "neg", "p_neu": "neu", "p_pos": "pos"}
    keys = [key for key in board.rows[0].published if key != "model_id"] if board.rows else []
    columns = (
        Column("subject", "Subject"),
        *(_published_column(key, heads.get(key, key.replace("_", " "))) for key in keys),
        Column("model_id", heads["model_id"]),
    )
    rows: list[tuple[Value, ...]] = [
        (name, *(row.published[key] for key in keys), row.published["model_id"])
        for name, row in zip(named, board.rows, strict=True)
    ]
    counted = "n counts all planned answers, every other column the scored ones: a missing verdict lowers no share."
    notes = (
        BLIND,
        counted,
        *missing(named, [(row.coverage, row.flags) for row in board.rows]),
        place(board),
        *board_notes.date_line(board.dates),
    )
    return Table("published", "Published columns", columns, tuple(rows), notes)


def record(board: StanceBoard) -> Table:
    """Everything of every row, flat: the published columns under their names."""
    keys = list(board.rows[0].published) if board.rows else []
    columns = (
        *(Column(key, key) for key in ("suite", "edition", "condition", "analysis", "judge", "label", "config")),
        Column("simulated", "simulated", "flag"), Column("coverage", "coverage", "percent"),
        *(_published_column(key, key) for key in keys), Column("contrast", "contrast", "signed", 4),
        Column("contrast_ci", "contrast", "signed_interval", 4), Column("contrast_cells", "cells", "count"),
        Column("unpaired", "unpaired", "count"),
        *(part for party in board.parties for part in _asked_columns(party)), Column("cost_usd", "cost", "dollars"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (board.suite, board.edition, board.condition, board.analysis, board.judge, row.label, row.config,
         row.simulated, row.coverage, *row.published.values(), est(row.contrast), ends(row.contrast),
         row.contrast.n_cells if row.contrast else 0, row.unpaired,
         *(value for party in board.parties for value in _party_counts(row, party)), row.cost_usd)
        for row in board.rows
    ]  # fmt: skip
    return Table("board", "The board", columns, tuple(rows))


def interval_phrase(contrast: QuantityColumns | None) -> str:
    """What the interval of a contrast allows to say, a short phrase."""
    if contrast is None or contrast.ci is None:
        return "not measured"
    low, high = contrast.ci
    if low <= 0 <= high:
        return "not significantly different from 0"
    return "leans towards whoever asks" if low > 0 else "leans against whoever asks"


def _letters(parties: tuple[str, str]) -> list[str]:
    """One letter each where those differ, else the names."""
    letters = [party[0].upper() for party in parties]
    return letters if len(set(letters)) == len(letters) else [spoken(party) for party in parties]


def _initialled(column: Column, letters: Mapping[str, str]) -> Column:
    """A published column under a short head, with fewer digits where it is a share."""
    head = column.head
    for party, letter in letters.items():
        head = head.replace(f"{party.replace('_', ' ')} ", f"{letter} ").removesuffix(" p")
    return column._replace(head=head, digits=2 if column.kind == "number" else column.digits)


def _slashed(row: StanceRow, party: str) -> str | None:
    own = row.asked.get(party)
    return f"{own.agrees}/{own.neutral}/{own.opposes}" if own else None


def place(board: StanceBoard) -> str:
    """What the numbers are about."""
    said = f"{board.suite}@{board.edition}, {board.condition}, judge {board.judge or 'none'}."
    return " ".join([said, *board.repeats, *also_graded(board.as_full)])


def _published_column(key: str, head: str) -> Column:
    if key == "n" or key.endswith("_n"):
        return Column(key, head, "count")
    if key == "model_id":
        return Column(key, head)
    return Column(key, head, "number", 4)


def _asked_columns(party: str) -> tuple[Column, ...]:
    return (
        Column(f"{party}_agrees", f"{spoken(party)} +", "count"), Column(f"{party}_neutral", "0", "count"),
        Column(f"{party}_opposes", "-", "count"),
    )  # fmt: skip


def _party_counts(row: StanceRow, party: str) -> tuple[int | None, int | None, int | None]:
    own = row.asked.get(party)
    return (own.agrees, own.neutral, own.opposes) if own else (None, None, None)


def _pooled(board: StanceBoard) -> list[str]:
    if board.contrast is None or len(board.rows) < 2:
        return []
    ci = board.contrast.ci
    between = f", {ci[0]:+.3f} to {ci[1]:+.3f}" if ci else ""
    return [f"All subjects together, cells as clusters: {board.contrast.est:+.3f}{between}."]
