"""Whether an index is above a bar, decided on an interval that may be looked at after every run.

Alpha spending (Lan and DeMets 1983) over looks at 2, 3, 4 ... runs: with n runs, or what they are worth beside a
baseline, at most `ERROR` x (1 - `_HELD_BACK` / n) of two-sided error is spent, half of it on each side. The end of the
runs need not be known, and asking for more of them later is another look. Where the index lies exactly on the bar, a
pass comes out in at most 5% of all gates and a fail in at most 5%, whenever each of them stops. Both bounds are
checked by simulation (`python -m benchmarks gate`), of independent runs of subjects like the published ones. Whole
runs that go up and down count (`run_effects`); a failure of one run in fifty is invisible in five.

A decision rests on one subject's own runs, by Student's t with the degrees of freedom of Satterthwaite (1946). Verdicts
near an end of their scale are skewed: a subject whose few runs went well looks even too, and would pass too often. So
the error is never taken to be below that of a subject with a share of the most variance there could be that two of
three published subjects do not reach, nor above that of the most, which needs no estimate. No gate decides where the
bar lies within the 95% interval that boards show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import harmonic_mean
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from independence.stats import index_uncertainty, repeated_looks
from independence.stats.contributions import Contributions
from independence.stats.index_uncertainty import EDGE, IndexEstimate
from independence.stats.intervals import Interval, apart, on_scale, score_interval, t_quantile
from independence.types import Ends

Decision = Literal["pass", "fail", "undecided"]
ERROR = 0.09  # two-sided, over all looks; small samples add to it
LEAST = 2  # runs at the first look
_HELD_BACK = 1.6  # runs: a fifth of the error is spent at two
_LEAST_SHARE = 0.17  # of the most variance over runs that there could be; published V2: 0.07 to 0.20 in the middle half


class LeastSureScenario(msgspec.Struct, frozen=True):
    """One scenario as tries that are kept or lost whole: its runs may be alike by chance."""

    span: float  # points of the index between its ends
    kept: float  # 0-1, mean over its runs
    runs: int

    def above(self, level: float) -> float:
        """Points by which Wilson's interval of that two-sided confidence (0-1) reaches above it."""
        reach = t_quantile(math.inf, level) ** 2 / self.runs
        return self.span * (score_interval(self.kept, reach).high - self.kept)


class GatedIndex(msgspec.Struct, frozen=True):
    """An index on its scale, and how sure one subject's runs make it. Dispersions are in units of p (1 - p).

    Where every run gives the same answers, the sample is its scenarios, and not its runs.
    """

    point: float
    dispersion: float  # squared error of the place p on the scale
    df: float  # degrees of freedom that is known with
    most: float  # the dispersion of verdicts that are all or nothing
    runs: int  # where scenarios have unequal numbers: of whole runs that take as many calls
    scale: Ends = (0.0, 100.0)
    shown: Ends | None = None  # the 95% interval of the index on boards
    alone: LeastSureScenario | None = None  # who could raise the index most, were it a matter of chance

    @property
    def ci(self) -> Ends:
        """The 95% interval as boards have it; of baselines of older versions the one for a single look."""
        return self.shown or self.interval(0.95)

    def interval(self, level: float) -> Interval:
        """The score interval of that two-sided confidence (0-1), within the scale."""
        normal = t_quantile(math.inf, level)
        wider = (t_quantile(self.df, level) / normal) ** 2
        dispersion = min(max(wider * self.dispersion, _LEAST_SHARE * self.most), self.most)
        return on_scale(self.point, normal**2 * dispersion, self.scale)


class Levels(NamedTuple):
    """Confidence (0-1, two-sided) of the intervals whose lower end may pass a gate, and whose upper end may fail it."""

    passing: float
    failing: float


def gated_index(table: Contributions, seen: IndexEstimate) -> GatedIndex:
    """Of one subject whose index boards show as `seen`: with one run of a scenario, `seen` is over scenarios."""
    runs = int(table.runs.min())
    own = index_uncertainty.estimates(table, 0.0)[0] if runs >= LEAST else seen
    most = float(table.most[0]) / (1 - own.by_runs)
    if not own.se > 0:
        # At an end of the scale runs show no spread, whatever there is: it is taken to be the most that there could be.
        at_end = not EDGE < own.place < 1 - EDGE
        own = own._replace(dispersion=most if at_end else 0.0, df=float(runs - 1))
    return GatedIndex(
        point=float(table.estimate[0]), dispersion=own.dispersion, df=own.df, most=most, runs=max(runs, LEAST),
        scale=own.scale, shown=seen.interval(), alone=_least_sure(table) if runs >= LEAST else None,
    )  # fmt: skip


def _least_sure(own: Contributions) -> LeastSureScenario:
    """Of one subject, the scenario that reaches farthest above its mean."""
    spans = own.high[0] - own.low[0]
    kept = np.divide(own.means[0] - own.low[0], spans, out=np.ones(len(spans)), where=spans > 0).clip(0, 1)
    each = zip(spans.tolist(), kept.tolist(), own.runs[0].astype(int).tolist(), strict=True)
    return max((LeastSureScenario(*one) for one in each), key=lambda one: one.above(1 - ERROR / 2))


def information(runs: int, baseline_runs: int | None = None) -> tuple[float, ...]:
    """What is known at each look from the first to the one at `runs` runs (>= 2): as many runs of either side.

    A difference from a baseline is as exact as the harmonic mean of both sides' runs.
    """
    looks = range(LEAST, runs + 1)
    return tuple(float(own if baseline_runs is None else harmonic_mean([own, baseline_runs])) for own in looks)


def levels(known: Sequence[float], bars: int = 1) -> Levels:
    """Of the last of several looks, given the information at each (>= 2).

    A gate of several bars passes where all are passed: each is tested in full, since a false pass takes a false pass of
    the bar that is not kept (intersection-union test, Berger 1982). It fails where any fails: each has its share of the
    error (Bonferroni).
    """
    return Levels(passing=1 - _level(known, ERROR), failing=1 - _level(known, ERROR / bars))


def _level(known: Sequence[float], error: float) -> float:
    held_back = error * _HELD_BACK / known[0]
    return repeated_looks.level(known, error - held_back, held_back)


def around_index(own: GatedIndex, at: Levels) -> Interval:
    """From the lower end that may pass to the upper end that may fail; never narrower than the interval on boards.

    Nor does it end below where one scenario alone could carry the index: where that one is a matter of chance and all
    others are steady, its few runs may be lost alike and show no variance.
    """
    low, high = own.shown or (own.point, own.point)
    raised = own.point + own.alone.above(at.failing) if own.alone else high
    return Interval(min(low, own.interval(at.passing).low), max(high, raised, own.interval(at.failing).high))


def around_difference(own: GatedIndex, baseline: GatedIndex, at: Levels) -> Interval:
    """The interval of an index minus that of a baseline, in points.

    From the score intervals of both (Newcombe 1998, "Interval estimation for the difference between independent
    proportions", method 10): each end takes of either side the error that it has in that direction.
    """
    theirs = around_index(baseline, Levels(passing=at.failing, failing=at.passing))  # its other ends
    return apart(own.point, around_index(own, at), baseline.point, theirs)


def decided(found: Interval, bar: float) -> Decision:
    """Pass where the whole interval is above the bar, fail where it is below."""
    if found.low > bar:
        return "pass"
    return "fail" if found.high < bar else "undecided"


def together(decisions: Sequence[Decision]) -> Decision:
    """Pass where all bars are passed, fail where any failed."""
    if "fail" in decisions:
        return "fail"
    return "pass" if all(one == "pass" for one in decisions) else "undecided"
