"""Do intervals for scenarios like these cover what they say, where everybody on a board answers the same draw of them?

The scenarios of a board are drawn from those that were published, with replacement, in every stratum of several; a
stratum of one stays as it is. So the truth is the index over all published scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.coverage import BOARDS, SEED, STRATA, boards_of, by_stratum, strata_of
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.verdict_world import Numbers, Place, SimulatedSubjects, StratumScenarios, VerdictWorld
from independence.stats.subject_points import SubjectPoints

OVERALL = Within(93)
FEW, TOY_SCENARIOS = 0.8, (24, 10, 48)
FLEETS = (1, 3, 8, 20, 100)
HEADS = ("all", *STRATA, "boards < 80%", "with interval", "mean width")


class SharedBoards(NamedTuple):
    """Boards of one kind: `times` as many scenarios as were published, or a toy suite of one stratum with so many."""

    fleet: int
    runs: int
    boards: int
    times: int = 0
    toy: int = 0

    @property
    def name(self) -> str:
        """As its row is called."""
        scenarios = f"x {self.times}" if self.times else f"{self.toy} in all"
        return f"scenarios {scenarios}, {self.fleet} x {self.runs} runs"


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """Coverage by stratum with shared scenarios, at least `boards` boards a row; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("coverage of scenarios like these", f"{VARIABLE} does not name a folder with published data")]
    jobs = [
        *(SharedBoards(fleet, 5, boards_of(fleet, boards), times=times) for times in (1, 4) for fleet in FLEETS),
        *(SharedBoards(fleet, 1, boards_of(fleet, boards), toy=toy) for toy in TOY_SCENARIOS for fleet in FLEETS),
    ]
    rows = in_processes(partial(scenarios_like_these, VerdictWorld(subjects)), jobs, processes)
    return [Grid("scenarios-like-these covers, %; a board shares its draw of scenarios", HEADS, tuple(rows))]


def scenarios_like_these(world: VerdictWorld, cell: SharedBoards) -> Row:
    """One row of the grid."""
    rng = np.random.default_rng((SEED, 3, *cell))
    who = world.boards(rng, cell.boards, cell.fleet)
    truth = world.truth if cell.times else toy_truth(world)
    strata = strata_of(world, truth[who.ravel()], world.run_sd[who.ravel()])
    draw: Callable[[Numbers], SimulatedSubjects] = (
        partial(redrawn, world, rng, runs=cell.runs, times=cell.times)
        if cell.times
        else partial(toy, world, rng, scenarios=cell.toy)
    )
    found = [readings.intervals(draw(own), cell.fleet, readings.LIKE_THESE) for own in who]
    held = np.array([ends.hold(truth[own]) for ends, own in zip(found, who, strict=True)])
    board, wide = np.arange(cell.boards), np.array([ends.high - ends.low for ends in found])
    shares = by_stratum(held.ravel(), np.repeat(board, cell.fleet), strata, (ANY if cell.times == 1 else OVERALL, ANY))
    few = percent(held.mean(axis=1) < FEW, board) if cell.fleet > 1 else None
    there = ~np.isnan(wide)
    width = Cell(float(wide[there].mean())) if there.any() else None
    return Row(cell.name, (*shares, few, percent(there.ravel(), np.repeat(board, cell.fleet)), width))


def redrawn(world: VerdictWorld, rng: np.random.Generator, who: Numbers, *, runs: int, times: int) -> SimulatedSubjects:
    """A board of `who` (n,) on `times` as many scenarios as were published, each drawn from those of its stratum."""
    strata, points = [], []
    for number, own in enumerate(world.strata):
        several = len(own.scenarios) > 1
        chosen = rng.integers(len(own.scenarios), size=times * len(own.scenarios)) if several else np.array([0])
        share = len(own.scenarios) / len(chosen)
        drawn = [share * world.draw_at(rng, Place(number, one), _repeated(who, runs)) for one in chosen.tolist()]
        points.append(np.stack(drawn, axis=1))
        names = tuple(f"{own.scenarios[one]} {at}" for at, one in enumerate(chosen.tolist()))
        ends = tuple((share * low, share * high) for low, high in (own.ends[one] for one in chosen.tolist()))
        strata.append(StratumScenarios(names, ends))
    return SimulatedSubjects(world.base, tuple(strata), tuple(points))


def _toy_places(world: VerdictWorld) -> list[Place]:
    """Scenarios whose verdicts count in one stratum of several."""
    once = [own.places[0] for own in world.verdicts if len(own.places) == 1]
    return [place for place in once if len(world.strata[place.stratum].scenarios) > 1]


def _share(world: VerdictWorld, place: Place, points: Array) -> Array:
    low, high = world.strata[place.stratum].ends[place.position]
    return np.asarray((points - low) / (high - low))


def toy(world: VerdictWorld, rng: np.random.Generator, who: Numbers, *, scenarios: int) -> SimulatedSubjects:
    """A board of `who` (n,) on one run of scenarios that weigh the same."""
    places = _toy_places(world)
    chosen = [places[one] for one in rng.integers(len(places), size=scenarios).tolist()]
    weight = 100 / scenarios
    drawn = [weight * _share(world, place, world.draw_at(rng, place, _repeated(who, 1))) for place in chosen]
    names = tuple(str(at) for at in range(scenarios))
    stratum = StratumScenarios(names, ((0.0, weight),) * scenarios)
    return SimulatedSubjects(0.0, (stratum,), (np.stack(drawn, axis=1),))


def toy_truth(world: VerdictWorld) -> Array:
    """Of everybody: the mean share over the scenarios that a toy suite is drawn from, 0-100."""
    places = _toy_places(world)
    shares = [_share(world, one, world.means[one.stratum][:, one.position]) for one in places]
    return np.asarray(100 * np.mean(shares, axis=0))


def _repeated(who: Numbers, runs: int) -> Numbers:
    return np.repeat(who[:, None], runs, axis=1)
