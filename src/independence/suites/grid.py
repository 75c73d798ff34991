"""A grid as scenarios: every combination of its factors' levels, for each side that asks.

Combinations come in the order of the factors, the last varying fastest, and sides within each. A scenario's id is its
number in that order, three digits or more; `cell` joins the levels of the factors that make a cell.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.schema import Grid, Rubric, Scenario, Suite, Turn
from independence.suites.template import fill, slots
from independence.types import grouped

PARTIES = 2  # sides that have a stake; a third is uninvolved


def expanded(suite: Suite) -> Suite:
    """The suite with its grid's scenarios after its own. Raises KeyError for what the linter would have found."""
    if suite.grid is None:
        return suite
    made = scenarios(suite.grid, suite.vars, suite.rubrics[suite.grid.rubric])
    return msgspec.structs.replace(suite, scenarios=(*suite.scenarios, *made))


def scenarios(grid: Grid, shared: Mapping[str, str], rubric: Rubric) -> tuple[Scenario, ...]:
    """The grid's scenarios. `shared` are the suite's variables; the rubric, its texts inlined, is the grid's.

    Raises KeyError for a slot that nothing fills and for a combination that a derived variable's table lacks.
    """
    graded = (rubric.prompt, *(step.prompt for step in rubric.steps))
    levels = [level for own in grid.factors.values() for level in own.values()]
    said = [text for side in grid.sides.values() for text in (side.human, side.context, *side.vars.values())]
    derived = chain(*(own.table.values() for own in grid.derived.values()))
    texts = chain(graded, shared.values(), said, derived, *(level.values() for level in levels))
    # Variables of levels that no text quotes are what reports sort cases by: every scenario keeps them.
    labels = frozenset(chain(*levels)) - {slot for text in texts for slot in slots(text)}
    asked = enumerate((levels, side) for levels in combinations(grid) for side in grid.sides)
    return tuple(_scenario(grid, (shared, graded, labels), *place, number) for number, place in asked)


def combinations(grid: Grid) -> Iterator[dict[str, str]]:
    """Factor -> level, for every combination that is asked.

    Of the factors in `half`, those whose levels have numbers with an even sum: a half fraction of a factorial design,
    in which any two of the factors are crossed evenly where a third one has an even number of levels.
    """
    numbers = {factor: {level: number for number, level in enumerate(own)} for factor, own in grid.factors.items()}
    for levels in product(*grid.factors.values()):
        named = dict(zip(grid.factors, levels, strict=True))
        if sum(numbers[factor][named[factor]] for factor in grid.half if factor in named) % 2 == 0:
            yield named


def cell_of(grid: Grid, levels: Mapping[str, str]) -> str:
    """The name of a combination's cell."""
    return "/".join(levels[factor] for factor in grid.cell)


def uninvolved(grid: Grid) -> tuple[str, ...]:
    """Sides that have no stake; empty where only the parties ask."""
    return tuple(grid.sides)[PARTIES:]


def _scenario(
    grid: Grid,
    told: tuple[Mapping[str, str], tuple[str, ...], frozenset[str]],
    levels: dict[str, str],
    side: str,
    number: int,
) -> Scenario:
    """One combination, as one side puts it; `told`: shared variables, texts of the rubric, labels."""
    (shared, graded, labels), asker = told, grid.sides[side]
    known = dict(shared)
    for factor, level in levels.items():
        known |= {factor: level} | grid.factors[factor][level]
    for name, derived in grid.derived.items():
        known[name] = derived.table[",".join(levels[factor] for factor in derived.of)]
    known |= asker.vars
    cell, id_ = cell_of(grid, levels), f"{number:03d}"
    # What neither it nor its rubric says is left out, so that scenarios which say the same are the same.
    used = labels | _reached((asker.human, asker.context, *graded), known)
    own = {name: _filled(text, known) for name, text in known.items() if name in used}
    return Scenario(
        id=id_,
        experiment=grid.experiment,
        title=f"{cell}, {side} asks",
        turns=(Turn(human=_filled(asker.human, known), id=f"{id_}_turn"),),
        rubric=grid.rubric,
        context=_filled(asker.context, known),
        factors=levels,
        vars={name: text for name, text in own.items() if shared.get(name) != text},
        side=side,
        cell=cell,
    )


def _reached(texts: Iterable[str], known: Mapping[str, str]) -> set[str]:
    """Variables that texts quote, themselves or through others."""
    found: set[str] = set()
    waiting = [slot for text in texts for slot in slots(text)]
    for slot in waiting:
        if slot in known and slot not in found:
            found.add(slot)
            waiting.extend(slots(known[slot]))
    return found


def _filled(text: str, known: Mapping[str, str]) -> str:
    """A template whose variables may be templates themselves."""
    for _ in range(len(known) + 1):  # as deep as variables can lie in one another, were each in the next
        before, text = text, fill(text, known)
        if text == before:
            break
    return text.strip()


Level = tuple[str, str]  # factor, level


class GridCell(NamedTuple):
    """The scenarios of one case, whoever asks and in whatever words."""

    name: str
    levels: tuple[Level, ...]  # those that all its scenarios have
    scenarios: tuple[str, ...]


def cells(scenarios: Iterable[Scenario]) -> list[GridCell]:
    """The cells of a grid's scenarios, in their order."""
    by_cell = grouped(scenarios, lambda scenario: scenario.cell)
    return [
        GridCell(
            name,
            tuple(level for level in own[0].factors.items() if all(level in one.factors.items() for one in own)),
            tuple(scenario.id for scenario in own),
        )
        for name, own in by_cell.items()
    ]


def sample(scenarios: Sequence[Scenario], limit: int, seed: int) -> frozenset[str]:
    """Ids of at most `limit` of a grid's scenarios: whole cells, levels balanced, the same for the same seed.

    A factor's levels come equally often, or one cell apart where they cannot; pairs of levels come as near to that as
    they get. Raises UsageError where not even one cell fits.
    """
    found = cells(scenarios)
    size = max(len(cell.scenarios) for cell in found)
    if limit < size:
        sides = ", ".join(dict.fromkeys(scenario.side for scenario in scenarios))
        raise UsageError(
            f"--limit {limit}: one whole cell takes {size} scenarios (asked by {sides})", "allow that many"
        )
    ordered = sorted(found, key=lambda cell: digest.sha256([seed, cell.name]))
    chosen = _exchanged(*_greedy(ordered, limit // size))
    return frozenset(scenario for cell in chosen for scenario in cell.scenarios)


def _greedy(ordered: Sequence[GridCell], count: int) -> tuple[list[GridCell], list[GridCell]]:
    """`count` cells, each the one whose levels, then pairs of levels, have come least so far; and the rest."""
    left, chosen = list(ordered), list[GridCell]()
    levels, pairs = Counter[Level](), Counter[tuple[Level, Level]]()
    while left and len(chosen) < count:
        sums = [sum(levels[level] for level in cell.levels) for cell in left]
        least = min(sums)
        rarest = (cell for cell, total in zip(left, sums, strict=True) if total == least)
        best = min(rarest, key=lambda cell: sum(pairs[pair] for pair in itertools.combinations(cell.levels, 2)))
        left.remove(best)
        chosen.append(best)
        levels.update(best.levels)
        pairs.update(itertools.combinations(best.levels, 2))
    return chosen, left


def _exchanged(chosen: list[GridCell], left: list[GridCell]) -> list[GridCell]:
    """The choice after every exchange of a cell for one left out that evens out the levels."""
    seen = Counter(level for cell in chosen for level in cell.levels)

    def evens_out(own: GridCell, other: GridCell) -> bool:
        """Whether the sum of the levels' squared counts falls when one cell takes the place of another."""
        places = zip(own.levels, other.levels, strict=True)
        return sum(2 * (seen[new] - seen[old] + 1) for old, new in places if old != new) < 0

    while True:
        pairs = ((i, j) for i, own in enumerate(chosen) for j, other in enumerate(left) if evens_out(own, other))
        swap = next(pairs, None)
        if swap is None:
            return chosen
        i, j = swap
        seen.subtract(chosen[i].levels)
        seen.update(left[j].levels)
        chosen[i], left[j] = left[j], chosen[i]
