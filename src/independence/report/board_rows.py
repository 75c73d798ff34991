"""The rows of a board of an index: what follows from a subject's own verdicts, its intervals, and its place.

Ranks are among subjects whose index has an error that can be told: complete ones of several runs, and incomplete ones
whose possible indices lie closer together than their own runs leave open (`placed`). Nobody else is counted. Others do
not decide on that: they lend each other their errors, so a missing verdict could take somebody above it away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from independence.judge import kinds
from independence.report import looks, planned_verdicts, point_kinds
from independence.report.board_data import BoardData, Origin
from independence.report.estimates import EstimatedIndex
from independence.stats import bootstrap, comparison, completions, index_uncertainty, judge_error, ranks, single_runs
from independence.stats.comparison import Correction, Differences
from independence.stats.completions import Completions
from independence.stats.index_uncertainty import LIKE_THESE, THESE, IndexEstimate
from independence.stats.intervals import Interval, t_interval
from independence.stats.judge_error import AUDITED
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints
from independence.types import Ends

T_RUNS, BOOTSTRAP, NONE = "t-runs", "published-bootstrap", "none"
MOST_PAIRS = 200  # of which the smallest difference that can be seen is taken
_ESTIMATES = {THESE: index_uncertainty.these_scenarios, LIKE_THESE: index_uncertainty.scenarios_like_these}


class BoardRow(msgspec.Struct, frozen=True):
    """One subject. Numbers are unrounded except where a published rule rounds; index, bounds and ci on 0-100."""

    rank: int | None
    label: str
    config: str
    index: float | None
    bounds: Ends
    ci: Ends | None
    ci_method: str
    runs: int
    complete_runs: int
    coverage: float
    simulated: bool
    flags: dict[str, int]
    cost_usd: float
    per_run: tuple[float, ...]
    dimensions: dict[str, float | None]
    tier: int | None = None
    rank_ci: tuple[int, int] | None = None  # 95 % interval of the rank
    placed: bool = False  # has a rank though verdicts are missing: its interval holds whatever they may be
    above: int | None = None  # without a rank: of how many with one the highest possible index is below its lowest
    intervals: dict[str, Ends | None] = {}  # every method that applies, by its name
    estimate: EstimatedIndex | None = None  # where an offline judge spoke
    thinking: bool = False  # its answers took reasoning tokens, or came with their reasoning
    evades: float | msgspec.UnsetType = msgspec.UNSET  # share of dialogues in which it took no stand, where it could
    without_evasions: float | msgspec.UnsetType | None = msgspec.UNSET  # the index of its other dialogues
    points_lost: dict[str, float | None] | msgspec.UnsetType = msgspec.UNSET  # by kind of scenario; unset: no kinds
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # on boards of imports beside others


def own_rows(data: BoardData) -> dict[str, BoardRow]:
    """Every subject by its own verdicts, strictly scored."""
    lost, columns = point_kinds.lost(data), data.columns
    return {
        config: BoardRow(
            rank=None,
            label=data.about[config].label,
            config=config,
            index=scored.index,
            bounds=scored.bounds,
            ci=None,
            ci_method=NONE,
            runs=scored.runs,
            complete_runs=scored.complete_runs,
            coverage=scored.coverage,
            simulated=data.about[config].simulated,
            flags=planned_verdicts.marks(columns.said(config)) | data.repeats.flags(config),
            cost_usd=data.costs.get(config, 0.0),
            per_run=scored.per_run,
            dimensions=scored.dimensions,
            estimate=data.estimates.of.get(config),
            thinking=data.about[config].thinking,
            evades=scored.evadable_and_evaded / scored.evadable if scored.evadable else msgspec.UNSET,
            without_evasions=scored.engaged if scored.evadable else msgspec.UNSET,
            points_lost=lost.get(config, msgspec.UNSET),
            origin=data.about[config].origin or msgspec.UNSET,
        )
        for config in data.planned
        for scored in [data.scores[config]]
    }


def strict_rows(
    data: BoardData, own: Mapping[str, BoardRow], method: str, correction: Correction
) -> tuple[BoardRow, ...]:
    """Subjects by index or the lowest that it can be; where an offline judge spoke, incomplete ones by its estimates.

    By predictions alone all of them stand by their estimates, if there are any. What runs tell of places does not count
    errors of predictions, and is left out. `method`: the interval that rows show, THESE or LIKE_THESE.
    """
    rows = _with_intervals(data, own, method)
    predicted = data.judge is not None and kinds.of(data.judge).only_predicts
    if predicted and any(one.ci for one in data.estimates.of.values()):
        return _by_estimate(data, rows)
    for config, at in _places(data, {config: row.bounds for config, row in own.items()}, method, correction).items():
        row = rows[config]
        tier, rank_ci = (None, None) if predicted else (at.tier, at.rank_ci)
        rows[config] = msgspec.structs.replace(row, rank=at.rank, rank_ci=rank_ci, tier=tier)
        if row.index is None:
            ends = dict(at.intervals)
            rows[config] = msgspec.structs.replace(
                rows[config], placed=True, ci=ends[method], ci_method=method, intervals=ends
            )
    highest = [row.bounds[1] for row in rows.values() if row.rank is not None]
    for config, row in rows.items():
        if row.rank is None and row.index is None and (row.runs > 1 or data.single_runs):
            above = sum(index < row.bounds[0] for index in highest)
            rows[config] = msgspec.structs.replace(row, above=above)
    if all(row.estimate is None for row in rows.values()):
        order = sorted(
            rows.values(), key=lambda row: (-ranks.rounded_index(row.bounds[0]), row.index is None, row.config)
        )
        return tuple(order)

    def beside_estimates(row: BoardRow) -> tuple[bool, float, float, str]:
        # An estimate may be higher than the index was before a verdict went missing: complete subjects stand above.
        value = (row.estimate.least if row.estimate is not None else 0.0) if row.index is None else row.index
        return row.index is None, -ranks.rounded_index(value), -row.bounds[0], row.config

    return tuple(sorted(rows.values(), key=beside_estimates))


def _with_intervals(data: BoardData, own: Mapping[str, BoardRow], method: str) -> dict[str, BoardRow]:
    """The rows with every interval there is for a complete subject of several runs, or of many scenarios."""
    same, new, once = (
        dict(zip(known, index_uncertainty.intervals(list(known.values())), strict=True))
        for known in (data.same_scenarios, data.new_scenarios, data.single_runs)
    )
    rows = {}
    for config, row in own.items():
        found: dict[str, Ends | None] = {}
        if config in once:
            found = {LIKE_THESE: once[config]}
        elif config in same:
            repeated = 1 < len(row.per_run) == row.runs
            found = {
                THESE: same[config],
                LIKE_THESE: new[config],
                T_RUNS: t_interval(row.per_run),
                BOOTSTRAP: bootstrap.percentile_interval(row.per_run) if repeated else None,
            }
            found |= _audited(row, new[config])
            scale = data.points[config].scale
            found = {name: ends and Interval._make(ends).within(*scale) for name, ends in found.items()}
        ci = found.get(method)
        rows[config] = msgspec.structs.replace(row, ci=ci, ci_method=method if ci else NONE, intervals=found)
    return rows


def _audited(row: BoardRow, new: Interval | None) -> dict[str, Ends | None]:
    """The interval around an audited estimate for other runs and scenarios too; nothing without an audit."""
    own = row.estimate
    if own is None or own.index is None or own.ci is None or own.method != "prediction-powered":
        return {}
    if row.index is None or new is None:
        return {}
    return {AUDITED: judge_error.recovered(own.index, Interval._make(own.ci), row.index, new)}


def _by_estimate(data: BoardData, rows: Mapping[str, BoardRow]) -> tuple[BoardRow, ...]:
    """The rows in the order of their estimates, by which complete subjects are ranked."""
    found = {config: one.index for config, one in data.estimates.of.items() if config in data.points}
    known = {config: index for config, index in found.items() if index is not None}
    order = sorted(known, key=lambda config: -ranks.rounded_index(known[config]))
    rank = dict(zip(order, ranks.ranks([known[config] for config in order]), strict=True))
    ranked = [msgspec.structs.replace(row, rank=rank.get(config)) for config, row in rows.items()]

    def place(row: BoardRow) -> tuple[float, float, float, str]:
        estimated = -row.estimate.least if row.estimate is not None else 0.0
        return estimated, math.inf if row.rank is None else row.rank, -row.bounds[0], row.config

    return tuple(sorted(ranked, key=place))


class _Place(NamedTuple):
    """A rank, from 1, with its 95 % interval. Incomplete subjects have no tier, but intervals by their methods."""

    rank: int
    rank_ci: tuple[int, int]
    tier: int | None
    intervals: Mapping[str, Ends | None]


def _places(data: BoardData, bounds: Mapping[str, Ends], method: str, correction: Correction) -> dict[str, _Place]:
    """The places of all subjects that have one. `bounds`: what each one's index can be, by config_dir."""
    subjects = complete = _complete(data, method)
    intervals: dict[str, Mapping[str, Ends | None]] = {}
    for config in bounds:
        placed = _placed(data, config, bounds[config], method) if config not in data.points else None
        if placed is not None:
            intervals[config] = placed[1]
            subjects = subjects | {config: placed[0]}
    order = sorted(subjects, key=lambda config: (-ranks.rounded_index(subjects[config].lowest), config))
    p = ranks.pair_p_values([subjects[config] for config in order], method == LIKE_THESE)
    seen = looks.at_all_pairs([data.run_counts.get(config, ()) for config in order])
    p = np.clip(p * seen.allowance, -1.0, 1.0)
    whole = [at for at, config in enumerate(order) if config in complete]
    tiers = comparison.tiers(ranks.adjusted_pairs(abs(p[whole][:, whole]), correction))
    tier_of = dict(zip((order[at] for at in whole), tiers, strict=True))
    found = zip(order, ranks.ranks([subjects[config].lowest for config in order]), ranks.rank_intervals(p), strict=True)
    return {config: _Place(rank, ends, tier_of.get(config), intervals.get(config, {})) for config, rank, ends in found}


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


def _placed(
    data: BoardData, config: str, bounds: Ends, method: str
) -> tuple[RankedSubject, Mapping[str, Ends | None]] | None:
    """An incomplete subject that has a rank all the same, and its intervals.

    None where its bounds are not narrower than the narrowest interval of its own runs.
    """
    open_ = completions.completions(data.frame, data.planned[config])
    if open_ is None:
        return None
    alone = _estimated((), open_.calmest, method)
    narrowest = alone.interval() if alone is not None else None
    low, high = bounds
    if narrowest is None or high - low >= narrowest.high - narrowest.low:
        return None
    same, new = (_least_sure(data, open_, one) for one in (THESE, LIKE_THESE))
    if same is None:
        return None
    intervals = {THESE: _widest(same, open_, bounds), LIKE_THESE: _widest(new, open_, bounds) if new else None}
    return RankedSubject(low, high, same, open_.noisiest, open_.off), intervals


def _widest(least_sure: IndexEstimate, open_: Completions, bounds: Ends) -> Ends | None:
    """From the lowest end of an interval about the lowest possible index to the highest about the highest."""
    indices = [open_.calmest.index, open_.noisiest.index, open_.farthest.index, *bounds]
    widest = least_sure._replace(dispersion=max(least_sure.dispersion_at(index) for index in indices))
    ends = [widest._replace(point=index).interval() for index in indices]
    known = [one for one in ends if one is not None]
    return Interval(min(one.low for one in known), max(one.high for one in known)) if known else None


def _least_sure(data: BoardData, open_: Completions, method: str) -> IndexEstimate | None:
    """The largest error of the completions, with the fewest degrees of freedom: the calmest borrows most."""
    others = [data.points[config] for config in data.same_scenarios]
    found = [_estimated(others, one, method) for one in (open_.noisiest, open_.calmest, open_.farthest)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    widest = max(one.dispersion for one in known)
    return known[0]._replace(se=max(one.se for one in known), df=min(one.df for one in known), dispersion=widest)


def _estimated(others: Sequence[SubjectPoints], points: SubjectPoints, method: str) -> IndexEstimate | None:
    """Among complete subjects; of single runs of many scenarios alone."""
    if index_uncertainty.repeated(points):
        return _ESTIMATES[method]([*others, points])[-1]
    found = single_runs.like_these(points)
    return found and (found if method == LIKE_THESE else found._replace(se=0.0))
