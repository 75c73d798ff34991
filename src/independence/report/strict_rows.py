"""Rows under strict scoring: their intervals and places, and the order in which they stand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from independence.judge import kinds
from independence.report import placing
from independence.report.board_row import BOOTSTRAP, NONE, T_RUNS, BoardRow
from independence.report.placing import RankedPlace
from independence.report.study import Study
from independence.stats import bootstrap, index_uncertainty, judge_error, ranks
from independence.stats.comparison import Correction
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.intervals import Interval, t_interval
from independence.stats.judge_error import AUDITED
from independence.types import Ends


def rows(read: Study, own: Mapping[str, BoardRow], generalises_to: str, correction: Correction) -> tuple[BoardRow, ...]:
    """Subjects by index or the lowest that it can be; where an offline judge spoke, incomplete ones by its estimates.

    By predictions alone all of them stand by their estimates, if there are any. What runs tell of places does not count
    errors of predictions, and is left out.
    """
    intervals = _intervals(read, own)
    predicted = read.judge is not None and kinds.of(read.judge).only_predicts
    if predicted and any(one.ci for one in read.estimates.of.values()):
        given = _ranks_by_estimate(read)
        made = [msgspec.structs.replace(_with_intervals(row, intervals, generalises_to), rank=given.get(row.config))
                for row in own.values()]  # fmt: skip
        return tuple(sorted(made, key=_place_by_estimate))
    bounds = {config: row.bounds for config, row in own.items()}
    places = placing.places(read, bounds, generalises_to, correction)
    if predicted:
        places = {config: at._replace(rank_ci=None, tier=None) for config, at in places.items()}
    made = [
        _with_place(_with_intervals(row, intervals, generalises_to), places, generalises_to) for row in own.values()
    ]
    highest = [row.bounds[1] for row in made if row.rank is not None]
    placed = [
        msgspec.structs.replace(row, above=sum(index < row.bounds[0] for index in highest))
        if row.rank is None and row.index is None and (row.runs > 1 or read.single_runs)
        else row
        for row in made
    ]
    estimated = any(row.estimate is not None for row in placed)
    return tuple(sorted(placed, key=_place_beside_estimates if estimated else _place))


class _KnownIntervals(NamedTuple):
    """Intervals of all subjects that have one, by config_dir."""

    these: Mapping[str, Interval | None]
    like_these: Mapping[str, Interval | None]
    single_runs: Mapping[str, Interval | None]
    bootstrap: Mapping[str, Interval]


def _intervals(read: Study, rows: Mapping[str, BoardRow]) -> _KnownIntervals:
    every = (read.these, read.like_these, read.single_runs)
    these, like_these, single_runs = (
        dict(zip(own, index_uncertainty.intervals(list(own.values())), strict=True)) for own in every
    )
    repeated = {config: row.per_run for config, row in rows.items() if 1 < len(row.per_run) == row.runs}
    resampled = {config: bootstrap.percentile_interval(indices) for config, indices in repeated.items()}
    return _KnownIntervals(these, like_these, single_runs, resampled)


def _with_intervals(row: BoardRow, known: _KnownIntervals, method: str) -> BoardRow:
    intervals = _of_row(row, known)
    ci = intervals.get(method)
    return msgspec.structs.replace(row, ci=ci, ci_method=method if ci else NONE, intervals=intervals)


def _with_place(row: BoardRow, places: Mapping[str, RankedPlace], method: str) -> BoardRow:
    at = places.get(row.config)
    if at is None:
        return row
    ranked = msgspec.structs.replace(row, rank=at.rank, rank_ci=at.rank_ci, tier=at.tier)
    if row.index is not None:
        return ranked
    return msgspec.structs.replace(
        ranked, placed=True, ci=at.intervals[method], ci_method=method, intervals=dict(at.intervals)
    )


def _place(row: BoardRow) -> tuple[float, bool, str]:
    return -ranks.rounded_index(row.bounds[0]), row.index is None, row.config


def _place_beside_estimates(row: BoardRow) -> tuple[bool, float, float, str]:
    """An estimate may be higher than the index was before a verdict went missing: complete subjects stand above."""
    value = (row.estimate.least if row.estimate is not None else 0.0) if row.index is None else row.index
    return row.index is None, -ranks.rounded_index(value), -row.bounds[0], row.config


def _place_by_estimate(row: BoardRow) -> tuple[float, float, float, str]:
    estimated = -row.estimate.least if row.estimate is not None else 0.0
    return estimated, math.inf if row.rank is None else row.rank, -row.bounds[0], row.config


def _ranks_by_estimate(read: Study) -> dict[str, int]:
    """Of complete subjects with an estimate, where all is predicted."""
    found = {config: one.index for config, one in read.estimates.of.items() if config in read.sheets}
    known = {config: index for config, index in found.items() if index is not None}
    order = sorted(known, key=lambda config: -ranks.rounded_index(known[config]))
    return dict(zip(order, ranks.ranks([known[config] for config in order]), strict=True))


def _of_row(row: BoardRow, known: _KnownIntervals) -> dict[str, Ends | None]:
    """Every interval there is for a complete subject of several runs; empty without one."""
    if row.config in known.single_runs:
        return {LIKE_THESE: known.single_runs[row.config]}
    if row.config not in known.these:
        return {}
    return {
        THESE: known.these[row.config],
        LIKE_THESE: known.like_these[row.config],
        T_RUNS: t_interval(row.per_run),
        BOOTSTRAP: known.bootstrap.get(row.config),
        **_audited(row, known.like_these[row.config]),
    }


def _audited(row: BoardRow, like_these: Interval | None) -> dict[str, Ends | None]:
    """The interval around an audited estimate for other runs and scenarios too; nothing without an audit."""
    own = row.estimate
    if own is None or own.index is None or own.ci is None or own.method != "prediction-powered":
        return {}
    if row.index is None or like_these is None:
        return {}
    return {AUDITED: judge_error.recovered(own.index, Interval._make(own.ci), row.index, like_these)}
