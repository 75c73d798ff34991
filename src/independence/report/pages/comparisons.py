"""What links numbers with dialogues: differences of subjects, names that they took, and judges who disagree."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.judge import names as judging
from independence.report.analysis import BoardOptions
from independence.report.board import board as report_board
from independence.report.board import board_data
from independence.report.board.board_data import BoardData
from independence.report.board.rows import STRICT, Row
from independence.report.comparing import rule_comparison, subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.index import matrix
from independence.report.judges import judge_panel, judge_validation
from independence.report.pages import cells
from independence.report.pages.boards import SiteBoard
from independence.report.pages.cells import RunShares
from independence.report.pages.schema import (
    SCHEMA,
    DisagreementsDocument,
    LaterLook,
    NameEntry,
    NamesDocument,
    NameUse,
    PairDifference,
    PairsDocument,
)
from independence.report.sections import names as chosen_names
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.types import TakenName

MOST_SUBJECTS = 300  # up to which every pair has its difference
MOST_DISAGREEMENTS = 200
_NOWHERE = TakenName("", ())


class ScoredSubjects(NamedTuple):
    """The subjects of a board, as a rule other than strict scores them where there are rows."""

    read: BoardData
    rows: Mapping[str, Row] | None = None  # by key


def scored(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions) -> ScoredSubjects:
    """The subjects of a board in one way of scoring."""
    scope, rule = board.scope, options.scoring
    if options.pooled:
        read = matrix.pooled(connection, scope, rule, options.judge).read
    else:
        read = board_data.read(connection, scope, options.judge)
    rows = None if rule == STRICT else {row.config: row for row in report_board.of_data(read, scoring=rule).rows}
    return ScoredSubjects(read, rows)


def pairs(found: ScoredSubjects, board: SiteBoard, slug: str, shares: RunShares) -> PairsDocument:
    """One subject against every other one. Raises KeyError for a slug that is nobody's."""
    own = {known: key for key, known in board.slugs.items()}[slug]
    others = {other: key for key, other in board.slugs.items() if key != own}
    if found.rows is not None:
        reading = THESE
        made = [_ruled(found.rows.get(own), found.rows.get(key), other) for other, key in others.items()]
    else:
        reading = LIKE_THESE if found.read.single_runs else THESE
        planned = {other: key for other, key in others.items() if key in found.read.planned}
        first = ComparedSubject(found.read, own)
        made = [_strict(first, ComparedSubject(found.read, key), other, reading) for other, key in planned.items()]
    means, differ = shares.means, shares.differing(slug)
    return PairsDocument(
        schema=SCHEMA, slug=slug, generalises_to=reading, scenarios=shares.scenarios, differs=cells.DIFFERS,
        pairs=tuple(
            msgspec.structs.replace(one, gaps=_gaps(means[slug], means[one.slug]), differ=differ[one.slug])
            for one in made
        ),
    )  # fmt: skip


def unranked_pairs(shares: RunShares, slug: str) -> PairsDocument:
    """Pairs of a board without an index: of a grid the differences of contrasts, else those of results."""
    values = shares.contrasts or shares.means
    if shares.contrasts:
        both = {other: list(zip(values[slug], values[other], strict=True)) for other in values}
        differ = {
            other: tuple(at for at, pair in enumerate(own) if cells.far_apart(*pair)) for other, own in both.items()
        }
    else:
        differ = shares.differing(slug)
    made = tuple(
        PairDifference(slug=other, difference=None, gaps=_gaps(values[slug], values[other]), differ=differ[other])
        for other in values
        if other != slug
    )
    return PairsDocument(
        schema=SCHEMA, slug=slug, generalises_to=THESE, scenarios=shares.units or shares.scenarios,
        differs=cells.UNITS_DIFFER if shares.contrasts else cells.DIFFERS, pairs=made,
    )  # fmt: skip


def _gaps(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[float | None, ...]:
    return tuple(None if a is None or b is None else a - b for a, b in zip(first, second, strict=True))


def _ruled(own: Row | None, other: Row | None, slug: str) -> PairDifference:
    """By a rule other than strict."""
    if own is None or other is None or own.main.value is None or other.main.value is None:
        return PairDifference(slug=slug, difference=None)
    made = rule_comparison.difference(own, other)
    ends = made and made.interval()
    ci, p = ((ends.low, ends.high), made.p) if made and ends else (None, None)
    return PairDifference(slug=slug, difference=own.main.value - other.main.value, ci=ci, p=p)


def _strict(first: ComparedSubject, second: ComparedSubject, slug: str, reading: str) -> PairDifference:
    gap = subject_comparison.gap(first, second) if first.config in first.study.planned else None
    if gap is None:
        return PairDifference(slug=slug, difference=None)
    made = gap.these if reading == THESE else gap.like_these
    ends = made.interval()
    if ends is None:
        return PairDifference(slug=slug, difference=made.points)
    seen = subject_comparison.looks(first, second)
    later = None
    if seen.note:
        at_level = made.interval(1 - seen.level)
        later = LaterLook(1 - seen.level, at_level and (at_level.low, at_level.high), seen.note)
    return PairDifference(slug=slug, difference=made.points, ci=(ends.low, ends.high), p=made.p, looks=later)


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
    scope = board.scope.editions[0]
    try:
        panel = judge_panel.read(connection, scope)
    except StoreError:
        return DisagreementsDocument(schema=SCHEMA, judges=(), shared=0, dialogues=())
    found = tuple(
        msgspec.structs.replace(one, subject=board.slugs[board.scope.key(scope.where, one.subject)])
        for one in judge_validation.disputes(panel, MOST_DISAGREEMENTS)
    )
    return DisagreementsDocument(schema=SCHEMA, judges=panel.judges, shared=len(panel.shared), dialogues=found)
