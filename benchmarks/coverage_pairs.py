"""How often `compare` says that twins differ, and how often it sees the difference that a board prints as visible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks import readings
from benchmarks.coverage import BOARDS, SEED, STRATA, CoverageCell, boards_of, by_stratum, strata_of
from benchmarks.coverage_places import mixed
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Cell, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.verdict_world import Mixture, VerdictWorld, alone
from independence.stats.subject_points import SubjectPoints

FALSE = Within(most=6)
FIRST_LOOK, LAST_LOOK = 3, 12  # runs
TYPICAL = 40  # boards whose median is taken as the difference that is printed


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """False positives by stratum, at least `boards` boards a row; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("false positives of compare", f"{VARIABLE} does not name a folder with the published data")]
    world = VerdictWorld(subjects)
    cells = [CoverageCell(fleet, runs, boards_of(fleet, boards)) for fleet in (3, 8, 20) for runs in (2, 3, 5, 10)]
    once = in_processes(partial(twins, world, looks=(0,)), cells, processes)
    again = [CoverageCell(fleet, LAST_LOOK, boards) for fleet in (3, 8, 20)]
    looks = tuple(range(FIRST_LOOK - LAST_LOOK, 1))
    repeated = in_processes(partial(twins, world, looks=looks), again, processes)
    visible = [CoverageCell(fleet, runs, boards) for fleet in (8, 20) for runs in (2, 5, 10)]
    seen = in_processes(partial(power, world), visible, processes)
    title = f"the same, asked again after every run from {FIRST_LOOK} to {LAST_LOOK}"
    heads = ("all", *STRATA)
    return [
        Grid("compare says that twins differ, % (fleet x runs)", heads, tuple(once)),
        Grid(title, heads, tuple(repeated)),
        Grid("a difference that a board prints as visible is seen, %", ("points", "alone", "by tiers"), tuple(seen)),
    ]


def twins(world: VerdictWorld, cell: CoverageCell, looks: Sequence[int]) -> Row:
    """One row: boards of twins; `looks` are runs, less those of the cell, after which it is asked."""
    rng = np.random.default_rng((SEED, 2, len(looks), *cell))
    pairs = cell.fleet // 2
    who = np.repeat(world.boards(rng, cell.boards, -(-cell.fleet // 2)), 2, axis=1)[:, : cell.fleet]
    drawn = world.draw(rng, alone(who.ravel()), cell.runs)
    found = np.zeros((cell.boards, pairs), dtype=bool)
    for board in range(cell.boards):
        own = slice(board * cell.fleet, (board + 1) * cell.fleet)
        for look in looks:
            estimates = readings.THESE(drawn.sheets(own, cell.runs + look))
            for pair in range(pairs):
                found[board, pair] |= readings.told_apart(estimates[2 * pair], estimates[2 * pair + 1])
    first = who[:, : 2 * pairs : 2].ravel()
    strata = strata_of(world, world.truth[first], world.run_sd[first])
    number = np.repeat(np.arange(cell.boards), pairs)
    within = FALSE if cell.runs > 2 else ANY
    return Row(cell.name, tuple(by_stratum(found.ravel(), number, strata, (within, within))))


def power(world: VerdictWorld, cell: CoverageCell) -> Row:
    """One row: boards that hold a pair whose true difference is the one that such boards print."""
    rng = np.random.default_rng((SEED, 4, *cell))
    typical = world.draw(rng, alone(world.boards(rng, TYPICAL, cell.fleet).ravel()), cell.runs)
    starts = range(0, TYPICAL * cell.fleet, cell.fleet)
    sheets = [typical.sheets(slice(start, start + cell.fleet)) for start in starts]
    gap = float(np.nanmedian([readings.smallest_visible(readings.THESE(own)) for own in sheets]))
    who = world.boards(rng, cell.boards, cell.fleet)
    better = np.maximum(world.truth[who[:, 0]], world.truth.min() + gap)
    pair = mixed(world, rng, np.stack([better, better - gap], axis=1).ravel())
    first, second, share = who.copy(), who.copy(), np.ones(who.shape)
    first[:, :2], second[:, :2] = pair.first.reshape(-1, 2), pair.second.reshape(-1, 2)
    share[:, :2] = pair.share.reshape(-1, 2)
    drawn = world.draw(rng, Mixture(first.ravel(), second.ravel(), share.ravel()), cell.runs)
    found = np.zeros((2, cell.boards), dtype=bool)
    for board in range(cell.boards):
        estimates = readings.THESE(drawn.sheets(slice(board * cell.fleet, (board + 1) * cell.fleet)))
        found[:, board] = (
            readings.told_apart(estimates[0], estimates[1]),
            readings.told_apart_on_board(estimates, 0, 1),
        )
    shares = (percent(own, np.arange(cell.boards)) for own in found)
    return Row(cell.name, (Cell(gap), *shares))
