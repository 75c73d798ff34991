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
from independence.report.advice import advice_study
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import flags
from independence.report.advice.tables import spoken
from independence.report.board import notes, rows
from independence.report.board.rows import Board, Measure, Row, flat_table, row_values
from independence.report.files import table_layouts
from independence.report.files.table import Column, Kind, Table, Value
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.stats.intervals import Interval
from independence.stats.stance import THRESHOLD, AskingParties
from independence.suites import digest
from independence.suites.schema import Suite

METHOD = "percentile bootstrap of cells"
MEASURES = (
    Measure("contrast", "signed", interval=True, n=True),  # score when the first party asks minus the second's, -2 to 2
    Measure("S", "signed", interval=True),  # half of it: on the scale of paired boards
)
_ANSWERS = {"agrees": "{party} +", "neutral": "0", "opposes": "-"}  # heads of columns


class StanceBoard(Board, frozen=True, kw_only=True):
    """A board of the published instrument; the contrast of each subject is on a scale from -2 to 2."""

    parties: tuple[str, str]  # a score of 1 favours the first, of -1 the second
    threshold: float  # of the published bins
    draws: int
    contrast: Estimate  # over all subjects, cells as clusters
    asked: dict[str, dict[str, PartyAlignment]]  # by config_dir and party: answers when that party asks


def board(read: AdviceStudy, models: Collection[str] = ()) -> StanceBoard:
    """The board of a place; `models`: the rows of these labels, ids or directories, baselines over all.

    Raises StoreError for a name that nobody here has.
    """
    rated = [one for config in read.planned for one in rated_answers(read, config)]
    contrasts = stance.contrasts(rated, read.parties)
    asked = stance.alignments(rated, read.parties)
    made = [
        _row(read, found, [contrasts[found.model], *_at_bounds(read, rated, found.model)], asked.get(found.model, {}))
        for found in stance.summary(rated, read.parties)
    ]
    return rows.of_place(
        StanceBoard,
        read,
        parties=(read.parties.first, read.parties.second),
        threshold=THRESHOLD,
        draws=stance.DRAWS,
        contrast=_quantity(stance.contrast(rated, read.parties)),
        asked={config: dict(own) for config, own in asked.items()},
        rows=rows.only(read, sorted(made, key=_order), models),
    )


def _order(row: Row) -> tuple[bool, bool, float, str]:
    return row.coverage < 1, row.main.value is None, abs(row.main.value or 0.0), row.config


def _at_bounds(read: AdviceStudy, rated: Sequence[RatedAnswer], model: str) -> list[PairedContrast]:
    return stance.contrasts_at_bounds([one for one in rated if one.model == model], read.parties)


def _row(
    read: AdviceStudy, found: PublishedSummary, known: Sequence[PairedContrast], asked: dict[str, PartyAlignment]
) -> Row:
    """`known`: the contrast, and at its bounds where scores are missing."""
    config, contrast = found.model, _quantity(known[0])
    return rows.of_subject(
        read, config, flags(read, config),
        verdict=_contrast_phrase(known),
        estimates={"contrast": contrast, "S": _halved(contrast)},
        facts={
            **columns(found, read.about[config].model_id, read.parties), **_answers(read.parties, asked),
            "unpaired": known[0].unpaired,
        },
    )  # fmt: skip


def _answers(parties: AskingParties, asked: Mapping[str, PartyAlignment]) -> dict[str, Value]:
    """How many answers take each party's side when it asks, neither side, and the other's."""
    found = dict[str, Value]()
    for party in parties:
        own = asked.get(party)
        counts = (own.agrees, own.neutral, own.opposes) if own else (None, None, None)
        found |= {f"{party}_{key}": count for key, count in zip(_ANSWERS, counts, strict=True)}
    return found


def columns(found: PublishedSummary, model_id: str, parties: AskingParties) -> dict[str, str | int | float | None]:
    """The published columns in their order, unrounded."""
    head: dict[str, str | int | float | None] = {
        "model_id": model_id, "n": found.n, "mean_score": found.mean_score,
        "p_neg": found.p_neg, "p_neu": found.p_neu, "p_pos": found.p_pos,
    }  # fmt: skip
    for party, own in zip(parties, (found.first, found.second), strict=True):
        head |= {f"{party}_n": own.n, f"{party}_agree_p": own.agree_p, f"{party}_uplift": own.uplift}
    return head


def _quantity(found: PairedContrast) -> Estimate:
    if found.estimate is None:
        return NO_ESTIMATE
    return Estimate(found.estimate, found.interval, found.cells, METHOD)


def _halved(contrast: Estimate) -> Estimate:
    if contrast.value is None:
        return contrast
    ends = (contrast.interval[0] / 2, contrast.interval[1] / 2) if contrast.interval else None
    return msgspec.structs.replace(contrast, value=contrast.value / 2, interval=ends)


def boards(board: StanceBoard) -> list[Table]:
    """The paired contrast first, then the published columns."""
    named = [row.name for row in board.rows]
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
    shown = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    more = {"contrast_ci": [Column(party, f"{letter} +/0/-") for party, letter in letters.items()]}
    whole, summary = _contrasts(board, named), _published(board, named)
    heads = [_initialled(column, letters) for column in summary.columns[:-1]]
    return [
        table_layouts.made("advice/contrast-compact", shown, [f"{_who_asks(board)}.", *whole.notes], more),
        msgspec.structs.replace(summary, columns=tuple(heads), rows=tuple(row[:-1] for row in summary.rows)),
    ]


def _contrasts(board: StanceBoard, named: Sequence[str]) -> Table:
    """How much more an answer favours the first party when it asks than when the second does, on the same facts."""
    shown = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    pooled = []
    if board.contrast.value is not None and len(board.rows) > 1:
        ci = board.contrast.interval
        between = f", {ci[0]:+.3f} to {ci[1]:+.3f}" if ci else ""
        pooled = [f"All subjects together, cells as clusters: {board.contrast.value:+.3f}{between}."]
    first, second = map(spoken, board.parties)
    return table_layouts.made(
        "advice/contrast", shown, pooled, {"cells": _asked_columns(board.parties)}, first=first, second=second,
        draws=board.draws, threshold=board.threshold,
    )  # fmt: skip


def _published(board: StanceBoard, named: Sequence[str]) -> Table:
    """The twelve published columns, as they were defined; `subject` says which configuration it is."""
    shown = [_values(board, row) | {"subject": name} for name, row in zip(named, board.rows, strict=True)]
    edition = table_layouts.edition_named(f"{board.suite}@{board.edition}", board.language)
    place = f"{edition}, {board.condition}, judge {board.judge or 'none'}."
    below = (
        *notes.lacking([(name, row.flags) for name, row in zip(named, board.rows, strict=True)]),
        " ".join([place, *notes.of_judge(board)]),
        *notes.date_line(board.dates),
    )
    more = [column._replace(head=column.key.replace("_", " ")) for column in _uplift_columns(board.parties)]
    return table_layouts.made("advice/published", shown, below, {"p_pos": more})


def record(board: StanceBoard) -> Table:
    """Everything of every row, flat: the published columns under their names."""
    facts = [
        *(column._replace(head=column.key) for column in table_layouts.columns_of("advice/published")[1:]),
        *_uplift_columns(board.parties), *_asked_columns(board.parties), Column("unpaired", "unpaired", "count"),
    ]  # fmt: skip
    return flat_table(board, MEASURES, facts, [_values(board, row) for row in board.rows])


def _values(board: StanceBoard, row: Row) -> dict[str, Any]:
    """Everything of a row, by the keys of columns."""
    found = row_values(row) | {"cells": row.main.n}
    for party in board.parties:
        counts = [row.facts[f"{party}_{key}"] for key in _ANSWERS]
        found[party] = None if None in counts else "/".join(map(str, counts))
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
