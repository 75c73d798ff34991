"""What `run --replicates auto` saves, and if it leaves the index where it is: two runs, then calls by what is known.

Subjects and verdicts are those of `verdict_world`. What an index is expected to become, given its first runs and the
plan that follows, needs no drawing: later runs are unbiased. So its bias is the mean error of first runs, scenario by
scenario, times their share of the runs of the plan. A plan that follows nothing drawn has none: its error is taken off,
which leaves less Monte Carlo error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import BOARDS, SEED
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.grid import Array
from benchmarks.published import VARIABLE
from benchmarks.published_pool import pool
from benchmarks.verdict_world import ScenarioVerdicts, VerdictWorld, unmixed
from independence.engine.replicates import KnownNoise
from independence.stats.allocation import LEAST, RepeatedScenario, RunNoise, allocate
from independence.stats.subject_points import SubjectPoints
from independence.suites import load

SUITE, CALLS, FLEETS = "v2", 205, (2, 8)
BIAS = 0.03  # points
_NAME = "bias of --replicates auto in two stages"


class _Design(NamedTuple):
    """What plans are made of."""

    calls: Mapping[str, int]  # of one run of each scenario, its verdict included
    shipped: Mapping[str, float]

    def plan(self, noise: Mapping[str, float], have: int) -> dict[str, int]:
        """Runs of each scenario for CALLS calls, of which `have` are there."""
        units = {name: RepeatedScenario(noise[name], own) for name, own in self.calls.items()}
        return allocate(units, CALLS, dict.fromkeys(units, have))


def measure(subjects: Sequence[SubjectPoints] | None = None, boards: int = BOARDS) -> list[Result]:
    """Bias in points with its Monte Carlo error, by the subjects on a board; skipped without a pool."""
    subjects = pool() if subjects is None else subjects
    if not subjects:
        return [Skipped(_NAME, f"{VARIABLE} does not name a folder with the published data")]
    world, suite = VerdictWorld(subjects), load.load(SUITE).suite
    calls = {one.id: sum(turn.reply is None for turn in one.turns) + 1 for one in suite.scenarios}
    design = _Design(calls, load.shipped_noise(load.locate(SUITE), suite) or {})
    results: list[Result] = [_saving(world, design)]
    for fleet in FLEETS:
        for who, bound in (("others", BIAS), ("oneself, which is not done", None)):
            errors = _errors(world, design, boards, fleet, by_others=bound is not None)
            detail = f"{errors.mean():+.3f} ±{errors.std(ddof=1) / np.sqrt(boards):.3f}, {boards} boards"
            name = f"{_NAME}, {fleet} subjects, by the noise of {who}"
            results.append(Figure(name, abs(float(errors.mean())), "points", bound, detail=detail))
    return results


def _saving(world: VerdictWorld, design: _Design) -> Figure:
    """What one go with the shipped noise leaves of the error that as many calls leave in whole runs."""
    plan = design.plan(design.shipped, LEAST)
    runs = CALLS // sum(design.calls.values())
    variance = {_name(world, own): own.moments()[1] for own in world.verdicts}
    spread, whole = (
        float(np.sqrt(np.mean(sum(own / count[name] for name, own in variance.items()))))
        for count in (plan, dict.fromkeys(plan, runs))
    )
    detail = f"{spread:.2f} points instead of {whole:.2f}, root mean square over {len(world.truth)} subjects"
    return Figure(
        f"error of --replicates auto --calls {CALLS} / of {runs} runs", spread / whole, "x", 1.0, detail=detail
    )


def _name(world: VerdictWorld, own: ScenarioVerdicts) -> str:
    place = own.places[0]
    return world.strata[place.stratum].scenarios[place.position]


def _errors(world: VerdictWorld, design: _Design, boards: int, fleet: int, *, by_others: bool) -> Array:
    """Mean error over the subjects of each board, (boards,)."""
    rng = np.random.default_rng((SEED, 9, fleet))
    who = world.boards(rng, boards, fleet)
    first, truth = world.draw(rng, unmixed(who.ravel()), LEAST), _true_points(world)
    usual = design.plan(design.shipped, LEAST)
    found = []
    for board, subjects in enumerate(who):
        sheets = first.sheets(slice(board * fleet, (board + 1) * fleet))
        plans = _plans(design, [sheet.totals for sheet in sheets], by_others)
        found.append(
            np.mean(
                [
                    (LEAST / plan[name] - LEAST / usual[name]) * (float(points.mean()) - truth[name][subject])
                    for sheet, subject, plan in zip(sheets, subjects, plans, strict=True)
                    for name, points in sheet.totals.items()
                ]
            )
            * len(design.calls)
        )
    return np.array(found)


def _plans(design: _Design, totals: Sequence[Mapping[str, Array]], by_others: bool) -> Iterator[dict[str, int]]:
    """The plan of each subject after its first runs."""
    noise = {
        str(at): RunNoise({name: float(points.var(ddof=1)) for name, points in own.items()}, dict.fromkeys(own, 1))
        for at, own in enumerate(totals)
    }
    for at, own in noise.items():
        asked = KnownNoise(design.shipped, design.shipped, noise if by_others else {"": own}, {})
        yield design.plan(asked.variance({at})[0], LEAST)


def _true_points(world: VerdictWorld) -> dict[str, Array]:
    """Scenario -> the points of infinitely many runs, (subjects,)."""
    out: dict[str, Array] = {}
    for stratum, means in zip(world.strata, world.means, strict=True):
        for position, scenario in enumerate(stratum.scenarios):
            out[scenario] = out.get(scenario, 0.0) + means[:, position]
    return out
