"""What a suite's types cannot say: references, ranges, weights, templates, duplicates. Every problem names its line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import UNSET

from independence.config import user_files
from independence.config.documents import YamlDocument
from independence.errors import DocumentError, UsageError
from independence.suites import lint_battery, lint_grid
from independence.suites.lint_grid import Problem, nothing_fills
from independence.suites.schema import Field, Grid, Rubric, Scenario, Suite
from independence.suites.template import slots

ANSWERED: Final = ("transcript", "answer")  # what a prompt can show of a dialogue, beside what steps made of it
RESERVED: Final = {*ANSWERED, "fields"}
CUES: Final = {
    "held", "moved", "graceful", "reasoned", "wished", "kept", "name_moved", "gender_moved",
    "person", "specific", "coherent", "stance", "commits", "engaged", "chose", "profiled", "named", "gendered",
    "answered", "agreed",
}  # fmt: skip
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_WRITTEN: Final = ("quote", "reasoning")
_VARIABLE: Final = re.compile(r"[A-Z0-9_]*(MODEL|JUDGE)")

Requirements = Callable[[Suite], Iterable[Problem]]
Texts = Mapping[str, str | UsageError]  # of the files that a suite names, or why they cannot be read


def problems(
    suite: Suite, document: YamlDocument, folder: Path, requirements: Requirements = lambda _: ()
) -> list[DocumentError]:
    """Every problem of a suite, in the order of the file. An empty list means it can run.

    `requirements`: those of the suite's analysis, which this room does not know.
    """
    texts: dict[str, str | UsageError] = {}
    in_document: list[Problem] = []
    for where, reference in _references(suite):
        path = folder / reference
        try:
            if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
                raise UsageError(f"file `{reference}` does not exist below {folder}")
            text = texts[reference] = user_files.read_text(path)
            if where.startswith("$.variants") and not text.strip():
                in_document.append((where, f"the system prompt `{reference}` is empty; write it, or drop it"))
        except UsageError as error:
            texts[reference] = error
            in_document.append((where, str(error)))
    in_document += (
        *_conditions(suite),
        *_rubrics(suite),
        *_scenarios(suite),
        *(lint_grid.problems(suite, suite.grid, _quoted(suite, suite.grid, texts)) if suite.grid else ()),
        *(lint_battery.problems(suite, suite.battery) if suite.battery else ()),
        *_index(suite),
        *_kinds(suite),
        *requirements(suite),
    )
    found = [*(document.error(where, what) for where, what in in_document), *_prompts(suite, folder, texts)]
    return sorted(found, key=lambda problem: (problem.path != document.path, problem.line))


def _references(suite: Suite) -> Iterator[tuple[str, str]]:
    """Where files are named, and which; those of rubrics come last."""
    for name, reference in suite.variants.items():
        yield f"$.variants.{name}", reference
    if suite.closing:
        yield "$.closing", suite.closing
    if suite.delivery.tool_role:
        yield "$.delivery.tool_role.suffix", suite.delivery.tool_role.suffix
    for name, rubric in suite.rubrics.items():
        if rubric.fields or rubric.prompt:
            yield f"$.rubrics.{name}.prompt", rubric.prompt
        for number, step in enumerate(rubric.steps):
            yield f"$.rubrics.{name}.steps[{number}].prompt", step.prompt
        if rubric.confirm:
            yield f"$.rubrics.{name}.confirm", rubric.confirm


def _conditions(suite: Suite) -> Iterator[Problem]:
    default, tool = suite.default, suite.delivery.tool_role
    if not _NAME.fullmatch(suite.suite):
        what = "take letters, digits, dots, dashes and underscores, up to 60, a letter or digit first"
        yield "$.suite", f"`{' '.join(suite.suite.split())}` is no name for a suite: {what}"
    if suite.known is not UNSET:
        yield "$.known", "known dialogues are read from the file `known.yaml` beside this one: write them there"
    if default.variant not in suite.variants:
        yield "$.default.variant", f"variant `{default.variant}` is not declared"
    if default.mode not in suite.delivery.modes:
        yield "$.default.mode", f"mode `{default.mode}` is not in delivery.modes"
    if "tool_role" in suite.delivery.modes and tool is None:
        yield "$.delivery.modes", "mode `tool_role` needs delivery.tool_role"
    for key, name in (("judge", default.judge), ("scorer", default.scorer), ("asks", default.asks)):
        if name and not _VARIABLE.fullmatch(name):
            # Its value is printed and sent as the name of a model, so it must be no variable that may hold a key.
            what = f"`{name}` is no environment variable that names a model, like OPENROUTER_SCORER_MODEL or MY_JUDGE"
            yield f"$.default.{key}", what
    if tool is not None and tool.protocol == "speak" and not (tool.parameter and tool.greeting):
        yield "$.delivery.tool_role", "a tool that speaks needs `parameter` and `greeting`"


def _rubrics(suite: Suite) -> Iterator[Problem]:
    for name, rubric in suite.rubrics.items():
        where = f"$.rubrics.{name}"
        taken = RESERVED | _variables(suite, name)
        for number, step in enumerate(rubric.steps):
            at = f"{where}.steps[{number}].name"
            if slots(f"{{{{{step.name}}}}}") != [step.name]:
                yield at, f"no prompt can quote a step called `{step.name}`; use letters, digits and _"
            elif step.name in taken:
                yield at, f"the name `{step.name}` is taken; call the step something else"
            taken.add(step.name)
        if rubric.prompt_as and (rubric.steps or rubric.verdict != "object"):
            what = "a judge prompt as it was published has no steps, and its verdict is an object"
            yield f"{where}.prompt_as", f"{what}: leave out `steps` and `verdict`"
        if rubric.prompt_as and len(_lengths(suite, name)) > 1:
            what = "it quotes by number, and the dialogues that it grades are not equally long"
            yield f"{where}.prompt_as", f"{what}: give those of each length a rubric of their own"
        ungraded = suite.battery is not None and suite.battery.ladder is not None and suite.battery.ladder.rubric
        if not rubric.fields and name != ungraded:
            yield f"{where}.fields", f"rubric `{name}` has no fields"
        yield from _verdict(rubric, where)


def _verdict(rubric: Rubric, where: str) -> Iterator[Problem]:
    """What is wrong with the fields of a rubric, and with the form of its verdict."""
    for key, field in rubric.fields.items():
        yield from _field(key, field, f"{where}.fields.{key}")
        if field.confirmed and not (rubric.confirm and rubric.quote and field.type == "boolean"):
            what = "only a boolean of a rubric with `confirm` and `quote` is confirmed"
            yield f"{where}.fields.{key}.confirmed", what
    yield from _requirements(rubric, where)
    if rubric.verdict == "number" and [field.type != "boolean" for field in rubric.fields.values()] != [True]:
        yield f"{where}.verdict", "a verdict that is a number needs one field, and that a number"
    if rubric.verdict == "number" and rubric.quote:
        yield f"{where}.quote", "a verdict that is a number quotes nothing: leave out `quote`, or `verdict: number`"


def _variables(suite: Suite, rubric: str) -> set[str]:
    """What fills a rubric's prompts whatever it grades: the suite's variables and those all its scenarios have."""
    own = [set(scenario.vars) for scenario in suite.scenarios if scenario.rubric == rubric]
    if suite.grid is not None and suite.grid.rubric == rubric:
        own.append(lint_grid.names(suite.grid))
    if suite.battery is not None and suite.battery.rubric == rubric:
        own.append(set(lint_battery.NAMES))
    return suite.vars.keys() | (set.intersection(*own) if own else set())


def _field(key: str, field: Field, where: str) -> Iterator[Problem]:
    if key in _WRITTEN:
        yield where, f"`{key}` is what the judge writes before the fields; choose another field name"
    if field.type != "boolean" and field.range is None:
        yield where, f"field `{key}` has no range"
    if field.range is not None and not -math.inf < field.range[0] < field.range[1] < math.inf:
        yield f"{where}.range", f"range of `{key}` is empty or endless; write [low, high]"
    if field.cue is not None and field.cue not in CUES:
        yield f"{where}.cue", f"no cue `{field.cue}`; known: {', '.join(sorted(CUES))}"


def _requirements(rubric: Rubric, where: str) -> Iterator[Problem]:
    """A judge settles what a field requires before the field, and a requirement requires nothing itself."""
    settled: list[str] = []
    for key, field in rubric.fields.items():
        for needed in field.requires or ():
            if needed not in settled:
                what = f"`{key}` requires `{needed}`, which is no boolean field before it that requires nothing"
                yield f"{where}.fields.{key}.requires", f"{what}: declare one above `{key}`, or leave `requires` out"
        if field.type == "boolean" and not field.requires:
            settled.append(key)


def _quoted(suite: Suite, grid: Grid, texts: Texts) -> set[str]:
    """Every variable that the prompts of the grid's rubric ask for."""
    rubric = suite.rubrics.get(grid.rubric)
    files = [rubric.prompt, *(step.prompt for step in rubric.steps)] if rubric else []
    return {slot for file in files if isinstance(text := texts[file], str) for slot in slots(text)}


def _prompts(suite: Suite, folder: Path, texts: Texts) -> Iterator[DocumentError]:
    """What files quote that nothing fills, and what those of rubrics do not show to the judge."""
    for reference, known, shown in _expected(suite):
        path, text = str(folder / reference), texts[reference]
        if isinstance(text, UsageError):
            continue
        asked = [(number, slot) for number, line in enumerate(text.splitlines(), start=1) for slot in slots(line)]
        yield from (DocumentError(path, number, nothing_fills(slot)) for number, slot in asked if slot not in known)
        for ways in shown:
            if not set(ways) & {slot for _, slot in asked}:
                what = " or ".join(f"`{{{{{way}}}}}`" for way in ways)
                yield DocumentError(path, 1, f"a rubric must show {what} to the judge")


def _expected(suite: Suite) -> Iterator[tuple[str, Collection[str], Sequence[Sequence[str]]]]:
    """Files, what they may quote, and of what they must quote at least one each."""
    yield from ((file, suite.vars, ()) for where, file in _references(suite) if not where.startswith("$.rubrics"))
    for name, rubric in suite.rubrics.items():
        known, steps = _variables(suite, name), [step.name for step in rubric.steps]
        if rubric.prompt_as:
            last = max(_lengths(suite, name), default=1)
            numbered = {f"{who}_{number}" for who in ("human", "answer") for number in range(1, last + 1)}
            yield rubric.prompt, {*known, *numbered}, [[f"answer_{last}"]]
            continue
        if rubric.fields or rubric.prompt:
            yield rubric.prompt, {*RESERVED, *known, *steps}, ([*ANSWERED, *steps], ["fields"])
        for number, step in enumerate(rubric.steps):
            earlier = [*ANSWERED, *steps[:number]]
            yield step.prompt, {*known, *earlier}, [earlier]
        if rubric.confirm:
            yield rubric.confirm, {*known, "claim", "passage", "fields"}, [["claim"], ["passage"], ["fields"]]


def _lengths(suite: Suite, rubric: str) -> set[int]:
    """How many exchanges the dialogues have that a rubric grades."""
    length: dict[str | None, int] = {}
    for one in suite.scenarios:
        length[one.id] = length.get(one.follows, 0) + len(one.turns)
    return {length[one.id] for one in suite.scenarios if one.rubric == rubric}


def _scenarios(suite: Suite) -> Iterator[Problem]:
    of_grid = lint_grid.numbers(suite.grid) if suite.grid else ()
    scenario_ids: set[str] = set()
    turn_ids: set[str] = set()
    for number, scenario in enumerate(suite.scenarios):
        where = f"$.scenarios[{number}]"
        if scenario.id in scenario_ids:
            yield f"{where}.id", f"scenario id `{scenario.id}` appears twice"
        elif scenario.id in of_grid:
            yield f"{where}.id", f"scenario id `{scenario.id}` is one that the grid gives"
        if scenario.experiment not in suite.experiments:
            yield f"{where}.experiment", f"experiment `{scenario.experiment}` is not declared"
        if scenario.rubric not in suite.rubrics:
            yield f"{where}.rubric", f"rubric `{scenario.rubric}` is not declared"
        if scenario.follows is not None and scenario.follows not in scenario_ids:
            yield f"{where}.follows", f"`{scenario.follows}` is not an earlier scenario"
        scenario_ids.add(scenario.id)
        yield from _turns(scenario, where, turn_ids)
        written = [(f"{where}.system", scenario.system), (f"{where}.context", scenario.context)]
        for place, turn in enumerate(scenario.turns):
            at = f"{where}.turns[{place}]"
            written += [(f"{at}.human", turn.human), (f"{at}.reply", turn.reply or "")]
        filled = suite.vars.keys() | scenario.vars.keys()
        yield from ((at, nothing_fills(slot)) for at, text in written for slot in slots(text) if slot not in filled)
    if not suite.scenarios and suite.grid is None and suite.battery is None:
        yield "$.scenarios", "a suite needs at least one scenario"


def _turns(scenario: Scenario, where: str, seen: set[str]) -> Iterator[Problem]:
    if all(turn.reply is not None for turn in scenario.turns):
        yield f"{where}.turns", f"`{scenario.id}` has no turn for the subject to answer"
    elif scenario.turns[-1].reply is not None:
        yield f"{where}.turns", f"`{scenario.id}` ends in a scripted reply; the last turn needs an answer"
    if scenario.verdict_id and scenario.verdict_id not in {turn.id for turn in scenario.turns}:
        yield f"{where}.verdict_id", f"`{scenario.verdict_id}` is not a turn of `{scenario.id}`"
    for number, turn in enumerate(scenario.turns):
        at = f"{where}.turns[{number}]"
        if turn.reply is None and not turn.id:
            yield at, "a turn that the subject answers needs an id"
        if turn.id and turn.id in seen:
            yield f"{at}.id", f"turn id `{turn.id}` appears twice"
        seen.add(turn.id)


def _index(suite: Suite) -> Iterator[Problem]:
    index = suite.index
    if index is None:
        return
    if suite.scenarios:  # without any, that is what is wrong
        yield from _dimensions(suite)
    for number, component in enumerate(index.components):
        at = f"$.index.components[{number}]"
        for name in component.dimensions:
            if name not in index.dimensions:
                yield f"{at}.dimensions", f"dimension `{name}` is not declared"
        if component.worst == component.best:
            yield at, f"`worst` and `best` of {component.label} are equal"
        if not component.weight > 0:
            yield f"{at}.weight", f"weight of {component.label} must be above 0"
    total = math.fsum(component.weight for component in index.components)
    if not abs(total - 1) <= 1e-9:
        yield "$.index.components", f"weights sum to {total:g}, not 1"


def _kinds(suite: Suite) -> Iterator[Problem]:
    """Boards sum up points of an index, so a scenario is of one kind at most."""
    for name in (suite.prompt_notes or {}).keys() - suite.variants.keys():
        yield f"$.prompt_notes.{name}", f"there is no variant `{name}`; there are {', '.join(suite.variants)}"
    if suite.kinds and suite.index is None:
        yield "$.kinds", "kinds sum up points of an index, and there is none: leave out `kinds`, or declare an `index`"
    known, seen = {scenario.id for scenario in suite.scenarios}, dict[str, str]()
    for name, kind in (suite.kinds or {}).items():
        if not _NAME.fullmatch(name):
            yield f"$.kinds.{name}", f"`{' '.join(name.split())}` is no name for a kind: take a plain word"
        if not kind.scenarios:
            yield f"$.kinds.{name}.scenarios", f"kind `{name}` has no scenario"
        for scenario in kind.scenarios:
            at = f"$.kinds.{name}.scenarios.{scenario}"
            if scenario not in known:
                yield at, f"no scenario `{scenario}`"
            elif seen.setdefault(scenario, name) != name:
                yield at, f"scenario `{scenario}` is of kind `{seen[scenario]}` already"


def _dimensions(suite: Suite) -> Iterator[Problem]:
    known = {(s.experiment, s.rubric) for s in suite.scenarios if s.rubric in suite.rubrics}
    for name, dimension in suite.index.dimensions.items() if suite.index else ():
        carried = [suite.rubrics[rubric].fields for experiment, rubric in known if experiment == dimension.experiment]
        if not dimension.fields or not any(fields.keys() >= set(dimension.fields) for fields in carried):
            what = " and ".join(f"`{field}`" for field in dimension.fields) or "(none named)"
            yield f"$.index.dimensions.{name}", f"no rubric of experiment `{dimension.experiment}` has the field {what}"
        for fields in carried:
            read = [fields[key] for key in dimension.fields if key in fields]
            if any(field.requires for field in read) and len({field.range for field in read}) > 1:
                what = "where a field requires more, the others stand for it, and these fields differ in their ranges"
                yield f"$.index.dimensions.{name}", f"{what}: give them one range, or each a dimension of its own"
