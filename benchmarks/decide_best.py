"""Who is best of many: what it costs to drop who is surely below the best, beside as many whole runs of everybody."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.coverage_places import mixed
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Flags, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.purchases import SEED, HeldBack, halves, level
from benchmarks.verdict_world import SimulatedSubjects
from independence.stats import comparison, decision
from independence.stats.allocation import LEAST
from independence.stats.comparison import Difference
from independence.stats.subject_points import SubjectPoints

BOARDS, FLEET, CAPS, MARGINS = 160, 20, (10, 20), {0.0, 5.0}  # without a margin until one is left
WHOLE, REDRAWN, RESAMPLED = 60, 10, 200  # runs of everybody; how often they are drawn, and boards for an error
DROPPED, SAVES = Within(most=5), Within(least=2.5)


class Kind(NamedTuple):
    """Boards: subjects whose true indices are spread as in the world from a share of it on, or closely packed."""

    name: str
    lowest: float = 0.0
    spread: float | None = None  # points
    fewer: Within = ANY  # how many times fewer runs it takes


KINDS = (
    Kind("as they come", fewer=SAVES),
    Kind("of the better half", lowest=0.5),
    Kind("within ±1 point", spread=1.0),
)


class Chosen(NamedTuple):
    """What came of n boards, (n,) each."""

    runs: Array  # of all subjects, by the calls that they take
    regret: Array  # points that the chosen one is below the best
    dropped: Flags  # whether the best one was


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """Runs at equal regret and how often the best is dropped, of `boards` (even) a row; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("the best of many", f"{VARIABLE} does not name a folder with the published data")]
    jobs = [(one, number, kind) for kind in KINDS for number, one in enumerate(halves(subjects))]
    found = in_processes(partial(choose, boards // 2), jobs, processes)
    rows = [row for kind, *parts in zip(KINDS, found[::2], found[1::2], strict=True) for row in _rows(kind, parts)]
    heads = ("runs", "whole runs", "times fewer", "regret", "best dropped, %")
    return [Grid(f"the best of {FLEET}, by the most runs' worth of calls of each and the margin", heads, tuple(rows))]


def choose(boards: int, job: tuple[HeldBack, int, Kind]) -> tuple[Array, dict[tuple[int, float], Chosen]]:
    """Regret after 1, 2, ... whole runs of everybody (boards, WHOLE); by cap and margin what decisions come to."""
    held, number, kind = job
    rng = np.random.default_rng((SEED, 7, number, KINDS.index(kind)))
    who = mixed(held.world, rng, _indices(rng, held, boards, kind))
    truth = held.world.truths(who).reshape(boards, FLEET)
    whole = np.mean([_regret_of_whole(held.world.draw(rng, who, WHOLE), truth) for _ in range(REDRAWN)], axis=0)
    drawn, found = held.world.draw(rng, who, held.longest), dict[tuple[int, float], Chosen]()
    for cap in CAPS:
        ended = [_decided(held, drawn, truth[board], board, cap) for board in range(boards)]
        found |= {(cap, margin): Chosen._make(np.array([one[margin] for one in ended]).T) for margin in MARGINS}
    return whole, found


def _regret_of_whole(drawn: SimulatedSubjects, truth: Array) -> Array:
    """Of choosing the highest of each board after 1, 2, ... whole runs, (boards, WHOLE)."""
    by_run = np.sum([own.sum(axis=1) for own in drawn.points], axis=0).reshape(*truth.shape, WHOLE)
    first = by_run.cumsum(axis=2).argmax(axis=1)
    return np.asarray(truth.max(axis=1)[:, None] - np.take_along_axis(truth, first, axis=1))


def _indices(rng: np.random.Generator, held: HeldBack, boards: int, kind: Kind) -> Array:
    truth = held.world.truth
    if kind.spread is None:
        return np.asarray(np.quantile(truth, rng.uniform(kind.lowest, 1, boards * FLEET)))
    centre = np.clip(rng.choice(truth, (boards, 1)), truth.min() + kind.spread, truth.max() - kind.spread)
    return np.asarray((centre + rng.uniform(-kind.spread, kind.spread, (boards, FLEET))).ravel())


def _decided(
    held: HeldBack, drawn: SimulatedSubjects, truth: Array, board: int, cap: int
) -> dict[float, tuple[float, float, bool]]:
    """By margin: runs, regret, and whether the best was dropped, of a decision that stops where all left are within."""
    runs, left, out = np.zeros(FLEET), np.arange(FLEET), dict[float, tuple[float, float, bool]]()
    sheets = drawn.sheets(slice(board * FLEET, (board + 1) * FLEET), LEAST)
    for stage in range(LEAST, cap + 1):
        runs[left] = stage
        bought = drawn.sheets(board * FLEET + left, held.runs[stage])
        for at, sheet in zip(left.tolist(), bought, strict=True):
            sheets[at] = sheet
        estimates = readings.THESE(sheets)
        best, *others = sorted(left.tolist(), key=lambda at: -estimates[at].point)
        allowance = np.full((len(left), len(left)), decision.ERROR / level(stage, cap))
        below = decision.surely_below([estimates[at] for at in (best, *others)], allowance)
        left = np.array([at for at, gone in zip((best, *others), below, strict=True) if not gone])
        gaps = [comparison.difference(estimates[best], estimates[at]) for at in left[1:]]
        for margin in MARGINS - out.keys():
            if stage == cap or all(_within(gap, level(stage, cap), margin) for gap in gaps):
                out[margin] = runs.sum(), truth.max() - truth[best], truth.argmax() not in left
        if len(out) == len(MARGINS):
            break
    return out


def _within(gap: Difference, at: float, margin: float) -> bool:
    return gap.points < margin and decision.decided(gap, at, margin) == "within"


def _rows(kind: Kind, parts: Sequence[tuple[Array, dict[tuple[int, float], Chosen]]]) -> list[Row]:
    whole, rows = np.concatenate([one for one, _ in parts]), list[Row]()
    rng, board = np.random.default_rng(SEED), np.arange(len(whole))
    for cap in CAPS:
        for margin in sorted(MARGINS):
            each = zip(*(found[cap, margin] for _, found in parts), strict=True)
            own = Chosen._make(map(np.concatenate, each))
            fixed, fewer = _fixed(whole, own.regret), kind.fewer if not margin else ANY
            again = [
                _fixed(whole[drawn], own.regret[drawn]) / own.runs[drawn].mean()
                for drawn in rng.choice(board, (RESAMPLED, len(board)))
            ]
            regret_error = float(own.regret.std() / np.sqrt(len(board)))
            rows.append(Row(f"{kind.name}, {cap}, ±{margin:g}", (
                Cell(float(own.runs.mean()), digits=0), Cell(fixed, digits=0),
                Cell(fixed / float(own.runs.mean()), float(np.std(again)), fewer, digits=2),
                Cell(float(own.regret.mean()), regret_error, digits=3),
                percent(own.dropped, board, DROPPED),
            )))  # fmt: skip
    return rows


def _fixed(whole: Array, regret: Array) -> float:
    """How many whole runs of all together leave that mean regret; at most WHOLE of each."""
    falling = np.minimum.accumulate(whole.mean(axis=0))
    return FLEET * float(np.interp(-regret.mean(), -falling, np.arange(1, WHOLE + 1)))
