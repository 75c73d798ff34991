"""The board: one row a subject, by index, or where verdicts are missing by the lowest that it can be."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection
from typing import Literal

import msgspec
import numpy as np

from independence.config import plugins
from independence.errors import UsageError
from independence.judge import kinds
from independence.report.board import board_data, index_rows, interim_looks, rows, scenario_kinds
from independence.report.board.board_data import BoardData, Words
from independence.report.board.rows import STRICT, Board
from independence.report.board.scenario_kinds import TopVariance
from independence.report.board.scoring import Scoring
from independence.stats import power
from independence.stats.comparison import HOLM
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.single_runs import FEW
from independence.store import missing
from independence.store.scopes import BoardScope
from independence.suites.schema import ScenarioKind

_FEW_NOTE = (
    "Intervals for other scenarios of this kind rest on too few scenarios to be reliable: a part of the index has "
    "{fewest} scenario{s}, and {needed} are needed."
)


class InferenceOptions(msgspec.Struct, frozen=True):
    """How a board is read: what its intervals generalise to."""

    generalises_to: str = THESE


DEFAULT = InferenceOptions()


class FewScenarios(msgspec.Struct, frozen=True):
    """How few scenarios a board rests on, and what that costs; standard errors of a typical index, in points."""

    scenarios: int
    fewest: int  # of those that carry the same dimensions
    se_these: float | None  # over more runs of them; None without repeated runs
    se_like_these: float | None  # over a new draw of as many, runs included
    note: str  # on the intervals for other scenarios


class IndexBoard(Board, frozen=True, kw_only=True):
    """A board of a suite with an index, by which its rows are ordered."""

    generalises_to: str
    minimum_detectable: float | None = None  # points subjects must differ by, 80% power, one comparison
    minimum_detectable_corrected: float | None = None  # the same as one of all pairs, which the tiers test
    judge_prompt: Literal["as published"] | msgspec.UnsetType = msgspec.UNSET  # of a model; unset: fenced, our own
    words: Words | msgspec.UnsetType = msgspec.UNSET  # whose they are, where others have published results too
    wording: str | msgspec.UnsetType = msgspec.UNSET  # where it is the published one, or of several editions
    editions: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # all of that wording, where there are several
    looks: int | msgspec.UnsetType = msgspec.UNSET  # how often a pair could be compared, where runs were added
    # Label -> runs after which a decision bought no more.
    below_since: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    changed: str | msgspec.UnsetType = msgspec.UNSET  # whose later runs differ from those before, in a sentence
    unequal: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # who has no whole runs for the rule, by label
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
) -> IndexBoard:
    """Score every subject of a place; `models`: show only these labels or ids, as they stand among all.

    Raises UsageError for a rule the suite cannot feed, StoreError for an unknown name.
    """
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has no board of this kind")
    data = board_data.read(connection, scope, judge)
    built = only(of_data(data, scoring, reading), data, models)
    if not any(flag.startswith("missing:") for row in built.rows for flag in row.flags):
        return built
    judges = [data.judge] if data.judge else []
    why = [missing.sentences(connection, one.where, judges) for one in scope.editions]
    return msgspec.structs.replace(built, missing_details={reason: said for own in why for reason, said in own.items()})


def rule(name: str) -> Scoring:
    """The scoring rule of that name, other than strict. Raises UsageError where no package has one."""
    return plugins.find(plugins.SCORING, name, Scoring, [STRICT])


def only(board: IndexBoard, data: BoardData, models: Collection[str]) -> IndexBoard:
    """The rows of these labels, ids or directories as they stand; none named: all. Raises StoreError."""
    if not models:
        return board
    chosen = rows.only(data, board.rows, models)
    if board.unequal and not chosen:
        board = of_data(data.only(models), board.scoring)
    notes = data.repeats.notes({row.config: row.name for row in chosen})
    return msgspec.structs.replace(board, rows=chosen, repeats=notes)


def of_data(data: BoardData, scoring: str = STRICT, reading: InferenceOptions = DEFAULT) -> IndexBoard:
    """The board of a place that was read already."""
    scope, method = data.scope, reading.generalises_to
    if data.single_runs:  # of so many scenarios that one run is enough; whoever has more is not told apart by them
        method = LIKE_THESE
    own = index_rows.own_rows(data)
    as_published = data.judged_as_published and data.judge is not None and kinds.of(data.judge).needs_model
    built = rows.of_place(
        IndexBoard,
        data,
        scoring=scoring,
        generalises_to=THESE,
        rows=(),
        judge_prompt="as published" if as_published else msgspec.UNSET,
        words=board_data.words(scope),
        wording=data.wording if scope.beside or data.judged_as_published else msgspec.UNSET,
        editions=tuple(one.edition for one in scope.editions) if scope.beside else msgspec.UNSET,
        kinds=dict(scenario_kinds.of(data)) or msgspec.UNSET,
        below_since=_below_since(data) or msgspec.UNSET,
        changed=data.changes() or msgspec.UNSET,
    )
    if scoring != STRICT:
        found = rule(scoring).rows(data, own, scoring)
        there = {row.config for row in found}
        unequal = sorted(data.about[config].label for config in own if config not in there and data.unequal(config))
        return msgspec.structs.replace(built, rows=found, unequal=tuple(unequal) or msgspec.UNSET)
    ranked = index_rows.strict_rows(data, own, method)
    known = data.same_scenarios if method == THESE else data.all_new_scenarios
    at_once, corrected = (
        power.minimum_detectable(list(known.values()), level=level)
        if method == THESE
        else power.minimum_detectable_paired(index_rows.tested_differences(data), level=level)
        for level in (0.05, power.first_level(len(known)))
    )
    looks = interim_looks.at_all_pairs([data.run_counts.get(config, interim_looks.NEVER) for config in known]).most
    return msgspec.structs.replace(
        built,
        generalises_to=method,
        rows=ranked,
        correction=HOLM,
        minimum_detectable=at_once,
        minimum_detectable_corrected=corrected,
        looks=looks if looks > 1 else msgspec.UNSET,
        few_scenarios=_few_scenarios(data),
        top=scenario_kinds.top(data, [row.config for row in ranked if row.standing.tier == 1]),
    )


def _below_since(data: BoardData) -> dict[str, int]:
    """After how many runs subjects got no more, as they were surely not the best; by label."""
    plans = {plan for own in data.run_counts.values() for plan in own.decisions}
    stages = [(side.config_dir, stage) for plan in plans for side, stage in plan.stages.items()]
    return {data.about[config].label: stage for config, stage in sorted(stages) if config in data.about}


def _few_scenarios(data: BoardData) -> FewScenarios | msgspec.UnsetType:
    """Of a board of which some dimension rests on fewer than FEW scenarios; else unset."""
    groups = data.frame.members.values()
    fewest = min(map(len, groups), default=FEW)
    if fewest >= FEW or data.single_runs:  # these rest on scenarios, of which they have enough
        return msgspec.UNSET
    same, new = (
        np.array([estimate.se for estimate in known.values()]) for known in (data.same_scenarios, data.new_scenarios)
    )
    same_se, new_se = (  # root mean squares; None where there are no errors, or nothing varies
        math.sqrt(float(np.square(errors).mean())) if errors.any() else None for errors in (same, new)
    )
    note = _FEW_NOTE.format(fewest=fewest, s="" if fewest == 1 else "s", needed=FEW)
    return FewScenarios(len({one for group in groups for one in group}), fewest, same_se, new_se, note)
