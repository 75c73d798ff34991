"""What a grid's types cannot say: references, tables, levels, sides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, product
from types import MappingProxyType
from typing import NamedTuple

from independence.config.documents import YamlDocument
from independence.errors import DocumentError
from independence.suites.grid import PARTIES
from independence.suites.lint_texts import nothing_fills
from independence.suites.schema import DerivedVariable, Grid, Rubric, Suite
from independence.suites.template import fill, slots

MERIT = "merit"  # the factor that says who is in the right
AT = "$.grid"


def problems(suite: Suite, document: YamlDocument, quoted: Collection[str]) -> Iterator[DocumentError]:
    """Every problem of a suite's grid. `quoted` are the variables that the prompts of its rubric ask for."""
    for where, what in _problems(suite, quoted):
        yield document.error(where, f"{what} (at `{where}`)")


def _problems(suite: Suite, quoted: Collection[str]) -> Iterator[Problem]:
    grid = suite.grid
    if grid is None:
        return
    if suite.index is not None:
        yield "$.index", "a suite with a grid has no index"
    yield from _factors(grid)
    yield from _names(grid)
    yield from _references(suite, grid)
    yield from _merit(grid)
    for name, derived in grid.derived.items():
        yield from _table(name, derived, grid)
    yield from _sides(grid)
    yield from word_problems(suite, grid, quoted)


def names(grid: Grid) -> set[str]:
    """Every variable that all scenarios of a grid can have."""
    sides = [set(side.vars) for side in grid.sides.values()]
    return {fact.name for fact in facts(grid)} | (set.intersection(*sides) if sides else set())


def numbered(grid: Grid, scenario_id: str) -> bool:
    """Whether an id is one that the grid gives."""
    count = len(grid.sides)
    for levels in grid.factors.values():
        count *= len(levels)
    number = int(scenario_id) if scenario_id.isascii() and scenario_id.isdigit() else count
    return number < count and scenario_id == f"{number:03d}"


def _factors(grid: Grid) -> Iterator[Problem]:
    if not grid.factors:
        yield f"{AT}.factors", "a grid needs at least one factor"
    for factor, levels in grid.factors.items():
        at = f"{AT}.factors.{factor}"
        if not levels:
            yield at, f"factor `{factor}` has no levels"
        for level in levels:
            if not level.strip() or "," in level or "/" in level:  # they join levels to table keys and to cells
                yield f"{at}.{level}", f"`{level}` cannot be a level: no comma, no slash, not empty"


def _names(grid: Grid) -> Iterator[Problem]:
    """Facts are named once: what is set twice would hide one of the two."""
    seen: set[str] = set()
    for fact in facts(grid):
        if fact.name in seen:
            yield fact.where, f"the variable `{fact.name}` is set twice; give each a name of its own"
        seen.add(fact.name)
    for side, asker in grid.sides.items():
        for name in asker.vars:
            if name in seen:
                at = f"{AT}.sides.{side}.vars.{name}"
                yield at, f"`{name}` is a fact, the same whoever asks; `{side}` cannot set it"


def _references(suite: Suite, grid: Grid) -> Iterator[Problem]:
    if grid.experiment not in suite.experiments:
        yield f"{AT}.experiment", f"experiment `{grid.experiment}` is not declared"
    for number, factor in enumerate(grid.cell):
        if factor not in grid.factors:
            yield f"{AT}.cell[{number}]", _no_factor(factor, grid)
        elif factor in grid.cell[:number]:
            yield f"{AT}.cell[{number}]", f"factor `{factor}` appears twice"
    if not grid.cell:
        yield f"{AT}.cell", "a cell needs at least one factor"
    if grid.rubric not in suite.rubrics:
        yield f"{AT}.rubric", f"rubric `{grid.rubric}` is not declared"
    else:
        yield from _stance(grid, suite.rubrics[grid.rubric])


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
    if grid.merit and MERIT not in grid.factors:
        yield f"{AT}.merit", f"`merit` needs a factor of that name; the grid has {', '.join(grid.factors)}"
        return
    levels = grid.factors.get(MERIT, {})
    for level, value in grid.merit.items():
        if level not in levels:
            yield f"{AT}.merit.{level}", f"no level `{level}` of `merit`; it has {', '.join(levels)}"
        if not -1 <= value <= 1:
            yield f"{AT}.merit.{level}", f"merit {value:g} is outside -1 to 1"
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
    needed = {",".join(levels): None for levels in product(*(grid.factors[factor] for factor in derived.of))}
    missing = [f"`{key}`" for key in needed if key not in derived.table]
    if missing:
        yield f"{at}.table", f"the table of `{name}` lacks {', '.join(missing)}"
    for key in derived.table:
        if key not in needed:
            yield f"{at}.table.{key}", f"`{key}` is no combination of {', '.join(derived.of)}"


def _sides(grid: Grid) -> Iterator[Problem]:
    at = f"{AT}.sides"
    if not PARTIES <= len(grid.sides) <= PARTIES + 1:
        yield at, f"a grid has two sides, or three with an uninvolved one; this one has {len(grid.sides)}"
    for name, side in grid.sides.items():
        if not side.human.strip():
            yield f"{at}.{name}", f"`{name}` says nothing"
    said: dict[tuple[str, str, str], str] = {}
    for name, side in grid.sides.items():
        same = said.setdefault((side.human, side.context, str(sorted(side.vars.items()))), name)
        if same != name:
            yield f"{at}.{name}", f"`{name}` says what `{same}` says: nothing shows who asks"


_CODE = re.compile(r"[^\W_]+_\w+")
_FACTORS, _DERIVED, _SIDES = "$.grid.factors", "$.grid.derived", "$.grid.sides"

Problem = tuple[str, str]  # JSON path, what is wrong there
Levels = Mapping[str, str]  # factor -> level


class FactVariable(NamedTuple):
    """A variable that the facts of a case decide, and where it is set."""

    name: str
    where: str


class VariableText(NamedTuple):
    """What a variable stands for under some levels, and where that is written; None: nothing is."""

    where: str
    text: str | None
    levels: Levels = MappingProxyType({})


def facts(grid: Grid) -> Iterator[FactVariable]:
    """Every variable that factors set, in the order of the file; a name that is set twice comes twice."""
    for factor, levels in grid.factors.items():
        yield FactVariable(factor, f"{_FACTORS}.{factor}")
        for name in dict.fromkeys(chain(*levels.values())):
            first = next(level for level, own in levels.items() if name in own)
            yield FactVariable(name, f"{_FACTORS}.{factor}.{first}.{name}")
    for name in grid.derived:
        yield FactVariable(name, f"{_DERIVED}.{name}")


def word_problems(suite: Suite, grid: Grid, quoted: Collection[str]) -> list[Problem]:
    """Slots that nothing fills and codes among the words of the human, each once, wherever it stands."""
    found: dict[Problem, None] = {}
    for name, side in grid.sides.items():
        known, at = {**_shared(suite), **_known(grid), **_own(grid, name)}, f"{_SIDES}.{name}"
        graded = [
            VariableText(f"$.rubrics.{grid.rubric}.prompt", f"{{{{{slot}}}}}") for slot in quoted if slot in known
        ]
        human = VariableText(f"{at}.human", side.human)
        for text in (human, VariableText(f"{at}.context", side.context), *graded):
            found.update(dict.fromkeys(_unfilled(text, known)))
        found.update(dict.fromkeys(_codes(human, known)))
    return list(found)


def _shared(suite: Suite) -> dict[str, list[VariableText]]:
    return {name: [VariableText(f"$.vars.{name}", text)] for name, text in suite.vars.items()}


def _own(grid: Grid, side: str) -> dict[str, list[VariableText]]:
    return {name: [VariableText(f"{_SIDES}.{side}.vars.{name}", text)] for name, text in grid.sides[side].vars.items()}


def _known(grid: Grid) -> dict[str, list[VariableText]]:
    """Fact -> its texts, one for each level or table entry."""
    out: dict[str, list[VariableText]] = {}
    for factor, levels in grid.factors.items():
        at = f"{_FACTORS}.{factor}"
        out[factor] = [VariableText(f"{at}.{level}", level, {factor: level}) for level in levels]
        for name in dict.fromkeys(chain(*levels.values())):
            texts = {level: own.get(name) for level, own in levels.items()}
            out[name] = [VariableText(f"{at}.{level}.{name}", text, {factor: level}) for level, text in texts.items()]
    for name, derived in grid.derived.items():
        at = f"{_DERIVED}.{name}.table"
        out[name] = [
            VariableText(f"{at}.{key}", text, dict(zip(derived.of, key.split(","), strict=False)))
            for key, text in derived.table.items()
        ]
    return out


def _meant(slot: str, known: Mapping[str, list[VariableText]], text: VariableText) -> Iterator[VariableText]:
    """What a slot can stand for in a text: the levels that brought us there decide the rest."""
    for inner in known.get(slot, ()):
        if all(text.levels.get(factor, level) == level for factor, level in inner.levels.items()):
            yield inner


def _within(text: VariableText, inner: VariableText) -> VariableText:
    return inner._replace(levels={**text.levels, **inner.levels})


def _unfilled(
    text: VariableText, known: Mapping[str, list[VariableText]], above: tuple[str, ...] = ()
) -> Iterator[Problem]:
    for slot in dict.fromkeys(slots(text.text or "")):
        if slot in above:
            yield text.where, f"`{{{{{slot}}}}}` contains itself"
        elif slot not in known:
            yield text.where, nothing_fills(slot)
        else:
            for inner in _meant(slot, known, text):
                if inner.text is None:
                    place = " and ".join(f"{factor} is {level}" for factor, level in inner.levels.items())
                    yield text.where, f"{nothing_fills(slot)} where {place}"
                yield from _unfilled(_within(text, inner), known, (*above, slot))


def _codes(
    text: VariableText, known: Mapping[str, list[VariableText]], above: tuple[str, ...] = ()
) -> Iterator[Problem]:
    asked = dict.fromkeys(slots(text.text or ""))
    for code in dict.fromkeys(_CODE.findall(fill(text.text or "", dict.fromkeys(asked, "x")))):
        yield text.where, f"`{code}` is a code, and it would appear in the human's words: write what a person would say"
    for slot in asked.keys() - set(above):
        for inner in _meant(slot, known, text):
            yield from _codes(_within(text, inner), known, (*above, slot))
