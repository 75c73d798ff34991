"""Do intervals, comparisons, tiers, ranks and gates hold in worlds that nobody tuned on, hosts that change included?

Subjects are made up on the shape of V2, whose scenarios are hard or easy for all of a board. Everybody on a board of
equals has one truth: the mean of many more runs, which are drawn with the same subjects and then set aside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from benchmarks.figure import Result
from benchmarks.gate import any_sheet
from benchmarks.grid import ANY, Array, Grid, Row, Within, in_processes, percent
from independence.stats import comparison, decision, gates, index_uncertainty, ranks, stages
from independence.stats.contributions import Contributions
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints, contributions

SEED, BOARDS = 20_261_129, 1_500
RUNS, FLEETS = (3, 5, 10), (2, 8, 20, 150)
LOST, SPREAD = (0.03, 0.2), 0.8  # share of the scale that a subject loses in a scenario; how far scenarios differ
STEPS, CONCENTRATION, MORE = 10, 3.0, 200  # of a grade; of a beta distribution; runs that make a truth
LOW, LOW_RUNS, FACTOR, CORRELATED, FAILS = (10.0, 19.0), 0.3, 0.6, 0.8, 0.02
_AT_ONCE = 300  # boards in memory
COVERS, FALSE, AS_TODAY = Within(91), Within(most=7), Within(90.5)
HEADS = ("covers", "differ", "tiers split", "rank covers", "below the best")
BOUGHT = ("until decided: differ", "gate on the bar: passes", "fails", "said to have changed")

Worlds = Mapping[str, "World"]


class World(NamedTuple):
    """How verdicts come about. `draw`: losses (boards, fleet, scenarios, runs), 0-1, of the means of the scenarios."""

    draw: Callable[[np.random.Generator, Array], Array]
    steady: bool  # whether runs are independent


class Boards(NamedTuple):
    """Boards of equals of one world."""

    world: str
    fleet: int
    runs: int
    boards: int


def graded(rng: np.random.Generator, mean: Array) -> Array:
    """Losses with these means, between steady and all or nothing."""
    return np.asarray(rng.beta(np.maximum(CONCENTRATION * mean, 1e-6), np.maximum(CONCENTRATION * (1 - mean), 1e-6)))


def _heavy(rng: np.random.Generator, mean: Array) -> Array:
    return np.asarray(mean + 0.5 * np.sqrt(mean * (1 - mean)) * rng.standard_t(3, mean.shape))


def _bimodal(rng: np.random.Generator, mean: Array) -> Array:
    return np.asarray(rng.random(mean.shape) < mean, dtype=np.float64)


def _ceiling(rng: np.random.Generator, mean: Array) -> Array:
    return np.asarray(np.where(rng.random(mean.shape) < 0.03, rng.uniform(0, 0.5, mean.shape), 0.0))


def _rare(rng: np.random.Generator, mean: Array) -> Array:
    return np.asarray(rng.random(mean.shape) < FAILS, dtype=np.float64)


def _one_noisy(rng: np.random.Generator, mean: Array) -> Array:
    found = graded(rng, mean / 10)
    found[..., 3, :] = rng.random(found[..., 3, :].shape) < 0.5
    return found


def _by_run(mean: Array) -> tuple[int, int, int, int]:
    boards, fleet, _, runs = mean.shape
    return boards, fleet, 1, runs


def _lower(points: float, unstable: slice, rng: np.random.Generator, mean: Array) -> Array:
    low = rng.random(_by_run(mean)) < LOW_RUNS
    low[:, unstable] = False
    return graded(rng, np.minimum(mean + low * points / 100, 1.0))


def _factor(rng: np.random.Generator, mean: Array) -> Array:
    return graded(rng, np.minimum(mean * np.exp(rng.normal(-(FACTOR**2) / 2, FACTOR, _by_run(mean))), 1.0))


def _successive(rng: np.random.Generator, mean: Array) -> Array:
    steps = rng.normal(size=_by_run(mean))
    for run in range(1, mean.shape[3]):
        steps[..., run] = CORRELATED * steps[..., run - 1] + np.sqrt(1 - CORRELATED**2) * steps[..., run]
    return graded(rng, np.minimum(mean * np.exp(FACTOR * steps - FACTOR**2 / 2), 1.0))


def _fails(rng: np.random.Generator, mean: Array) -> Array:
    return np.where(rng.random(_by_run(mean)) < FAILS, 1.0, graded(rng, mean / 10))


WORLDS: Worlds = {
    "graded": World(graded, steady=True),
    "heavy tails": World(_heavy, steady=True),
    "bimodal": World(_bimodal, steady=True),
    "ceiling": World(_ceiling, steady=True),
    "1 verdict in 50 is 0": World(_rare, steady=True),
    "one noisy scenario": World(_one_noisy, steady=True),
    **{f"runs {low:g} lower, .3": World(partial(_lower, low, slice(0, 0)), steady=False) for low in LOW},
    "log-normal factor a run": World(_factor, steady=False),
    "AR .8 between runs": World(_successive, steady=False),
    "1 run in 50 fails": World(_fails, steady=False),
    "one unstable among stable": World(partial(_lower, LOW[1], slice(1, None)), steady=False),
}
SEEN_LATE = ("AR .8 between runs", "1 run in 50 fails")  # of which runs that were made say too little


@cache
def _shape() -> Contributions:
    return contributions([any_sheet()])


def drawn(rng: np.random.Generator, cell: Boards) -> tuple[Array, Array]:
    """Points (boards, fleet, scenarios, runs) and the truth of each subject (boards, fleet)."""
    shape = _shape()
    size = cell.boards, 1, shape.low.shape[1], 1
    hard = rng.lognormal(0, SPREAD, size) * rng.uniform(*LOST, (cell.boards, 1, 1, 1))
    mean = np.broadcast_to(np.clip(hard, 0, 0.6), (cell.boards, cell.fleet, size[2], cell.runs + MORE))
    lost = np.clip(np.round(STEPS * WORLDS[cell.world].draw(rng, mean)) / STEPS, 0, 1)
    points = shape.low[0][:, None] + (shape.high - shape.low)[0][:, None] * (1 - lost)
    each = shape.base[0] + points[..., cell.runs :].sum(axis=2).mean(axis=2)  # of each subject, MORE runs
    equal = each[:, 1:] if cell.world == "one unstable among stable" and cell.fleet > 1 else each
    truth = np.broadcast_to(equal.mean(axis=1)[:, None], each.shape).copy()
    if equal is not each:
        truth[:, 0] = each[:, 0]
    return points[..., : cell.runs], truth


def table(points: Array) -> Contributions:
    """Of one board, (fleet, scenarios, runs)."""
    shape, fleet = _shape(), len(points)
    low, high = (np.broadcast_to(own, (fleet, own.shape[1])) for own in (shape.low, shape.high))
    return Contributions(np.full(fleet, shape.base[0]), points, low, high)


def estimates(points: Array) -> list[IndexEstimate]:
    """Of one board, (fleet, scenarios, runs)."""
    return index_uncertainty.estimates(table(points))


def measure(boards: int = BOARDS, processes: int | None = None) -> list[Result]:
    """Coverage and false claims in every world: `boards` boards of two, of larger ones so many subjects."""
    jobs = [
        Boards(world, fleet, runs, max(2, 2 * boards // fleet)) for world in WORLDS for fleet in FLEETS for runs in RUNS
    ]
    bought = [Boards(world, 2, RUNS[-1], boards // 2) for world in WORLDS]
    return [
        Grid("boards of equals, %", HEADS, tuple(in_processes(board_row, jobs, processes))),
        Grid(f"two equals, looked at after each of {RUNS[-1]} runs, %", BOUGHT,
             tuple(in_processes(bought_row, bought, processes))),
    ]  # fmt: skip


def board_row(cell: Boards) -> Row:
    """What boards of one kind say."""
    rng = np.random.default_rng((SEED, list(WORLDS).index(cell.world), *cell[1:]))
    number, found = np.arange(cell.boards), []
    for start in range(0, cell.boards, most := max(1, 600 // cell.fleet)):
        points, truth = drawn(rng, cell._replace(boards=min(most, cell.boards - start)))
        found += [said(own, true) for own, true in zip(points, truth, strict=True)]
    steady, enough = WORLDS[cell.world].steady, cell.runs >= RUNS[-1] and cell.world not in SEEN_LATE
    covers, false = (AS_TODAY, FALSE) if steady else (COVERS, FALSE) if enough else (ANY, ANY)
    held = np.array([one.held for one in found])
    return Row(
        f"{cell.world}, {cell.fleet} x {cell.runs} runs",
        (
            percent(held.ravel(), np.repeat(number, cell.fleet), covers),
            *(percent([getattr(one, name) for one in found], number, false) for name in ("differ", "split")),
            percent([one.ranked for one in found], number, Within(93) if steady else ANY),
            percent([one.below for one in found], number, false),
        ),
    )


def bought_row(cell: Boards) -> Row:
    """What is said of two equals at any look, where runs are added one at a time."""
    rng = np.random.default_rng((SEED, list(WORLDS).index(cell.world), 1, *cell[1:]))
    number, found = np.arange(cell.boards), []
    for start in range(0, cell.boards, _AT_ONCE):
        points, truth = drawn(rng, cell._replace(boards=min(_AT_ONCE, cell.boards - start)))
        found += [said_at_looks(own, float(true[0])) for own, true in zip(points, truth, strict=True)]
    false = FALSE if WORLDS[cell.world].steady else ANY
    return Row(cell.world, tuple(percent([one[at] for one in found], number, false) for at in range(len(BOUGHT))))


def said_at_looks(points: Array, truth: float) -> tuple[bool, bool, bool, bool]:
    """Whether a decision says that two equals differ, a gate of the first with its bar on the truth passes or fails,
    and the first is said to have changed; `points` (2, scenarios, runs).
    """
    looks = range(gates.LEAST, points.shape[2] + 1)
    differ, ended, changed = False, "undecided", False
    for runs in looks:
        known = tuple(map(float, looks[: runs - gates.LEAST + 1]))
        both = estimates(points[..., :runs])
        differ = differ or comparison.difference(*both).p < decision.level(known, float(looks[-1]))
        if ended == "undecided":
            gated = gates.gated_index(table(points[:1, :, :runs]), both[0])
            ended = gates.decided(gates.around_index(gated, gates.levels(known)), truth)
    stage = np.broadcast_to(np.maximum(np.arange(points.shape[2]) - 1, 0), points[:1].shape)
    p = [float(one.p[0]) for one in stages.differences(table(points[:1]), stage)]
    changed = min(comparison.adjusted(np.array(p))) < ranks.LEVEL
    return differ, ended == "pass", ended == "fail", changed


class Said(NamedTuple):
    """Of one board of equals."""

    held: list[bool]  # whose interval holds the truth
    differ: bool  # the first two, by `compare`
    split: bool  # into tiers
    ranked: bool  # all rank intervals hold all places
    below: bool  # any is below the best


def said(points: Array, truth: Array) -> Said:
    """What a board says, without corrections for looks."""
    found = estimates(points)
    ends = index_uncertainty.intervals(found)
    held = [one is not None and one.low <= true <= one.high for one, true in zip(ends, truth.tolist(), strict=True)]
    same = list(range(len(found))) if np.ptp(truth) < 1e-9 else list(range(1, len(found)))
    order = sorted(same, key=lambda at: -found[at].point)
    p = np.abs(pair_p([found[at] for at in order]))
    adjusted = ranks.adjusted_pairs(p)
    differ = len(found) > 1 and comparison.difference(found[0], found[1]).p < ranks.LEVEL and len(same) == len(found)
    return Said(
        held, differ, max(comparison.tiers(adjusted)) > 1,
        all(ends == (1, len(order)) for ends in ranks.rank_intervals(p)), bool((adjusted[0] < ranks.LEVEL).any()),
    )  # fmt: skip


def pair_p(found: Sequence[IndexEstimate]) -> Array:
    """p values of all pairs, as boards test them."""
    complete = [RankedSubject(one.point, one.point, one, SubjectPoints(0.0, ())) for one in found]
    return ranks.pair_p_values(complete, like_these=False)
