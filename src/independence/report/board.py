"""The board: one row a subject, by index, or where verdicts are missing by the lowest that it can be."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from independence.config import plugins
from independence.errors import UsageError
from independence.judge import kinds
from independence.report import (
    board_row,
    looks,
    placing,
    point_kinds,
    scenario_draw,
    strict_rows,
    study,
)
from independence.report.board_row import NONE, BoardRow
from independence.report.point_kinds import TopVariance
from independence.report.scenario_draw import FewScenarios
from independence.report.scoring import Scoring
from independence.report.study import BoardRemarks, Study, Words
from independence.stats import judge_error, power
from independence.stats.comparison import Correction
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.judge_error import JUDGES_LIKE_THESE
from independence.store import missing, queries
from independence.store.scopes import BoardScope
from independence.suites.schema import ScenarioKind

STRICT = "strict"


class InferenceOptions(msgspec.Struct, frozen=True):
    """How a board is read: what its intervals generalise to, and how tiers allow for many comparisons."""

    generalises_to: str = THESE
    correction: Correction = "holm"


DEFAULT = InferenceOptions()


class BoardJudges(msgspec.Struct, frozen=True):
    """Whose disagreement the intervals for other judges rest on."""

    names: tuple[str, ...]
    subjects: int  # complete under all of them
    severity: float  # standard deviation of what a judge adds to all subjects alike, in index points


class Board(BoardRemarks, frozen=True):
    """A ranked table under one condition, scoring and judge."""

    suite: str
    edition: str
    condition: str
    scoring: str
    judge: str | None
    generalises_to: str
    rows: tuple[BoardRow, ...]
    correction: str = NONE  # of the comparisons behind the tiers
    minimum_detectable: float | None = None  # points subjects must differ by, 80 % power, one comparison
    minimum_detectable_corrected: float | None = None  # the same as one of all pairs, which the tiers test
    judges: BoardJudges | msgspec.UnsetType = msgspec.UNSET  # behind `judges-like-these`; unset: judges in no interval
    judging: str | None = None  # what an offline judge's estimates rest on
    judge_prompt: Literal["as published"] | msgspec.UnsetType = msgspec.UNSET  # of a model; unset: fenced, our own
    words: Words | msgspec.UnsetType = msgspec.UNSET  # whose they are, where others have published results too
    wording: str | msgspec.UnsetType = msgspec.UNSET  # where it is the published one, or of several editions
    editions: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # all of that wording, where there are several
    looks: int | msgspec.UnsetType = msgspec.UNSET  # how often a pair could be compared, where runs were added
    few_scenarios: FewScenarios | msgspec.UnsetType = msgspec.UNSET  # where that is what its tiers are about
    kinds: dict[str, ScenarioKind] | msgspec.UnsetType = msgspec.UNSET  # in which rows say what was lost, by name
    top: TopVariance | msgspec.UnsetType = msgspec.UNSET  # in which scenarios the first tier differs
    missing_details: dict[str, str] | msgspec.UnsetType = msgspec.UNSET  # reason of what is missing -> what was said


def board(
    connection: sqlite3.Connection,
    scope: BoardScope,
    scoring: str = STRICT,
    judge: str | None = None,
    reading: InferenceOptions = DEFAULT,
    models: Collection[str] = (),
) -> Board:
    """Score every subject of a place; `models`: show only these labels or ids, as they stand among all.

    Raises UsageError for a rule the suite cannot feed, StoreError for an unknown name.
    """
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has no board of this kind")
    read = study.read(connection, scope, judge)
    costs = scope.by_key(lambda where: queries.costs(connection, where))
    others = study.under_other_judges(connection, read) if scoring == STRICT else []
    built = only(beside_judges(board_of_study(read, costs, scoring, reading), read, others), read, models)
    if not any(flag.startswith("missing:") for row in built.rows for flag in row.flags):
        return built
    judges = [read.judge] if read.judge else []
    why = [missing.sentences(connection, one.where, judges) for one in scope.editions]
    return msgspec.structs.replace(built, missing_details={reason: said for own in why for reason, said in own.items()})


def only(board: Board, read: Study, models: Collection[str]) -> Board:
    """The rows of these labels, ids or directories as they stand; none named: all. Raises StoreError."""
    if not models:
        return board
    rows = study.rows_named(read, board.rows, models)
    notes = read.repeats.notes({row.config: read.about[row.config].name for row in rows})
    return msgspec.structs.replace(board, rows=rows, repeats=notes)


def board_of_study(
    read: Study, costs: Mapping[str, float], scoring: str = STRICT, reading: InferenceOptions = DEFAULT
) -> Board:
    """The board of a place that was read already; `costs` in dollars by config_dir."""
    scope, strictly = read.scope, scoring == STRICT
    if read.single_runs:  # of so many scenarios that one run is enough; whoever has more is not told apart by them
        reading = msgspec.structs.replace(reading, generalises_to=LIKE_THESE)
    own = board_row.own_rows(read, costs)
    built = Board(
        suite=scope.suite.suite,
        edition=scope.edition,
        condition=str(scope.condition),
        scoring=scoring,
        judge=read.judge,
        generalises_to=THESE,
        rows=strict_rows.rows(read, own, reading.generalises_to, reading.correction)
        if strictly
        else plugins.find(plugins.SCORING, scoring, Scoring, [STRICT]).rows(read, own, scoring),
        judging=read.estimates.judging,
        judge_prompt="as published" if _asks_as_published(read) else msgspec.UNSET,
        words=study.words(scope),
        wording=read.wording if scope.beside or read.judged_as_published else msgspec.UNSET,
        editions=tuple(one.edition for one in scope.editions) if scope.beside else msgspec.UNSET,
        kinds=dict(point_kinds.of(read)) or msgspec.UNSET,
    )
    built = study.with_remarks(built, read)
    if not strictly:
        return built
    known = read.these if reading.generalises_to == THESE else read.all_like_these
    corrected = power.first_level(len(known), reading.correction)
    return msgspec.structs.replace(
        built,
        generalises_to=reading.generalises_to,
        correction=reading.correction,
        minimum_detectable=_smallest_difference(read, reading.generalises_to),
        minimum_detectable_corrected=_smallest_difference(read, reading.generalises_to, corrected),
        looks=looks.at_all_pairs([read.run_counts.get(config, ()) for config in known]).most_of_several,
        few_scenarios=scenario_draw.few(read),
        top=point_kinds.top(read, [row.config for row in built.rows if row.tier == 1]),
    )


def _smallest_difference(read: Study, reading: str, level: float = 0.05) -> float | None:
    """By the tests that the board makes."""
    if reading == THESE:
        return power.minimum_detectable(list(read.these.values()), level=level)
    return power.minimum_detectable_paired(placing.tested_differences(read), level=level)


def beside_judges(board: Board, read: Study, others: Sequence[Study]) -> Board:
    """The board with the intervals for other judges, from the same place under `others`; those of few take no part."""
    enough = [one for one in others if len(read.sheets.keys() & one.sheets.keys()) >= judge_error.FEWEST]
    every = [read, *enough]
    shared = [config for config in read.sheets if all(config in one.sheets for one in enough)]
    indices = np.array([[one.sheets[config].index for one in every] for config in shared])
    found = judge_error.judge_variance(indices.reshape(len(shared), len(every)))
    if found is None or board.scoring != STRICT:
        return board
    known = {**read.single_runs, **read.like_these}
    rows = tuple(
        msgspec.structs.replace(
            row,
            intervals=row.intervals | {JUDGES_LIKE_THESE: judge_error.with_judges(known[row.config], found).interval()},
        )
        if row.config in known and row.index is not None
        else row
        for row in board.rows
    )
    names = tuple(str(one.judge) for one in every)
    return msgspec.structs.replace(board, rows=rows, judges=BoardJudges(names, len(shared), found.severity))


def _asks_as_published(read: Study) -> bool:
    """Whether a model judges by prompts as somebody else published them."""
    return read.judged_as_published and read.judge is not None and kinds.of(read.judge).needs_model
