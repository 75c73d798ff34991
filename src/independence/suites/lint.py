"""What a suite's types cannot say: references, ranges, weights, templates, duplicates. Every problem names its line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from independence.config.documents import YamlDocument
from independence.errors import DocumentError
from independence.suites import lint_grid, lint_rubrics
from independence.suites.lint_texts import nothing_fills, text_of, unfilled
from independence.suites.schema import Component, Index, Scenario, Suite
from independence.suites.template import slots

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


Requirements = Callable[[Suite], Iterable[tuple[str, str]]]  # what is missing: where in suite.yaml, and what


def problems(
    suite: Suite, document: YamlDocument, folder: Path, requirements: Requirements = lambda _: ()
) -> list[DocumentError]:
    """Every problem of a suite, in the order of the file. An empty list means it can run.

    `requirements`: those of the suite's analysis, which this room does not know.
    """
    found = [
        *value_problems(suite, document, folder),
        *_files(suite, document, folder),
        *_conditions(suite, document),
        *lint_rubrics.problems(suite, document, folder),
        *_scenarios(suite, document),
        *lint_grid.problems(suite, document, lint_rubrics.quoted(suite, folder)),
        *_index(suite, document),
        *(document.error(where, what) for where, what in requirements(suite)),
    ]
    return sorted(found, key=lambda problem: (problem.path != document.path, problem.line))


def _references(suite: Suite) -> Iterator[tuple[str, str]]:
    for name, reference in suite.variants.items():
        yield f"$.variants.{name}", reference
    if suite.closing:
        yield "$.closing", suite.closing
    if suite.delivery.tool_role:
        yield "$.delivery.tool_role.suffix", suite.delivery.tool_role.suffix
    for name, rubric in suite.rubrics.items():
        yield f"$.rubrics.{name}.prompt", rubric.prompt
        for number, step in enumerate(rubric.steps):
            yield f"$.rubrics.{name}.steps[{number}].prompt", step.prompt


def _files(suite: Suite, document: YamlDocument, folder: Path) -> Iterator[DocumentError]:
    for where, reference in _references(suite):
        path = folder / reference
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            yield document.error(where, f"file `{reference}` does not exist below {folder}")
        elif (text := text_of(path)) is None:
            yield document.error(where, f"file `{reference}` cannot be read as UTF-8 text")
        elif not where.startswith("$.rubrics"):
            yield from unfilled(path, text, suite.vars.keys())


def _conditions(suite: Suite, document: YamlDocument) -> Iterator[DocumentError]:
    if suite.default.variant not in suite.variants:
        yield document.error("$.default.variant", f"variant `{suite.default.variant}` is not declared")
    if suite.default.mode not in suite.delivery.modes:
        yield document.error("$.default.mode", f"mode `{suite.default.mode}` is not in delivery.modes")
    if "tool_role" in suite.delivery.modes and suite.delivery.tool_role is None:
        yield document.error("$.delivery.modes", "mode `tool_role` needs delivery.tool_role")
    if suite.default.temperature is not None and not 0 <= suite.default.temperature <= 2:
        yield document.error("$.default.temperature", f"temperature {suite.default.temperature:g} is outside 0 to 2")
    if suite.default.judge and not _VARIABLE.fullmatch(suite.default.judge):
        what = f"`{suite.default.judge}` is no name of an environment variable, like OPENROUTER_SCORER_MODEL"
        yield document.error("$.default.judge", what)
    tool = suite.delivery.tool_role
    if tool is not None and tool.protocol == "speak" and not (tool.parameter and tool.greeting):
        yield document.error("$.delivery.tool_role", "a tool that speaks needs `parameter` and `greeting`")


def _scenarios(suite: Suite, document: YamlDocument) -> Iterator[DocumentError]:
    scenario_ids: set[str] = set()
    turn_ids: set[str] = set()
    for number, scenario in enumerate(suite.scenarios):
        where = f"$.scenarios[{number}]"
        if scenario.id in scenario_ids:
            yield document.error(f"{where}.id", f"scenario id `{scenario.id}` appears twice")
        elif suite.grid is not None and lint_grid.numbered(suite.grid, scenario.id):
            yield document.error(f"{where}.id", f"scenario id `{scenario.id}` is one that the grid gives")
        if scenario.experiment not in suite.experiments:
            yield document.error(f"{where}.experiment", f"experiment `{scenario.experiment}` is not declared")
        if scenario.rubric not in suite.rubrics:
            yield document.error(f"{where}.rubric", f"rubric `{scenario.rubric}` is not declared")
        if scenario.follows is not None and scenario.follows not in scenario_ids:
            yield document.error(f"{where}.follows", f"`{scenario.follows}` is not an earlier scenario")
        scenario_ids.add(scenario.id)
        yield from _shape(scenario, where, document)
        yield from _turns(scenario, where, document, turn_ids)
        yield from _slots(scenario, where, suite, document)
    if not suite.scenarios and suite.grid is None:
        yield document.error("$.scenarios", "a suite needs at least one scenario")


def _shape(scenario: Scenario, where: str, document: YamlDocument) -> Iterator[DocumentError]:
    if all(turn.reply is not None for turn in scenario.turns):
        yield document.error(f"{where}.turns", f"`{scenario.id}` has no turn for the subject to answer")
    elif scenario.turns[-1].reply is not None:
        yield document.error(
            f"{where}.turns", f"`{scenario.id}` ends in a scripted reply; the last turn needs an answer"
        )
    if scenario.verdict_id and scenario.verdict_id not in {turn.id for turn in scenario.turns}:
        yield document.error(f"{where}.verdict_id", f"`{scenario.verdict_id}` is not a turn of `{scenario.id}`")


def _turns(scenario: Scenario, where: str, document: YamlDocument, seen: set[str]) -> Iterator[DocumentError]:
    for number, turn in enumerate(scenario.turns):
        at = f"{where}.turns[{number}]"
        if turn.reply is None and not turn.id:
            yield document.error(at, "a turn that the subject answers needs an id")
        if turn.id and turn.id in seen:
            yield document.error(f"{at}.id", f"turn id `{turn.id}` appears twice")
        seen.add(turn.id)


def _slots(scenario: Scenario, where: str, suite: Suite, document: YamlDocument) -> Iterator[DocumentError]:
    texts = [(f"{where}.system", scenario.system), (f"{where}.context", scenario.context)]
    for number, turn in enumerate(scenario.turns):
        texts += [(f"{where}.turns[{number}].human", turn.human), (f"{where}.turns[{number}].reply", turn.reply or "")]
    for at, text in texts:
        for slot in slots(text):
            if slot not in suite.vars and slot not in scenario.vars:
                yield document.error(at, nothing_fills(slot))


def _index(suite: Suite, document: YamlDocument) -> Iterator[DocumentError]:
    if suite.index is None:
        return
    if suite.scenarios:  # without any, that is what is wrong
        yield from _dimensions(suite, suite.index, document)
    for number, component in enumerate(suite.index.components):
        yield from _component(component, suite.index, f"$.index.components[{number}]", document)
    total = math.fsum(component.weight for component in suite.index.components)
    if not abs(total - 1) <= 1e-9:
        yield document.error("$.index.components", f"weights sum to {total:g}, not 1")


def _component(component: Component, index: Index, at: str, document: YamlDocument) -> Iterator[DocumentError]:
    for name in component.dimensions:
        if name not in index.dimensions:
            yield document.error(f"{at}.dimensions", f"dimension `{name}` is not declared")
    if component.worst == component.best:
        yield document.error(at, f"`worst` and `best` of {component.label} are equal")
    if not component.weight > 0:
        yield document.error(f"{at}.weight", f"weight of {component.label} must be above 0")


def _dimensions(suite: Suite, index: Index, document: YamlDocument) -> Iterator[DocumentError]:
    known = {(s.experiment, s.rubric) for s in suite.scenarios if s.rubric in suite.rubrics}
    for name, dimension in index.dimensions.items():
        carried = [suite.rubrics[rubric].fields for experiment, rubric in known if experiment == dimension.experiment]
        if not dimension.fields or not any(fields.keys() >= set(dimension.fields) for fields in carried):
            what = " and ".join(f"`{field}`" for field in dimension.fields) or "(none named)"
            at = f"$.index.dimensions.{name}"
            yield document.error(at, f"no rubric of experiment `{dimension.experiment}` has the field {what}")


_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_MOST_TOKENS: Final = 1_000_000


def value_problems(suite: Suite, document: YamlDocument, folder: Path) -> Iterator[DocumentError]:
    """Every such problem."""
    yield from _name(suite.suite, document)
    if not 1 <= suite.delivery.max_tokens <= _MOST_TOKENS:
        what = f"max_tokens {suite.delivery.max_tokens} is outside 1 to {_MOST_TOKENS:,}"
        yield document.error("$.delivery.max_tokens", what)
    for name, reference in suite.variants.items():
        text = text_of(folder / reference) if (folder / reference).is_file() else None
        if text is not None and not text.strip():
            yield document.error(
                f"$.variants.{name}", f"the system prompt `{reference}` is empty; write it, or drop it"
            )


def _name(name: str, document: YamlDocument) -> Iterator[DocumentError]:
    if not _NAME.fullmatch(name):
        what = "take letters, digits, dots, dashes and underscores, up to 60, a letter or digit first"
        yield document.error("$.suite", f"`{' '.join(name.split())}` is no name for a suite: {what}")
