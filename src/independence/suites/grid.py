"""A grid as scenarios: every combination of its factors' levels, for each side that asks.

Combinations come in the order of the factors, the last varying fastest, and sides within each. A scenario's id is its
number in that order, three digits or more; `cell` joins the levels of the factors that make a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import msgspec

from independence.suites.schema import Grid, Scenario, Suite, Turn
from independence.suites.template import fill

_NESTED = 4  # templates within templates


def expanded(suite: Suite) -> Suite:
    """The suite with its grid's scenarios after its own. Raises KeyError for a slot or table entry that is missing."""
    if suite.grid is None:
        return suite
    return msgspec.structs.replace(suite, scenarios=(*suite.scenarios, *scenarios(suite.grid, suite.vars)))


def scenarios(grid: Grid, shared: Mapping[str, str]) -> tuple[Scenario, ...]:
    """The grid's scenarios; `shared` are the suite's variables."""
    return tuple(
        _scenario(grid, shared, levels, side, number)
        for number, (levels, side) in enumerate((levels, side) for levels in combinations(grid) for side in grid.sides)
    )


def combinations(grid: Grid) -> Iterator[dict[str, str]]:
    """Factor -> level, for every combination."""
    for levels in product(*(own for own in grid.factors.values())):
        yield dict(zip(grid.factors, levels, strict=True))


def cell_of(grid: Grid, levels: Mapping[str, str]) -> str:
    """The name of a combination's cell."""
    return "/".join(levels[factor] for factor in grid.cell)


def _scenario(grid: Grid, shared: Mapping[str, str], levels: dict[str, str], side: str, number: int) -> Scenario:
    own = _variables(grid, levels)
    asker = grid.sides[side]
    known = {**shared, **own, **asker.vars}
    cell, id_ = cell_of(grid, levels), f"{number:03d}"
    return Scenario(
        id=id_,
        experiment=grid.experiment,
        title=f"{cell}, {side} asks",
        turns=(Turn(human=_filled(asker.human, known), id=f"{id_}_turn"),),
        rubric=grid.rubric,
        context=_filled(asker.context, known) if asker.context else "",
        factors=levels,
        vars={name: _filled(text, known) for name, text in own.items() if name not in grid.derived},
        side=side,
        cell=cell,
    )


def _variables(grid: Grid, levels: Mapping[str, str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for factor, level in levels.items():
        out[factor] = level
        out.update(grid.factors[factor][level])
    for name, derived in grid.derived.items():
        out[name] = derived.table[",".join(levels[factor] for factor in derived.of)]
    return out


def _filled(text: str, known: Mapping[str, str]) -> str:
    """A template whose variables may be templates themselves."""
    for _ in range(_NESTED):
        text, before = fill(text, known), text
        if text == before:
            break
    return text.strip()
