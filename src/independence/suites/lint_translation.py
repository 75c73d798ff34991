"""Where a translation is not like its original: both ask the same scenarios and measure the same, in two languages."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from independence.suites.lint_grid import Problem
from independence.suites.schema import Grid, Index, Rubric, Suite

_SHOWN = 5  # names in one sentence


def problems(suite: Suite, original: Suite) -> Iterator[Problem]:
    """Every mismatch: where in `suite.yaml` (a JSON path), and what. Both suites with the scenarios of their grids."""
    yield from _identity(suite, original)
    yield from _names("$.experiments", "experiment", suite.experiments, original.experiments)
    yield from _names("$.rubrics", "rubric", suite.rubrics, original.rubrics)
    for name, rubric in suite.rubrics.items():
        if name in original.rubrics:
            yield from _fields(f"$.rubrics.{name}", rubric, original.rubrics[name])
    for what in ("grid", "index"):
        if (getattr(suite, what) is None) is not (getattr(original, what) is None):
            lacks, has = ("translation", "original") if getattr(suite, what) is None else ("original", "translation")
            yield f"$.{what}", f"the {lacks} has no {what}, and the {has} has one"
    if suite.grid and original.grid:
        yield from _grid(suite.grid, original.grid)
    if not suite.grid or not original.grid:  # ids of a grid's scenarios follow from its factors and sides
        yield from _scenarios(suite, original)
    if suite.index and original.index:
        yield from _index(suite.index, original.index)


def _identity(suite: Suite, original: Suite) -> Iterator[Problem]:
    if original.suite != suite.translation_of:
        yield "$.translation_of", f"the suite in `{suite.translation_of}` is called `{original.suite}`; write that name"
    elif suite.suite == original.suite:
        yield "$.suite", f"`{suite.suite}` is the name of the original; a translation has its own, like `sides-es`"
    if original.translation_of:
        yield "$.translation_of", f"`{original.suite}` is itself a translation; name `{original.translation_of}`"
    if suite.language == original.language:
        what = f"`{suite.language}` is the language of `{original.suite}` too; write `language:` of the translation"
        yield "$.language", what
    if suite.analysis != original.analysis:
        yield "$.analysis", _unlike("analysis", suite.analysis, original.analysis)


def _unlike(what: str, own: object, original: object) -> str:
    return f"{what} is {own}, in the original {original}"


def _names(where: str, what: str, own: Collection[str], original: Collection[str]) -> Iterator[Problem]:
    """Names that one side lacks, or their order."""
    lacking, more = ([name for name in a if name not in b] for a, b in ((original, own), (own, original)))
    if lacking:
        yield where, f"{what} {_listed(lacking)} of the original is missing"
    if more:
        yield where, f"{what} {_listed(more)} is not in the original"


def _listed(names: Collection[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(f"`{name}`" for name in list(names)[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _fields(where: str, rubric: Rubric, original: Rubric) -> Iterator[Problem]:
    yield from _names(f"{where}.fields", "field", rubric.fields, original.fields)
    for key, field in rubric.fields.items():
        if (other := original.fields.get(key)) is None:
            continue
        at = f"{where}.fields.{key}"
        if field.type != other.type:
            yield at, _unlike(f"the type of `{key}`", field.type, other.type)
        elif field.range != other.range:
            yield at, _unlike(f"the range of `{key}`", _ends(field.range), _ends(other.range))


def _ends(given: tuple[float, float] | None) -> str:
    return f"[{given[0]:g}, {given[1]:g}]" if given else "not given"


def _scenarios(suite: Suite, original: Suite) -> Iterator[Problem]:
    known = {scenario.id: scenario for scenario in original.scenarios}
    yield from _names("$.scenarios", "scenario", [scenario.id for scenario in suite.scenarios], known)
    for number, scenario in enumerate(suite.scenarios):
        other = known.get(scenario.id, scenario)
        for part in ("experiment", "rubric", "follows"):
            own, theirs = getattr(scenario, part), getattr(other, part)
            if own != theirs:
                at = f"$.scenarios[{number}].{part}"
                yield at, _unlike(f"`{part}` of `{scenario.id}`", own or "not given", theirs or "not given")


def _grid(own: Grid, original: Grid) -> Iterator[Problem]:
    yield from _ordered("$.grid.factors", "factor", own.factors, original.factors)
    for factor in sorted(own.factors.keys() & original.factors.keys()):
        at = f"$.grid.factors.{factor}"
        yield from _ordered(at, f"level of `{factor}`", own.factors[factor], original.factors[factor])
    yield from _ordered("$.grid.sides", "side", own.sides, original.sides)
    for part in ("experiment", "rubric", "stance", "cell", "merit", "half"):
        if getattr(own, part) != getattr(original, part):
            yield f"$.grid.{part}", f"`{part}` is not that of the original"


def _ordered(where: str, what: str, own: Collection[str], original: Collection[str]) -> Iterator[Problem]:
    """As `_names`; and order counts, since scenarios are numbered by it."""
    found = list(_names(where, what, own, original))
    if not found and list(own) != list(original):
        found.append((where, f"each {what} must stand in the order of the original: {_listed(original)}"))
    yield from found


def _index(own: Index, original: Index) -> Iterator[Problem]:
    """Labels may be translated."""
    if own.dimensions != original.dimensions:
        yield "$.index.dimensions", "the dimensions of the index are not those of the original"
    if own.unlabelled.components != original.unlabelled.components:
        what = "dimensions, weights or ends of the components are not those of the original"
        yield "$.index.components", what
