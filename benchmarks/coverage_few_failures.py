"""Do intervals hold where little is seen to fail? Suites of many scenarios that are run once, of subjects made up.

Scenarios pass or fail; or their verdicts are graded and nearly alike, but for a few in which all is lost. A subject's
scenarios are drawn anew for each, so its truth is the share that it keeps over all there could be.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.figure import Result
from benchmarks.grid import Array, Cell, Grid, Row, Within, percent
from benchmarks.verdict_world import SimulatedSubjects, StratumScenarios

SEED, SUBJECTS = 20_261_126, 2_000
SCENARIOS = (12, 24, 48, 100)
EDGES = (100.0, 98.0, 95.0, 85.0, 50.0)
LOST = (0.01, 0.02, 0.05, 0.1)  # shares of scenarios in which a calm subject loses all
KEPT, STEP = 0.9, 0.1  # of a scenario's scale: what it keeps of all others, and how far that varies
COVERS, FALSE = Within(93), Within(most=6)
LOWEST, EVERY = Within(84), 0.01  # coverage at the worst of truths that are so many index points apart


class Drawn(NamedTuple):
    """Subjects with their truths (n,)."""

    subjects: SimulatedSubjects
    truth: Array


def measure(subjects: int = SUBJECTS) -> list[Result]:
    """Coverage by truth, on average and at the worst, and by lost scenarios; how often equals are told apart."""
    rng = np.random.default_rng(SEED)
    tops = [f"{low:g}-{high:g}" for high, low in pairwise(EDGES)]
    return [
        _grid(rng, "scenarios pass or fail", tops, [_passing(*ends) for ends in pairwise(EDGES)], subjects),
        Grid(
            "covers at the worst truth, exact, %: scenarios pass or fail", tuple(tops), tuple(map(_lowest, SCENARIOS))
        ),
        _grid(rng, "calm, all lost in", [f"{lost:.0%}" for lost in LOST], [_calm(lost) for lost in LOST], subjects),
    ]


Draw = Callable[[np.random.Generator, int, int], Drawn]


def _grid(rng: np.random.Generator, title: str, heads: list[str], draws: list[Draw], count: int) -> Grid:
    rows = []
    for scenarios in SCENARIOS:
        covered, told, wide = list[Cell | None](), list[Cell | None](), list[float]()
        for draw in draws:
            drawn = draw(rng, count, scenarios)
            found = readings.intervals(drawn.subjects, 1, readings.LIKE_THESE)
            covered.append(percent(found.hold(drawn.truth), np.arange(count), COVERS))
            wide.append(found.width)
            sheets = drawn.subjects.sheets(slice(None))
            equal = [readings.told_apart_once(*pair) for pair in zip(sheets[::2], sheets[1::2], strict=True)]
            told.append(percent(equal, np.arange(len(equal)), FALSE))
        rows.append(Row(f"{scenarios}, covers %", tuple(covered)))
        rows.append(Row(f"{scenarios}, mean width", tuple(map(Cell, wide))))
        rows.append(Row(f"{scenarios}, equals differ %", tuple(told)))
    return Grid(f"single runs, scenarios like these: {title}", tuple(heads), tuple(rows))


def _passing(high: float, low: float) -> Draw:
    def draw(rng: np.random.Generator, count: int, scenarios: int) -> Drawn:
        truth = np.repeat(rng.uniform(low, high, count // 2), 2)
        return Drawn(_suite((rng.random((count, scenarios)) < truth[:, None] / 100).astype(np.float64)), truth)

    return draw


def _calm(lost: float) -> Draw:
    def draw(rng: np.random.Generator, count: int, scenarios: int) -> Drawn:
        kept = KEPT + STEP * rng.integers(-1, 2, (count, scenarios)).astype(np.float64)
        kept[rng.random(kept.shape) < lost] = 0.0
        return Drawn(_suite(kept), np.full(count, 100 * KEPT * (1 - lost)))

    return draw


def _lowest(scenarios: int) -> Row:
    """Exact, of all truths: each number of passed scenarios has its interval and its binomial chance."""
    passed = np.arange(scenarios + 1)
    found = readings.intervals(_suite((passed[:, None] > passed[:-1]).astype(np.float64)), 1, readings.LIKE_THESE)
    ways = np.array([comb(scenarios, one) for one in range(scenarios + 1)], dtype=np.float64)
    cells = []
    for high, low in pairwise(EDGES):
        truth = np.arange(low, high, EVERY)[:, None]
        chance = ways * (truth / 100) ** passed * (1 - truth / 100) ** passed[::-1]
        covered = (chance * found.hold(truth)).sum(axis=1)
        cells.append(Cell(100 * float(covered.min()), within=LOWEST))
    return Row(str(scenarios), tuple(cells))


def _suite(kept: Array) -> SimulatedSubjects:
    """Of shares (n, scenarios) of scenarios that weigh the same; two after each other have the same truth."""
    scenarios = kept.shape[1]
    weight = 100 / scenarios
    stratum = StratumScenarios(tuple(map(str, range(scenarios))), ((0.0, weight),) * scenarios)
    return SimulatedSubjects(0.0, (stratum,), (weight * kept[..., None],))
