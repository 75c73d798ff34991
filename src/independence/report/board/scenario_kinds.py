"""What the points of an index are made of: how many are lost in scenarios of each kind, and what separates the top."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from independence.report.board.board_data import BoardData
from independence.report.files.table import signed
from independence.stats import lost_points
from independence.suites.schema import ScenarioKind

OTHERS = "other scenarios"
_NAMED, _LEAST = 3, 0.05  # scenarios that a sentence names, and the share that each then has at least


class TopVariance(msgspec.Struct, frozen=True):
    """Of the subjects with an index in the first tier."""

    subjects: int
    scenarios: dict[str, float]  # -> share of the variance of their index, largest first; together 1


def of(read: BoardData) -> Mapping[str, ScenarioKind]:
    """The kinds of a suite that have a scenario in its index, by name; empty for most suites."""
    scored = {scenario for members in read.frame.members.values() for scenario in members}
    return {name: kind for name, kind in (read.scope.suite.kinds or {}).items() if scored & kind.scenarios.keys()}


def lost(read: BoardData) -> dict[str, dict[str, float | None]]:
    """Config_dir -> kind -> points of the index lost in its scenarios, None without an index; empty without kinds."""
    kinds = of(read)
    if not kinds:
        return {}
    found = lost_points.lost_points(list(read.points.values()))
    whole = {name: found.of(kind.scenarios).tolist() for name, kind in kinds.items()}
    out: dict[str, dict[str, float | None]] = {config: dict.fromkeys(kinds) for config in read.planned}
    for place, config in enumerate(read.points):
        out[config] = {name: points[place] for name, points in whole.items()}
    return out


def top(read: BoardData, first_tier: Collection[str]) -> TopVariance | msgspec.UnsetType:
    """Where the first tier differs, by config_dir; unset without kinds, below three subjects, or if they are alike."""
    sheets = [read.points[config] for config in first_tier if config in read.points]
    shares = lost_points.lost_points(sheets).shares if of(read) else None
    if shares is None:
        return msgspec.UNSET
    return TopVariance(len(sheets), dict(sorted(shares.items(), key=lambda own: -own[1])))


def kind_of(kinds: Mapping[str, ScenarioKind], scenario: str) -> str | None:
    """The kind of a scenario; None for one of none."""
    return next((name for name, kind in kinds.items() if scenario in kind.scenarios), None)


def legend(name: str, kind: ScenarioKind) -> str:
    """The column of a kind in one line."""
    return f"{name.capitalize()}: points of the index lost where {kind.about.strip()} ({', '.join(kind.scenarios)})."


def separates(found: TopVariance, kinds: Mapping[str, ScenarioKind]) -> str:
    """Where the indices of the first tier vary, most first, and the scenarios of the kind that leads.

    Nothing is tested: who stands in one tier is not told apart, so some of it is chance.
    """
    own = {name: (kind_of(kinds, name) or OTHERS, share) for name, share in found.scenarios.items()}
    together = {kind: sum(share for of_kind, share in own.values() if of_kind == kind) for kind, _ in own.values()}
    first, *others = sorted(together, key=lambda kind: -together[kind])
    named = [f"{name} {_percent(share)}" for name, (kind, share) in own.items() if kind == first and share >= _LEAST]
    parts = [
        f"{first}, {_percent(together[first])} of the variance of their index ({', '.join(named[:_NAMED])})",
        *(f"{kind} {_percent(together[kind])}" for kind in others),
    ]
    return f"Where the first {found.subjects} (tier 1) vary, also by chance: {'; '.join(parts)}."


def difference(points: Mapping[str, float], kinds: Mapping[str, ScenarioKind]) -> str:
    """Of what a difference is made, by kind and by the scenarios that make most of it; `points` by scenario."""
    named = {scenario: kind_of(kinds, scenario) or OTHERS for scenario in points}
    by_kind = {
        kind: sum(value for scenario, value in points.items() if named[scenario] == kind) for kind in (*kinds, OTHERS)
    }
    most = sorted(points, key=lambda scenario: -abs(points[scenario]))[:_NAMED]
    largest = [f"{name} {signed(points[name], 1)} ({named[name]})" for name in most if float(signed(points[name], 1))]
    made = ", ".join(f"{kind} {signed(value, 1)}" for kind, value in by_kind.items())
    return f"A − B by kind of scenario: {made} points." + (f" Largest: {', '.join(largest)}." if largest else "")


def _percent(share: float) -> str:
    """A share that can be a little below nothing."""
    return f"{100 * max(share, 0.0):.0f}%"
