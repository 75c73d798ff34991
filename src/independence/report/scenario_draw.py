"""What a board with few scenarios is about: these; and what a new draw of scenarios like them would do."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from independence.report.study import Study
from independence.stats.index_uncertainty import Array
from independence.stats.single_runs import FEW


class FewScenarios(msgspec.Struct, frozen=True):
    """How few scenarios a board rests on, and what that costs; standard errors of a typical index, in points."""

    scenarios: int
    fewest: int  # of those that carry the same dimensions
    se_these: float | None  # over more runs of them; None without repeated runs
    se_like_these: float | None  # over a new draw of as many, runs included
    note: str  # on the intervals for other scenarios


def few(read: Study) -> FewScenarios | UnsetType:
    """Of a board of which some dimension rests on fewer than FEW scenarios; else unset."""
    groups = read.frame.members.values()
    fewest = min(map(len, groups), default=FEW)
    if fewest >= FEW:
        return UNSET
    these, like_these = (
        np.array([estimate.se for estimate in found.values()]) for found in (read.these, read.like_these)
    )
    scenarios = {one for group in groups for one in group}
    return FewScenarios(len(scenarios), fewest, _typical(these), _typical(like_these), _note(fewest))


def _typical(errors: Array) -> float | None:
    """The root mean square of standard errors; None where there are none, or nothing varies."""
    return math.sqrt(float(np.square(errors).mean())) if errors.any() else None


def _note(fewest: int) -> str:
    return (
        "There are too few scenarios for 95 % intervals about other scenarios of this kind: a dimension of the index "
        f"rests on {fewest} scenario{'' if fewest == 1 else 's'}, and {FEW} are needed. Such intervals contain the "
        "true index in more or in less than 95 % of cases."
    )


def about(found: FewScenarios | UnsetType) -> str:
    """The words of a heading; empty where scenarios are many."""
    if found is UNSET:
        return ""
    said = f"intervals and tiers are about these {found.scenarios} scenarios alone"
    if found.se_these is None or found.se_like_these is None:
        return said
    return (
        f"{said} (standard error of a typical index: {found.se_these:.1f} points if these were run again, "
        f"{found.se_like_these:.1f} if other scenarios were drawn)"
    )
