"""What a board with few scenarios is about: these texts; and what a new draw of texts like them would do."""

from __future__ import annotations

from collections import Counter

import msgspec
from msgspec import UNSET, UnsetType

from independence.report.study import Study
from independence.stats import components
from independence.stats.single_runs import FEW


class FewScenarios(msgspec.Struct, frozen=True):
    """How few scenarios a board rests on, and what that costs; standard errors of a typical index, in points."""

    scenarios: int
    fewest: int  # of any experiment
    se_these: float | None  # over more runs of them; None without repeated runs
    se_like_these: float | None  # over a new draw of as many, runs included


def few(read: Study) -> FewScenarios | UnsetType:
    """Of a board whose index rests on fewer than FEW scenarios in some experiment; else unset."""
    carrying = {scenario for members in read.frame.members.values() for scenario in members}
    counts = Counter(one.experiment for one in read.scope.suite.scenarios if one.id in carrying)
    if not counts or min(counts.values()) >= FEW:
        return UNSET
    these, like_these = (
        components.typical([estimate.se for estimate in found.values()]) for found in (read.these, read.like_these)
    )
    return FewScenarios(len(carrying), min(counts.values()), these, like_these)


def about(found: FewScenarios | UnsetType) -> str:
    """The words of a heading; empty where scenarios are many."""
    if found is UNSET:
        return ""
    said = f"intervals and tiers are about these {found.scenarios} texts alone"
    if found.se_these is None or found.se_like_these is None:
        return said
    return (
        f"{said} (a new draw of texts would move an index by {found.se_like_these:.1f} points, more runs of these by "
        f"{found.se_these:.1f}, one SE each)"
    )
