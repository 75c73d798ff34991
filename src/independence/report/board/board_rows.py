"""The rows of a board of an index: what follows from a subject's own verdicts, its intervals, and its place.

Ranks are among all subjects of a board, whatever the missing verdicts would be. Who cannot be compared, since nothing
says how far the index would move with other runs, may be better or worse than everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from independence.report.board import interim_looks, scenario_kinds, verdict_frame
from independence.report.board.board_data import BoardData, Origin
from independence.stats import bootstrap, comparison, completions, index_uncertainty, ranks, single_runs
from independence.stats.comparison import Differences
from independence.stats.index_uncertainty import LIKE_THESE, THESE, IndexEstimate
from independence.stats.intervals import Interval, t_interval
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints
from independence.types import Ends

T_RUNS, BOOTSTRAP, NONE = "t-runs", "published-bootstrap", "none"
MOST_PAIRS = 200  # of which the smallest difference that can be seen is taken


class BoardRow(msgspec.Struct, frozen=True):
    """One subject. Numbers are unrounded except where a published rule rounds; index, bounds and ci on 0-100."""

    rank: int | None  # by index, among all; None where missing verdicts leave several, and of a single run
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
    rank_bounds: tuple[int, int] | None = None  # first and last rank by index, whatever the missing verdicts would be
    rank_ci: tuple[int, int] | None = None  # 95% interval of the rank, likewise
    intervals: dict[str, Ends | None] = {}  # every method that applies, by its name
    thinking: bool = False  # its answers took reasoning tokens, or came with their reasoning
    evades: float | msgspec.UnsetType = msgspec.UNSET  # share of dialogues in which it took no stand, where it could
    without_evasions: float | msgspec.UnsetType | None = msgspec.UNSET  # the index of its other dialogues
    points_lost: dict[str, float | None] | msgspec.UnsetType = msgspec.UNSET  # by kind of scenario; unset: no kinds
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # on boards of imports beside others
    most_runs: int | msgspec.UnsetType = msgspec.UNSET  # of a scenario, where `runs` are the fewest of one

    @property
    def single(self) -> bool:
        """Whether its index is that of a single run, and so has neither rank nor interval."""
        return self.index is not None and self.runs == 1 and self.rank_bounds is None


def own_rows(data: BoardData) -> dict[str, BoardRow]:
    """Every subject by its own verdicts, strictly scored."""
    lost, columns = scenario_kinds.lost(data), data.columns
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
            flags=verdict_frame.marks(columns.said(config)) | data.repeats.flags(config) | data.runs_vary(config),
            cost_usd=data.costs.get(config, 0.0),
            per_run=scored.per_run,
            dimensions=scored.dimensions,
            thinking=data.about[config].thinking,
            evades=scored.evadable_and_evaded / scored.evadable if scored.evadable else msgspec.UNSET,
            without_evasions=scored.engaged if scored.evadable else msgspec.UNSET,
            points_lost=lost.get(config, msgspec.UNSET),
            origin=data.about[config].origin or msgspec.UNSET,
            most_runs=scored.most_runs if scored.runs < scored.most_runs else msgspec.UNSET,
        )
        for config in data.planned
        for scored in [data.scores[config]]
    }


def strict_rows(data: BoardData, own: Mapping[str, BoardRow], method: str) -> tuple[BoardRow, ...]:
    """Subjects by index or the lowest that it can be. `method`: the interval that rows show, THESE or LIKE_THESE."""
    rows = _with_intervals(data, own, method)
    incomplete = _incomplete(data)
    for config, (_, found) in incomplete.items():
        ci = found.get(method)
        rows[config] = msgspec.structs.replace(
            rows[config], ci=ci, ci_method=method if ci else NONE, intervals=dict(found)
        )
    compared = _complete(data, method) | {config: subject for config, (subject, _) in incomplete.items()}
    for config, at in _places(data, compared, method).items():
        rows[config] = msgspec.structs.replace(
            rows[config], rank=at.rank, rank_bounds=at.rank_bounds, rank_ci=at.rank_ci, tier=at.tier
        )
    order = sorted(rows.values(), key=lambda row: (-ranks.rounded_index(row.bounds[0]), row.index is None, row.config))
    return tuple(order)


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
            even = not row.most_runs  # else the index is not the mean of whole runs
            repeated = even and 1 < len(row.per_run) == row.runs
            found = {
                THESE: same[config],
                LIKE_THESE: new[config],
                T_RUNS: t_interval(row.per_run) if even else None,
                BOOTSTRAP: bootstrap.percentile_interval(row.per_run) if repeated else None,
            }
            scale = data.points[config].scale
            found = {name: ends and Interval._make(ends).within(*scale) for name, ends in found.items()}
        ci = found.get(method)
        rows[config] = msgspec.structs.replace(row, ci=ci, ci_method=method if ci else NONE, intervals=found)
    return rows


class _Place(NamedTuple):
    """Where a subject stands among all. Incomplete ones have no tier."""

    rank_bounds: tuple[int, int]
    rank_ci: tuple[int, int]
    tier: int | None

    @property
    def rank(self) -> int | None:
        """None where missing verdicts leave several."""
        first, last = self.rank_bounds
        return first if first == last else None


def _places(data: BoardData, compared: Mapping[str, RankedSubject], method: str) -> dict[str, _Place]:
    """The places of all subjects that can be compared, by config_dir, among everybody."""
    order = sorted(compared, key=lambda config: (-ranks.rounded_index(compared[config].lowest), config))
    p = ranks.pair_p_values([compared[config] for config in order], method == LIKE_THESE)
    seen = interim_looks.at_all_pairs([data.run_counts.get(config, interim_looks.NEVER) for config in order])
    p = np.clip(p * seen.allowance, -1.0, 1.0)
    whole = [at for at, config in enumerate(order) if config in data.points]
    tiers = comparison.tiers(ranks.adjusted_pairs(abs(p[whole][:, whole])))
    tier_of = dict(zip((order[at] for at in whole), tiers, strict=True))
    rank = dict(zip(data.scores, ranks.ranks([one.bounds for one in data.scores.values()]), strict=True))
    found = zip(order, ranks.rank_intervals(p, len(rank)), strict=True)
    return {config: _Place(rank[config], ends, tier_of.get(config)) for config, ends in found}


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
