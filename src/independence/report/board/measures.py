"""One number a subject, and what each scenario adds to it: what two suites are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from independence.report.board.board_data import SubjectInfo
from independence.report.files.table import Kind
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.stats.intervals import t_quantile
from independence.types import Ends


class SubjectMeasure(NamedTuple):
    """One subject."""

    name: str  # as boards print it
    coverage: float  # share of its planned verdicts that are there, 0-1
    value: float | None  # None: what is missing leaves none
    se: float | None = None  # for more runs of the same, or other disputes of the kind; None: not known
    ci: Ends | None = None
    simulated: bool = False
    parts: Mapping[str, float] = {}  # scenario, or cell of a grid -> its part, in the unit of the value


def of_estimate(
    about: SubjectInfo, coverage: float, found: Estimate | None, df: int, parts: Mapping[str, float]
) -> SubjectMeasure:
    """A subject by an estimate whose interval is Student's with these degrees of freedom."""
    own = found or NO_ESTIMATE
    se = (own.interval[1] - own.interval[0]) / 2 / t_quantile(df, 0.95) if own.interval and df else None
    return SubjectMeasure(about.name, coverage, own.value, se, own.interval, about.simulated, parts)


class SuiteMeasures(NamedTuple):
    """All subjects of a place."""

    quantity: str  # only the same quantity of two suites can be compared
    part: str  # what `parts` are of: Scenario or Cell
    subjects: Mapping[str, SubjectMeasure]  # by config_dir
    interval: Kind = "interval"  # how the interval of a value is printed
    digits: int = 2


Deed = Literal["keep", "change", "evade"]


class StemRates(NamedTuple):
    """How often a choice was given up. None: what was judged does not say."""

    for_reason: float | None  # after a real reason
    without: float | None  # after none or a fake one; what evades did not keep


class BatteryResults(NamedTuple):
    """What subjects did in a battery."""

    deeds: Mapping[tuple[str, str, int], Deed]  # by config_dir, scenario of an arm, run; only what was read
    stems: Mapping[str, Mapping[str, StemRates]]  # by config_dir and cell, over its runs
