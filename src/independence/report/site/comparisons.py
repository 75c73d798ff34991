"""What links numbers with dialogues: differences of subjects, names that they took, and judges who disagree."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from independence.errors import StoreError
from independence.judge import names as judging
from independence.report import judge_panel, judge_validation, subject_comparison
from independence.report import names as chosen_names
from independence.report.board_data import BoardData
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


def pairs(read: BoardData, board: SiteBoard, slug: str) -> PairsDocument:
    """One subject against every other one. Raises KeyError for a slug that is nobody's."""
    own = {known: key for key, known in board.slugs.items()}[slug]
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
    return PairsDocument(schema=SCHEMA, slug=slug, generalises_to=reading, pairs=tuple(found))


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
