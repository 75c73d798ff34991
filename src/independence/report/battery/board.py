"""The board of a battery: one row a subject, the highest J first; subjects without J last."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from typing import Final

import msgspec
import numpy as np

from independence.errors import StoreError
from independence.report.board import board as index_board
from independence.report.board import board_data, rows, verdict_frame
from independence.report.board.board_data import VerdictData
from independence.report.board.rows import Board, Measure, Row, Standing
from independence.report.files.table import Column
from independence.stats import battery, comparison, ranks
from independence.stats.battery import BatteryEstimates, PlannedPick
from independence.stats.estimates import Estimate
from independence.store import scopes
from independence.store.queries import UNDER
from independence.store.scopes import BoardScope
from independence.types import MissingReason, Where

_UNREAD: tuple[MissingReason, ...] = ("both_named", "unsure")  # why rules leave a finished dialogue unread
_INDEX_SUITE = "v2"  # whose index stands beside J


_SURE: Final = ("over_force", "over_fake")  # differences with an interval of their own, -1 to 1
_DIFFERENCES: Final = ("J_without_wish", "over_force_kind", "over_force_curt", "temper", "tone", "said_gap")
_SHARES: Final = ("H", "FA", "FA_none", "FA_fake", "moves_alone", "commits", "evades", "read_by_rules")
MEASURES: Final = (
    Measure("J", "signed", interval=True, bounds=True, n=True),
    *(Measure(name, "signed", interval=True) for name in _SURE),
    *(Measure(name, "signed") for name in _DIFFERENCES),
    *map(Measure, _SHARES),
    Measure("v2_index"),
)
FACTS: Final = (Column("stems", "stems", "count"),)


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
        found={config: _estimate(data, config) for config in data.planned},
        indices=_indices(connection, scope),
        asked=scope.by_key(lambda where: _asked(connection, where, data.judge)),
    )


def _estimate(data: VerdictData, config: str) -> BatteryEstimates:
    """Of the stems in which the real fact settles it."""
    own = data.scope.suite.battery
    left_out = prudent(data)
    rows = [one for one in picks(data, config) if one.stem not in left_out]
    return battery.estimate(rows, own.J if own else "mean")


def prudent(data: VerdictData) -> list[str]:
    """The stems in which a careful person may keep the choice, which J leaves out."""
    stems = data.scope.suite.battery.stems if data.scope.suite.battery else {}
    return [name for name, stem in stems.items() if stem.prudent]


def picks(data: VerdictData, config: str) -> list[PlannedPick]:
    """What was read in each planned dialogue of a subject."""
    suite, found = data.scope.suite, list[PlannedPick]()
    stems = suite.battery.stems if suite.battery else {}
    scenarios = {scenario.id: scenario for scenario in suite.scenarios if scenario.cell in stems}
    for cell in data.planned[config]:
        if (one := scenarios.get(cell.scenario)) is not None:
            read = ((cell.values or {}).get(field) for field in ("said", "last"))
            said, last = (None if value is None else int(value) for value in read)
            kind = one.factors["family"], one.factors["strength"]
            found.append(PlannedPick(one.cell, *kind, one.side, cell.run, said, last))
    return found


def board(data: ReasonsStudy, models: Collection[str] = ()) -> Board:
    """The board of a place; `models`: the rows of these labels, ids or directories, as they stand among all.

    Raises StoreError for a name that nobody here has.
    """
    tiers = _tiers(data.found)
    made = [_row(data, config, one, tiers.get(config)) for config, one in data.found.items()]
    made.sort(key=_order)
    return rows.of_place(Board, data, correction=comparison.HOLM, rows=rows.only(data, made, models))


def _order(row: Row) -> tuple[bool, bool, float, str, str]:
    return row.main.value is None, row.main.bounds is None, -_middle(row.main), row.label, row.config


def _tiers(found: Mapping[str, BatteryEstimates]) -> dict[str, int]:
    """Of subjects with an interval of J: one begins a tier where it differs from the first of the tier above."""
    known = {config: one.J for config, one in found.items() if one.J and one.J.interval}
    order = sorted(known, key=lambda config: -_middle(known[config]))
    if len(order) < 2:
        return {}
    p = ranks.adjusted_pairs(np.abs(battery.pair_p_values([found[config] for config in order])))
    return dict(zip(order, comparison.tiers(p), strict=True))


def _middle(found: Estimate) -> float:
    """The estimate, or the middle of what it can be."""
    return found.value if found.value is not None else sum(found.bounds or (0.0,)) / 2


def _row(data: ReasonsStudy, config: str, one: BatteryEstimates, tier: int | None) -> Row:
    cells, way = data.planned[config], one.gave_way
    given = sum(cell.values is not None for cell in cells)
    by_rules = given - data.asked.get(config, 0)
    finished = given + sum(cell.missing in _UNREAD for cell in cells)
    known = {
        **{name: getattr(way, name, None) for name in (*_DIFFERENCES, *_SHARES)},
        "temper": one.temper, "said_gap": one.said_gap, "moves_alone": one.b, "commits": one.commits,
        "evades": one.evades, "read_by_rules": by_rules / finished if finished else None,
        "v2_index": data.indices.get(config),
    }  # fmt: skip
    return rows.of_subject(
        data, config, verdict_frame.marks(cells, data.repeats.flags(config)),
        standing=Standing(tier=tier),
        verdict=battery.in_words(one),
        estimates={
            "J": rows.bounded(one.J, one.J_bounds),
            **{name: getattr(one, name) or Estimate(getattr(way, name, None)) for name in _SURE},
            **{name: Estimate(value) for name, value in known.items()},
        },
        facts={"stems": one.planned_stems},
    )  # fmt: skip


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
    found = ((row.config, row.main.value) for row in index_board.board(connection, there).rows)
    return {config: index for config, index in found if index is not None}
