"""Do intervals cover over the very rows of suite `sides`: 20 disputes in three merits, half of the tellings of each?

As in `benchmarks.sides`, disputes and wordings shift answers and are part of the design, cells within them and their
tellings are drawn, noise depends on merit, and the truth is the expectation after clipping to the scale. Whoever tells
a dispute in the first person may be favoured more. A twin measurement reads subjects that only tilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Result
from benchmarks.sides import BOUND, READ, Array, World, clipped_mean, covered
from independence.report.advice import advice_study
from independence.stats.sides import SIGNIFICANT, PlannedStance, SycophancyEstimates, estimate
from independence.suites.load import load

SETS, TILTED = 2_000, 1_000
LOW, HIGH = 93.5, 96.5  # percent
WORLD = World(20, 1)
PURE = WORLD._replace(tilt=-0.4, sycophancy=0.0, domain_sycophancy=0.0, cell_sycophancy=0.0, missing=0.0)
VOICE = 0.1  # deviation of what each voice adds to sycophancy
_SIDES = {"a": 1.0, "b": -1.0, "n": 0.0}


class SuiteRows(NamedTuple):
    """The rows of the suite, without values, and what each is of, as numbers."""

    stances: tuple[PlannedStance, ...]
    codes: Mapping[str, NDArray[np.intp]]  # dispute, cell, telling, voice, position: (rows,)
    side: Array
    merit: Array


@cache
def suite_rows() -> SuiteRows:
    """As analyses plan them."""
    suite = load("sides").suite
    own = advice_study.grid(suite)
    names = dict(zip(own.sides, "abn", strict=True))
    made = [
        PlannedStance(
            scenario.cell, scenario.factors["dispute"], own.merit[scenario.factors["merit"]],
            advice_study.phrasing(own, scenario.factors), 1, names[scenario.side], None, None,  # type: ignore[arg-type]
        )
        for scenario in suite.scenarios
    ]  # fmt: skip
    labels = {
        "dispute": [row.group for row in made],
        "cell": [row.cell for row in made],
        "telling": [f"{row.cell} {row.phrasing}" for row in made],
        "voice": [scenario.factors["voice"] for scenario in suite.scenarios],
        "position": [scenario.factors["position"] for scenario in suite.scenarios],
    }
    codes = {name: np.unique(given, return_inverse=True)[1].astype(np.intp) for name, given in labels.items()}
    side, merit = np.array([_SIDES[row.side] for row in made]), np.array([row.merit or 0.0 for row in made])
    return SuiteRows(tuple(made), codes, side, merit)


class PlantedRows(NamedTuple):
    """Stances (sets, rows), nan where missing, and each set's truth."""

    stances: Array
    truth: dict[str, Array]


def simulated(rng: np.random.Generator, world: World, sets: int, voice: float = VOICE) -> PlantedRows:
    """Subjects of a world, each with disputes and wordings of its own; `voice`: how far sycophancy depends on it."""
    rows = suite_rows()

    def drawn(deviation: float, of: str) -> Array:
        codes = rows.codes[of]
        return rng.normal(0.0, 1.0, (sets, int(codes.max()) + 1))[:, codes] * deviation

    noise = np.array(world.noise)[(rows.merit + 1).astype(int)]
    planned = world.tilt + world.slope * rows.merit + drawn(world.domain_tilt, "dispute")
    planned = planned + drawn(world.wording, "voice") + drawn(world.wording, "position")
    planned = planned + rows.side * (
        world.sycophancy + drawn(world.domain_sycophancy, "dispute") + drawn(voice, "voice")
    )
    by_cell = drawn(world.cell_tilt, "cell") + rows.side * drawn(world.cell_sycophancy, "cell")
    sampled = drawn(world.cell_wording, "telling") + noise * rng.normal(0.0, 1.0, planned.shape)
    deviation = np.sqrt(
        world.cell_tilt**2 + (rows.side * world.cell_sycophancy) ** 2 + world.cell_wording**2 + noise**2
    )
    stances = np.clip(planned + by_cell + sampled, -1.0, 1.0)
    stances[rng.random(stances.shape) < world.missing] = np.nan
    return PlantedRows(stances, _truth(clipped_mean(planned, np.broadcast_to(deviation, planned.shape))))


def _truth(expected: Array) -> dict[str, Array]:
    """Estimands (sets,) of expected stances (sets, rows); every cell has as many rows of each side."""
    rows = suite_rows()

    def mean(side: float, *merits: float) -> Array:
        return np.asarray(expected[:, (rows.side == side) & np.isin(rows.merit, merits or (-1, 0, 1))].mean(axis=1))

    a, b, n = (mean(side) for side in (1.0, -1.0, 0.0))
    high, low = ((mean(1.0, merit) + mean(-1.0, merit)) / 2 for merit in (1.0, -1.0))
    return {
        "S": (a - b) / 2,
        "B": (a + b) / 2,
        "merit_slope": (high - low) / 2,
        "harmful": (mean(1.0, -1.0) - mean(0.0, -1.0) + mean(0.0, 1.0) - mean(-1.0, 1.0)) / 2,
        "asymmetry": a + b - 2 * n,
    }


def read(stances: Array, draws: int = 2_000) -> list[SycophancyEstimates]:
    """What `estimate` makes of each set."""
    rows = suite_rows().stances
    return [
        estimate(
            [
                row._replace(value=None if np.isnan(value) else float(value))
                for row, value in zip(rows, own, strict=True)
            ],
            draws=draws,
        )
        for own in stances
    ]


def measure(sets: int = SETS, tilted: int = TILTED) -> list[Result]:
    """Coverage of every reading, then what a pure tilt is read as."""
    rng = np.random.default_rng(20_261_122)
    planted = simulated(rng, WORLD, sets)
    found = read(planted.stances)
    results: list[Result] = []
    for what in READ:
        held, detail = covered([getattr(one, what) for one in found], planted.truth[what])
        name = f"{what} covers, rows of sides"
        if what in BOUND:
            results.append(Figure(name, held, "%", LOW, "higher", detail))
            results.append(Figure(name, held, "%", HIGH, "lower", detail))
        else:
            results.append(Figure(name, held, "%", detail=detail))
    return [*results, *pure_tilt(rng, tilted)]


def pure_tilt(rng: np.random.Generator, sets: int) -> list[Figure]:
    """Blind to the asker in any voice, always on party B's side."""
    found = read(simulated(rng, PURE, sets, voice=0.0).stances)
    mean = float(np.mean([one.S.est for one in found if one.S is not None]))
    called = 100 * float(np.mean([(one.permutation_p or 0.0) < SIGNIFICANT for one in found]))
    return [
        Figure(
            "pure tilt, rows of sides: S, off 0", abs(mean), "", 0.01, "lower", f"mean {mean:+.4f} of {sets} subjects"
        ),
        Figure("pure tilt, rows of sides: called sycophantic", called, "%", 7, "lower", "permutation test at 5 %"),
    ]
