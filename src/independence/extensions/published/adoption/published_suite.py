"""A published suite in our schema: which text of the source becomes which part of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any, Literal, NamedTuple

import msgspec

from independence.extensions.published.adoption import judge_prompts
from independence.extensions.published.adoption.constants import Constant
from independence.extensions.published.adoption.layouts import Layout, ScenarioLayout, ToolLayout, TurnLayout
from independence.extensions.published.adoption.source import PythonSource
from independence.extensions.published.adoption.source_texts import SourceTexts
from independence.suites.load import load
from independence.suites.schema import Suite

Node = dict[str, Any]


class SuiteTexts(NamedTuple):
    """A suite before it is written."""

    document: Node  # of suite.yaml
    files: Mapping[str, str]  # below its folder
    judge: str


def _kinds(suite: Suite, scenarios: Set[str]) -> Node:
    """Kinds of scenarios as our suite has them: a scenario of one id is of one kind in both wordings."""
    kinds = {
        name: {"about": kind.about, "scenarios": {one: why for one, why in kind.scenarios.items() if one in scenarios}}
        for name, kind in (suite.kinds or {}).items()
    }
    return {name: kind for name, kind in kinds.items() if kind["scenarios"]}


class PublishedSuite:
    """Reads the parts of a suite from a source. Every method raises DocumentError or UsageError."""

    def __init__(self, layout: Layout, source: PythonSource) -> None:
        self._layout = layout
        self._texts = SourceTexts(source)
        self._files: dict[str, str] = {}

    def texts(self) -> SuiteTexts:
        """The whole suite."""
        layout = self._layout
        self._check_expected()
        scenarios = [one for own in layout.scenarios for one in self._scenarios(own)]
        temperature = self._texts.number(layout.sampling.temperature)
        document = {
            "suite": layout.suite,
            "title": layout.title,
            "about": layout.about,
            "variants": {name: self._kept(f"system/{name}", text) for name, text in self._variants().items()},
            "delivery": {
                "modes": ["user_role", "tool_role"],
                "max_tokens": int(self._texts.number(layout.sampling.max_tokens)),
                "tool_role": self._tool(layout.tool),
            },
            "default": {"variant": "strong_independence", "mode": "tool_role", "temperature": temperature},
            "experiments": dict(layout.experiments),
            "rubrics": {name: self._rubric(name, scenarios) for name in layout.rubrics},
            "scenarios": scenarios,
            "index": msgspec.json.decode(msgspec.json.encode(layout.index)),
            "kinds": _kinds(load(layout.suite).suite, {scenario["id"] for scenario in scenarios}),
        }
        return SuiteTexts(document, self._files, self._texts.text(layout.sampling.judge))

    def _check_expected(self) -> None:
        for reference, expected in self._layout.expects.items():
            found = self._texts.value(reference)
            if found != expected:
                what = f"{reference.partition(':')[2]} is {found}, where this layout has {expected}"
                raise self._texts.error(reference, what)

    def _variants(self) -> dict[str, str]:
        reference = self._layout.variants
        found = self._texts.value(reference)
        if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
            raise self._texts.error(reference, "the system prompts are no mapping of names to texts")
        if "strong_independence" not in found or not all(re.fullmatch(r"\w+", name) for name in found):
            raise self._texts.error(reference, "the system prompts have other names than the ones that are known")
        return {name: self._texts.trimmed(reference, str(text)) for name, text in found.items()}

    def _tool(self, layout: ToolLayout) -> Node:
        definition = self._texts.value(layout.definition)
        tool = _tool(definition)
        if tool is None or ("parameter" in tool) != (layout.protocol == "speak"):
            raise self._texts.error(layout.definition, "the tool has other parameters than the ones that are known")
        for function in layout.scripted_in:
            said = {"trigger": self._texts.scripted(function, "content", {"role": "user"})}
            if layout.protocol == "speak":
                said["greeting"] = self._texts.scripted(function, tool["parameter"], {})
            if any(tool.get(key, text) != text for key, text in said.items()):
                raise self._texts.error(f"prompt_builder:{function}", f"`{function}` begins a dialogue in other words")
            tool |= said
        return tool | {
            "protocol": layout.protocol,
            "suffix": self._kept("delivery/tool_role", self._texts.added(layout.suffix)),
        }

    def _scenarios(self, layout: ScenarioLayout) -> Iterator[Node]:
        records = self._texts.records(layout.each) if layout.each else [{}]
        for record in records:
            rows = self._texts.records(layout.turns_of) if layout.turns_of else [record]
            node: Node = {
                "id": self._texts.filled(layout.id, record, layout.each),
                "experiment": layout.experiment,
                "title": self._texts.filled(layout.title, record, layout.each).replace("_", " "),
                "rubric": layout.rubric,
                "verdict_id": layout.verdict_id,
                "category": self._texts.of_record(layout.category, record, layout.each) if layout.category else "",
                "system": self._texts.added(layout.system) if layout.system else "",
            }
            where = layout.turns_of or layout.each
            node["turns"] = [self._turn(turn, row, where) for row in rows for turn in layout.turns]
            if node["category"]:
                node["vars"] = {"category": node["category"]}
            yield {key: value for key, value in node.items() if value}

    def _turn(self, layout: TurnLayout, record: Mapping[str, Constant], where: str) -> Node:
        node = {
            "id": self._texts.filled(layout.id, record, where),
            "category": self._texts.of_record(layout.category, record, where) if layout.category else "",
            "human": self._texts.of_record(layout.human, record, where),
            "reply": self._texts.of_record(layout.reply, record, where) if layout.reply else "",
        }
        return {key: value for key, value in node.items() if value}

    def _rubric(self, name: str, scenarios: list[Node]) -> Node:
        first = next(scenario for scenario in scenarios if scenario["rubric"] == name)
        prompt, fields = judge_prompts.read(self._texts, self._layout, name, first["turns"])
        return {"prompt": self._kept(f"rubrics/{name}", prompt), "prompt_as": "published", "fields": fields}

    def _kept(self, name: str, text: str) -> str:
        path = f"prompts/{name}.md"
        self._files[path] = text
        return path


def _tool(definition: Constant) -> Node | None:
    """The tool of a definition as it is sent: with one text as its parameter, or none; None for any other."""
    try:
        sent = msgspec.convert(definition, _SentTool)
    except msgspec.ValidationError:
        return None
    function = sent.function
    tool: Node = {"name": function.name, "description": function.description}
    for name, parameter in function.parameters.properties.items():
        tool |= {"parameter": name, "parameter_description": parameter.description}
    required = list(function.parameters.properties)
    if not required:
        tool["required"] = []
    return tool if function.parameters.required == required and len(required) <= 1 else None


class _SentParameter(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["string"]
    description: str


class _SentParameters(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["object"]
    properties: dict[str, _SentParameter]
    required: list[str]


class _SentFunction(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    description: str
    parameters: _SentParameters


class _SentTool(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["function"]
    function: _SentFunction
