"""Do the ladder's intervals hold for other stems, and how many verdicts tell two models apart?

The stems, kinds and forks are those of the suite that ships. A simulated subject has a chance to hold after each number
of pushes, of which a world has one set or several, each for a share of the stems. Its log odds differ by family and
kind, which are planned, and by stem and chain, which are drawn. Truth is what is expected over stems so drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Result
from benchmarks.grid import Array, Cell, Grid, Row, Within, in_processes, percent
from independence.stats import clusters, ladder
from independence.stats.clusters import WeightedValues
from independence.stats.comparison import Difference
from independence.stats.ladder import PlannedFork
from independence.stats.sides import SIGNIFICANT
from independence.suites import load
from independence.suites.battery import STEM, TALK

SEED, SETS, PAIRS = 20_261_130, 600, 1_000
RUNS = (1, 2)
RUNGS = (0, 1, 3, 6)
COVERS, CORNER, RARELY = Within(92), Within(85), Within(most=5)
NEAR = 0.05  # to an end of the scale, where one verdict of a stem shows little
READ = (*(f"hold({rung})" for rung in RUNGS), "talk", "depth")
_NEVER = 1e-9
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


class World(NamedTuple):
    """Shares of stems and their chances to hold after 0, 1, 3 and 6 pushes; shifts and deviations of log odds."""

    holds: tuple[tuple[float, tuple[float, float, float, float]], ...]
    talk: tuple[float, float] = (0.0, 0.0)  # shift after other talk, before the first push and after the last
    family: float = 0.3  # shift of the first; the last has the opposite
    kind: float = 0.4  # shift of the first; the last has the opposite
    stem: float = 1.0
    chain: float = 0.5
    first: float = math.inf  # number of pushes by which hold falls; inf: it never does


def _one(*holds: float, stem: float = 1.0, first: float = math.inf) -> World:
    zero, one, three, six = holds
    return World(((1.0, (zero, one, three, six)),), stem=stem, first=first)


def _few(share: float) -> World:
    """A share of the stems moves at the first push, and no other moves."""
    return World(((1 - share, (1 - _NEVER,) * 4), (share, (1 - _NEVER, _NEVER, _NEVER, _NEVER))))


_BACK = (1 - _NEVER, _NEVER, _NEVER, 1 - _NEVER)
WORLDS: Mapping[str, World] = {
    "never moves": _one(0.995, 0.99, 0.99, 0.99),
    "moves slowly": _one(0.97, 0.9, 0.75, 0.5),
    "moves slowly, faster after talk": _one(0.97, 0.9, 0.75, 0.5)._replace(talk=(-0.5, -1.0)),
    "half of the stems at push 3": World(((0.5, (0.98, 0.98, 0.96, 0.95)), (0.5, (0.98, 0.96, 0.04, 0.02)))),
    "everything moves": _one(0.97, 0.06, 0.03, 0.02),
    "stems differ much": _one(0.9, 0.6, 0.4, 0.3, stem=2.5),
    "1 stem in 10 comes back": World(((0.9, (0.97, 0.95, 0.9, 0.85)), (0.1, _BACK))),
    "1 stem in 10 moves, no other": _few(0.1),
    "1 stem in 20 moves, no other": _few(0.05),
    "1 stem in 30 moves, no other": _few(0.033),
    "1 stem in 50 moves, no other": _few(0.02),
}
FALLS: Mapping[str, World] = {  # nothing falls, or not before a push
    "holds all": _one(*[1 - _NEVER] * 4),
    "holds 99 %": _one(*[0.99] * 4),
    "holds 80 %": _one(*[0.8] * 4),
    "holds 50 %": _one(*[0.5] * 4),
    "holds 50 %, stems differ much": _one(*[0.5] * 4, stem=2.5),
    "rises": _one(0.6, 0.65, 0.7, 0.8),
    "falls at push 3": _one(0.9, 0.9, 0.6, 0.6, first=3),
    "falls at push 6": _one(0.8, 0.8, 0.8, 0.5, first=6),
}
STEMS, MORE = 60, (1, 2, 3, 4, 6, 8, 12)  # stems, and verdicts of each
BASES: Mapping[str, float] = {f"{share} % are off": share / 100 for share in (50, 20, 5)}
BETWEEN: Mapping[str, tuple[float, float]] = {  # deviations of log odds that both models share, and that each has
    "stems alike": (0.0, 0.0),
    "stems differ (1.5)": (1.5, 0.0),
    "and for each model (0.5)": (1.5, 0.5),
}
POWER = 0.8


class Planned(NamedTuple):
    """The forks of the suite, in order, and what each is of, as numbers."""

    forks: tuple[PlannedFork, ...]
    stem: NDArray[np.intp]
    chain: NDArray[np.intp]
    rung: NDArray[np.intp]  # places in `RUNGS`
    shift: NDArray[np.float64]  # (2, forks): -1 to 1, of family and of kind


@cache
def planned() -> Planned:
    """As the analysis has them, without choices."""
    forks = tuple(
        PlannedFork(
            one.cell, one.experiment, one.factors.get("kind", ""), one.side.startswith(f"{TALK}."),
            int(one.factors.get("pushes", 0)), 1, 1, None,
        )
        for one in load.load("ladder").suite.scenarios
        if one.side not in ("", STEM)
    )  # fmt: skip

    def codes(of: Callable[[PlannedFork], object]) -> NDArray[np.intp]:
        known = {value: number for number, value in enumerate(dict.fromkeys(map(of, forks)))}
        return np.array([known[of(one)] for one in forks], dtype=np.intp)

    kinds, families = sorted({one.kind for one in forks} - {""}), sorted({one.family for one in forks})
    shift = [
        [1 - families.index(one.family) for one in forks],
        [1 - 2 * kinds.index(one.kind) / (len(kinds) - 1) if one.kind else 0 for one in forks],
    ]
    return Planned(
        forks, codes(lambda one: one.stem), codes(lambda one: (one.stem, one.kind, one.talk)),
        np.array([RUNGS.index(one.pushes) for one in forks]), np.array(shift, dtype=np.float64),
    )  # fmt: skip


class Drawn(NamedTuple):
    """Subjects of a world, and what is true of each of `READ`."""

    subjects: list[list[PlannedFork]]
    truth: dict[str, float]


def simulated(rng: np.random.Generator, world: World, sets: int, runs: int) -> Drawn:
    """Subjects that all choose the first name; a chain's deviation is the same in all runs."""
    plan = planned()
    talk = np.array([one.talk for one in plan.forks])
    moved = np.where(talk, np.array(world.talk)[(plan.rung > 0).astype(int)], 0.0)
    shift = world.family * plan.shift[0] + world.kind * plan.shift[1] + moved
    middle = np.array([holds for _, holds in world.holds])[:, plan.rung]  # (kinds of stems, forks)
    odds, shares = np.log(middle / (1 - middle)) + shift, np.array([share for share, _ in world.holds])
    nodes = np.hypot(world.stem, world.chain) * _NODES[:, None, None]
    expected = shares @ np.tensordot(_WEIGHTS / _WEIGHTS.sum(), _logistic(odds + nodes), 1)
    of = rng.choice(len(shares), (sets, plan.stem.max() + 1), p=shares)[:, plan.stem]
    own = rng.normal(0.0, world.stem, (sets, plan.stem.max() + 1))[:, plan.stem]
    own += rng.normal(0.0, world.chain, (sets, plan.chain.max() + 1))[:, plan.chain]
    chance = _logistic(odds[of, np.arange(len(plan.forks))] + own)
    last = 2 - (rng.random((sets, runs, len(plan.forks))) < chance[:, None]).astype(int)
    subjects = [
        [
            one._replace(run=run, last=choice)
            for run, choices in enumerate(of_set, 1)
            for one, choice in zip(plan.forks, choices, strict=True)
        ]
        for of_set in last.tolist()
    ]
    return Drawn(subjects, dict(zip(READ, _truth(expected), strict=True)))


def _truth(expected: Array) -> list[float]:
    """Of each of `READ`, of the chance of each fork (forks,)."""
    plan = planned()
    talk = np.array([one.talk for one in plan.forks])
    pressed = {(one.stem, one.kind) for one in plan.forks if one.talk}
    same = np.array([(one.stem, one.kind) in pressed for one in plan.forks])
    last = len(RUNGS) - 1
    ends = [
        float(expected[same & (plan.rung == at) & (talk == after)].mean())
        for after in (True, False)
        for at in (0, last)
    ]
    holds = [float(expected[~talk & (plan.rung == at)].mean()) for at in range(len(RUNGS))]
    return [*holds, ends[0] - ends[2], ends[0] - ends[1] - (ends[2] - ends[3])]


def _logistic(odds: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-odds)))


class Job(NamedTuple):
    """What one process simulates."""

    seed: int
    name: str
    sets: int
    runs: tuple[int, ...] = RUNS


def measure(sets: int = SETS, pairs: int = PAIRS, processes: int | None = None) -> list[Result]:
    """Coverage by world, falls that are not there, and how many verdicts tell two models apart."""

    def jobs(names: Sequence[str], count: int) -> list[Job]:
        return [Job(SEED + number, name, count) for number, name in enumerate(names)]

    heads = tuple(f"{runs} run{'s' * (runs > 1)}" for runs in RUNS)
    covered = in_processes(coverage, jobs(tuple(WORLDS), sets), processes)
    return [
        Grid("ladder: 95 % intervals hold other stems, %", heads, tuple(row for own in covered for row in own)),
        Grid(
            "ladder: `moves by push k` said of a k at which nothing has fallen yet, %; and said of the right one",
            (*heads, *(f"{head}: right" for head in heads)),
            tuple(in_processes(falls, jobs(tuple(FALLS), sets), processes)),
        ),
        Grid(
            "verdicts a model that tell two apart by one logit of hold(k), 80 % power, paired over 60 stems",
            ("known error", *BETWEEN),
            tuple(in_processes(verdicts, jobs(tuple(BASES), pairs), processes)),
        ),
    ]


def coverage(job: Job) -> list[Row]:
    """How often intervals of each reading hold its truth, by runs."""
    rng, world = np.random.default_rng(job.seed), WORLDS[job.name]
    cells: dict[str, list[Cell | None]] = {name: [] for name in READ}
    for runs in job.runs:
        drawn = simulated(rng, world, job.sets, runs)
        found = [ladder.estimate(own) for own in drawn.subjects]
        shown = [(*one.hold.values(), one.talk, one.depth) for one in found]
        for name, own in zip(READ, zip(*shown, strict=True), strict=True):
            ends = [one.interval if one else None for one in own]
            truth = drawn.truth[name]
            held = [end is not None and end[0] <= truth <= end[1] for end in ends]
            near = name.startswith("hold") and min(truth, 1 - truth) < NEAR
            cells[name].append(percent(held, np.arange(len(held)), CORNER if near else COVERS))
    return [Row(f"{job.name}: {name}", tuple(own)) for name, own in cells.items()]


def falls(job: Job) -> Row:
    """How often a fall is said before there is one, by runs, and that of the right push."""
    rng, world = np.random.default_rng(job.seed), FALLS[job.name]
    wrong, right = list[Cell | None](), list[Cell | None]()
    for runs in job.runs:
        found = [ladder.estimate(own).moves_by for own in simulated(rng, world, job.sets, runs).subjects]
        numbers = np.arange(len(found))
        wrong.append(percent([one is not None and one < world.first for one in found], numbers, RARELY))
        right.append(percent([one == world.first for one in found], numbers) if world.first < math.inf else None)
    return Row(job.name, (*wrong, *right))


def verdicts(job: Job) -> Row:
    """Of two models, one of which is off as often as `BASES` says, and the other's log odds are one more.

    The known error is that of two shares of independent verdicts.
    """
    base, rng = BASES[job.name], np.random.default_rng(job.seed)
    paired = (_needed(rng, _middle(base, math.hypot(*between)), between, job.sets) for between in BETWEEN.values())
    return Row(job.name, (Cell(known_error(base), digits=0), *paired))


def known_error(base: float) -> float:
    """Verdicts a model, where the error of shares is known, for one at `base` (0 to 1) and one 1 above in log odds."""
    other = float(_logistic(np.array(math.log(base / (1 - base)) + 1)))
    reach = NormalDist().inv_cdf(1 - SIGNIFICANT / 2) + NormalDist().inv_cdf(POWER)
    return math.ceil(reach**2 * (base * (1 - base) + other * (1 - other)) / (other - base) ** 2)


def _middle(share: float, deviation: float) -> float:
    """The log odds around which they lie so that this share is off."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = float(_WEIGHTS @ _logistic(middle + deviation * _NODES) / _WEIGHTS.sum())
        low, high = (middle, high) if mean < share else (low, middle)
    return low


def _power(rng: np.random.Generator, middle: float, between: tuple[float, float], more: int, pairs: int) -> float:
    """Share of pairs of models that a paired test over stems, as of the ladder's falls, tells apart."""
    shared, own = between
    deviations = rng.normal(0.0, shared, (pairs, 1, STEMS)) + rng.normal(0.0, own, (pairs, 2, STEMS))
    chance = _logistic(middle + np.array([0.0, 1.0])[:, None] + deviations)
    off = rng.binomial(more, chance) / more
    basis, weights = np.eye(3)[np.arange(STEMS) % 3], np.full(STEMS, 1 / STEMS)
    names = [str(number) for number in range(STEMS)]
    told = 0
    for values in off[:, 1] - off[:, 0]:
        one = clusters.weighted_sum(WeightedValues(values, weights, -1.0, 1.0, unseen=0.25), basis, names)
        told += Difference(one.est, one.se, one.df).p < SIGNIFICANT
    return told / pairs


def _needed(rng: np.random.Generator, middle: float, between: tuple[float, float], pairs: int) -> Cell | None:
    """Verdicts a model, and their Monte Carlo error; None where the most of `MORE` is too few.

    The power of a normal test is a line in the root of the number: it is drawn through the two next to what is sought.
    """
    normal, reached, roots = NormalDist(), list[float](), list[float]()
    wanted = normal.inv_cdf(POWER)
    for more in MORE:
        power = _power(rng, middle, between, more, pairs)
        reached.append(normal.inv_cdf(min(max(power, 0.5 / pairs), 1 - 0.5 / pairs)))
        roots.append(math.sqrt(STEMS * more))
        if len(reached) > 1 and reached[-1] >= wanted:
            break
    else:
        return None
    slope = (reached[-1] - reached[-2]) / (roots[-1] - roots[-2])
    root = roots[-1] + (wanted - reached[-1]) / slope
    error = math.sqrt(POWER * (1 - POWER) / pairs) / normal.pdf(wanted) / slope * 2 * root
    return Cell(root**2, error, digits=0)
