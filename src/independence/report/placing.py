"""Places on a board under strict scoring: ranks with their intervals, tiers, and who has none of them.

Ranks are among subjects whose index has an error that can be told: complete ones of several runs, and incomplete ones
whose possible indices lie closer together than their own runs leave open (`placed`). Nobody else is counted. Others do
not decide on that: they lend each other their errors, so a missing verdict could take somebody above it away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.report import looks
from independence.report.study import Study
from independence.stats import comparison, completions, index_uncertainty, ranks, single_runs
from independence.stats.comparison import Correction, Differences
from independence.stats.completions import Completions
from independence.stats.index_uncertainty import LIKE_THESE, THESE, IndexEstimate
from independence.stats.intervals import Interval
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints
from independence.types import Ends

MOST_PAIRS = 200  # of which the smallest difference that can be seen is taken
_ESTIMATES = {THESE: index_uncertainty.these_scenarios, LIKE_THESE: index_uncertainty.scenarios_like_these}


class RankedPlace(NamedTuple):
    """A rank, from 1, with its 95 % interval. Incomplete subjects have no tier, but intervals by their methods."""

    rank: int
    rank_ci: tuple[int, int] | None
    tier: int | None
    intervals: Mapping[str, Ends | None] = {}


class _PlacedSubject(NamedTuple):
    """An incomplete subject that has a rank all the same."""

    ranked: RankedSubject
    intervals: Mapping[str, Ends | None]


def places(read: Study, bounds: Mapping[str, Ends], reading: str, correction: Correction) -> dict[str, RankedPlace]:
    """The places of all subjects that have one. `bounds`: what each one's index can be, by config_dir."""
    complete = _complete(read, reading)
    open_ = [config for config in bounds if config not in read.sheets]
    holes = {config: _placed(read, config, bounds[config], reading) for config in open_}
    placed = {config: one for config, one in holes.items() if one is not None}
    subjects = complete | {config: one.ranked for config, one in placed.items()}
    order = sorted(subjects, key=lambda config: (-ranks.rounded_index(subjects[config].lowest), config))
    p = ranks.pair_p_values([subjects[config] for config in order], reading == LIKE_THESE)
    seen = looks.at_all_pairs([read.run_counts.get(config, ()) for config in order])
    p = np.clip(p * seen.allowance, -1.0, 1.0)
    whole = [at for at, config in enumerate(order) if config in complete]
    tiers = comparison.tiers(ranks.adjusted_pairs(abs(p[whole][:, whole]), correction))
    tier_of = dict(zip((order[at] for at in whole), tiers, strict=True))
    found = zip(order, ranks.ranks([subjects[config].lowest for config in order]), ranks.rank_intervals(p), strict=True)
    return {
        config: RankedPlace(rank, ends, tier_of.get(config), placed[config].intervals if config in placed else {})
        for config, rank, ends in found
    }


def tested_differences(read: Study) -> Differences:
    """Differences between complete subjects on scenarios like these; of many, MOST_PAIRS that lie evenly among them."""
    found = ranks.pair_differences(list(_complete(read, LIKE_THESE).values()), like_these=True)
    return Differences._make(own[:: -(-len(own) // MOST_PAIRS) or 1] for own in found)


def _complete(read: Study, reading: str) -> dict[str, RankedSubject]:
    """Subjects with an index and its error."""
    sure = read.these if reading == THESE else read.all_like_these
    return {
        config: RankedSubject(one.point, one.point, read.these.get(config, one._replace(se=0.0)), read.sheets[config])
        for config, one in sure.items()
    }


def _placed(read: Study, config: str, bounds: Ends, reading: str) -> _PlacedSubject | None:
    """Of an incomplete subject; None where its bounds are not narrower than the narrowest interval of its own runs."""
    open_ = completions.completions(read.frame, read.planned[config])
    if open_ is None:
        return None
    alone = _estimated((), open_.calmest, reading)
    narrowest = alone.interval() if alone is not None else None
    low, high = bounds
    if narrowest is None or high - low >= narrowest.high - narrowest.low:
        return None
    these = _least_sure(read, open_, THESE)
    if these is None:
        return None
    like_these = _least_sure(read, open_, LIKE_THESE)
    intervals = {THESE: _joined(these, open_, bounds), LIKE_THESE: _joined(like_these, open_, bounds)}
    return _PlacedSubject(RankedSubject(low, high, these, open_.noisiest, open_.off), intervals)


def _joined(least_sure: IndexEstimate | None, open_: Completions, bounds: Ends) -> Ends | None:
    """From the lowest end of an interval about the lowest possible index to the highest about the highest."""
    if least_sure is None:
        return None
    indices = [open_.calmest.index, open_.noisiest.index, open_.farthest.index, *bounds]
    widest = least_sure._replace(dispersion=max(least_sure.dispersion_at(index) for index in indices))
    ends = [widest._replace(point=index).interval() for index in indices]
    known = [one for one in ends if one is not None]
    return Interval(min(one.low for one in known), max(one.high for one in known)) if known else None


def _least_sure(read: Study, open_: Completions, method: str) -> IndexEstimate | None:
    """The largest error of the completions, with the fewest degrees of freedom: the calmest borrows most."""
    fleet = [read.sheets[config] for config in read.these]
    found = [_estimated(fleet, one, method) for one in (open_.noisiest, open_.calmest, open_.farthest)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    widest = max(one.dispersion for one in known)
    return known[0]._replace(se=max(one.se for one in known), df=min(one.df for one in known), dispersion=widest)


def _estimated(fleet: Sequence[SubjectPoints], points: SubjectPoints, method: str) -> IndexEstimate | None:
    """Among complete subjects; of single runs of many scenarios alone."""
    if index_uncertainty.repeated(points):
        return _ESTIMATES[method]([*fleet, points])[-1]
    found = single_runs.like_these(points)
    return found and (found if method == LIKE_THESE else found._replace(se=0.0))
