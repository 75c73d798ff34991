"""Do intervals for these scenarios cover what they say, on boards that are drawn from real verdicts?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Flags, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool, run_variance
from benchmarks.verdict_world import Numbers, SimulatedSubjects, VerdictWorld, unmixed
from independence.stats import bootstrap
from independence.stats.intervals import t_interval
from independence.stats.subject_points import SubjectPoints

SEED, BOARDS, FEWEST_SUBJECTS = 20_261_122, 300, 3_000
FLEETS, RUNS = (1, 3, 8, 20, 100), (2, 3, 5, 10)
OVERALL, EVERY, EVERY_AT_TWO = Within(94, 97), Within(92, 98.5), Within(90)
STRATA = (">= 98", "95-98", "85-95", "< 85", "noisiest tenth")
LOWER, LOW_RUNS = (10.0, 20.0), 0.3  # points that some runs of a subject lie lower, and the chance of each to be one
MARKED, COVERED = Within(most=4), {5: Within(78), 10: Within(88)}  # by runs: of 5, every sixth subject has no low one


class CoverageCell(NamedTuple):
    """Boards of one kind."""

    fleet: int
    runs: int
    boards: int

    @property
    def name(self) -> str:
        """As its row is called."""
        return f"{self.fleet} x {self.runs} runs"


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """Coverage by stratum in fleets of every size, at least `boards` boards a row; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("coverage of these scenarios", f"{VARIABLE} does not name a folder with the published data")]
    world = VerdictWorld(subjects)
    jobs = [CoverageCell(fleet, runs, boards_of(fleet, boards)) for fleet in FLEETS for runs in RUNS]
    rows = in_processes(partial(these_scenarios, world), jobs, processes)
    heads = ("all", *STRATA, "truth below", "above", "mean width", "SE / true SE")
    return [
        _calibration(world, tuple(subjects)),
        Grid("these-scenarios covers, % (fleet x runs)", heads, tuple(rows)),
        _whole_runs(world, boards_of(1, boards)),
        _over_runs(world, boards_of(1, boards)),
    ]


def boards_of(fleet: int, least: int = BOARDS) -> int:
    """How many boards: small ones more, so that every row rests on as many subjects as `least` boards of ten."""
    return max(least, ceil(least * FEWEST_SUBJECTS / BOARDS / fleet))


def _calibration(world: VerdictWorld, subjects: tuple[SubjectPoints, ...]) -> Figure:
    ratio = float(np.mean(world.run_sd**2)) / run_variance(subjects)
    detail = f"{len(subjects)} subjects, SD {np.median(world.run_sd):.2f} points in the median"
    return Figure("run variance of the simulated world, of the published", ratio, "x", detail=detail)


def strata_of(world: VerdictWorld, truth: Array, run_sd: Array) -> list[Flags]:
    """Who (n,) belongs to each of `STRATA`."""
    edges = (np.inf, 98.0, 95.0, 85.0, -np.inf)
    by_truth = [(low <= truth) & (truth < high) for high, low in pairwise(edges)]
    return [*by_truth, run_sd >= np.quantile(world.run_sd, 0.9)]


def by_stratum(
    held: Flags, board: Numbers, strata: Sequence[Flags], ranges: tuple[Within, Within]
) -> list[Cell | None]:
    """Percentages overall and in each stratum; `ranges` of the first and of the others."""
    return [
        percent(held, board, ranges[0]),
        *(percent(held[own], board[own], ranges[1]) for own in strata),
    ]


def these_scenarios(world: VerdictWorld, cell: CoverageCell) -> Row:
    """One row of the grid."""
    rng = np.random.default_rng((SEED, *cell))
    who = world.boards(rng, cell.boards, cell.fleet).ravel()
    truth, sd = world.truth[who], world.run_sd[who]
    found = readings.intervals(world.draw(rng, unmixed(who), cell.runs), cell.fleet, readings.THESE)
    board = np.repeat(np.arange(cell.boards), cell.fleet)
    ranges = (OVERALL, EVERY) if cell.runs > 2 else (ANY, EVERY_AT_TWO)
    shares = by_stratum(found.hold(truth), board, strata_of(world, truth, sd), ranges)
    ratio = np.sqrt(np.nanmean(found.se**2) / np.mean(sd**2 / cell.runs))
    sides = (percent(truth < found.low, board), percent(truth > found.high, board))
    return Row(cell.name, (*shares, *sides, Cell(found.width), Cell(float(ratio), digits=2)))


def _whole_runs(world: VerdictWorld, boards: int) -> Grid:
    """How many subjects are marked for runs that go up and down as a whole, and what their intervals cover."""
    rows, rng = [], np.random.default_rng((SEED, 10))
    for runs in (3, *COVERED):
        steady = world.draw(rng, unmixed(rng.integers(len(world.truth), size=boards)), runs)
        rows.append(Row(f"independent, {runs} runs", (percent(_marked(steady), np.arange(boards), MARKED), None)))
    for runs, covered in COVERED.items():
        for lower in LOWER:
            usual = rng.choice(np.flatnonzero(world.truth >= world.truth.min() + lower), boards)
            other = np.abs(world.truth - (world.truth[usual, None] - lower)).argmin(axis=1)
            low, pair = rng.random((boards, 1, runs)) < LOW_RUNS, (unmixed(usual), unmixed(other))
            own, worse = (world.draw(rng, who, runs) for who in pair)
            points = tuple(np.where(low, *both) for both in zip(worse.points, own.points, strict=True))
            drawn = own._replace(points=points)
            truth = (1 - LOW_RUNS) * world.truth[usual] + LOW_RUNS * world.truth[other]
            held = readings.intervals(drawn, 1, readings.THESE).hold(truth)
            cells = percent(_marked(drawn), np.arange(boards)), percent(held, np.arange(boards), covered)
            rows.append(Row(f"{LOW_RUNS:.0%} of runs {lower:g} points lower, {runs} runs", cells))
    return Grid("whole runs that go up and down, %", ("marked", "these-scenarios covers"), tuple(rows))


def _marked(drawn: SimulatedSubjects) -> list[bool]:
    return [readings.THESE([sheet])[0].unstable for sheet in drawn.sheets(slice(None))]


def _over_runs(world: VerdictWorld, boards: int) -> Grid:
    """What a t interval over runs and the published bootstrap cover."""
    rows = []
    for runs in RUNS:
        rng = np.random.default_rng((SEED, 0, runs))
        who = rng.integers(len(world.truth), size=boards)
        truth = world.truth[who]
        drawn = world.draw(rng, unmixed(who), runs)
        per_run = drawn.base + sum(own.sum(axis=1) for own in drawn.points)
        cells = []
        for way in (t_interval, bootstrap.percentile_interval):
            ends = [way(tuple(own)) for own in per_run.tolist()]
            held = [end is not None and end[0] <= aim <= end[1] for end, aim in zip(ends, truth, strict=True)]
            cells.append(percent(held, np.arange(boards)))
        rows.append(Row(f"{runs} runs", tuple(cells)))
    return Grid("intervals over whole runs cover, %", ("t over runs", "published bootstrap"), tuple(rows))
