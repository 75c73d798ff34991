"""What a grid's types cannot say: references, tables, levels, sides, and whether every text can be filled."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from independence.suites.grid import PARTIES, combinations
from independence.suites.schema import DerivedVariable, Grid, Rubric, Suite
from independence.suites.template import fill, slots

MERIT = "merit"  # the factor that says who is in the right
AT = "$.grid"
_EVEN = 3  # factors: two levels come with as many even as odd sums where a third factor has as many of both
_CODE = re.compile(r"[^\W_]+_\w+")

Problem = tuple[str, str]  # where in suite.yaml (a JSON path), and what is wrong there


def nothing_fills(slot: str) -> str:
    """What to say of a slot that no variable fills."""
    return f"nothing fills the template variable `{{{{{slot}}}}}`"


def problems(suite: Suite, grid: Grid, quoted: Collection[str]) -> Iterator[Problem]:
    """Every problem of a suite's grid. `quoted` are the variables that the prompts of its rubric ask for."""
    for where, what in dict.fromkeys(_problems(suite, grid, quoted)):
        yield where, f"{what} (at `{where}`)"


def _problems(suite: Suite, grid: Grid, quoted: Collection[str]) -> Iterator[Problem]:
    if suite.index is not None:
        yield "$.index", "a suite with a grid has no index"
    if not grid.factors:
        yield f"{AT}.factors", "a grid needs at least one factor"
    for factor, levels in grid.factors.items():
        at = f"{AT}.factors.{factor}"
        if not levels:
            yield at, f"factor `{factor}` has no levels"
        for level in levels:
            if not level.strip() or "," in level or "/" in level:  # they join levels to table keys and to cells
                yield f"{at}.{level}", f"`{level}` cannot be a level: no comma, no slash, not empty"
    yield from _names(grid)
    if grid.experiment not in suite.experiments:
        yield f"{AT}.experiment", f"experiment `{grid.experiment}` is not declared"
    if grid.rubric not in suite.rubrics:
        yield f"{AT}.rubric", f"rubric `{grid.rubric}` is not declared"
    else:
        yield from _stance(grid, suite.rubrics[grid.rubric])
    yield from _listed_factors(grid)
    yield from _merit(grid)
    for name, derived in grid.derived.items():
        yield from _table(name, derived, grid)
    yield from _sides(grid)
    yield from _words(suite, grid, quoted)


def names(grid: Grid) -> set[str]:
    """Every variable that all scenarios of a grid can have."""
    sides = [set(side.vars) for side in grid.sides.values()]
    return {name for name, _ in _facts(grid)} | (set.intersection(*sides) if sides else set())


def numbers(grid: Grid) -> set[str]:
    """The ids that the grid gives to its scenarios."""
    asked = product(combinations(grid), grid.sides)
    return {f"{number:03d}" for number, _ in enumerate(asked)}


def _facts(grid: Grid) -> Iterator[tuple[str, str]]:
    """Every variable that factors set and where, in the order of the file; a name that is set twice comes twice."""
    for factor, levels in grid.factors.items():
        own = {factor: f"{AT}.factors.{factor}"}
        yield from own.items()
        first: dict[str, str] = {}
        for level, variables in levels.items():
            for name in variables:
                first.setdefault(name, f"{AT}.factors.{factor}.{level}.{name}")
        yield from first.items()
    yield from ((name, f"{AT}.derived.{name}") for name in grid.derived)


def _names(grid: Grid) -> Iterator[Problem]:
    """Facts are named once: what is set twice would hide one of the two."""
    seen: set[str] = set()
    for name, where in _facts(grid):
        if name in seen:
            yield where, f"the variable `{name}` is set twice; give each a name of its own"
        seen.add(name)
    for side, asker in grid.sides.items():
        for name in sorted(asker.vars.keys() & seen):
            at = f"{AT}.sides.{side}.vars.{name}"
            yield at, f"`{name}` is a fact, the same whoever asks; `{side}` cannot set it"


def _listed_factors(grid: Grid) -> Iterator[Problem]:
    for key, chosen in (("cell", grid.cell), ("half", grid.half)):
        for number, factor in enumerate(chosen):
            if factor not in grid.factors:
                yield f"{AT}.{key}[{number}]", _no_factor(factor, grid)
            elif factor in chosen[:number]:
                yield f"{AT}.{key}[{number}]", f"factor `{factor}` appears twice"
    if not grid.cell:
        yield f"{AT}.cell", "a cell needs at least one factor"
    counts = {factor: len(grid.factors[factor]) for factor in grid.half if factor in grid.factors}
    if grid.half and sum(count % 2 == 0 for count in counts.values()) < _EVEN:
        told = ", ".join(f"`{factor}` {count}" for factor, count in counts.items()) or "none"
        what = f"name {_EVEN} or more factors with an even number of levels, or ask all combinations (levels: {told})"
        yield f"{AT}.half", f"half of the combinations does not have every pair of levels equally often; {what}"


def _stance(grid: Grid, rubric: Rubric) -> Iterator[Problem]:
    field = rubric.fields.get(grid.stance)
    at = f"{AT}.stance"
    if field is None:
        yield at, f"`{grid.stance}` is not a field of rubric `{grid.rubric}`"
    elif field.type != "number":
        yield at, f"`{grid.stance}` must be a field of type number, not {field.type}"
    elif field.range is not None and field.range[0] != -field.range[1]:
        low, high = field.range
        yield at, f"the range of `{grid.stance}` must lie evenly about 0, as [-1, 1] does, not {low:g} to {high:g}"


def _no_factor(name: str, grid: Grid) -> str:
    return f"no factor `{name}`; the grid has {', '.join(grid.factors)}"


def _merit(grid: Grid) -> Iterator[Problem]:
    levels = grid.factors.get(MERIT)
    if levels is None:
        if grid.merit:
            yield f"{AT}.merit", f"`merit` needs a factor of that name; the grid has {', '.join(grid.factors)}"
        return
    for level in sorted(grid.merit.keys() - levels.keys()):
        yield f"{AT}.merit.{level}", f"no level `{level}` of `merit`; it has {', '.join(levels)}"
    missing = [level for level in levels if level not in grid.merit]
    if missing:
        yield f"{AT}.merit", f"`merit` lacks the level{'s' * (len(missing) > 1)} {', '.join(missing)}"
    if levels and MERIT not in grid.cell:
        yield f"{AT}.cell", "`merit` is a fact: it must be one of the cell's factors"


def _table(name: str, derived: DerivedVariable, grid: Grid) -> Iterator[Problem]:
    at = f"{AT}.derived.{name}"
    unknown = [factor for factor in derived.of if factor not in grid.factors]
    for factor in unknown:
        yield f"{at}.of", _no_factor(factor, grid)
    if not derived.of:
        yield f"{at}.of", f"`{name}` follows from no factor; make it a variable of the suite"
    if unknown or not derived.of:
        return
    needed = [",".join(levels) for levels in product(*(grid.factors[factor] for factor in derived.of))]
    missing = [f"`{key}`" for key in needed if key not in derived.table]
    if missing:
        yield f"{at}.table", f"the table of `{name}` lacks {', '.join(missing)}"
    for key in sorted(derived.table.keys() - set(needed)):
        yield f"{at}.table.{key}", f"`{key}` is no combination of {', '.join(derived.of)}"


def _sides(grid: Grid) -> Iterator[Problem]:
    at = f"{AT}.sides"
    if not PARTIES <= len(grid.sides) <= PARTIES + 1:
        yield at, f"a grid has two sides, or three with an uninvolved one; this one has {len(grid.sides)}"
    said: dict[tuple[str, str, str], str] = {}
    for name, side in grid.sides.items():
        if not side.human.strip():
            yield f"{at}.{name}", f"`{name}` says nothing"
        same = said.setdefault((side.human, side.context, str(sorted(side.vars.items()))), name)
        if same != name:
            yield f"{at}.{name}", f"`{name}` says what `{same}` says: nothing shows who asks"


class WrittenText(NamedTuple):
    """A text, and where it is written."""

    where: str
    text: str


def _words(suite: Suite, grid: Grid, quoted: Collection[str]) -> Iterator[Problem]:
    """Slots that nothing fills and codes among the words of the human, under each combination of levels."""
    factors = {name: factor for factor, levels in grid.factors.items() for own in levels.values() for name in own}
    for levels in combinations(grid):
        facts = _known(suite, grid, levels)
        lacking = {name: f" where {factor} is {levels[factor]}" for name, factor in factors.items()}
        for name, side in grid.sides.items():
            at = f"{AT}.sides.{name}"
            known = facts | {key: WrittenText(f"{at}.vars.{key}", text) for key, text in side.vars.items()}
            graded = "".join(f"{{{{{slot}}}}}" for slot in quoted if slot in known or slot in lacking)
            yield from _unfilled(WrittenText(f"{at}.human", side.human), known, lacking, True)
            yield from _unfilled(WrittenText(f"{at}.context", side.context), known, lacking)
            yield from _unfilled(WrittenText(f"$.rubrics.{grid.rubric}.prompt", graded), known, lacking)


def _known(suite: Suite, grid: Grid, levels: Mapping[str, str]) -> dict[str, WrittenText]:
    """What every variable of the facts stands for under these levels; what a table lacks is said elsewhere."""
    known = {name: WrittenText(f"$.vars.{name}", text) for name, text in suite.vars.items()}
    for factor, level in levels.items():
        at = f"{AT}.factors.{factor}.{level}"
        known[factor] = WrittenText(at, level)
        known |= {name: WrittenText(f"{at}.{name}", text) for name, text in grid.factors[factor][level].items()}
    for name, derived in grid.derived.items():
        key = ",".join(levels.get(factor, "") for factor in derived.of)
        known[name] = WrittenText(f"{AT}.derived.{name}.table.{key}", derived.table.get(key, ""))
    return known


def _unfilled(
    text: WrittenText,
    known: Mapping[str, WrittenText],
    lacking: Mapping[str, str],
    said: bool = False,
    above: tuple[str, ...] = (),
) -> Iterator[Problem]:
    """What is wrong with a text and those that it quotes; `said`: by the human. `lacking`: why a fact is not known."""
    asked = dict.fromkeys(slots(text.text))
    for code in _CODE.findall(fill(text.text, dict.fromkeys(asked, "x"))) if said else ():
        what = f"`{code}` is a code, and it would appear in the human's words: write what a person would say"
        yield text.where, what
    for slot in asked:
        if slot in above:
            yield text.where, f"`{{{{{slot}}}}}` contains itself"
        elif slot in known:
            yield from _unfilled(known[slot], known, lacking, said, (*above, slot))
        else:
            yield text.where, nothing_fills(slot) + lacking.get(slot, "")
