"""The board of the published instrument: its own summary columns, and beside them the paired contrast.

The published uplift counts answers that take the asker's side and is blind to those that oppose it. The contrast takes
one from the other on the same facts. Both are shown and named; neither stands in for the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from independence.extensions.published.rent import stance
from independence.extensions.published.rent.stance import PairedContrast, PartyAlignment, PublishedSummary, RatedAnswer
from independence.report import place_board
from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import AdviceRow, flags
from independence.report.advice.tables import ends, est, spoken
from independence.report.board import board_data, notes
from independence.report.files import table_layouts
from independence.report.files.legend import subject_name
from independence.report.files.table import Column, Kind, Table
from independence.report.place_board import PlaceBoard
from independence.stats.intervals import Interval
from independence.stats.sides import EffectEstimate
from independence.stats.stance import THRESHOLD, AskingParties
from independence.suites import digest
from independence.suites.schema import Suite

METHOD = "percentile bootstrap of cells"
_ANSWERS = {"agrees": "{party} +", "neutral": "0", "opposes": "-"}  # heads of columns


class StanceRow(AdviceRow, frozen=True, kw_only=True):
    """One subject."""

    published: dict[str, str | int | float | None]  # the twelve columns of the published summary, by their names
    contrast: EffectEstimate | None  # score when the first party asks minus when the second does, -2 to 2
    S: EffectEstimate | None  # half of it: on the scale of paired boards
    asked: dict[str, PartyAlignment]  # by party
    unpaired: int  # cells of which one party's answer alone has a score


class StanceBoard(PlaceBoard, frozen=True):
    """Subjects under one condition and judge."""

    parties: tuple[str, str]  # a score of 1 favours the first, of -1 the second
    threshold: float  # of the published bins
    draws: int
    contrast: EffectEstimate | None  # over all subjects, cells as clusters
    rows: tuple[StanceRow, ...]


def board(read: AdviceStudy, models: Collection[str] = ()) -> StanceBoard:
    """The board of a place; `models`: the rows of these labels, ids or directories, baselines over all.

    Raises StoreError for a name that nobody here has.
    """
    rated = [one for config in read.planned for one in rated_answers(read, config)]
    contrasts = stance.contrasts(rated, read.parties)
    asked = stance.alignments(rated, read.parties)
    rows = [
        _row(read, found, [contrasts[found.model], *_at_bounds(read, rated, found.model)], asked.get(found.model, {}))
        for found in stance.summary(rated, read.parties)
    ]
    return place_board.of(
        StanceBoard,
        read,
        parties=(read.parties.first, read.parties.second),
        threshold=THRESHOLD,
        draws=stance.DRAWS,
        contrast=_quantity(stance.contrast(rated, read.parties)),
        rows=board_data.rows_named(read, sorted(rows, key=_order), models),
    )


def _order(row: StanceRow) -> tuple[bool, bool, float, str]:
    return row.coverage < 1, row.contrast is None, abs(row.contrast.est) if row.contrast else 0.0, row.config


def _at_bounds(read: AdviceStudy, rated: Sequence[RatedAnswer], model: str) -> list[PairedContrast]:
    return stance.contrasts_at_bounds([one for one in rated if one.model == model], read.parties)


def _row(
    read: AdviceStudy, found: PublishedSummary, known: Sequence[PairedContrast], asked: dict[str, PartyAlignment]
) -> StanceRow:
    """`known`: the contrast, and at its bounds where scores are missing."""
    config, pairs = found.model, known[0]
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
        verdict=_contrast_phrase(known),
        unpaired=pairs.unpaired,
        flags=flags(read, config),
        cost_usd=read.costs.get(config, 0.0),
    )


def columns(found: PublishedSummary, model_id: str, parties: AskingParties) -> dict[str, str | int | float | None]:
    """The published columns in their order, unrounded."""
    head: dict[str, str | int | float | None] = {
        "model_id": model_id, "n": found.n, "mean_score": found.mean_score,
        "p_neg": found.p_neg, "p_neu": found.p_neu, "p_pos": found.p_pos,
    }  # fmt: skip
    for party, own in zip(parties, (found.first, found.second), strict=True):
        head |= {f"{party}_n": own.n, f"{party}_agree_p": own.agree_p, f"{party}_uplift": own.uplift}
    return head


def _quantity(found: PairedContrast) -> EffectEstimate | None:
    if found.estimate is None:
        return None
    return EffectEstimate(found.estimate, found.interval, found.cells, METHOD)


def _halved(contrast: EffectEstimate | None) -> EffectEstimate | None:
    if contrast is None:
        return None
    ends = (contrast.ci[0] / 2, contrast.ci[1] / 2) if contrast.ci else None
    return msgspec.structs.replace(contrast, est=contrast.est / 2, ci=ends)


def boards(board: StanceBoard) -> list[Table]:
    """The paired contrast first, then the published columns."""
    named = [subject_name(row.label, row.simulated) for row in board.rows]
    return [_contrasts(board, named), _published(board, named)]


def brief(read: AdviceStudy, board: StanceBoard) -> list[str]:
    """What is to be said below it in three lines."""
    return notes.brief_of_place(read, [_who_asks(board)], "Contrast: how far answers move towards whoever asks.")


def _who_asks(board: StanceBoard) -> str:
    """The letters that stand for parties in heads."""
    pairs = zip(_letters(board.parties), board.parties, strict=True)
    return ", ".join(f"{letter}: the {spoken(party)} asks" for letter, party in pairs)


def compact(board: StanceBoard, named: Sequence[str]) -> list[Table]:
    """The board on 80 columns; `named` are short names in the order of the rows."""
    letters = dict(zip(board.parties, _letters(board.parties), strict=True))
    rows = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    more = {"contrast_ci": [Column(party, f"{letter} +/0/-") for party, letter in letters.items()]}
    whole, summary = _contrasts(board, named), _published(board, named)
    heads = [_initialled(column, letters) for column in summary.columns[:-1]]
    return [
        table_layouts.made("advice/contrast-compact", rows, [f"{_who_asks(board)}.", *whole.notes], more),
        msgspec.structs.replace(summary, columns=tuple(heads), rows=tuple(row[:-1] for row in summary.rows)),
    ]


def _contrasts(board: StanceBoard, named: Sequence[str]) -> Table:
    """How much more an answer favours the first party when it asks than when the second does, on the same facts."""
    rows = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    pooled = []
    if board.contrast is not None and len(board.rows) > 1:
        ci = board.contrast.ci
        between = f", {ci[0]:+.3f} to {ci[1]:+.3f}" if ci else ""
        pooled = [f"All subjects together, cells as clusters: {board.contrast.est:+.3f}{between}."]
    first, second = map(spoken, board.parties)
    return table_layouts.made(
        "advice/contrast", rows, pooled, {"cells": _asked_columns(board.parties)}, first=first, second=second,
        draws=board.draws, threshold=board.threshold,
    )  # fmt: skip


def _published(board: StanceBoard, named: Sequence[str]) -> Table:
    """The twelve published columns, as they were defined; `subject` says which configuration it is."""
    rows = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    edition = table_layouts.edition_named(f"{board.suite}@{board.edition}", board.language)
    place = f"{edition}, {board.condition}, judge {board.judge or 'none'}."
    below = (
        *notes.lacking([(name, row.flags) for name, row in zip(named, board.rows, strict=True)]),
        " ".join([place, *notes.of_judge(board)]),
        *notes.date_line(board.dates),
    )
    more = [column._replace(head=column.key.replace("_", " ")) for column in _uplift_columns(board.parties)]
    return table_layouts.made("advice/published", rows, below, {"p_pos": more})


def record(board: StanceBoard) -> Table:
    """Everything of every row, flat: the published columns under their names."""
    own = table_layouts.particulars(board)
    more = {
        "edition": table_layouts.columns(own),
        "p_pos": _uplift_columns(board.parties),
        "unpaired": _asked_columns(board.parties),
    }
    return table_layouts.made(
        "advice/record-published", [_values(board, row) | board.place | own for row in board.rows], [], more
    )


def _values(board: StanceBoard, row: StanceRow) -> dict[str, Any]:
    """Everything of a row, by the keys of columns."""
    cells = row.contrast.n_cells if row.contrast else 0
    found = msgspec.structs.asdict(row) | row.published
    found |= {"contrast": est(row.contrast), "contrast_ci": ends(row.contrast), "cells": cells, "contrast_cells": cells}
    for party in board.parties:
        own = row.asked.get(party)
        counts = (own.agrees, own.neutral, own.opposes) if own else (None, None, None)
        found |= {f"{party}_{key}": count for key, count in zip(_ANSWERS, counts, strict=True)}
        found[party] = "/".join(map(str, counts)) if own else None
    return found


def _uplift_columns(parties: tuple[str, str]) -> list[Column]:
    """The published columns of each party."""
    kinds: tuple[tuple[str, Kind], ...] = (("n", "count"), ("agree_p", "number"), ("uplift", "number"))
    return [Column(f"{party}_{key}", f"{party}_{key}", kind, 4) for party in parties for key, kind in kinds]


def _asked_columns(parties: tuple[str, str]) -> list[Column]:
    """How many answers take each party's side when it asks, neither side, and the other's."""
    return [
        Column(f"{party}_{key}", head.format(party=spoken(party)), "count")
        for party in parties
        for key, head in _ANSWERS.items()
    ]


def _contrast_phrase(known: Sequence[PairedContrast]) -> str:
    """What a contrast allows to say, a short phrase: the contrast itself, and at its bounds if scores are missing."""
    found = known[0]
    if found.estimate is None or found.cells < 2:
        return "not measured"
    # Without an interval all cells have the same value.
    ends = [one.interval or Interval(one.estimate or 0.0, one.estimate or 0.0) for one in known]
    if len(known) == 1 and ends[0] == Interval(0.0, 0.0):
        return f"none: 0 in each of {found.cells} cells"
    if all(ci.low > 0 for ci in ends):
        return "leans towards whoever asks"
    if all(ci.high < 0 for ci in ends):
        return "leans against whoever asks"
    return "not significantly different from 0" if len(known) == 1 else "undecided: verdicts are missing"


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


def rated_answers(read: AdviceStudy, config: str) -> list[RatedAnswer]:
    """Every planned answer of a subject as the published columns take it; its model is the config_dir."""
    suite, keys = read.scope.suite, baselines(read.scope.suite)
    return [
        RatedAnswer(config, scenario.side, advice_study.favour(suite, cell.values), keys[scenario.id], scenario.cell)
        for cell, scenario in advice_study.grid_verdicts(read, config)
    ]


def baselines(suite: Suite) -> dict[str, str]:
    """Scenario of the grid -> key that it shares with those whose uninvolved asker says the same.

    Without an uninvolved side every cell is its own.
    """
    sides = list(advice_study.grid(suite).sides)
    own = [scenario for scenario in suite.scenarios if scenario.side]
    said = {
        tuple(scenario.factors.items()): digest.sha256([scenario.context, scenario.turns[0].human])
        for scenario in own
        if scenario.side == sides[-1] and len(sides) > 2
    }
    return {scenario.id: said.get(tuple(scenario.factors.items()), scenario.cell) for scenario in own}
