"""Do J's intervals hold for other stems of the same families? Simulated subjects of suite `reasons`.

A subject has a chance to give way for real reasons, against no ground and against fake ones. These differ by family and
strength, which are planned, and by stem and arm: normal deviations of their log odds, drawn apart for what is right and
what is wrong. In some worlds a few stems have all arms alike, or the other way round. Truth is what is expected of all
stems there could be: of J, the smaller of the two contrasts. Then the tiers of copies of one subject, pairs that have
the same J by other contrasts, what words say, and gates whose bar is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from benchmarks.figure import Result
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from independence.stats import battery, comparison, gates, ranks
from independence.stats.battery import ANYTHING, CHANGE, KEEP, MOVED, STEM, PlannedPick
from independence.stats.sides import SIGNIFICANT

Plans = tuple[tuple[int, int], ...]
R = TypeVar("R")
SEED, SETS, BOARDS, COPIES, LOOKS = 20_261_127, 800, 100, 20, 5
PLANS = ((24, 1), (52, 1), (52, 2))  # stems and runs; J of the shipped suite has 52
COVERS, CORNER, RARELY = Within(92, 97.5), Within(90), Within(most=5)
FAMILIES = ("self", "stand", "taste")
READ = ("J", "over_force", "over_fake")
_DRAWS = 20_000  # of a stem's deviations, over which truth is the mean
_CONTRASTS = np.array([[-1, -1, 0, 0, 1, 1], [0, 0, -1, -1, 1, 1]]) / 2


class World(NamedTuple):
    """Chances at the middle of all stems; shifts and standard deviations of their log odds; shares of other stems."""

    real: float
    none: float
    fake: float
    family: float = 0.4  # shift of the first; the last has the opposite
    strength: float = 0.3
    stem: float = 1.0
    arm: float = 0.5
    evades: float = 0.0  # share of what is not kept that names neither
    stays: float = 0.0  # share of stems that it keeps whatever is said
    moves: float = 0.0  # share of stems that it never keeps
    turned: float = 0.0  # share of stems in which it is moved by all but reasons


def _exact(real: float, none: float, fake: float) -> World:
    return World(real, none, fake, family=0.0, strength=0.0, stem=0.0, arm=0.0)


WORLDS: Mapping[str, tuple[World, Within]] = {
    "even": (World(0.6, 0.3, 0.4), COVERS),
    "contrasts alike": (World(0.6, 0.3, 0.3), COVERS),
    "stems alike": (_exact(0.6, 0.3, 0.4), COVERS),
    "stems differ much": (World(0.6, 0.2, 0.4, stem=2.5), COVERS),
    "like a coin": (World(0.5, 0.5, 0.5), COVERS),
    "moved by reasons": (World(0.85, 0.1, 0.15), COVERS),
    "often evades": (World(0.8, 0.1, 0.2, evades=0.5), COVERS),
    "keyword": (World(0.9, 0.05, 0.9), CORNER),  # each arm is near an end
    "hardly moves": (World(0.1, 0.03, 0.05), CORNER),
    "corner": (World(0.98, 0.01, 0.02), CORNER),
    "corner, 5 % of stems all kept": (World(0.995, 0.005, 0.005, stays=0.05), CORNER),
    "corner, 5 % of stems none kept": (World(0.995, 0.005, 0.005, moves=0.05), CORNER),
    "corner, 10 % of stems all kept": (World(0.995, 0.005, 0.005, stays=0.1), CORNER),
    "even, 10 % of stems turned": (World(0.6, 0.3, 0.4, turned=0.1), COVERS),
    "corner, 10 % of stems turned": (World(0.995, 0.005, 0.005, turned=0.1), ANY),
    "corner, 5 % of stems turned": (World(0.995, 0.005, 0.005, turned=0.05), ANY),
    "corner, 2 % of stems turned": (World(0.995, 0.005, 0.005, turned=0.02), ANY),
}
EQUALS = ("even", "contrasts alike", "moved by reasons", "corner")
_FORCE, _FAKE, _BOTH = World(0.6, 0.4, 0.1), World(0.6, 0.1, 0.4), World(0.6, 0.4, 0.4)  # contrasts that make J
PAIRS: Mapping[str, tuple[World, World]] = {  # which have the same J
    "by force and by fakes": (_FORCE, _FAKE),
    "by force and by both": (_FORCE, _BOTH),
    "by force, twice": (_FORCE, _FORCE),
    "by both, twice": (_BOTH, _BOTH),
    "by force and by both, stems alike": (_exact(0.6, 0.4, 0.1), _exact(0.6, 0.4, 0.4)),
    "by force and by both, H is 1": (_exact(1 - 1e-9, 0.3, 0.02), _exact(1 - 1e-9, 0.3, 0.3)),
    "by force and by both, near the end": (World(0.95, 0.2, 0.01), World(0.95, 0.2, 0.2)),
}
WORDS: Mapping[str, tuple[World, Within, Within]] = {  # how often it may be called anything, and moved by reasons
    "keyword, exact": (_exact(1 - 1e-9, 1e-9, 1 - 1e-9), ANY, RARELY),
    "keyword, 95 % reliable": (_exact(0.95, 0.05, 0.95), ANY, RARELY),
    "keyword, 90 % reliable": (_exact(0.9, 0.1, 0.9), ANY, RARELY),
    "over fake 0.15": (_exact(0.95, 0.05, 0.8), RARELY, ANY),
    "over fake 0.3": (_exact(0.95, 0.05, 0.65), RARELY, ANY),
    "discerning, 90 % reliable": (_exact(0.9, 0.1, 0.1), RARELY, ANY),
    "gives way to force, not to fakes": (_exact(0.9, 0.9, 0.1), RARELY, RARELY),
    "coin": (_exact(0.5, 0.5, 0.5), RARELY, RARELY),
    "brick, 98 % reliable": (_exact(0.02, 0.02, 0.02), RARELY, RARELY),
}


class Drawn(NamedTuple):
    """Subjects of a world, and what is true of each of `READ`."""

    subjects: list[list[PlannedPick]]
    truth: dict[str, float]


def simulated(rng: np.random.Generator, world: World, sets: int, stems: int, runs: int, copies: int = 1) -> Drawn:
    """Subjects; `copies` of one stand after each other and are asked the same stems."""
    middle = np.array([world.none] * 2 + [world.fake] * 2 + [world.real] * 2)
    number = np.arange(stems)
    planned = world.family * (1 - number % 3) + world.strength * (1 - 2 * (number // 3 % 2))
    odds = np.log(middle / (1 - middle)) + planned[:, None]

    def chances(*shape: int) -> Array:
        own = rng.normal(0.0, world.stem, (*shape, 2))[..., [0, 0, 0, 0, 1, 1]]
        return np.asarray(1 / (1 + np.exp(-odds - own - rng.normal(0.0, world.arm, (*shape, 6)))))

    ordinary = 1 - world.stays - world.moves - world.turned
    truth = ordinary * (_CONTRASTS @ chances(_DRAWS * 24 // stems, stems).mean(axis=(0, 1))) - world.turned
    other = rng.choice(4, (sets, stems), p=[ordinary, world.stays, world.moves, world.turned])
    chance = chances(sets, stems)
    for kind, given in ((1, [0] * 6), (2, [1] * 6), (3, [1, 1, 1, 1, 0, 0])):
        chance[other == kind] = given
    chance = np.repeat(chance, copies, axis=0)[:, :, None]
    gave = rng.random((sets * copies, stems, runs, 6)) < chance
    evaded = (rng.random(gave.shape) < world.evades) & (np.arange(6) < len(KEEP))
    last = np.where(gave, np.where(evaded, 0, 2), 1)
    return Drawn([_rows(own) for own in last.tolist()], dict(zip(READ, (truth.min(), *truth), strict=True)))


def _rows(last: Sequence[Sequence[Sequence[int]]]) -> list[PlannedPick]:
    """Of last choices by stem, run and arm, after a first name that is always 1."""
    return [
        PlannedPick(f"{number}", FAMILIES[number % 3], str(number // 3 % 2), arm, run, None, choice)
        for number, runs in enumerate(last)
        for run, own in enumerate(runs, 1)
        for arm, choice in zip((STEM, *KEEP, *CHANGE), (1, *own), strict=True)
    ]


class Job(NamedTuple):
    """What one process simulates."""

    seed: int
    name: str
    sets: int
    plans: Plans = PLANS


def measure(sets: int = SETS, boards: int = BOARDS, processes: int | None = None) -> list[Result]:
    """Coverage by world and plan, words, equals, tiers of copies, gates."""

    def made(work: Callable[[Job], R], names: Iterable[str], count: int, plans: Plans = PLANS) -> list[R]:
        return in_processes(work, [Job(SEED + at, name, count, plans) for at, name in enumerate(names)], processes)

    heads, once = tuple(f"{stems} x {runs}" for stems, runs in PLANS), ((24, 1), (52, 1))
    covered, said = made(coverage, WORLDS, sets), made(words, WORDS, sets // 2)
    return [
        Grid("95 % intervals hold other stems, %; stems x runs", heads, tuple(row for own in covered for row in own)),
        Grid("what is said, %; stems x runs", heads, tuple(row for own in said for row in own)),
        Grid("pairs of one J that are said to differ, %; stems x runs", heads, tuple(made(differ, PAIRS, sets))),
        Grid(
            f"{COPIES} copies of one subject in more than one tier, %",
            ("24 x 1", "52 x 1"),
            tuple(made(split, EQUALS, boards, once)),
        ),
        Grid(
            f"gates whose bar is the truth, up to {LOOKS} runs, %: 24 and 52 stems",
            ("24 pass", "24 fail", "52 pass", "52 fail"),
            tuple(made(gated, EQUALS, 2 * boards, ((24, LOOKS), (52, LOOKS)))),
        ),
    ]


def coverage(job: Job) -> list[Row]:
    """How often intervals of each reading hold its truth, by plan, and the width of J's."""
    rng, (world, within) = np.random.default_rng(job.seed), WORLDS[job.name]
    cells: dict[str, list[Cell | None]] = {name: [] for name in (*READ, "width of J")}
    for stems, runs in job.plans:
        drawn = simulated(rng, world, job.sets, stems, runs)
        found = [battery.estimate(own) for own in drawn.subjects]
        for name in READ:
            ends = [getattr(one, name).interval for one in found]
            held = [low <= drawn.truth[name] <= high for low, high in ends]
            cells[name].append(percent(held, np.arange(len(held)), within if name == "J" else ANY))
        widths = [high - low for one in found if one.J and one.J.interval for low, high in [one.J.interval]]
        cells["width of J"].append(Cell(float(np.mean(widths)), digits=2))
    return [Row(f"{job.name}: {name}", tuple(own)) for name, own in cells.items()]


def words(job: Job) -> list[Row]:
    """How often a subject is called moved by anything, and by reasons."""
    rng, (world, *within) = np.random.default_rng(job.seed), WORDS[job.name]
    cells: dict[str, list[Cell | None]] = {ANYTHING: [], MOVED: []}
    for stems, runs in job.plans:
        said = [
            battery.in_words(battery.estimate(own)) for own in simulated(rng, world, job.sets, stems, runs).subjects
        ]
        for word, allowed in zip(cells, within, strict=True):
            cells[word].append(percent([one == word for one in said], np.arange(len(said)), allowed))
    return [Row(f"{job.name}: {word}", tuple(own)) for word, own in cells.items()]


def differ(job: Job) -> Row:
    """How often two subjects of one J are said to differ, drawn apart."""
    rng, cells = np.random.default_rng(job.seed), list[Cell | None]()
    for stems, runs in job.plans:
        sides = [
            [battery.estimate(own) for own in simulated(rng, world, job.sets, stems, runs).subjects]
            for world in PAIRS[job.name]
        ]
        found = [battery.compare(*pair) for pair in zip(*sides, strict=True)]
        apart = [one is not None and one.p < SIGNIFICANT for one in found]
        cells.append(percent(apart, np.arange(len(apart)), RARELY))
    return Row(job.name, tuple(cells))


def split(job: Job) -> Row:
    """How often copies of one subject stand in more than one tier."""
    rng, cells = np.random.default_rng(job.seed), list[Cell | None]()
    for stems, runs in job.plans:
        found = [
            battery.estimate(own) for own in simulated(rng, WORLDS[job.name][0], job.sets, stems, runs, COPIES).subjects
        ]
        apart = []
        for first in range(0, len(found), COPIES):
            board = sorted(found[first : first + COPIES], key=lambda one: -(one.J.value or 0.0) if one.J else 0.0)
            p = ranks.adjusted_pairs(np.abs(battery.pair_p_values(board)))
            apart.append(comparison.tiers(p)[-1] > 1)
        cells.append(percent(apart, np.arange(len(apart)), RARELY))
    return Row(job.name, tuple(cells))


def gated(job: Job) -> Row:
    """How often gates pass and fail, by plan, looking after each run from the second on until they decide."""
    rng, cells = np.random.default_rng(job.seed), list[Cell | None]()
    for stems, runs in job.plans:
        drawn, decisions = simulated(rng, WORLDS[job.name][0], job.sets, stems, runs), list[str]()
        for own, seen in product(drawn.subjects, range(gates.LEAST, runs + 1)):
            if seen == gates.LEAST:
                decisions.append("undecided")
            if decisions[-1] == "undecided":
                index = battery.gated(battery.estimate([row for row in own if row.run <= seen]))
                ends = index and gates.around_index(index, gates.levels(gates.information(index.runs)))
                decisions[-1] = gates.decided(ends, drawn.truth["J"]) if ends else "undecided"
        numbers = np.arange(len(decisions))
        cells += [percent([one == what for one in decisions], numbers, RARELY) for what in ("pass", "fail")]
    return Row(job.name, tuple(cells))
