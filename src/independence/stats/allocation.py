"""Where to spend calls: more runs of the scenarios that shake the index most per call.

For a sum of independent means, variance / runs each, the cheapest error at a given cost has runs in proportion to
deviation / sqrt(cost) (Neyman 1934); here in whole runs, one at a time, each where it takes off most per call.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

LEAST = 2  # below two runs a scenario shows no spread
PRIOR_DF = 4


class RunNoise(NamedTuple):
    """Variance of one run in squared index points, and the degrees of freedom behind it, by scenario."""

    variance: dict[str, float]
    df: dict[str, int]

    def moderated(self, prior: Mapping[str, float]) -> dict[str, float]:
        """These variances, moved towards `prior` as if that had been seen with PRIOR_DF degrees of freedom.

        Only the proportions of `prior` count: it is brought to the same sum.
        """
        scale = sum(self.variance.values()) / sum(prior[name] for name in self.variance)
        return {
            name: (self.df[name] * seen + PRIOR_DF * scale * prior[name]) / (self.df[name] + PRIOR_DF)
            for name, seen in self.variance.items()
        }


def pooled(parts: Iterable[RunNoise]) -> RunNoise | None:
    """Variances of several subjects weighted by their degrees of freedom; None where there are none."""
    own = list(parts)
    if not own:
        return None
    df = {name: sum(part.df[name] for part in own) for name in own[0].df}
    sums = {name: sum(part.variance[name] * part.df[name] for part in own) for name in df}
    return RunNoise({name: sums[name] / df[name] for name in df}, df)


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


def variances(noise: Mapping[str, float], calls: Mapping[str, int], stages: int) -> list[float]:
    """Variance of a difference of two subjects after 2, 3, ... `stages` runs' worth of calls each, spread so; about.

    `noise`: variance of one run of each scenario, `calls`: what it takes. Later stages are as after the optimum for
    runs that need not be whole (Neyman 1934).
    """
    whole = sum(calls.values())
    best = sum(math.sqrt(noise[name] * own) for name, own in calls.items()) ** 2 / whole
    return [sum(noise.values()), *(2 * best / stage for stage in range(LEAST + 1, stages + 1))]


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
