"""Do intervals and words about advice hold for other disputes? Simulated subjects over the very rows of suite `sides`.

The suite asks about 20 disputes in three merits, each cell in half of its tellings. Disputes are drawn, cells within
them and their tellings too; wordings shift answers and are part of the design; noise depends on merit, and all is
clipped to the scale, so the truth is the expectation after clipping over all disputes. Then a world in which few
disputes bend much and all others not at all. Rows on words say how often
`in_words` claims what is not so, and how often it claims what is, as disputes differ more in sycophancy; then what
missing verdicts make of the words. Shares have the 95% interval of their Monte Carlo error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Result, spread
from independence.extensions.published.rent import stance
from independence.report.advice import advice_study
from independence.stats.estimates import Estimate
from independence.stats.intervals import wilson
from independence.stats.sides import (
    MARGIN,
    SIGNIFICANT,
    PlannedStance,
    SycophancyEstimates,
    estimate,
    in_words,
)
from independence.stats.stance import AskingParties
from independence.suites.load import load

SETS, TILTED = 2_000, 1_000
READ = ("S", "B", "merit_slope", "harmful", "asymmetry")
BETWEEN = (0.0, 0.08, 0.15, 0.25)  # standard deviations of S between disputes
FALSE = 6.0  # percent of subjects of whom words may claim what is not so
PLANTED = 0.18  # what is to be found
RARE = ((0.05, 1.0), (0.08, 0.7), (0.11, 1.0), (0.2, 0.5))  # share of the disputes that bend, and how far
BEYOND = 0.155  # share of disputes that bend fully: more than the margin
SPEED_BOUND_MS = 50.0
Array = NDArray[np.float64]
_SIDES = {"a": 1.0, "b": -1.0, "n": 0.0}


class World(NamedTuple):
    """What is planted, in units of the scale before clipping; deviations of everything that is drawn."""

    tilt: float = -0.2
    sycophancy: float = 0.15
    slope: float = 0.4
    noise: tuple[float, float, float] = (0.3, 0.7, 0.5)  # of samples, by merit
    dispute_tilt: float = 0.25
    dispute_sycophancy: float = 0.08
    wording: float = 0.1
    voice: float = 0.1  # what each voice adds to sycophancy
    cell_tilt: float = 0.2
    cell_sycophancy: float = 0.1
    telling: float = 0.1
    missing: float = 0.0  # share of verdicts
    rare: float = 0.0  # share of the disputes that bend more than the others
    bend: float = 0.0  # by how much more


PURE = World(tilt=-0.4, sycophancy=0.0, dispute_sycophancy=0.0, voice=0.0, cell_sycophancy=0.0)
NARROW = World(  # far from the ends of the scale
    tilt=0.0, sycophancy=MARGIN, slope=0.2, noise=(0.1, 0.15, 0.1), dispute_tilt=0.05, wording=0.05, voice=0.0,
    cell_tilt=0.05, cell_sycophancy=0.05, telling=0.05,
)  # fmt: skip


FEW = NARROW._replace(sycophancy=0.0, cell_sycophancy=0.02)  # nobody bends but in rare disputes


class SuiteRows(NamedTuple):
    """The rows of the suite, without values, and what each is of, as numbers."""

    stances: tuple[PlannedStance, ...]
    codes: Mapping[str, NDArray[np.intp]]  # dispute, cell, telling, voice, position: (rows,)
    side: Array
    merit: Array


@cache
def suite_rows() -> SuiteRows:
    """As analyses plan them."""
    suite = load("sides").suite
    own = advice_study.grid(suite)
    names = dict(zip(own.sides, "abn", strict=True))
    made = [
        PlannedStance(
            scenario.cell, scenario.factors["dispute"], own.merit[scenario.factors["merit"]],
            advice_study.phrasing(own, scenario.factors), 1, names[scenario.side], None, None,  # type: ignore[arg-type]
        )
        for scenario in suite.scenarios
    ]  # fmt: skip
    labels = {
        "dispute": [row.group for row in made],
        "cell": [row.cell for row in made],
        "telling": [f"{row.cell} {row.phrasing}" for row in made],
        "voice": [scenario.factors["voice"] for scenario in suite.scenarios],
        "position": [scenario.factors["position"] for scenario in suite.scenarios],
    }
    codes = {name: np.unique(given, return_inverse=True)[1].astype(np.intp) for name, given in labels.items()}
    side, merit = np.array([_SIDES[row.side] for row in made]), np.array([row.merit or 0.0 for row in made])
    return SuiteRows(tuple(made), codes, side, merit)


class PlantedRows(NamedTuple):
    """Stances (sets, rows), nan where missing, and each set's truth."""

    stances: Array
    truth: dict[str, Array]


def simulated(rng: np.random.Generator, world: World, sets: int) -> PlantedRows:
    """Subjects of a world, each with disputes and wordings of its own."""
    rows = suite_rows()

    def drawn(deviation: float, of: str) -> Array:
        codes = rows.codes[of]
        return rng.normal(0.0, 1.0, (sets, int(codes.max()) + 1))[:, codes] * deviation

    noise = np.array(world.noise)[(rows.merit + 1).astype(int)]
    planned = world.tilt + world.slope * rows.merit + drawn(world.wording, "voice") + drawn(world.wording, "position")
    planned = planned + rows.side * (world.sycophancy + drawn(world.voice, "voice"))
    of_dispute = drawn(world.dispute_tilt, "dispute") + rows.side * drawn(world.dispute_sycophancy, "dispute")
    by_cell = drawn(world.cell_tilt, "cell") + rows.side * drawn(world.cell_sycophancy, "cell")
    sampled = drawn(world.telling, "telling") + noise * rng.normal(0.0, 1.0, planned.shape)
    tilts = world.dispute_tilt**2 + world.cell_tilt**2 + world.telling**2
    bends = rows.side**2 * (world.dispute_sycophancy**2 + world.cell_sycophancy**2)
    deviation = np.broadcast_to(np.sqrt(tilts + bends + noise**2), planned.shape)
    rare = rng.random((sets, int(rows.codes["dispute"].max()) + 1)) < world.rare
    bent = rows.side * world.bend
    of_dispute = of_dispute + rare[:, rows.codes["dispute"]] * bent
    stances = np.clip(planned + of_dispute + by_cell + sampled, -1.0, 1.0)
    stances[rng.random(stances.shape) < world.missing] = np.nan
    expected = [clipped_mean(centre, deviation) for centre in (planned, planned + bent)]
    return PlantedRows(stances, _truth((1 - world.rare) * expected[0] + world.rare * expected[1]))


def clipped_mean(centre: Array, deviation: Array) -> Array:
    """Expectation of a normal variable clipped to [-1, 1]."""
    from scipy.special import ndtr

    low, high = (-1 - centre) / deviation, (1 - centre) / deviation
    density = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / math.sqrt(2 * math.pi)
    return np.asarray(1 - ndtr(high) - ndtr(low) + centre * (ndtr(high) - ndtr(low)) + deviation * density)


def _truth(expected: Array) -> dict[str, Array]:
    """Estimands (sets,) of expected stances (sets, rows); every cell has as many rows of each side."""
    rows = suite_rows()

    def mean(side: float, *merits: float) -> Array:
        return np.asarray(expected[:, (rows.side == side) & np.isin(rows.merit, merits or (-1, 0, 1))].mean(axis=1))

    a, b, n = (mean(side) for side in (1.0, -1.0, 0.0))
    high, low = ((mean(1.0, merit) + mean(-1.0, merit)) / 2 for merit in (1.0, -1.0))
    return {
        "S": (a - b) / 2,
        "B": (a + b) / 2,
        "merit_slope": (high - low) / 2,
        "harmful": (mean(1.0, -1.0) - mean(0.0, -1.0) + mean(0.0, 1.0) - mean(-1.0, 1.0)) / 2,
        "asymmetry": a + b - 2 * n,
    }


def planned(stances: Array) -> list[list[PlannedStance]]:
    """Each set's stances (sets, rows) as `estimate` takes them."""
    rows = suite_rows().stances
    return [
        [row._replace(value=None if math.isnan(value) else value) for row, value in zip(rows, own, strict=True)]
        for own in stances.tolist()
    ]


def read(stances: Array) -> list[SycophancyEstimates]:
    """What `estimate` makes of each set."""
    return [estimate(own) for own in planned(stances)]


def measure(sets: int = SETS, tilted: int = TILTED) -> list[Result]:
    """Coverage of every reading, what a pure tilt is read as, words, words where verdicts are missing, and the time."""
    rng = np.random.default_rng(20_261_122)
    results: list[Result] = [*coverages(rng, sets), *pure_tilt(rng, tilted)]
    for deviation in BETWEEN:
        results += words(rng, deviation, sets)
    return [*results, *missing_words(rng, sets), _speed(rng)]


def coverages(rng: np.random.Generator, sets: int) -> list[Result]:
    """Of every reading, then of S as disputes differ more."""
    planted = simulated(rng, World(), sets)
    found = read(planted.stances)
    results: list[Result] = []
    for what in READ:
        held, detail = covered([getattr(one, what) for one in found], planted.truth[what])
        results.append(Figure(f"{what} covers other disputes", held, "%", 93, "higher", detail))
    for deviation in BETWEEN:
        planted = simulated(rng, World(dispute_sycophancy=deviation), sets)
        held, detail = covered([one.S for one in read(planted.stances)], planted.truth["S"])
        results.append(Figure(f"S covers, disputes differ by {deviation:g}", held, "%", 93, "higher", detail))
    for rare, bend in RARE:
        planted = simulated(rng, FEW._replace(rare=rare, bend=bend), sets)
        held, detail = covered([one.S for one in read(planted.stances)], planted.truth["S"])
        results.append(Figure(f"S covers, {rare:.0%} of disputes bend by {bend:g}", held, "%", 91, "higher", detail))
    beyond = [in_words(one) for one in read(simulated(rng, FEW._replace(rare=BEYOND, bend=1.0), sets).stances)]
    results.append(_said(f'{BEYOND:.1%} of disputes bend by 1: "within"', beyond, "within", FALSE))
    return results


def covered(found: Sequence[Estimate | None], truth: Array) -> tuple[float, str]:
    """Percentage of intervals that hold their truth, no interval being a miss; error, bias and mean width in words."""
    ends = [one.interval if one is not None else None for one in found]
    held = [own is not None and own[0] <= aim <= own[1] for own, aim in zip(ends, truth, strict=True)]
    bias = np.mean([(one.value or 0.0) - aim for one, aim in zip(found, truth, strict=True) if one is not None])
    width = np.mean([own[1] - own[0] for own in ends if own is not None])
    value, error = share(held)
    return value, f"{error}, bias {bias:+.3f}, mean width {width:.2f}"


def share(held: Sequence[bool]) -> tuple[float, str]:
    """Percentage, and in words the 95% interval of Monte Carlo error (Wilson)."""
    low, high = wilson(sum(held), len(held))
    return 100 * float(np.mean(held)), f"{100 * low:.1f} to {100 * high:.1f}%"


def pure_tilt(rng: np.random.Generator, sets: int) -> list[Figure]:
    """Blind to the asker, always on party B's side. Uninvolved askers are told to expect balance, and get 0."""
    stances = simulated(rng, PURE, sets).stances
    stances[:, suite_rows().side == 0] = (
        0.0  # as in the published run, whose neutral request asks for balance: 71 of 71
    )
    given = planned(stances)
    found = [estimate(own) for own in given]
    uplifts = [_uplift(own) for own in given]
    mean = float(np.mean([one.S.value or 0.0 for one in found if one.S is not None]))
    called, error = share([(one.permutation_p or 0.0) < SIGNIFICANT for one in found])
    return [
        Figure("pure tilt: S, off 0", abs(mean), "", 0.01, "lower", f"mean {mean:+.4f} of {sets} subjects"),
        Figure("pure tilt: called sycophantic", called, "%", 7, "lower", f"{error}, permutation test at 5%"),
        Figure("pure tilt: published uplift", float(np.mean(uplifts)), "", 0.1, "higher", spread(uplifts)),
    ]


def words(rng: np.random.Generator, deviation: float, sets: int) -> list[Figure]:
    """What is said of subjects whose disputes differ so much: false claims first, then true ones."""
    none, edge, some = (
        [in_words(one) for one in read(simulated(rng, world, sets).stances)]
        for world in (
            World(sycophancy=0.0, dispute_sycophancy=deviation, voice=0.0),
            NARROW._replace(dispute_sycophancy=deviation),
            NARROW._replace(sycophancy=PLANTED, dispute_sycophancy=deviation),
        )
    )
    of = f"disputes differ by {deviation:g}"
    return [
        _said(f'S = 0, {of}: "leans"', none, "leans", FALSE),
        _said(f'S = {MARGIN:g}, {of}: "within"', edge, "within", FALSE),
        _said(f'S = {PLANTED:g}, {of}: "leans"', some, "leans"),
        _said(f'S = 0, {of}: "within"', none, "within"),
    ]


def missing_words(rng: np.random.Generator, sets: int) -> list[Figure]:
    """What is said of a subject that leans when verdicts that show it are missing, or verdicts at random.

    Selective: answers that favour whoever asks by 0.5 or more, four times in five, or always.
    """
    stances = simulated(rng, NARROW._replace(sycophancy=PLANTED, slope=0.4, noise=(0.2, 0.3, 0.2)), sets).stances
    showing = stances * suite_rows().side >= 0.5
    chance = rng.random(stances.shape)
    whole = [in_words(one) for one in read(stances)]
    results = [_said('no verdict missing: says "leans"', whole, "leans towards")]
    patterns = {"4 in 5 that show it missing": showing & (chance < 0.8), "all that show it missing": showing}
    patterns |= {f"{part:g}% missing at random": chance < part / 100 for part in (0.5, 2, 10)}
    for name, gone in patterns.items():
        said = [in_words(one) for one in read(np.where(gone, np.nan, stances))]
        turned = [after for before, after in zip(whole, said, strict=True) if before.startswith("leans")]
        coverage = f"coverage {100 * float(1 - gone.mean()):.0f}%"
        results.append(_said(f'{name}: "leans" turns into "none"', turned, "none", 0, coverage))
        results.append(_said(f'{name}: "leans against"', said, "leans against", 0, coverage))
        results.append(_said(f'{name}: "leans" stays', turned, "leans towards", None, coverage))
    return results


def _said(name: str, phrases: Sequence[str], part: str, bound: float | None = None, more: str = "") -> Figure:
    value, error = share([part in phrase for phrase in phrases])
    detail = ", ".join(filter(None, (f"{error} of {len(phrases)} subjects", more)))
    return Figure(name, value, "%", bound, "lower", detail)


def _uplift(given: Sequence[PlannedStance]) -> float:
    """The published column, mean of both parties."""
    rated = [stance.RatedAnswer("subject", row.side, row.value, row.cell, row.cell) for row in given]
    (columns,) = stance.summary(rated, AskingParties("a", "b"))
    return ((columns.first.uplift or 0.0) + (columns.second.uplift or 0.0)) / 2


def _speed(rng: np.random.Generator) -> Figure:
    (given,) = planned(simulated(rng, World(missing=0.02), 1).stances)
    taken = []
    for _ in range(21):
        began = time.perf_counter()
        estimate(given)
        taken.append(1000 * (time.perf_counter() - began))
    return Figure("one reading", median(taken), "ms", SPEED_BOUND_MS, "lower", f"{len(given)} stances, {spread(taken)}")
