"""A balanced sample of a grid: whole cells, with every level of every factor as often as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.schema import Scenario

Level = tuple[str, str]  # factor, level


class GridCell(NamedTuple):
    """The scenarios of one case, whoever asks and in whatever words."""

    name: str
    levels: tuple[Level, ...]  # those that all its scenarios have
    scenarios: tuple[str, ...]


def cells(scenarios: Iterable[Scenario]) -> list[GridCell]:
    """The cells of a grid's scenarios, in their order."""
    by_cell: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        by_cell.setdefault(scenario.cell, []).append(scenario)
    return [GridCell(name, _common(own), tuple(scenario.id for scenario in own)) for name, own in by_cell.items()]


def sample(scenarios: Sequence[Scenario], limit: int, seed: int) -> frozenset[str]:
    """Ids of at most `limit` of a grid's scenarios: whole cells, levels balanced, the same for the same seed.

    A factor's levels come equally often, or one cell apart where they cannot; pairs of levels come as near to that as
    they get. Raises UsageError where not even one cell fits.
    """
    found = cells(scenarios)
    size = max(len(cell.scenarios) for cell in found)
    if limit < size:
        sides = ", ".join(dict.fromkeys(scenario.side for scenario in scenarios))
        raise UsageError(f"--limit {limit}: one whole cell takes {size} scenarios (asked by {sides}); allow that many")
    ordered = sorted(found, key=lambda cell: digest.sha256([seed, cell.name]))
    chosen = _exchanged(*_greedy(ordered, limit // size))
    return frozenset(scenario for cell in chosen for scenario in cell.scenarios)


def _common(scenarios: Sequence[Scenario]) -> tuple[Level, ...]:
    first, *others = scenarios
    return tuple(
        (factor, level)
        for factor, level in first.factors.items()
        if all(other.factors[factor] == level for other in others)
    )


def _greedy(ordered: Sequence[GridCell], count: int) -> tuple[list[GridCell], list[GridCell]]:
    """`count` cells, each the one whose levels, then pairs of levels, have come least so far; and the rest."""
    left, chosen = list(ordered), list[GridCell]()
    levels, pairs = Counter[Level](), Counter[tuple[Level, Level]]()
    while left and len(chosen) < count:
        sums = [sum(levels[level] for level in cell.levels) for cell in left]
        least = min(sums)
        rarest = (cell for cell, total in zip(left, sums, strict=True) if total == least)
        best = min(rarest, key=lambda cell: sum(pairs[pair] for pair in combinations(cell.levels, 2)))
        left.remove(best)
        chosen.append(best)
        levels.update(best.levels)
        pairs.update(combinations(best.levels, 2))
    return chosen, left


def _exchanged(chosen: list[GridCell], left: list[GridCell]) -> list[GridCell]:
    """The choice after every exchange of a cell for one left out that evens out the levels."""
    seen = Counter(level for cell in chosen for level in cell.levels)
    while (swap := _better(seen, chosen, left)) is not None:
        i, j = swap
        seen.subtract(chosen[i].levels)
        seen.update(left[j].levels)
        chosen[i], left[j] = left[j], chosen[i]
    return chosen


def _better(seen: Counter[Level], chosen: Sequence[GridCell], left: Sequence[GridCell]) -> tuple[int, int] | None:
    for i, own in enumerate(chosen):
        for j, other in enumerate(left):
            if _change(seen, own, other) < 0:
                return i, j
    return None


def _change(seen: Counter[Level], own: GridCell, other: GridCell) -> int:
    """By how much the sum of the levels' squared counts changes when one cell takes the place of another."""
    places = zip(own.levels, other.levels, strict=True)
    return sum(2 * (seen[new] - seen[old] + 1) for old, new in places if old != new)
