"""What links numbers with dialogues: differences of subjects, names that they took, and judges who disagree."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from independence.errors import StoreError
from independence.judge import names as judging
from independence.report import board as report_board
from independence.report import board_data, judge_panel, judge_validation, matrix, rule_comparison, subject_comparison
from independence.report import names as chosen_names
from independence.report.analysis import BoardOptions
from independence.report.board import STRICT
from independence.report.board_data import BoardData
from independence.report.board_rows import BoardRow
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import (
    SCHEMA,
    DialogueDisagreement,
    DisagreementsDocument,
    NameEntry,
    NamesDocument,
    NameUse,
    PairDifference,
    PairsDocument,
)
from independence.report.subject_comparison import ComparedSubject
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.types import TakenName

MOST_SUBJECTS = 300  # up to which every pair has its difference
MOST_DISAGREEMENTS = 200
_NOWHERE = TakenName("", ())


class ScoredSubjects(NamedTuple):
    """The subjects of a board, as a rule other than strict scores them where there are rows."""

    read: BoardData
    rows: Mapping[str, BoardRow] | None = None  # by key


def scored(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions) -> ScoredSubjects:
    """The subjects of a board in one way of scoring."""
    scope, rule = board.scope, options.scoring
    if options.pooled:
        read = matrix.pooled(connection, scope, rule, options.judge).read
    else:
        read = board_data.read(connection, scope, options.judge)
    rows = None if rule == STRICT else {row.config: row for row in report_board.of_data(read, scoring=rule).rows}
    return ScoredSubjects(read, rows)


def pairs(found: ScoredSubjects, board: SiteBoard, slug: str) -> PairsDocument:
    """One subject against every other one. Raises KeyError for a slug that is nobody's."""
    own = {known: key for key, known in board.slugs.items()}[slug]
    if found.rows is not None:
        others = {other: key for key, other in board.slugs.items() if key != own}
        ruled = tuple(_ruled(found.rows.get(own), found.rows.get(key), other) for other, key in others.items())
        return PairsDocument(schema=SCHEMA, slug=slug, generalises_to=THESE, pairs=ruled)
    return _strict(found.read, board, own)


def _ruled(own: BoardRow | None, other: BoardRow | None, slug: str) -> PairDifference:
    """By a rule other than strict."""
    if own is None or other is None or own.index is None or other.index is None:
        return PairDifference(slug=slug, difference=None)
    made = rule_comparison.difference(own, other)
    ends = made and made.interval()
    ci, p = ((ends.low, ends.high), made.p) if made and ends else (None, None)
    return PairDifference(slug=slug, difference=own.index - other.index, ci=ci, p=p)


def _strict(read: BoardData, board: SiteBoard, own: str) -> PairsDocument:
    reading = LIKE_THESE if read.single_runs else THESE
    first, found = ComparedSubject(read, own), []
    for key, other in board.slugs.items():
        if key == own or key not in read.planned or own not in read.planned:
            continue
        gap = subject_comparison.gap(first, ComparedSubject(read, key))
        if gap is None:
            found.append(PairDifference(slug=other, difference=None))
            continue
        made = gap.these if reading == THESE else gap.like_these
        ends = made.interval()
        ci, p = ((ends.low, ends.high), made.p) if ends else (None, None)
        found.append(PairDifference(slug=other, difference=made.points, ci=ci, p=p))
    return PairsDocument(schema=SCHEMA, slug=board.slugs[own], generalises_to=reading, pairs=tuple(found))


def names(connection: sqlite3.Connection, board: SiteBoard) -> NamesDocument:
    """Names that subjects took when they were free to, most frequent first."""
    scope = board.scope.editions[0]
    found = chosen_names.read(connection, scope)
    if found is None:
        return NamesDocument(schema=SCHEMA, extractor=None, scenarios=(), names=(), declined=(), unread=0)
    keys = {config: board.slugs[board.scope.key(scope.where, config)] for config, _ in found.planned}
    read = found.read()
    takers: dict[str, dict[str, dict[int, TakenName]]] = {}
    refused: dict[str, dict[int, TakenName]] = {}
    for (config, run), own in read.items():
        for one in own.taken:
            takers.setdefault(judging.key(one.name), {}).setdefault(config, {})[run] = one
        if own.declined:
            refused.setdefault(config, {})[run] = _NOWHERE
    order = sorted(takers, key=lambda name: (-sum(map(len, takers[name].values())), name))
    return NamesDocument(
        schema=SCHEMA, extractor=found.extractor, scenarios=tuple(found.scenarios),
        names=tuple(NameEntry(name=found.spelled[name], uses=_uses(takers[name], keys)) for name in order),
        declined=_uses(refused, keys), unread=len(found.planned) - len(read),
    )  # fmt: skip


def _uses(runs: Mapping[str, Mapping[int, TakenName]], keys: Mapping[str, str]) -> tuple[NameUse, ...]:
    return tuple(
        NameUse(
            slug=keys[config],
            runs=tuple(sorted(own)),
            sources=tuple(own[run].sources for run in sorted(own)) if any(one.sources for one in own.values()) else (),
        )
        for config, own in sorted(runs.items())
    )


def disagreements(connection: sqlite3.Connection, board: SiteBoard) -> DisagreementsDocument:
    """The dialogues on which judges lie furthest apart; none where no two judges graded one."""
    scope, out = board.scope.editions[0], []
    try:
        panel = judge_panel.read(connection, scope)
    except StoreError:
        return DisagreementsDocument(schema=SCHEMA, judges=(), shared=0, dialogues=())
    for one in judge_validation.disputes(panel, MOST_DISAGREEMENTS):
        place, (low_judge, low), (high_judge, high) = one.dialogue, one.low, one.high
        out.append(DialogueDisagreement(
            subject=board.slugs[board.scope.key(scope.where, place.config_dir)], scenario=place.scenario,
            run=place.run, gap=one.gap, field=one.field, low_judge=low_judge, low=low, high_judge=high_judge, high=high,
        ))  # fmt: skip
    return DisagreementsDocument(schema=SCHEMA, judges=panel.judges, shared=len(panel.shared), dialogues=tuple(out))
