"""The rows of a board of an index: what follows from a subject's own verdicts, its intervals, and its place.

Ranks are among all subjects of a board, whatever the missing verdicts would be. Who cannot be compared, since nothing
says how far the index would move with other runs, may be better or worse than everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from independence.report.board import interim_looks, rows, scenario_kinds, verdict_frame
from independence.report.board.board_data import BoardData
from independence.report.board.rows import Row, Standing
from independence.stats import bootstrap, comparison, completions, index_uncertainty, ranks, single_runs
from independence.stats.comparison import Differences
from independence.stats.estimates import Estimate
from independence.stats.index_uncertainty import LIKE_THESE, THESE, IndexEstimate
from independence.stats.intervals import Interval, t_interval
from independence.stats.ranks import RankedSubject
from independence.stats.strict import StrictRow
from independence.stats.subject_points import SubjectPoints
from independence.types import Ends

T_RUNS, BOOTSTRAP = "t-runs", "published-bootstrap"
MOST_PAIRS = 200  # of which the smallest difference that can be seen is taken


INDEX, EVADES, WITHOUT_EVASIONS = "index", "evades", "without_evasions"
DIMENSIONS, POINTS_LOST = "dimensions", "points_lost"  # groups of estimates


def own_rows(data: BoardData) -> dict[str, Row]:
    """Every subject by its own verdicts, strictly scored; index, bounds and intervals on 0-100."""
    lost, columns = scenario_kinds.lost(data), data.columns
    return {
        config: rows.of_subject(
            data,
            config,
            verdict_frame.marks(columns.said(config)) | data.repeats.flags(config) | data.runs_vary(config),
            coverage=scored.coverage,
            estimates={
                INDEX: Estimate(scored.index, n=scored.runs, bounds=scored.bounds if scored.index is None else None),
                **in_group(DIMENSIONS, scored.dimensions),
                **(_evasions(scored) if scored.evadable else {}),
                **in_group(POINTS_LOST, lost.get(config, {})),
            },
            runs=scored.runs,
            most_runs=scored.most_runs,
            complete_runs=scored.complete_runs,
            per_run=scored.per_run,
        )
        for config in data.planned
        for scored in [data.scores[config]]
    }


def in_group(name: str, values: Mapping[str, float | None]) -> dict[str, Estimate]:
    """Values of one kind as estimates."""
    return {f"{name}{rows.GROUP}{key}": Estimate(value) for key, value in values.items()}


def _evasions(scored: StrictRow) -> dict[str, Estimate]:
    """The share of dialogues in which a subject took no stand where it could (0-1), and the index of the others."""
    share = Estimate(scored.evadable_and_evaded / scored.evadable, n=scored.evadable)
    return {EVADES: share, WITHOUT_EVASIONS: Estimate(scored.engaged)}


def with_index(row: Row, ci: Ends | None, method: str, **more: Any) -> Row:
    """The row with the interval of its index, made by `method`."""
    index = msgspec.structs.replace(row.main, interval=ci, method=method if ci else "")
    return msgspec.structs.replace(row, estimates={**row.estimates, INDEX: index}, **more)


def strict_rows(data: BoardData, own: Mapping[str, Row], method: str) -> tuple[Row, ...]:
    """Subjects by index or the lowest that it can be. `method`: the interval that rows show, THESE or LIKE_THESE."""
    made = _with_intervals(data, own, method)
    incomplete = _incomplete(data)
    for config, (_, found) in incomplete.items():
        made[config] = with_index(made[config], found.get(method), method, intervals=dict(found))
    compared = _complete(data, method) | {config: subject for config, (subject, _) in incomplete.items()}
    for config, standing in _standings(data, compared, method).items():
        made[config] = msgspec.structs.replace(made[config], standing=standing)
    return tuple(sorted(made.values(), key=_order))


def _order(row: Row) -> tuple[float, bool, str]:
    """By the index, or where verdicts are missing by the lowest that it can be."""
    lowest, _ = row.main.ends or (0.0, 0.0)
    return -ranks.rounded_index(lowest), row.main.value is None, row.config


def _with_intervals(data: BoardData, own: Mapping[str, Row], method: str) -> dict[str, Row]:
    """The rows with every interval there is for a complete subject of several runs, or of many scenarios."""
    same, new, once = (
        dict(zip(known, index_uncertainty.intervals(list(known.values())), strict=True))
        for known in (data.same_scenarios, data.new_scenarios, data.single_runs)
    )
    made = {}
    for config, row in own.items():
        found: dict[str, Ends | None] = {}
        if config in once:
            found = {LIKE_THESE: once[config]}
        elif config in same:
            even = not row.unequal  # else the index is not the mean of whole runs
            repeated = even and 1 < len(row.per_run) == row.runs
            found = {
                THESE: same[config],
                LIKE_THESE: new[config],
                T_RUNS: t_interval(row.per_run) if even else None,
                BOOTSTRAP: bootstrap.percentile_interval(row.per_run) if repeated else None,
            }
            scale = data.points[config].scale
            found = {name: ends and Interval._make(ends).within(*scale) for name, ends in found.items()}
        made[config] = with_index(row, found.get(method), method, intervals=found)
    return made


def _standings(data: BoardData, compared: Mapping[str, RankedSubject], method: str) -> dict[str, Standing]:
    """The standing of every subject that can be compared, by config_dir. Incomplete ones get no tier."""
    order = sorted(compared, key=lambda config: (-ranks.rounded_index(compared[config].lowest), config))
    p = ranks.pair_p_values([compared[config] for config in order], method == LIKE_THESE)
    seen = interim_looks.at_all_pairs([data.run_counts.get(config, interim_looks.NEVER) for config in order])
    p = np.clip(p * seen.allowance, -1.0, 1.0)
    whole = [at for at, config in enumerate(order) if config in data.points]
    tiers = comparison.tiers(ranks.adjusted_pairs(abs(p[whole][:, whole])))
    tier_of = dict(zip((order[at] for at in whole), tiers, strict=True))
    rank = dict(zip(data.scores, ranks.ranks([one.bounds for one in data.scores.values()]), strict=True))
    found = zip(order, ranks.rank_intervals(p, len(rank)), strict=True)
    return {
        config: Standing(first if first == last else None, (first, last), ends, tier_of.get(config))
        for config, ends in found
        for first, last in [rank[config]]
    }


def tested_differences(data: BoardData) -> Differences:
    """Differences between complete subjects on new scenarios; of many, MOST_PAIRS that lie evenly among them."""
    found = ranks.pair_differences(list(_complete(data, LIKE_THESE).values()), like_these=True)
    return Differences._make(own[:: -(-len(own) // MOST_PAIRS) or 1] for own in found)


def _complete(data: BoardData, method: str) -> dict[str, RankedSubject]:
    """Subjects with an index and its error."""
    sure = data.same_scenarios if method == THESE else data.all_new_scenarios
    return {
        config: RankedSubject(
            one.point, one.point, data.same_scenarios.get(config, one._replace(se=0.0)), data.points[config]
        )
        for config, one in sure.items()
    }


def _incomplete(data: BoardData) -> dict[str, tuple[RankedSubject, dict[str, Ends | None]]]:
    """Subjects with missing verdicts that can be compared, and their intervals, by config_dir.

    An interval reaches from the lower end of the one about the lowest possible index to the upper end of the one about
    the highest, with the largest error that the missing verdicts allow. So no missing verdict makes anybody surer.
    """
    holes = {
        config: own
        for config in data.planned
        if config not in data.points and (own := completions.completions(data.frame, data.planned[config])) is not None
    }
    again = {config: one.filled for config, one in holes.items() if index_uncertainty.repeated(one.worst)}
    same, new = (
        _completed([data.points[config] for config in data.same_scenarios], again, made)
        for made in (index_uncertainty.these_scenarios, index_uncertainty.scenarios_like_these)
    )
    found = {}
    for config, one in holes.items():
        intervals: dict[str, Ends | None] = {}
        if config in again:
            these, intervals = same[config], {THESE: _widest(same[config]), LIKE_THESE: _widest(new[config])}
        elif once := tuple(filter(None, map(single_runs.like_these, one.filled))):
            these, intervals = tuple(each._replace(se=0.0) for each in once), {LIKE_THESE: _widest(once)}
        else:
            continue
        low, high = data.scores[config].bounds
        found[config] = RankedSubject(low, high, _least_sure(these)[-1], one.noisiest, one.off), intervals
    return found


def _completed(
    others: Sequence[SubjectPoints],
    again: Mapping[str, Sequence[SubjectPoints]],
    made: Callable[[Sequence[SubjectPoints]], list[IndexEstimate]],
) -> dict[str, tuple[IndexEstimate, ...]]:
    """How sure each subject's completions are, beside those of the others and complete subjects, by config_dir."""
    by_kind = [made([*others, *filled])[len(others) :] for filled in zip(*again.values(), strict=True)]
    return dict(zip(again, zip(*by_kind, strict=True), strict=True))


def _least_sure(completed: Sequence[IndexEstimate]) -> list[IndexEstimate]:
    """Estimates of one subject's completions, each with the largest error of all and the fewest degrees of freedom."""
    se, dispersion = max(one.se for one in completed), max(one.dispersion for one in completed)
    return [one._replace(se=se, df=min(one.df for one in completed), dispersion=dispersion) for one in completed]


def _widest(completed: Sequence[IndexEstimate]) -> Ends | None:
    """From the lower end of an interval about the lowest index to the upper end of one about the highest."""
    worst, best, _ = (one.interval() for one in _least_sure(completed))
    return None if worst is None or best is None else Interval(worst.low, best.high)
