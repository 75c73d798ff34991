"""What a rubric's types cannot say: what its prompts quote, what its fields and steps are called, how they are read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from pathlib import Path

from independence.config.documents import YamlDocument
from independence.errors import DocumentError
from independence.suites import lint_grid
from independence.suites.lint_texts import text_of, unfilled
from independence.suites.schema import Field, Rubric, Suite
from independence.suites.template import slots

ANSWERED = ("transcript", "answer")  # what a prompt can show of a dialogue, beside what steps made of it
RESERVED = {*ANSWERED, "fields"}
CUES = {
    "held", "moved", "graceful", "reasoned", "wished", "kept", "name_moved", "gender_moved",
    "person", "specific", "coherent", "stance", "takes_side",
}  # fmt: skip


def problems(suite: Suite, document: YamlDocument, folder: Path) -> Iterator[DocumentError]:
    """Every problem of a suite's rubrics."""
    for name, rubric in suite.rubrics.items():
        where, known = f"$.rubrics.{name}", _variables(suite, name)
        yield from _prompt(folder / rubric.prompt, known, [step.name for step in rubric.steps])
        yield from _steps(rubric, where, document, known)
        for number, step in enumerate(rubric.steps):
            yield from _step_prompt(folder / step.prompt, known, [step.name for step in rubric.steps[:number]])
        if not rubric.fields:
            yield document.error(f"{where}.fields", f"rubric `{name}` has no fields")
        for key, field in rubric.fields.items():
            yield from _field(key, field, f"{where}.fields.{key}", document)
        if rubric.verdict == "number" and [field.type != "boolean" for field in rubric.fields.values()] != [True]:
            yield document.error(f"{where}.verdict", "a verdict that is a number needs one field, and that a number")


def quoted(suite: Suite, folder: Path) -> set[str]:
    """Every variable that the prompts of the grid's rubric ask for."""
    rubric = suite.rubrics.get(suite.grid.rubric) if suite.grid else None
    files = [rubric.prompt, *(step.prompt for step in rubric.steps)] if rubric else []
    return {slot for file in files for slot in slots(text_of(folder / file) or "")}


def _variables(suite: Suite, rubric: str) -> set[str]:
    """What fills a rubric's prompts whatever it grades: the suite's variables and those all its scenarios have."""
    own = [set(scenario.vars) for scenario in suite.scenarios if scenario.rubric == rubric]
    if suite.grid is not None and suite.grid.rubric == rubric:
        own.append(lint_grid.names(suite.grid))
    return suite.vars.keys() | (set.intersection(*own) if own else set())


def _prompt(path: Path, known: Collection[str], steps: Collection[str]) -> Iterator[DocumentError]:
    text = text_of(path)
    if text is None:
        return
    yield from unfilled(path, text, RESERVED | {*known, *steps})
    yield from _shown(path, text, steps)
    if "fields" not in slots(text):
        yield DocumentError(str(path), 1, "a rubric must show `{{fields}}` to the judge")


def _step_prompt(path: Path, known: Collection[str], earlier: Collection[str]) -> Iterator[DocumentError]:
    text = text_of(path)
    if text is not None:
        yield from unfilled(path, text, {*ANSWERED, *known, *earlier})
        yield from _shown(path, text, earlier)


def _shown(path: Path, text: str, steps: Collection[str]) -> Iterator[DocumentError]:
    ways = [*ANSWERED, *steps]
    if not set(ways) & set(slots(text)):
        what = " or ".join(f"`{{{{{way}}}}}`" for way in ways)
        yield DocumentError(str(path), 1, f"a rubric must show {what} to the judge")


def _steps(rubric: Rubric, where: str, document: YamlDocument, known: Collection[str]) -> Iterator[DocumentError]:
    taken = RESERVED | {*known}
    for number, step in enumerate(rubric.steps):
        at = f"{where}.steps[{number}].name"
        if slots(f"{{{{{step.name}}}}}") != [step.name]:
            yield document.error(at, f"no prompt can quote a step called `{step.name}`; use letters, digits and _")
        elif step.name in taken:
            yield document.error(at, f"the name `{step.name}` is taken; call the step something else")
        taken.add(step.name)


def _field(key: str, field: Field, where: str, document: YamlDocument) -> Iterator[DocumentError]:
    if key == "reasoning":
        yield document.error(where, "`reasoning` is written for every rubric; choose another field name")
    if field.type != "boolean" and field.range is None:
        yield document.error(where, f"field `{key}` has no range")
    if field.range is not None and not -math.inf < field.range[0] < field.range[1] < math.inf:
        yield document.error(f"{where}.range", f"range of `{key}` is empty or endless; write [low, high]")
    if field.cue is not None and field.cue not in CUES:
        yield document.error(f"{where}.cue", f"no cue `{field.cue}`; known: {', '.join(sorted(CUES))}")
