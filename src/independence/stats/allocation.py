"""Where to spend calls: more runs of the scenarios that shake the index most per call.

For a sum of independent means, variance / runs each, the cheapest error at a given cost has runs in proportion to
deviation / sqrt(cost) (Neyman 1934); here in whole runs, one at a time, each where it takes off most per call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

LEAST = 2  # below two runs a scenario shows no spread


class RepeatedScenario(NamedTuple):
    """A scenario to be repeated."""

    variance: float  # of one run, squared index points
    calls: int  # answers and verdicts of one run
    follows: str | None = None  # scenario whose run it continues: never fewer of that


def least_calls(units: Mapping[str, RepeatedScenario], have: Mapping[str, int], floor: int = LEAST) -> int:
    """Calls of the smallest plan: every scenario `floor` times, or as often as it is planned already."""
    return sum(unit.calls * max(floor, have.get(name, 0)) for name, unit in units.items())


def allocate(
    units: Mapping[str, RepeatedScenario], calls: int, have: Mapping[str, int] | None = None, floor: int = LEAST
) -> dict[str, int]:
    """Runs of each scenario for at most `calls` calls, at least `floor` and what is planned already (`have`).

    The same numbers again leave a plan as it is. Raises ValueError where the smallest plan costs more than `calls`.
    """
    runs = {name: max(floor, (have or {}).get(name, 0)) for name in units}
    left = calls - sum(unit.calls * runs[name] for name, unit in units.items())
    if left < 0:
        raise ValueError(f"{calls} calls are fewer than the {calls - left} of the smallest plan")
    while True:
        steps = {name: _step(name, units, runs) for name in units}
        affordable = [name for name, (_, cost) in steps.items() if cost <= left]
        if not affordable:
            return runs
        best = max(affordable, key=lambda name: steps[name][0] / steps[name][1])
        left -= steps[best][1]
        for name in _chain(best, units, runs):
            runs[name] += 1


def _step(name: str, units: Mapping[str, RepeatedScenario], runs: Mapping[str, int]) -> tuple[float, int]:
    """Variance that one more run takes off, and its calls, those of what it continues included."""
    chain = _chain(name, units, runs)
    gain = sum(units[one].variance / (runs[one] * (runs[one] + 1)) for one in chain)
    return gain, max(1, sum(units[one].calls for one in chain))


def _chain(name: str, units: Mapping[str, RepeatedScenario], runs: Mapping[str, int]) -> list[str]:
    """The scenario and those before it that have no run for it to continue."""
    chain, at = [name], units[name].follows
    while at is not None and at in units and runs[at] <= runs[chain[-1]]:
        chain.append(at)
        at = units[at].follows
    return chain
