"""How often a gate passes or fails falsely, looked at after every run's worth of calls, and how soon it is decided.

Calls are spread over scenarios as the command spreads them, by the noise that the suite ships.
Subjects are drawn from published verdicts, or from the noise that the suite ships: there every scenario's verdicts have
its shipped variance and one mean, as a beta distribution on its scale, so that the true index is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import SEED
from benchmarks.figure import Result, Skipped
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.purchases import run_calls, scenario_calls
from benchmarks.verdict_world import Numbers, SimulatedSubjects, StratumScenarios, VerdictWorld, unmixed
from independence.stats import gates, strict, subject_points
from independence.stats.allocation import RepeatedScenario, allocate
from independence.stats.gates import Decision, GatedIndex
from independence.stats.index_uncertainty import these_scenarios
from independence.stats.intervals import Interval
from independence.stats.strict import VerdictValues
from independence.stats.subject_points import Stratum, SubjectPoints
from independence.suites import load

GATES, MOST_RUNS = 600, 10
LOOKS = range(gates.LEAST, MOST_RUNS + 1)
DRAWN = 60  # runs of each scenario, of which the plans take the first ones
FALSE = Within(most=5)
BASELINES = (3, 10)  # runs
# The true index minus the bar, and which decision is false or right there.
POSITIONS: tuple[tuple[float, Decision, Within], ...] = (
    (0, "pass", FALSE), (0, "fail", FALSE), (-1, "pass", FALSE), (1, "fail", FALSE),
    (5, "pass", ANY), (-5, "fail", ANY), (10, "pass", ANY), (-10, "fail", ANY),
)  # fmt: skip
HEADS = (
    "on it: passes", "fails", "1 below: passes", "1 above: fails", "5 above: passes", "5 below: fails",
    "10 above: passes", "10 below: fails", "runs: on it", "5 off", "10 off",
)  # fmt: skip
_MOST_VARIED = 0.95  # of the variance that verdicts of that mean can have


class Simulated(NamedTuple):
    """Subjects of one kind with the index that infinitely many runs would give, (n,)."""

    truth: Array
    drawn: SimulatedSubjects


Draw = Callable[[np.random.Generator, int], Simulated]  # of so many subjects


def measure(gates_each: int = GATES, processes: int | None = None) -> list[Result]:
    """Grids of a bar and of baselines; what needs the published data is left out without it."""
    found = kinds(pool())
    left_out = [] if pool() else [Skipped("gates of published subjects", f"{VARIABLE} names no published data")]
    bar = in_processes(partial(against_bar, count=gates_each), list(found), processes)
    grids: list[Result] = [Grid(f"{gates_each} gates with a bar, %, by where the true index lies", HEADS, tuple(bar))]
    for runs in BASELINES:
        rows = in_processes(partial(against_baseline, count=gates_each, runs=runs), list(found), processes)
        title = f"the same against a baseline of {runs} runs, by where the true difference lies"
        grids.append(Grid(title, HEADS, tuple(rows)))
    return [*left_out, *grids]


def kinds(published: Sequence[SubjectPoints]) -> Mapping[str, Draw]:
    """Every kind of subjects by its name."""
    found: dict[str, Draw] = {
        f"noise of v2, index {place:.0%}".replace("%", ""): partial(shipped, place) for place in (0.05, 0.5, 0.8, 0.95)
    }
    found["a tenth of that noise, index 80"] = partial(shipped, 0.8, share=0.01)
    if not published:
        return found
    world, mirrored = VerdictWorld(published), VerdictWorld([_mirrored(sheet) for sheet in published])
    order, tenth = np.argsort(world.run_sd), len(published) // 10 + 1
    return found | {
        "published": partial(_of, world, np.arange(len(published))),
        "noisiest tenth": partial(_of, world, order[-tenth:]),
        "quietest tenth": partial(_of, world, order[:tenth]),
        "published, 95 and more": partial(_of, world, np.flatnonzero(world.truth >= 95)),
        "the same mirrored: 5 and less": partial(_of, mirrored, np.flatnonzero(mirrored.truth <= 5)),
    }


def shipped(place: float, rng: np.random.Generator, count: int, share: float = 1.0) -> Simulated:
    """Subjects whose every scenario keeps `place` (0-1) on average, with `share` of the variance that v2 ships."""
    loaded = load.load("v2")
    noise = load.shipped_noise(load.locate("v2"), loaded.suite) or {}
    sheet = any_sheet()
    points = [np.empty((count, len(own.scenarios), DRAWN)) for own in sheet.strata]
    kept: dict[str, Array] = {}
    for number, stratum in enumerate(sheet.strata):
        for at, scenario in enumerate(stratum.scenarios):
            low, high = sheet.ends[scenario]
            if scenario not in kept:
                most = place * (1 - place)
                size = most / min(share * noise[scenario] / (high - low) ** 2, _MOST_VARIED * most) - 1
                kept[scenario] = rng.beta(place * size, (1 - place) * size, (count, DRAWN))
            bottom, top = stratum.ends[at]
            points[number][:, at] = bottom + (top - bottom) * kept[scenario]
    lowest = sheet.base + sum(low for low, _ in sheet.ends.values())
    truth = lowest + place * sum(high - low for low, high in sheet.ends.values())
    strata = tuple(StratumScenarios(own.scenarios, own.ends) for own in sheet.strata)
    return Simulated(np.full(count, truth), SimulatedSubjects(sheet.base, strata, tuple(points)))


def any_sheet() -> SubjectPoints:
    """Some subject of v2, for its strata and the ends of their scales."""
    frame = strict.frame(load.load("v2").suite)
    cells = [
        VerdictValues(scenario, 1, {field: ends[0] for field, ends in fields.items()})
        for scenario, fields in frame.scenarios.items()
    ]
    sheet = subject_points.subject_points(frame, cells)
    assert sheet is not None
    return sheet


def _mirrored(sheet: SubjectPoints) -> SubjectPoints:
    """The subject that keeps what this one loses."""
    strata = []
    for own in sheet.strata:
        points = tuple(low + high - runs for runs, (low, high) in zip(own.points, own.ends, strict=True))
        strata.append(Stratum(own.scenarios, points, own.ends))
    return SubjectPoints(sheet.base, tuple(strata))


def _of(world: VerdictWorld, who: Numbers, rng: np.random.Generator, count: int) -> Simulated:
    chosen = np.resize(who, count)
    return Simulated(world.truth[chosen], world.draw(rng, unmixed(chosen), DRAWN))


def against_bar(kind: str, count: int) -> Row:
    """One row: gates with a bar."""
    found = _drawn(kind, count, 1)
    at = {runs: gates.levels(gates.information(runs)) for runs in LOOKS}
    ends = [[gates.around_index(own[runs], at[runs]) for runs in LOOKS] for own in indices(found.drawn, count)]
    return row_of(kind, found.truth, ends)


def against_baseline(kind: str, count: int, runs: int) -> Row:
    """One row: gates of subjects against a baseline of the same subject with so many runs."""
    own, then = indices(_drawn(kind, count, 2).drawn, count), indices(_drawn(kind, count, 3).drawn, count)
    at = {now: gates.levels(gates.information(now, runs)) for now in LOOKS}
    ends = [
        [gates.around_difference(mine[now], before[runs], at[now]) for now in LOOKS]
        for mine, before in zip(own, then, strict=True)
    ]
    return row_of(kind, np.zeros(count), ends)


def _drawn(kind: str, count: int, salt: int) -> Simulated:
    """The same subjects for every salt, other runs."""
    found = kinds(pool())
    rng = np.random.default_rng((SEED, 9, salt, list(found).index(kind)))
    return found[kind](rng, count)


@cache
def plans() -> dict[int, dict[str, int]]:
    """Runs of each scenario, by how many whole runs their calls are worth."""
    noise, calls = load.shipped_noise(load.locate("v2"), load.load("v2").suite) or {}, scenario_calls()
    units = {name: RepeatedScenario(noise[name], own) for name, own in calls.items()}
    found: dict[int, dict[str, int]] = {}
    for runs in LOOKS:
        found[runs] = allocate(units, runs * run_calls(), found.get(runs - 1))
    return found


def indices(drawn: SimulatedSubjects, count: int) -> list[dict[int, GatedIndex]]:
    """Every subject's index by how many runs its calls are worth."""
    by_runs = {runs: drawn.sheets(slice(0, count), plan) for runs, plan in plans().items()}
    return [{runs: gated(by_runs[runs][at]) for runs in LOOKS} for at in range(count)]


def gated(sheet: SubjectPoints) -> GatedIndex:
    """Of a subject alone in its store."""
    return gates.gated_index(subject_points.contributions([sheet]), these_scenarios([sheet])[0])


def row_of(name: str, truth: Array, ends: Sequence[Sequence[Interval]]) -> Row:
    shares: list[Cell | None] = []
    taken: dict[float, list[int]] = {}
    for off, due, within in POSITIONS:
        decisions = [first(own, float(at) - off) for own, at in zip(ends, truth, strict=True)]
        shares.append(percent([decision == due for decision, _ in decisions], np.arange(len(ends)), within))
        taken.setdefault(abs(off), []).extend(runs for _, runs in decisions)
    return Row(name, (*shares, *(Cell(float(np.mean(taken[off]))) for off in (0, 5, 10))))


def first(ends: Sequence[Interval], bar: float) -> tuple[Decision, int]:
    """The first decision that is one, and after how many runs it came."""
    for runs, own in zip(LOOKS, ends, strict=True):
        if (decision := gates.decided(own, bar)) != "undecided":
            return decision, runs
    return "undecided", MOST_RUNS
