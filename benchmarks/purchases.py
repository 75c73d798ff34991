"""What decisions buy, stage by stage, of subjects whom the noise that plans follow does not know.

Stage n has the calls of n whole runs of each subject, spread over scenarios by their noise. That is fitted to one half
of some subjects (by name, so hardly any vendor is in both), and decisions are about the other half. Subjects are the
published ones, or made up: their verdicts are graded, or all or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from benchmarks.verdict_world import VerdictWorld, unmixed
from independence.stats import decision, strict
from independence.stats.allocation import LEAST, RepeatedScenario, RunNoise, allocate, pooled
from independence.stats.strict import VerdictValues
from independence.stats.subject_points import Stratum, SubjectPoints, subject_points
from independence.suites import load
from independence.suites.schema import Suite

SEED, MOST = 20_261_127, 24  # runs' worth
MADE_UP, OWN_RUNS, GRADES = 44, 10, 10  # subjects, verdicts of each scenario, steps of a grade
KEPT = (0.02, 0.99)  # of the scale, by made up subjects where a scenario is hard for them
HARD, CONCENTRATION = (0.01, 0.5), 4.0  # in which share of runs a scenario is; how alike subjects are


class HeldBack:
    """A world of subjects, and what is bought of each by the noise of others."""

    def __init__(self, subjects: Sequence[SubjectPoints], others: Sequence[SubjectPoints]) -> None:
        """The noise is that of `others`."""
        self.world, self.noise = VerdictWorld(subjects), _noise(others)
        units = {name: RepeatedScenario(self.noise[name], calls) for name, calls in scenario_calls().items()}
        self.runs: dict[int, dict[str, int]] = {}  # stage -> runs of each scenario
        for stage in range(LEAST, MOST + 1):
            self.runs[stage] = allocate(units, stage * run_calls(), self.runs.get(stage - 1), LEAST)

    @property
    def longest(self) -> int:
        """Runs of the scenario that has most after the last stage."""
        return max(self.runs[MOST].values())

    def gain(self, stage: int) -> float:
        """Variance of as many whole runs over that of a stage, both means over subjects."""
        everybody, runs = unmixed(np.arange(len(self.world.truth))), self.runs[stage]
        whole, spread = (self.world.variance(everybody, own) for own in (dict.fromkeys(runs, stage), runs))
        return float(whole.mean() / spread.mean())


@cache
def level(stage: int, cap: int) -> float:
    """Of the look after a stage, of a decision that ends at `cap` runs' worth."""
    return decision.level(tuple(map(float, range(LEAST, stage + 1))), cap)


def halves(subjects: Sequence[SubjectPoints]) -> list[HeldBack]:
    """Both halves, each with the noise of the other."""
    middle = len(subjects) // 2
    return [HeldBack(subjects[:middle], subjects[middle:]), HeldBack(subjects[middle:], subjects[:middle])]


def _noise(subjects: Sequence[SubjectPoints]) -> Mapping[str, float]:
    found = pooled(
        RunNoise(
            {name: float(points.var(ddof=1)) for name, points in one.totals.items()},
            {name: len(points) - 1 for name, points in one.totals.items()},
        )
        for one in subjects
    )
    assert found is not None
    return found.variance


@cache
def _suite() -> Suite:
    return load.load("v2").suite


@cache
def scenario_calls() -> dict[str, int]:
    """Calls of one run of each scenario, its verdict included."""
    return {one.id: sum(turn.reply is None for turn in one.turns) + 1 for one in _suite().scenarios}


def run_calls() -> int:
    """Calls of one whole run."""
    return sum(scenario_calls().values())


def made_up(*, graded: bool) -> list[SubjectPoints]:
    """Subjects of the same suite whose verdicts are drawn from Dirichlet distributions over grades, or pass or fail."""
    frame, rng = strict.frame(_suite()), np.random.default_rng((SEED, graded))
    values = [VerdictValues(name, 1, dict.fromkeys(fields, 0.0)) for name, fields in frame.scenarios.items()]
    shape, steps = subject_points(frame, values), GRADES if graded else 1
    assert shape is not None
    hard = dict(zip(frame.scenarios, rng.permutation(np.geomspace(*HARD, len(frame.scenarios))), strict=True))
    return [_drawn(rng, shape, hard, kept, steps) for kept in rng.permutation(np.linspace(*KEPT, MADE_UP))]


def _drawn(
    rng: np.random.Generator, shape: SubjectPoints, hard: Mapping[str, float], kept: float, steps: int
) -> SubjectPoints:
    """One that keeps so much of the scale where a scenario is hard for it, in the mean."""
    usual = np.array([math.comb(steps, at) * kept**at * (1 - kept) ** (steps - at) for at in range(steps + 1)])
    shares = {}
    for name, share in hard.items():
        when_hard = rng.choice(steps + 1, OWN_RUNS, p=rng.dirichlet(CONCENTRATION * usual)) / steps
        shares[name] = np.where(rng.random(OWN_RUNS) < share, when_hard, 1.0)
    strata = [
        Stratum(
            one.scenarios,
            tuple(low + shares[name] * (high - low) for name, (low, high) in zip(one.scenarios, one.ends, strict=True)),
            one.ends,
        )
        for one in shape.strata
    ]
    return SubjectPoints(shape.base, tuple(strata))
