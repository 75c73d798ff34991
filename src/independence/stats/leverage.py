"""What one verdict is worth: the index is linear in the fields of its verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from independence.stats.strict import ScoringFrame


class Leverage(NamedTuple):
    """index = `constant` + the sum over scenarios of the mean over runs of `points`."""

    constant: float
    weights: Mapping[str, Mapping[str, float]]  # scenario -> field -> points of the index for one unit

    def points(self, scenario: str, values: Mapping[str, float]) -> float:
        """Points of the index that a verdict brings, had its scenario one run. Raises KeyError without its fields."""
        return sum(weight * values[field] for field, weight in self.weights.get(scenario, {}).items())

    def error(self, scenario: str, errors: Mapping[str, float]) -> float:
        """Points that errors of a verdict's fields may move the index by, whatever their signs."""
        return sum(abs(weight) * errors[field] for field, weight in self.weights.get(scenario, {}).items())


def leverage(frame: ScoringFrame) -> Leverage:
    """Of a suite's index."""
    constant, weights = 0.0, dict[str, dict[str, float]]()
    for component in frame.index.components:
        scale = 100 * component.weight / (component.best - component.worst)
        constant -= scale * component.worst
        for name in component.dimensions:
            members = frame.members[name]
            for scenario in members:
                own = weights.setdefault(scenario, {})
                for field in frame.index.dimensions[name].fields:
                    own[field] = own.get(field, 0.0) + scale / len(members)
    return Leverage(constant, weights)
