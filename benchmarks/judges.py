"""What is said of judges: do intervals of agreement cover, is scale use taken for preference?

Simulated judges grade simulated subjects on 0-10 in whole numbers. Every share is printed with its Monte Carlo error:
the standard error of a mean over independent groups of sets, which share judges and scenarios, or a board.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Result
from independence.stats import agreement, self_preference
from independence.stats.self_preference import JudgedSubject, Points

SETS, POPULATION = 2_000, 5_000
DRAWS = 20  # of judges and scenarios, which share the sets
BOARDS = 100
SCENARIOS, RUNS = 15, 3
Array = NDArray[np.float64]


class World(NamedTuple):
    """Standard deviations on the scale of 0-10, and where subjects stand on it."""

    level: float = 6.5
    subjects: float = 1.0
    scenarios: float = 1.0
    replies: float = 1.0
    severity: float = 0.3  # of a judge, towards all alike
    leaning: float = 0.5  # of a judge towards a subject
    odd: float = 0.0  # share of subjects that judges lean towards four times as much
    inconsistency: float = 0.8  # of a judge


WORLDS = {"": World(), ", near the top": World(level=9.0), ", one subject in ten is odd": World(odd=0.1)}


def measure(sets: int = SETS) -> list[Result]:
    """Coverage of agreement, false self-preference."""
    parts = (_agreement, _preferences)
    return [result for part in parts for result in part(np.random.default_rng(20_261_122), sets)]


def share(hits: NDArray[np.bool_]) -> tuple[float, str]:
    """Percentage, and its Monte Carlo error in words. Of groups (groups, sets), sets of one group are alike."""
    of_groups = hits.reshape(len(hits), -1).mean(axis=1)
    error = 100 * max(float(of_groups.std(ddof=1)), 1 / math.sqrt(hits.size)) / math.sqrt(len(hits))
    return 100 * float(hits.mean()), f"+-{error:.1f} of {hits.size:,}"


def scores(rng: np.random.Generator, world: World, subjects: int, judges: Array, scenarios: Array) -> Array:
    """(subjects, scenarios, judges), one run each; `judges` (judges,) severities, `scenarios` (scenarios,) effects."""
    shape = (subjects, len(scenarios), len(judges))
    level = world.level + rng.normal(0, world.subjects, (subjects, 1, 1)) + scenarios[None, :, None]
    much = np.where(rng.random((subjects, 1, 1)) < world.odd, 4.0, 1.0)
    leaning = much * rng.normal(0, world.leaning, (subjects, 1, len(judges)))
    noise = rng.normal(0, world.replies, (*shape[:2], 1)) + rng.normal(0, world.inconsistency, shape)
    found: Array = np.clip(np.rint(level + leaning + judges + noise), 0, 10)
    return found


def _agreement(rng: np.random.Generator, sets: int) -> Iterator[Result]:
    """Subjects are drawn again in every set, judges and scenarios in every `DRAWS`-th part of them."""
    for name, world in WORLDS.items():
        found: dict[str, list[_Covered]] = defaultdict(list)
        for _ in range(DRAWS):
            judges, scenarios = (
                rng.normal(0, spread, size) for spread, size in ((world.severity, 3), (1.0, SCENARIOS))
            )
            draw = partial(scores, rng, world, judges=judges, scenarios=scenarios)
            whole = draw(POPULATION).reshape(-1, 3)
            truths = {what: of(whole, [0] * len(whole)) for what, of in _COEFFICIENTS.items()}
            for count in (agreement.FEWEST_SUBJECTS, 10, 20, 50):
                whom = np.repeat(np.arange(count), SCENARIOS).tolist()
                drawn = [draw(count).reshape(-1, 3) for _ in range(sets // DRAWS)]
                for what, of in _COEFFICIENTS.items():
                    said = f"{what} covers, {count} subjects{name}"
                    found[said].append(_covered([of(one, whom) for one in drawn], truths[what]))
        for said, own in found.items():
            rate, error = share(np.array([one.held for one in own]))
            width, value = np.mean([one.width for one in own]), np.mean([one.truth for one in own])
            detail = f"{error}; mean width {width:.2f}; mean truth {value:.2f}"
            yield Figure(said, rate, "%", None if world.odd else 92, "higher", detail)


def _ac2(ratings: Array, whom: Sequence[int]) -> agreement.Coefficient | None:
    return agreement.gwet(ratings, range(11), whom)


_COEFFICIENTS: dict[str, Callable[[Array, Sequence[int]], agreement.Coefficient | None]] = {
    "alpha": agreement.alpha,
    "AC2": _ac2,
}


class _Covered(NamedTuple):
    """Intervals of the sets of one draw; none at all holds nothing."""

    held: list[bool]
    width: float
    truth: float


def _covered(found: Sequence[agreement.Coefficient | None], truth: agreement.Coefficient | None) -> _Covered:
    value = truth.value if truth is not None else math.nan
    ends = [one.interval if one is not None else None for one in found]
    width = np.mean([end.high - end.low for end in ends if end is not None])
    return _Covered([end is not None and end.low <= value <= end.high for end in ends], float(width), value)


def _preferences(rng: np.random.Generator, sets: int) -> Iterator[Result]:
    """Own family of three among 12 or 20, at the bottom or at the top; three judges."""
    for count, stretch, place in product((12, 20), (1.0, 1.15, 1.3), ("bottom", "top")):
        found = [_preference(rng, count, stretch, place, 0.0) for _ in range(sets)]
        ends = [one.interval for one in found if one.interval is not None]
        rate, error = share(np.array([end.low > 0 or end.high < 0 for end in ends]))
        gaps = [(one.self_bias or 0.0) - (one.elsewhere or 0.0) for one in found]
        detail = f"{error}; difference of biases {np.mean(gaps):+.1f}, allowed for {_mean(found):+.1f}"
        name = f"false self-preference, stretch x{stretch:g}, own 3 of {count} at the {place}"
        yield Figure(name, rate, "%", 7 if stretch < 1.3 else None, "lower", detail)
    for count in (12, 20):
        found = [_preference(rng, count, 1.15, "bottom", 0.8) for _ in range(sets)]
        seen, error = share(np.array([one.interval is not None and one.interval.low > 0 for one in found]))
        yield Figure(f"self-preference of 8 points seen, 3 of {count} at the bottom, x1.15", seen, "%", detail=error)


def _mean(found: Sequence[self_preference.FamilyPreference]) -> float:
    return float(np.mean([one.difference for one in found if one.difference is not None]))


def _preference(
    rng: np.random.Generator, count: int, stretch: float, place: str, bias: float
) -> self_preference.FamilyPreference:
    """A judge that stretches the scale around its middle, and two that do not."""
    world = World(leaning=0.2, subjects=1.5)
    order = np.sort(rng.normal(world.level, world.subjects, count))
    first = {"bottom": 0, "top": count - 3}[place]
    own = np.isin(np.arange(count), range(first, first + 3))
    replies = order[:, None, None] + rng.normal(0, 1, (SCENARIOS, 1)) + rng.normal(0, 1, (count, SCENARIOS, RUNS))
    given = []
    for judge in range(3):
        meant = 6.5 + stretch * (replies - 6.5) + bias * own[:, None, None] if judge == 0 else replies
        meant = meant + rng.normal(0, world.leaning, (count, 1, 1)) + rng.normal(0, world.severity)
        given.append(np.clip(np.rint(meant + rng.normal(0, world.inconsistency, replies.shape)), 0, 10))
    subjects = [_judged([one[at] for one in given]) for at in range(count)]
    mine = [one for one, wanted in zip(subjects, own, strict=True) if wanted]
    return self_preference.prefer(mine, [one for one, wanted in zip(subjects, own, strict=True) if not wanted])


def _judged(given: Sequence[Array]) -> JudgedSubject:
    judge, *others = (_points(one) for one in given)
    return self_preference.judged(judge, others)


def _points(own: Array) -> Points:
    """Scores (scenarios, runs) as points of an index that is ten times their mean."""
    return {f"s{number}": 10 * runs / len(own) for number, runs in enumerate(own)}
