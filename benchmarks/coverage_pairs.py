"""How often `compare` says that twins differ, that subjects are equivalent who are not, and that what is visible is so.

The difference that a board prints as visible is to be seen in 80%.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks import readings
from benchmarks.coverage import BOARDS, SEED, STRATA, CoverageCell, boards_of, by_stratum, strata_of
from benchmarks.coverage_places import mixed
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.verdict_world import Mixture, Numbers, SimulatedSubjects, VerdictWorld, unmixed
from independence.stats.subject_points import SubjectPoints

FALSE = Within(most=6)
FIRST_LOOK, LAST_LOOK = 3, 12  # runs
POWER_HEADS = ("points, one comparison", "seen", "points, tiers", "seen by tiers")
OUTLIER_HEADS = ("said to differ", "intervals cover")
CALM, NOISY = 1 / 3, 0.9  # quantiles of the deviation over runs
MARGIN = 2.0  # points within which subjects count as equivalent; also the true difference of those who are not
BANDS = {"lower one >= 96": (96.0, np.inf), "90-96": (90.0, 96.0), "80-90": (80.0, 90.0)}
TIMES = 3  # as many boards, where what is counted is rare
TYPICAL = 40  # boards whose median is taken as the difference that is printed


def measure(
    subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS, processes: int | None = None
) -> list[Result]:
    """False positives by stratum, at least `boards` boards a row; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped("false positives of compare", f"{VARIABLE} does not name a folder with the published data")]
    world = VerdictWorld(subjects)
    cells = [
        CoverageCell(fleet, runs, TIMES * boards_of(fleet, boards)) for fleet in (3, 8, 20) for runs in (2, 3, 5, 10)
    ]
    once = in_processes(partial(twins, world), cells, processes)
    again = [CoverageCell(fleet, LAST_LOOK, boards) for fleet in (3, 8, 20)]
    repeated = in_processes(partial(twins, world, first_look=FIRST_LOOK), again, processes)
    visible = [CoverageCell(fleet, runs, boards) for fleet in (8, 20) for runs in (2, 5, 10)]
    seen = in_processes(partial(power, world), visible, processes)
    alike = [CoverageCell(fleet, runs, TIMES * boards) for fleet in (2, 20) for runs in (2, 3, 5, 10)]
    same = in_processes(partial(equivalence, world), alike, processes)
    noisy = [CoverageCell(20, runs, boards) for runs in (2, 3, 5, 10)]
    among = in_processes(partial(outliers, world), noisy, processes)
    title = f"the same, asked again after every run from {FIRST_LOOK} to {LAST_LOOK}"
    heads = ("all", *STRATA)
    return [
        Grid("compare says that twins differ, % (fleet x runs)", heads, tuple(once)),
        Grid(title, heads, tuple(repeated)),
        Grid("two noisy twins among 18 calm subjects, %", OUTLIER_HEADS, tuple(among)),
        Grid("a difference that a board prints as visible is seen, %", POWER_HEADS, tuple(seen)),
        Grid(f"equivalent within {MARGIN:g} is said of a true difference of {MARGIN:g}, %", (*BANDS,), tuple(same)),
    ]


def twins(world: VerdictWorld, cell: CoverageCell, first_look: int | None = None) -> Row:
    """One row: boards of twins, asked after every run from the first look on (None: once, after all)."""
    runs = range(first_look or cell.runs, cell.runs + 1)
    rng = np.random.default_rng((SEED, 2, len(runs), *cell))
    pairs = cell.fleet // 2
    who = np.repeat(world.boards(rng, cell.boards, -(-cell.fleet // 2)), 2, axis=1)[:, : cell.fleet]
    drawn = world.draw(rng, unmixed(who.ravel()), cell.runs)
    found = np.zeros((cell.boards, pairs), dtype=bool)
    for board in range(cell.boards):
        own = slice(board * cell.fleet, (board + 1) * cell.fleet)
        for last in range(len(runs)):
            estimates = readings.THESE(drawn.sheets(own, runs[last]))
            for pair in range(pairs):
                both = estimates[2 * pair], estimates[2 * pair + 1]
                found[board, pair] |= readings.told_apart(*both, looks=runs[: last + 1])
    first = who[:, : 2 * pairs : 2].ravel()
    strata = strata_of(world, world.truth[first], world.run_sd[first])
    number = np.repeat(np.arange(cell.boards), pairs)
    within = FALSE if cell.runs > 2 else ANY
    return Row(cell.name, tuple(by_stratum(found.ravel(), number, strata, (within, within))))


def outliers(world: VerdictWorld, cell: CoverageCell) -> Row:
    """One row: boards of the calm third, on which two twins are of the noisiest tenth."""
    rng = np.random.default_rng((SEED, 7, *cell))
    calm, noisy = (
        np.flatnonzero(kept) for kept in (world.run_sd <= np.quantile(world.run_sd, CALM),
                                          world.run_sd >= np.quantile(world.run_sd, NOISY))
    )  # fmt: skip
    who = rng.choice(calm, (cell.boards, cell.fleet))
    who[:, :2] = rng.choice(noisy, cell.boards)[:, None]
    drawn = world.draw(rng, unmixed(who.ravel()), cell.runs)
    told, held = list[bool](), list[bool]()
    for truth, sheets in zip(world.truth[who[:, 0]], _sheets(drawn, cell.fleet), strict=True):
        first, second = readings.THESE(sheets)[:2]
        told.append(readings.told_apart(first, second))
        ends = [one.interval() for one in (first, second)]
        held += [own is not None and own.low <= truth <= own.high for own in ends]
    board = np.arange(cell.boards)
    return Row(cell.name, (percent(told, board, FALSE), percent(held, np.repeat(board, 2), Within(91))))


def power(world: VerdictWorld, cell: CoverageCell) -> Row:
    """One row: the difference that such boards print for one comparison, how often that sees it, and both for tiers."""
    alone, tiers = (_seen(world, cell, by_tiers) for by_tiers in (False, True))
    return Row(cell.name, (*alone, *tiers))


def _seen(world: VerdictWorld, cell: CoverageCell, by_tiers: bool) -> tuple[Cell, Cell | None]:
    rng = np.random.default_rng((SEED, 4, by_tiers, *cell))
    typical = _sheets(world.draw(rng, unmixed(world.boards(rng, TYPICAL, cell.fleet).ravel()), cell.runs), cell.fleet)
    gap = np.nanmedian([readings.smallest_visible(readings.THESE(own), by_tiers=by_tiers) for own in typical])
    who = world.boards(rng, cell.boards, cell.fleet)
    better = np.maximum(world.truth[who[:, 0]], world.truth.min() + gap)
    drawn = world.draw(rng, _with_pair(world, rng, who, better, float(gap)), cell.runs)
    found = []
    for sheets in _sheets(drawn, cell.fleet):
        estimates = readings.THESE(sheets)
        told = (
            readings.told_apart_on_board(estimates, 0, 1)
            if by_tiers
            else readings.told_apart(estimates[0], estimates[1])
        )
        found.append(told)
    return Cell(float(gap)), percent(found, np.arange(cell.boards))


def equivalence(world: VerdictWorld, cell: CoverageCell) -> Row:
    """One row: how often the first two are called equivalent, by where the lower one of them stands."""
    rng = np.random.default_rng((SEED, 6, *cell))
    shares: list[Cell | None] = []
    for lowest, highest in BANDS.values():
        low, high = max(lowest, world.truth.min()), min(highest, world.truth.max() - MARGIN)
        if low >= high:
            shares.append(None)
            continue
        worse = rng.uniform(low, high, cell.boards)
        who = world.boards(rng, cell.boards, cell.fleet)
        drawn = world.draw(rng, _with_pair(world, rng, who, worse + MARGIN, MARGIN), cell.runs)
        said = [readings.equivalent(*readings.THESE(own)[:2], margin=MARGIN) for own in _sheets(drawn, cell.fleet)]
        shares.append(percent(said, np.arange(cell.boards), FALSE))
    return Row(cell.name, tuple(shares))


def _with_pair(world: VerdictWorld, rng: np.random.Generator, who: Numbers, better: Array, gap: float) -> Mixture:
    """Boards of `who` (boards, fleet), the first two of each replaced: one of that true index, one `gap` below it."""
    pair = mixed(world, rng, np.stack([better, better - gap], axis=1).ravel())
    first, second, share = who.copy(), who.copy(), np.ones(who.shape)
    first[:, :2], second[:, :2] = pair.first.reshape(-1, 2), pair.second.reshape(-1, 2)
    share[:, :2] = pair.share.reshape(-1, 2)
    return Mixture(first.ravel(), second.ravel(), share.ravel())


def _sheets(subjects: SimulatedSubjects, fleet: int) -> list[list[SubjectPoints]]:
    return [subjects.sheets(slice(at, at + fleet)) for at in range(0, len(subjects.points[0]), fleet)]
