"""Tiers and rank intervals on boards of equals, in packs, and on boards as they come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.coverage import BOARDS, SEED
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Flags, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.readings import Standings
from benchmarks.verdict_world import Mixture, VerdictWorld, unmixed
from independence.stats.subject_points import SubjectPoints

NEAREST = 8  # subjects on either side that a subject of a wanted index is mixed from
SPLITS, RANKS = Within(most=5), Within(95)
HEADS = ("split", "worse leader", "ranks: all", "truly best", "seen first", "whole boards", "mean width")


class Pack(NamedTuple):
    """A board: everybody within `spread` points of a centre; None: subjects as they come."""

    name: str
    spread: float | None
    fleet: int
    runs: int
    copies: bool = False  # of one subject, not mixtures that share an index


class Ranked(NamedTuple):
    """A board with its truth (n,)."""

    truth: Array
    points: Array
    found: Standings


def packs() -> list[Pack]:
    """Every board that is looked at."""
    equals = [Pack("copies of one", 0.0, fleet, runs, copies=True) for fleet in (3, 8, 20) for runs in (2, 5, 10)]
    near = ("of one index", 0.0), ("within ±0.1", 0.1), ("within ±1", 1.0), ("within ±4", 4.0), ("as they come", None)
    return [*equals, *(Pack(name, spread, 20, runs) for name, spread in near for runs in (2, 5, 10))]


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """False splits of tiers and coverage of rank intervals; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("coverage of ranks", f"{VARIABLE} does not name a folder with the published data")]
    jobs = [(number, pack) for number, pack in enumerate(packs())]
    rows = in_processes(partial(places, VerdictWorld(subjects), boards), jobs, processes)
    return [Grid("boards split into tiers, and rank intervals cover, %", HEADS, tuple(rows))]


def members(world: VerdictWorld, rng: np.random.Generator, boards: int, pack: Pack) -> Mixture:
    """Who stands on the boards, one board after the other."""
    if pack.spread is None:
        return unmixed(world.boards(rng, boards, pack.fleet).ravel())
    centre = rng.integers(len(world.truth), size=(boards, 1))
    if pack.copies:
        return unmixed(np.repeat(centre, pack.fleet, axis=1).ravel())
    low, high = world.truth.min() + pack.spread, world.truth.max() - pack.spread
    around = np.clip(world.truth[centre], low, high)
    return mixed(world, rng, (around + pack.spread * rng.uniform(-1, 1, (boards, pack.fleet))).ravel())


def mixed(world: VerdictWorld, rng: np.random.Generator, index: Array) -> Mixture:
    """Subjects (n,) with these true indices, each mixed from one at or above it and one at or below it."""
    order = np.argsort(world.truth, kind="stable")
    count, truths = len(order), world.truth[order]
    below = np.maximum(np.searchsorted(truths, index, side="right"), 1)
    above = np.minimum(np.searchsorted(truths, index, side="left"), count - 1)
    first = order[rng.integers(above, np.minimum(above + NEAREST, count))]
    second = order[rng.integers(np.maximum(below - NEAREST, 0), below)]
    apart = world.truth[first] - world.truth[second]
    share = np.where(apart > 0, (index - world.truth[second]) / np.where(apart > 0, apart, 1.0), 1.0)
    return Mixture(first, second, share)


def places(world: VerdictWorld, boards: int, job: tuple[int, Pack]) -> Row:
    """One row of the grid."""
    number, pack = job
    rng = np.random.default_rng((SEED, 1, number))
    who = members(world, rng, boards, pack)
    truth, drawn = world.truths(who), world.draw(rng, who, pack.runs)
    found = []
    for board in range(boards):
        own = slice(board * pack.fleet, (board + 1) * pack.fleet)
        estimates = readings.THESE(drawn.sheets(own))
        index = np.array([one.point for one in estimates])
        found.append(Ranked(truth[own], index, readings.standings(estimates)))
    tiers = _tiers(found, equal=pack.spread == 0)
    ranks = _ranks(found) if pack.spread != 0 else (None,) * 5
    return Row(f"{pack.fleet} {pack.name}, {pack.runs} runs", (*tiers, *ranks))


def _tiers(boards: Sequence[Ranked], *, equal: bool) -> tuple[Cell | None, ...]:
    """Boards with more than one tier, and those with somebody below a tier whose leader is truly worse."""
    number = np.arange(len(boards))
    split = [np.nanmax(one.found.tier, initial=1) > 1 for one in boards]
    wrong = [_wrong(one) for one in boards]
    return percent(split, number, SPLITS if equal else ANY), None if equal else percent(wrong, number, SPLITS)


def _wrong(board: Ranked) -> bool:
    """Whether somebody truly better than the leader of a tier stands in a lower one."""
    tier = board.found.tier
    for number in np.unique(tier[~np.isnan(tier)]):
        leader = np.where(tier == number, board.points, -np.inf).argmax()
        if ((tier > number) & (board.truth > board.truth[leader])).any():
            return True
    return False


def _ranks(boards: Sequence[Ranked]) -> tuple[Cell | None, ...]:
    number, fleet = np.arange(len(boards)), len(boards[0].truth)
    held = np.array([_held(one) for one in boards])
    best = np.array([one.truth.argmax() for one in boards])
    first = np.array([one.points.argmax() for one in boards])
    width = np.nanmean([one.found.high - one.found.low + 1 for one in boards])
    return (
        percent(held.ravel(), np.repeat(number, fleet), RANKS),
        percent(held[number, best], number, RANKS),
        percent(held[number, first], number),
        percent(held.all(axis=1), number, RANKS),  # they are said to hold at once
        Cell(float(width)),
    )


def _held(board: Ranked) -> Flags:
    """Whose rank interval holds the true rank; nobody's that is not there. Equal truths share their places."""
    above = (board.truth[None, :] > board.truth[:, None]).sum(axis=1)
    level = (board.truth[None, :] == board.truth[:, None]).sum(axis=1)
    return np.asarray((board.found.low <= above + level) & (above + 1 <= board.found.high))
