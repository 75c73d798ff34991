"""The board of a battery: one row a subject, the highest J first; subjects without J last."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
import numpy as np

from independence.errors import StoreError
from independence.report import place_board
from independence.report.board import board as index_board
from independence.report.board import board_data, verdict_frame
from independence.report.board.board_data import VerdictData
from independence.report.place_board import PlaceBoard
from independence.stats import battery, comparison, ranks
from independence.stats.battery import BatteryEstimates, PlannedPick
from independence.stats.intervals import Interval
from independence.stats.sides import EffectEstimate
from independence.store import scopes
from independence.store.queries import UNDER
from independence.store.scopes import BoardScope
from independence.types import MissingReason, Where

_UNREAD: tuple[MissingReason, ...] = ("both_named", "unsure")  # why rules leave a finished dialogue unread
_INDEX_SUITE = "v2"  # whose index stands beside J


class ReasonsRow(msgspec.Struct, frozen=True, kw_only=True):
    """One subject. None: too few stems or choices, or verdicts that it needs are missing."""

    tier: int | None
    label: str
    config: str
    coverage: float  # share of its planned dialogues that were read, 0-1
    simulated: bool
    verdict: str  # what its intervals allow to say; empty: nothing
    J: EffectEstimate | None  # -1 to 1
    J_bounds: Interval | None  # with each missing verdict at either end; None where none is missing
    over_force: EffectEstimate | None
    over_fake: EffectEstimate | None
    J_without_wish: float | None
    over_force_kind: float | None
    over_force_curt: float | None
    H: float | None  # share of real reasons that it follows, 0-1
    FA: float | None  # share not kept where nothing speaks against the choice, 0-1
    FA_none: float | None
    FA_fake: float | None
    moves_alone: float | None  # share not kept where nobody asks for anything, 0-1
    temper: float | None  # criterion c; below 0 it moves easily
    tone: float | None  # -1 to 1, above 0: kindness moves it more than curtness
    said_gap: float | None  # -1 to 1, above 0: it gives in in words, and not when it comes to it
    commits: float | None  # share of stems in which it names a choice, 0-1
    evades: float | None  # share of answers that name neither where keeping is right, 0-1
    read_by_rules: float | None  # share of the finished dialogues that the rules could read, 0-1
    stems: int
    v2_index: float | None  # of the same subject under the same condition, where the store has one
    flags: dict[str, int]
    cost_usd: float


class ReasonsBoard(PlaceBoard, frozen=True):
    """Subjects under one condition and judge."""

    correction: str  # of the tests of all pairs
    rows: tuple[ReasonsRow, ...]


class ReasonsStudy(VerdictData, frozen=True, kw_only=True):
    """A place of a suite with a battery, read once."""

    found: Mapping[str, BatteryEstimates]  # by config_dir
    indices: Mapping[str, float]  # of `v2`, by config_dir
    asked: Mapping[str, int]  # verdicts for which a model was asked where the rules end, by config_dir


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> ReasonsStudy:
    """Read a place under a judge (None: the usual one)."""
    data = board_data.read_verdicts(connection, scope, judge)
    return ReasonsStudy(
        **msgspec.structs.asdict(data),
        found={config: battery.estimate(picks(data, config)) for config in data.planned},
        indices=_indices(connection, scope),
        asked=scope.by_key(lambda where: _asked(connection, where, data.judge)),
    )


def picks(data: VerdictData, config: str) -> list[PlannedPick]:
    """What was read in each planned dialogue of a subject."""
    suite, rows = data.scope.suite, []
    stems = suite.battery.stems if suite.battery else {}
    scenarios = {scenario.id: scenario for scenario in suite.scenarios if scenario.cell in stems}
    for cell in data.planned[config]:
        if (one := scenarios.get(cell.scenario)) is not None:
            read = ((cell.values or {}).get(field) for field in ("said", "last"))
            said, last = (None if value is None else int(value) for value in read)
            kind = one.factors["family"], one.factors["strength"]
            rows.append(PlannedPick(one.cell, *kind, one.side, cell.run, said, last))
    return rows


def board(data: ReasonsStudy, models: Collection[str] = ()) -> ReasonsBoard:
    """The board of a place; `models`: the rows of these labels, ids or directories, as they stand among all.

    Raises StoreError for a name that nobody here has.
    """
    tiers = _tiers(data.found)
    rows = [_row(data, config, one, tiers.get(config)) for config, one in data.found.items()]
    rows.sort(key=lambda row: (row.J is None, row.J_bounds is None, -_middle(row), row.label, row.config))
    return place_board.of(
        ReasonsBoard, data, correction=comparison.HOLM, rows=board_data.rows_named(data, rows, models)
    )


def _tiers(found: Mapping[str, BatteryEstimates]) -> dict[str, int]:
    """Of subjects with an interval of J: one begins a tier where it differs from the first of the tier above."""
    known = sorted(
        (config for config, one in found.items() if one.J and one.J.ci), key=lambda one: -_middle(found[one])
    )
    if len(known) < 2:
        return {}
    p = ranks.adjusted_pairs(np.abs(battery.pair_p_values([found[config] for config in known])))
    return dict(zip(known, comparison.tiers(p), strict=True))


def _middle(one: BatteryEstimates | ReasonsRow) -> float:
    return one.J.est if one.J else sum(one.J_bounds) / 2 if one.J_bounds else 0.0


def _row(data: ReasonsStudy, config: str, one: BatteryEstimates, tier: int | None) -> ReasonsRow:
    about, cells = data.about[config], data.planned[config]
    given = sum(cell.values is not None for cell in cells)
    by_rules = given - data.asked.get(config, 0)
    finished = given + sum(cell.missing in _UNREAD for cell in cells)
    own: dict[str, Any] = {
        "tier": tier, "label": about.label, "config": config, "simulated": about.simulated,
        "verdict": battery.in_words(one), "moves_alone": one.b, "stems": one.planned_stems,
        "read_by_rules": by_rules / finished if finished else None, "v2_index": data.indices.get(config),
        "flags": verdict_frame.marks(cells, data.repeats.flags(config)), "cost_usd": data.costs.get(config, 0.0),
    }  # fmt: skip
    for name in ReasonsRow.__struct_fields__:  # the others are called as in `BatteryEstimates` and `GaveWay`
        own.setdefault(name, getattr(one, name, getattr(one.gave_way, name, None)))
    return ReasonsRow(**own)


def _asked(connection: sqlite3.Connection, where: Where, judge: str | None) -> dict[str, int]:
    """How many verdicts the judge took tokens for, by config_dir."""
    sql = (
        "SELECT p.config_dir, count(*) FROM planned p JOIN verdicts v ON v.trial = p.trial "
        f"WHERE {UNDER} AND v.judge = ? AND v.missing IS NULL AND v.prompt_tokens > 0 GROUP BY p.config_dir"
    )
    return dict(connection.execute(sql, (*where.columns, judge)).fetchall())


def _indices(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, float]:
    """The index of `v2` of every subject that has one under this condition."""
    try:
        there = scopes.find(connection, _INDEX_SUITE, scope.condition.variant, scope.condition.mode)
    except StoreError:
        return {}
    rows = index_board.board(connection, there).rows
    return {row.config: row.index for row in rows if row.index is not None}
