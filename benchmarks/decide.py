"""What a decision between two subjects costs, beside a number of whole runs fixed beforehand, and how often it errs.

The bound beside the costs is what the best test takes that knows all variances and looks after every call: a
sequential likelihood ratio of no difference against the true one (Wald 1945, "Sequential tests of statistical
hypotheses"), with calls spread as a decision spreads them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import readings
from benchmarks.coverage_places import mixed
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Flags, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.purchases import MOST, SEED, HeldBack, halves, level, made_up, run_calls
from benchmarks.verdict_world import Mixture, SimulatedSubjects, unmixed
from independence.stats import comparison, decision
from independence.stats.allocation import LEAST
from independence.stats.comparison import Difference
from independence.stats.subject_points import SubjectPoints

PAIRS = 360
GAPS, POWERS, CAPS, MARGIN = (3.0, 5.0, 8.0, 12.0), (0.8, 0.9), (5, 10, 20), 5.0
NEAR = Within(most=1.3)  # the bound, at the power of AIMED and gaps of 3 to 8 points
WHOLE = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40)  # runs, fixed beforehand
ENOUGH = 0.93  # power from which on no more of them are tried
NOISIEST = 2 / 3  # quantile of the deviation over runs
FALSE, NEVER, SAVES = Within(most=5), Within(most=0), Within(least=1.5)
CURVE = (0.5, 0.6, 0.7, 0.8, 0.9)  # powers, of the gap of AIMED
AIMED = (5.0, 0.8)  # where SAVES is to be kept: a gap and a power


class Kind(NamedTuple):
    """Pairs of one kind; without a gap two subjects as they come."""

    name: str
    gap: float | None = None
    noisy: bool = False
    beside: int = 0  # other subjects of the board, of `OTHERS` whole runs, which lend what they know of run effects


EQUALS = Kind("equals", 0.0), Kind("noisy equals", 0.0, noisy=True)
APART = [Kind(f"{gap:g} points apart", gap) for gap in GAPS]
LENT = Kind("8 points apart, beside eight others", 8.0, beside=8)
KINDS = (*EQUALS, *APART, Kind("as they come"), LENT)
OTHERS = 5


class Looks(NamedTuple):
    """What n pairs look like after each stage, (n, stages); nan where every decision has been made before."""

    p: Array  # of no difference
    same: Array  # of a difference of `MARGIN` points or more
    points: Array
    truth: Array  # (n,) points, first minus second
    spread: Array  # (n,) variance of the difference after one run's worth of calls of both, squared points
    seen: Array  # (n, WHOLE) whether so many whole runs show the difference; nan where they were not tried


class Outcomes(NamedTuple):
    """Of n decisions."""

    stage: Array  # (n,) runs' worth of calls that they took
    differ: Flags
    within: Flags
    points: Array

    def wrong(self, truth: Array) -> Flags:
        """Who is said to be higher and is not."""
        return np.asarray(self.differ & (self.points * truth < 0))


def measure(
    subjects: Sequence[SubjectPoints] | None = None, pairs: int = PAIRS, processes: int | None = None
) -> list[Result]:
    """Costs, errors and how much too large differences are, in three worlds; published ones are skipped without a pool.

    `pairs`: of each kind in each world, an even number.
    """
    subjects = pool() if subjects is None else subjects
    known = {"graded": halves(made_up(graded=True)), "pass or fail": halves(made_up(graded=False))}
    results: list[Result] = []
    if subjects:
        known = {"published": halves(subjects), **known}
    else:
        why = f"{VARIABLE} does not name a folder with the published data"
        results.append(Skipped("decisions about published subjects", why))
    jobs = [(one, number, kind) for own in known.values() for number, one in enumerate(own) for kind in KINDS]
    found = iter(in_processes(partial(look, pairs // 2), jobs, processes))
    for name, own in known.items():
        parts = [{kind: next(found) for kind in KINDS} for _ in own]
        looks = {kind: _together([one[kind] for one in parts]) for kind in KINDS}
        gains = [one.gain(LEAST + 3) for one in own]
        detail = f"{len(own)} halves, each by the noise of the other: {', '.join(f'{one:.2f}' for one in gains)}"
        results += [
            Figure(f"{name}: variance of 5 whole runs / of as many calls", float(np.mean(gains)), "x", detail=detail),
            _costs(name, looks),
            _errors(name, looks),
            _too_large(name, looks),
        ]
    return results


def _together(parts: Sequence[Looks]) -> Looks:
    return Looks._make(np.concatenate(own) for own in zip(*parts, strict=True))


def look(pairs: int, job: tuple[HeldBack, int, Kind]) -> Looks:
    """At so many pairs of one kind, after every stage until all decisions are made, and after whole runs."""
    held, number, kind = job
    rng = np.random.default_rng((SEED, number, KINDS.index(kind)))
    who = _pairs(rng, held, pairs, kind)
    truth = held.world.truths(who).reshape(-1, 2)
    drawn = held.world.draw(rng, who, max(held.longest, *WHOLE))
    lenders = held.world.draw(rng, unmixed(held.world.boards(rng, pairs, kind.beside).ravel()), OTHERS)
    others = [lenders.sheets(slice(kind.beside * pair, kind.beside * (pair + 1))) for pair in range(pairs)]
    p, same, points = np.array([_looks(held, drawn, pair, others[pair]) for pair in range(pairs)]).transpose(1, 0, 2)
    spread = MOST * held.world.variance(who, held.runs[MOST]).reshape(-1, 2).sum(axis=1)
    seen = np.ones((pairs, len(WHOLE)))
    for at, runs in enumerate(WHOLE if kind.gap else ()):
        found = [_difference(drawn, pair, runs, others[pair]) for pair in range(pairs)]
        seen[:, at:] = np.array([one.points > 0 and one.p < decision.ERROR for one in found])[:, None]
        if seen[:, at].mean() >= ENOUGH:
            break
    return Looks(p, same, points, truth[:, 0] - truth[:, 1], spread, seen)


def _pairs(rng: np.random.Generator, held: HeldBack, pairs: int, kind: Kind) -> Mixture:
    """Who they are, two after each other: a subject, and one mixed of others so that it is as far below as is asked."""
    world = held.world
    if kind.gap is None:
        return unmixed(world.boards(rng, pairs, 2).ravel())
    able = world.run_sd >= np.quantile(world.run_sd, NOISIEST) if kind.noisy else np.ones(len(world.truth), dtype=bool)
    first = rng.choice(np.flatnonzero(able & (world.truth >= world.truth.min() + kind.gap)), pairs)
    if kind.gap == 0:
        return unmixed(np.repeat(first, 2))
    lower = mixed(world, rng, world.truth[first] - kind.gap)
    both = zip(unmixed(first), lower, strict=True)
    return Mixture._make(np.stack(sides, axis=1).ravel() for sides in both)


def _difference(
    drawn: SimulatedSubjects, pair: int, runs: int | Mapping[str, int], others: Sequence[SubjectPoints]
) -> Difference:
    first, second, *_ = readings.THESE([*drawn.sheets(slice(2 * pair, 2 * pair + 2), runs), *others])
    return comparison.difference(first, second)


def _looks(held: HeldBack, drawn: SimulatedSubjects, pair: int, others: Sequence[SubjectPoints]) -> Array:
    """p of no difference, p of one of MARGIN, and points, (3, stages)."""
    out = np.full((3, MOST - LEAST + 1), np.nan)
    for at, stage in enumerate(range(LEAST, MOST + 1)):
        found = _difference(drawn, pair, held.runs[stage], others)
        alike = bool((out[1] < level(stage, MOST) / 2).any())
        out[:, at] = found.p, np.nan if alike else found.equivalent(MARGIN), found.points
        if out[0, at] < level(stage, MOST):
            break
    return out


def outcomes(looks: Looks, cap: int, margin: bool = True) -> Outcomes:
    """Of decisions that end at `cap` runs' worth of calls. Without a margin they only look for a difference.

    As `decision.decided` says it of one look: an interval lies within +-margin where both one-sided tests of its ends
    say so at half of its level.
    """
    stages = slice(0, cap - LEAST + 1)
    levels = np.array([level(stage, cap) for stage in range(LEAST, cap + 1)])
    differ = looks.p[:, stages] < levels
    within = ~differ & (looks.same[:, stages] < levels / 2) if margin else np.zeros_like(differ)
    ended = differ | within
    at, row = np.where(ended.any(axis=1), ended.argmax(axis=1), len(levels) - 1), np.arange(len(differ))
    return Outcomes(at + float(LEAST), differ[row, at], within[row, at], looks.points[row, at])


def _costs(name: str, looks: Mapping[Kind, Looks]) -> Grid:
    """Calls of both subjects together, of decisions without a margin that end where they have that power."""
    rows = [
        Row(f"{kind.name}, power {power:.0%}", _cost(looks[kind], kind.gap or 0.0, power))
        for kind in (*APART, LENT)
        for power in (CURVE if kind.gap == AIMED[0] else POWERS)
    ]
    heads = ("whole runs", "decision", "times fewer", "bound", "times the bound")
    return Grid(f"{name}: calls of a pair, by the power that they are to have", heads, tuple(rows))


def _cost(own: Looks, gap: float, power: float) -> tuple[Cell | None, ...]:
    ended = [outcomes(own, cap, margin=False) for cap in range(LEAST, MOST + 1)]
    right = [float((one.differ & ~one.wrong(own.truth)).mean()) for one in ended]
    fixed = _at(power, own.seen.mean(axis=0), WHOLE)
    stages = _at(power, right, [float(one.stage.mean()) for one in ended])
    aimed, each = (gap, power) == AIMED, 2 * run_calls()
    least = likelihood_ratio(power) * float(own.spread.mean()) / gap**2
    found = (
        (each * fixed, ANY, 0), (each * stages, ANY, 0), (fixed / stages, SAVES if aimed else ANY, 2),
        (each * least, ANY, 0), (stages / least, NEAR if power == AIMED[1] else ANY, 2),
    )  # fmt: skip
    return tuple(None if np.isnan(one) else Cell(one, within=within, digits=digits) for one, within, digits in found)


def likelihood_ratio(power: float) -> float:
    """Squared standard errors of one run's worth that Wald's test takes to see a difference of 1 with that power."""
    sees, misses = math.log(2 * power / decision.ERROR), math.log((1 - power) / (1 - decision.ERROR / 2))
    return 2 * (power * sees + (1 - power) * misses)


def _at(power: float, powers: Sequence[float] | Array, costs: Sequence[float]) -> float:
    """The cost at a power, between those that are known; nan where none has it."""
    rising = np.maximum.accumulate(powers)
    return float(np.interp(power, rising, costs, left=costs[0], right=np.nan))


def _errors(name: str, looks: Mapping[Kind, Looks]) -> Grid:
    """Percentages of decisions by the stage at which they end."""
    rows = []
    for kind, own in looks.items():
        number, cells = np.arange(len(own.truth)), list[Cell | None]()
        ended = [outcomes(own, cap, margin=kind.gap != 0) for cap in CAPS]
        false = FALSE if kind.gap == 0 else ANY, FALSE if kind.gap == MARGIN else ANY
        cells += [percent(one.differ, number, false[0]) for one in ended]
        cells += [percent(one.within, number, false[1]) for one in ended] if kind.gap != 0 else [None] * len(CAPS)
        cells += [percent(~(one.differ | one.within), number) for one in ended] if kind.gap != 0 else [None] * len(CAPS)
        never = NEVER if kind.gap and kind.gap >= MARGIN else ANY  # as they come, some are nearly equal
        cells.append(percent(np.any([one.wrong(own.truth) for one in ended], axis=0), number, never))
        cells.append(Cell(2 * run_calls() * float(ended[1].stage.mean()), digits=0))
        rows.append(Row(kind.name, tuple(cells)))
    heads = [f"{what}, {cap}" for what in ("differ", "within", "open") for cap in CAPS]
    title = f"{name}: decisions within ±{MARGIN:g} (equals: without a margin), %, by the most runs' worth of calls"
    return Grid(title, (*heads, "wrong side", f"calls, {CAPS[1]}"), tuple(rows))


def _too_large(name: str, looks: Mapping[Kind, Looks]) -> Grid:
    """How much larger a difference looks than it is, of those that were decided."""
    rows = []
    for kind in [*APART, KINDS[-1]]:
        own, cells = looks[kind], list[Cell | None]()
        for cap in CAPS:
            ended = outcomes(own, cap)
            off = (np.abs(ended.points) - np.abs(own.truth))[ended.differ]
            error = float(off.std(ddof=1) / np.sqrt(len(off))) if len(off) > 1 else None
            cells.append(Cell(float(off.mean()), error, digits=2) if len(off) else None)
        rows.append(Row(kind.name, tuple(cells)))
    heads = tuple(f"at most {cap} runs" for cap in CAPS)
    return Grid(f"{name}: points that a decided difference is too large", heads, tuple(rows))
