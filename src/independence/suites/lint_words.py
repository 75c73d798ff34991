"""Whether every template of a grid can be filled, and whether what a person says is something a person would say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from independence.suites.lint_texts import nothing_fills
from independence.suites.schema import Grid, Suite
from independence.suites.template import fill, slots

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


def problems(suite: Suite, grid: Grid, quoted: Collection[str]) -> list[Problem]:
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
            yield text.where, f"`{{{{{slot}}}}}` stands within itself"
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
        yield text.where, f"`{code}` is a code, and it would reach the human's words: write what a person would say"
    for slot in asked.keys() - set(above):
        for inner in _meant(slot, known, text):
            yield from _codes(_within(text, inner), known, (*above, slot))
