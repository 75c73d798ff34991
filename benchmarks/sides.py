"""Do the intervals of paired stances cover what they say? Simulated subjects with a planted truth, read by `estimate`.

Domains and wordings shift answers and are part of the design; cells within them, paraphrases of a cell and samples are
drawn. Noise depends on merit, and everything is clipped to the scale, so the truth is the expectation after clipping.
A twin measurement reads subjects that only tilt, by S and by the published uplift.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from itertools import product
from statistics import median
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Result, spread
from independence.stats import stance
from independence.stats.sides import MARGIN, SIGNIFICANT, EffectEstimate, PlannedStance, SycophancyEstimates, estimate

SETS, TILTED = 2_000, 1_000
WORDINGS, RUNS = 2, 3
MERITS = (-1.0, 0.0, 1.0)
ASKERS: tuple[tuple[Literal["a", "b", "n"], int], ...] = (("a", 1), ("b", -1), ("n", 0))
READ = ("S", "B", "merit_slope", "harmful", "asymmetry")
BOUND = ("S", "B", "merit_slope")
SPEED_BOUND_MS = 50.0
Array = NDArray[np.float64]


class World(NamedTuple):
    """What is planted, in units of the scale before clipping; deviations of everything that is drawn."""

    domains: int
    cells: int  # of each domain and level of merit
    tilt: float = -0.2
    sycophancy: float = 0.15
    slope: float = 0.4
    noise: tuple[float, float, float] = (0.3, 0.7, 0.5)  # of samples, by merit
    domain_tilt: float = 0.25
    domain_sycophancy: float = 0.08
    wording: float = 0.1
    cell_tilt: float = 0.2
    cell_sycophancy: float = 0.1
    cell_wording: float = 0.1
    missing: float = 0.02  # share of verdicts

    @property
    def size(self) -> int:
        """Cells of a subject."""
        return self.domains * len(MERITS) * self.cells


# The second is carried to the end of the scale by its own tilt.
WORLDS = {
    "36 cells": World(6, 2),
    "60 cells": World(10, 2),
    "36 cells, at the end of the scale": World(12, 1, tilt=-0.6, sycophancy=0.3, slope=0.5, noise=(0.2, 0.5, 0.9)),
}


class Planted(NamedTuple):
    """Stances (sets, askers, domains, merits, cells, wordings, runs), nan where missing, and each set's truth."""

    stances: Array
    truth: dict[str, Array]


def measure(sets: int = SETS, tilted: int = TILTED) -> list[Result]:
    """Coverage of every reading in every world, then what a pure tilt is read as, then the time of one reading."""
    rng = np.random.default_rng(20_261_204)
    results = [figure for name, world in WORLDS.items() for figure in _coverages(name, simulated(rng, world, sets))]
    return [*results, *_pure_tilt(rng, tilted), _at_the_margin(rng, sets), _speed(rng)]


def simulated(rng: np.random.Generator, world: World, sets: int) -> Planted:
    """Subjects of a world, each with domains and wordings of its own, and what is true of them after clipping."""
    shape = (sets, len(ASKERS), world.domains, len(MERITS), world.cells, WORDINGS, RUNS)

    def drawn(deviation: float, axes: str) -> Array:
        sizes = [size if axis in axes else 1 for axis, size in zip("sadmcwr", shape, strict=True)]
        return rng.normal(0.0, deviation, sizes) if deviation else np.zeros(sizes)

    asker = np.array([sign for _, sign in ASKERS], dtype=np.float64).reshape(-1, 1, 1, 1, 1, 1)
    merit, noise = (np.array(own).reshape(-1, 1, 1, 1) for own in (MERITS, world.noise))
    planned = world.tilt + world.slope * merit + drawn(world.domain_tilt, "sd") + drawn(world.wording, "sw")
    planned = planned + asker * (world.sycophancy + drawn(world.domain_sycophancy, "sd"))
    by_cell = drawn(world.cell_tilt, "sdmc") + asker * drawn(world.cell_sycophancy, "sdmc")
    stances = planned + by_cell + drawn(world.cell_wording, "sdmcw") + noise * drawn(1.0, "sadmcwr")
    deviation = np.sqrt(world.cell_tilt**2 + (asker * world.cell_sycophancy) ** 2 + world.cell_wording**2 + noise**2)
    expected = clipped_mean(planned, deviation).mean(axis=(4, 5, 6))  # (sets, askers, domains, merits)
    clipped = np.clip(stances, -1.0, 1.0)
    clipped[rng.random(shape) < world.missing] = np.nan
    return Planted(clipped, _truth(expected))


def clipped_mean(centre: Array, deviation: Array) -> Array:
    """Expectation of a normal variable clipped to [-1, 1]."""
    from scipy.special import ndtr

    low, high = (-1 - centre) / deviation, (1 - centre) / deviation
    density = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / math.sqrt(2 * math.pi)
    return np.asarray(1 - ndtr(high) - ndtr(low) + centre * (ndtr(high) - ndtr(low)) + deviation * density)


def _truth(expected: Array) -> dict[str, Array]:
    """Estimands (sets,) of expected stances (sets, askers, domains, merits)."""
    a, b, n = expected.mean(axis=2).transpose(1, 0, 2)
    tilt = (a + b) / 2
    merits = np.array(MERITS)
    return {
        "S": ((a - b) / 2).mean(axis=1),
        "B": tilt.mean(axis=1),
        "merit_slope": tilt @ merits / (merits @ merits),
        "harmful": ((a - n)[:, 0] + (n - b)[:, 2]) / 2,
        "asymmetry": (2 * (tilt - n)).mean(axis=1),
    }


def rows(stances: Array) -> list[PlannedStance]:
    """One set's stances as `estimate` takes them."""
    return list(_rows(stances))


def _rows(stances: Array) -> Iterator[PlannedStance]:
    askers, domains, merits, cells, wordings, runs = (range(size) for size in stances.shape)
    places = product(askers, domains, merits, cells, wordings, runs)
    for (asker, domain, merit, cell, wording, run), value in zip(places, stances.ravel().tolist(), strict=True):
        yield PlannedStance(
            f"{domain}/{merit}/{cell}", str(domain), MERITS[merit], str(wording), run, ASKERS[asker][0],
            None if math.isnan(value) else value, None,
        )  # fmt: skip


def _coverages(name: str, planted: Planted) -> list[Result]:
    found = [estimate(rows(own)) for own in planted.stances]
    results: list[Result] = []
    for what in READ:
        held, detail = covered([getattr(sides, what) for sides in found], planted.truth[what])
        if what not in BOUND:
            results.append(Figure(f"{what} covers, {name}", held, "%", detail=detail))
            continue
        results.append(Figure(f"{what} covers, {name}", held, "%", 93, "higher", detail))
        results.append(Figure(f"{what} covers, {name}", held, "%", 97, "lower", detail))
    for what, like in (("S_mixed", "S"), ("merit_slope_mixed", "merit_slope")):
        held, detail = covered([getattr(sides, what) for sides in found], planted.truth[like])
        results.append(Figure(f"mixed model's {like} covers, {name}", held, "%", detail=detail))
    return results


def covered(found: Sequence[EffectEstimate | None], truth: Array) -> tuple[float, str]:
    """Percentage of intervals that hold their truth, no interval being a miss; bias and mean width in words."""
    there = [(one, one.ci) for one in found if one is not None]
    held = [
        one is not None and one.ci is not None and one.ci.low <= aim <= one.ci.high
        for one, aim in zip(found, truth, strict=True)
    ]
    bias = np.mean([one.est - aim for one, aim in zip(found, truth, strict=True) if one is not None])
    width = np.mean([ci.high - ci.low for _, ci in there if ci is not None])
    return 100 * float(np.mean(held)), f"bias {bias:+.3f}, mean width {width:.2f}"


def _pure_tilt(rng: np.random.Generator, sets: int) -> list[Result]:
    """Blind to the asker, always on party B's side. Uninvolved askers are told to expect balance, and get 0."""
    world = World(6, 2, tilt=-0.4, sycophancy=0, domain_sycophancy=0, cell_sycophancy=0, missing=0)
    stances = simulated(rng, world, sets).stances
    stances[:, 2] = 0.0  # as in the published run, whose neutral request asks for balance: 71 of 71
    given = [rows(own) for own in stances]
    found = [estimate(own) for own in given]
    uplifts = [_uplift(own) for own in given]
    called = 100 * float(np.mean([(sides.permutation_p or 0.0) < SIGNIFICANT for sides in found]))
    mean = float(np.mean(_estimates(found)))
    return [
        Figure("pure tilt: S, off 0", abs(mean), "", 0.01, "lower", f"mean {mean:+.4f} of {sets} subjects"),
        Figure("pure tilt: subjects called sycophantic", called, "%", 7, "lower", "permutation test at 5 %"),
        Figure("pure tilt: published uplift", float(np.mean(uplifts)), "", 0.1, "higher", spread(uplifts)),
    ]


def _at_the_margin(rng: np.random.Generator, sets: int) -> Figure:
    """How often "none" is claimed where S is exactly the margin, far from the ends of the scale."""
    narrow = World(6, 2, 0, MARGIN, 0.2, (0.1, 0.15, 0.1), 0.05, 0, 0.05, 0.05, 0.05, 0.05)
    found = [estimate(rows(own)) for own in simulated(rng, narrow, sets).stances]
    claimed = 100 * float(np.mean([sides.equivalence is not None and sides.equivalence.equivalent for sides in found]))
    return Figure("S at the margin: called within it", claimed, "%", 7, "lower", "two one-sided tests at 5 %")


def _estimates(found: Sequence[SycophancyEstimates]) -> list[float]:
    return [sides.S.est for sides in found if sides.S is not None]


def _uplift(given: Sequence[PlannedStance]) -> float:
    """The published column, mean of both parties."""
    rated = [stance.RatedAnswer("subject", row.side, row.value, row.cell, row.cell) for row in given]
    (columns,) = stance.summary(rated, stance.AskingParties("a", "b"))
    return ((columns.first.uplift or 0.0) + (columns.second.uplift or 0.0)) / 2


def _speed(rng: np.random.Generator) -> Figure:
    given = rows(simulated(rng, WORLDS["36 cells"], 1).stances[0])
    taken = []
    for _ in range(21):
        began = time.perf_counter()
        estimate(given)
        taken.append(1000 * (time.perf_counter() - began))
    return Figure("one reading", median(taken), "ms", SPEED_BOUND_MS, "lower", f"{len(given)} stances, {spread(taken)}")
