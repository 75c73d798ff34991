"""Content addresses: canonical JSON, SHA-256, editions."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from independence.suites import script, template
from independence.suites.schema import KnownDialogue, Rubric, Scenario, Suite, ToolRole
from independence.types import Condition


def canonical(value: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


# Keys of the schema that came after the first editions: where a suite does not use one, it is as if there were none.
_LATER = {
    "grid",
    "steps",
    "verdict",
    "context",
    "factors",
    "vars",
    "side",
    "cell",
    "temperature",
    "judge",
    "half",
    "battery",
    "like",
    "J",
    "ladder",
    "prudent",
}
_OUTSIDE = ("scorer", "asks")  # of the default condition: names of environment variables, which word nothing
_UNUSED: tuple[Any, ...] = (None, "", "object", {}, (), False, "mean")


def edition(suite: Suite) -> str:
    """The first 8 hex digits of the digest of a resolved suite (its texts inlined)."""
    unset = dict.fromkeys(("known", "kinds", "prompt_notes"), msgspec.UNSET)
    said = msgspec.to_builtins(msgspec.structs.replace(suite, **unset))
    for name in _OUTSIDE:
        said["default"].pop(name, None)
    whole = _pruned(said)
    return sha256(whole | {"vars": suite.vars})[:8]


def _pruned(value: Any) -> Any:
    if isinstance(value, str):  # as most of a grid's many values
        return value
    if isinstance(value, dict):
        return {key: _pruned(own) for key, own in value.items() if key not in _LATER or own not in _UNUSED}
    return [_pruned(own) for own in value] if isinstance(value, list | tuple) else value


def rubric(suite: Suite, scenario: Scenario | KnownDialogue) -> str:
    """Digest of a scenario's rubric: its texts, its fields, the variables they can draw on.

    `cue` and `requires` are not in it: they are not sent.
    """
    value: Rubric = suite.rubrics[scenario.rubric]
    fields = {key: (field.type, field.about, field.range) for key, field in value.fields.items()}
    shape: dict[str, Any] = {"prompt": value.prompt, "fields": fields, "vars": suite.vars | scenario.vars}
    if value.steps:
        shape["steps"] = [(step.name, step.prompt) for step in value.steps]
    if value.verdict != "object":
        shape["verdict"] = value.verdict
    if value.quote:
        shape["quote"] = value.quote
    if value.prompt_as:
        shape["prompt_as"] = value.prompt_as
    return sha256(shape | _second_reading(value))


def _second_reading(value: Rubric) -> dict[str, Any]:
    """What a second reading is asked, and of which fields; nothing where there is none."""
    said = {name: field.confirmed for name, field in value.fields.items() if field.confirmed}
    return {"confirm": value.confirm, "confirmed": said} if value.confirm else {}


def wording(suite: Suite) -> str:
    """The first 8 hex digits of the digest of everything that models and judges read.

    Editions that send the same messages and the same judge prompts have one wording, whatever they are called and
    however their texts are divided among files. Raises KeyError for a slot that nothing fills.
    """
    conditions = [Condition(variant, mode) for variant in suite.variants for mode in suite.delivery.modes]
    dialogues = {}
    for condition in conditions:
        for scenario in suite.scenarios:
            made = script.compose(suite, scenario, condition)
            dialogues[f"{condition}/{scenario.id}"] = {
                "system": made.system, "context": made.context, "turns": [(one.human, one.reply) for one in made.turns],
                "tool": tool_sent(made.tool), "max_tokens": made.max_tokens, "follows": made.scenario.follows,
            }  # fmt: skip
    graded = {scenario.id: _judged(suite, scenario) for scenario in suite.scenarios}
    return sha256({"dialogues": dialogues, "rubrics": graded})[:8]


def tool_sent(tool: ToolRole | None) -> tuple[object, ...] | None:
    """A tool without its suffix, which the system prompt holds."""
    if tool is None:
        return None
    own = (tool.protocol, tool.name, tool.description, tool.parameter, tool.parameter_description, tool.greeting,
           tool.trigger)  # fmt: skip
    return own if tool.required is msgspec.UNSET else (*own, tool.required)


def _judged(suite: Suite, scenario: Scenario) -> dict[str, Any]:
    """What a judge reads; a published prompt shows no descriptions of fields."""
    value, known = suite.rubrics[scenario.rubric], {**suite.vars, **scenario.vars}
    texts = [value.prompt, *(step.prompt for step in value.steps)]
    filled = {slot for text in texts for slot in template.slots(text)} & known.keys()
    return {
        "texts": texts,
        "vars": {name: known[name] for name in filled},
        "fields": {
            name: (field.type, "" if value.prompt_as else field.about, field.range)
            for name, field in value.fields.items()
        },
        "steps": [step.name for step in value.steps],
        "verdict": value.verdict,
        "quoting": value.prompt_as or None,  # under its first name: the key is in every wording
        "quote": value.quote or None,
    } | _second_reading(value)
