"""A published suite in our schema: which text of the source becomes which part of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any, Final, Literal, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange.adoption.constants import Constant, Constants
from independence.exchange.adoption.layouts import Layout, RubricLayout, ScenarioLayout, ToolLayout, TurnLayout
from independence.exchange.adoption.source import PythonSource
from independence.suites.template import slots

_FIX: Final = "take a released version of the published repository"
_GAP: Final = "\n\n"  # between the parts of a system prompt
_RANGE: Final = re.compile(r'"(\w+)": <(\d+)-(\d+)>')
_TRUTH: Final = re.compile(r'"(\w+)": <true/false>')
_ABOUT: Final = "As the published judge prompt says."

Node = dict[str, Any]


class SuiteTexts(NamedTuple):
    """A suite before it is written."""

    document: Node  # of suite.yaml
    files: Mapping[str, str]  # below its folder
    judge: str


class PublishedSuite:
    """Reads the parts of a suite from a source. Every method raises DocumentError or UsageError."""

    def __init__(self, layout: Layout, source: PythonSource) -> None:
        self._layout = layout
        self._source = source
        self._constants = Constants(source)
        self._files: dict[str, str] = {}

    def texts(self) -> SuiteTexts:
        """The whole suite."""
        layout = self._layout
        self._check_expected()
        scenarios = [one for own in layout.scenarios for one in self._scenarios(own)]
        temperature = self._number(layout.sampling.temperature)
        document = {
            "suite": layout.suite,
            "title": layout.title,
            "about": layout.about,
            "variants": {name: self._kept(f"system/{name}", text) for name, text in self._variants().items()},
            "delivery": {
                "modes": ["user_role", "tool_role"],
                "max_tokens": int(self._number(layout.sampling.max_tokens)),
                "tool_role": self._tool(layout.tool),
            },
            "default": {"variant": "strong_independence", "mode": "tool_role", "temperature": temperature},
            "experiments": dict(layout.experiments),
            "rubrics": {name: self._rubric(name, own, scenarios) for name, own in layout.rubrics.items()},
            "scenarios": scenarios,
            "index": msgspec.json.decode(msgspec.json.encode(layout.index)),
        }
        return SuiteTexts(document, self._files, self._text(layout.sampling.judge))

    def _check_expected(self) -> None:
        for reference, expected in self._layout.expects.items():
            found = self._value(reference)
            if found != expected:
                what = f"{reference.partition(':')[2]} is {found}, where this layout has {expected}"
                raise self._error(reference, what)

    def _variants(self) -> dict[str, str]:
        reference = self._layout.variants
        found = self._value(reference)
        if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
            raise self._error(reference, "the system prompts are no mapping of names to texts")
        if "strong_independence" not in found or not all(re.fullmatch(r"\w+", name) for name in found):
            raise self._error(reference, "the system prompts have other names than the ones that are known")
        return {name: self._trimmed(reference, str(text)) for name, text in found.items()}

    def _tool(self, layout: ToolLayout) -> Node:
        definition = self._value(layout.definition)
        tool = _tool(definition)
        if tool is None or ("parameter" in tool) != (layout.protocol == "speak"):
            raise self._error(layout.definition, "the tool has other parameters than the ones that are known")
        for function in layout.scripted_in:
            said = {"trigger": self._scripted(function, "content", {"role": "user"})}
            if layout.protocol == "speak":
                said["greeting"] = self._scripted(function, tool["parameter"], {})
            if any(tool.get(key, text) != text for key, text in said.items()):
                raise self._error(f"prompt_builder:{function}", f"`{function}` begins a dialogue in other words")
            tool |= said
        return tool | {
            "protocol": layout.protocol,
            "suffix": self._kept("delivery/tool_role", self._added(layout.suffix)),
        }

    def _scripted(self, function: str, key: str, beside: Mapping[str, str]) -> str:
        text = self._constants.text_under("prompt_builder", function, key, beside)
        return self._trimmed(f"prompt_builder:{function}", text)

    def _scenarios(self, layout: ScenarioLayout) -> Iterator[Node]:
        records = self._records(layout.each) if layout.each else [{}]
        for record in records:
            rows = self._records(layout.turns_of) if layout.turns_of else [record]
            node: Node = {
                "id": self._filled(layout.id, record, layout.each),
                "experiment": layout.experiment,
                "title": self._filled(layout.title, record, layout.each).replace("_", " "),
                "rubric": layout.rubric,
                "verdict_id": layout.verdict_id,
                "category": self._of(layout.category, record, layout.each) if layout.category else "",
                "system": self._added(layout.system) if layout.system else "",
            }
            where = layout.turns_of or layout.each
            node["turns"] = [self._turn(turn, row, where) for row in rows for turn in layout.turns]
            if node["category"]:
                node["vars"] = {"category": node["category"]}
            yield {key: value for key, value in node.items() if value}

    def _turn(self, layout: TurnLayout, record: Mapping[str, Constant], where: str) -> Node:
        node = {
            "id": self._filled(layout.id, record, where),
            "category": self._of(layout.category, record, where) if layout.category else "",
            "human": self._of(layout.human, record, where),
            "reply": self._of(layout.reply, record, where) if layout.reply else "",
        }
        return {key: value for key, value in node.items() if value}

    def _rubric(self, name: str, layout: RubricLayout, scenarios: list[Node]) -> Node:
        template = self._text(layout.prompt)
        own = [scenario for scenario in scenarios if scenario["rubric"] == name]
        prompt = self._judge_prompt(layout, template, own[0]["turns"])
        fields = self._fields(layout.prompt, prompt)
        return {"prompt": self._kept(f"rubrics/{name}", prompt), "quoting": "published", "fields": fields}

    def _judge_prompt(self, layout: RubricLayout, template: str, turns: list[Node]) -> str:
        """A published template with our slots in it."""
        out, quoted, seen = [], [], set()
        try:
            parts = list(Formatter().parse(template))
        except ValueError as error:
            raise self._error(layout.prompt, f"the judge prompt is no template ({error})") from None
        for literal, field, spec, conversion in parts:
            out.append(literal)
            if field is None:
                continue
            if field not in layout.shows or spec or conversion:
                raise self._error(layout.prompt, f"the judge prompt shows `{{{field}}}`, which is not known")
            shown = self._shown(layout.shows[field], turns)
            seen.add(field)
            quoted += slots(shown)
            out.append(shown)
        if unshown := sorted(layout.shows.keys() - seen):
            raise self._error(layout.prompt, f"the judge prompt does not show `{{{unshown[0]}}}`")
        prompt = "".join(out)
        if slots(prompt) != quoted or prompt != prompt.strip():
            raise self._error(layout.prompt, "the judge prompt begins or ends blank, or holds `{{NAME}}`")
        return prompt

    def _shown(self, what: str, turns: list[Node]) -> str:
        if what == "turn_count":
            return str(len(turns))
        if what == "all_turns":
            return "\n".join(
                f"Q ({turn['category']}): {turn['human']}\nA: {{{{answer_{number}}}}}\n"
                for number, turn in enumerate(turns, start=1)
            )
        return self._clean(what, self._text(what)) if ":" in what else f"{{{{{what}}}}}"

    def _fields(self, reference: str, prompt: str) -> Node:
        """Fields of the verdict, from the example of an answer in the prompt, in its order."""
        found: dict[int, tuple[str, Node]] = {}
        for match in _RANGE.finditer(prompt):
            found[match.start()] = (match[1], {"type": "integer", "range": [int(match[2]), int(match[3])]})
        found |= {match.start(): (match[1], {"type": "boolean"}) for match in _TRUTH.finditer(prompt)}
        fields = [found[at] for at in sorted(found)]
        if not fields or len({name for name, _ in fields}) != len(fields):
            raise self._error(reference, "the judge prompt shows no answer with fields, or one field twice")
        if unknown := [name for name, _ in fields if name not in self._layout.cues]:
            raise self._error(reference, f"the judge prompt asks for `{unknown[0]}`, which is not known")
        return {name: {**shape, "about": _ABOUT, "cue": self._layout.cues[name]} for name, shape in fields}

    def _records(self, reference: str) -> list[dict[str, Constant]]:
        found = self._value(reference)
        records = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
        if not records or not isinstance(found, list) or len(records) != len(found):
            raise self._error(reference, "is no list of records")
        return records

    def _filled(self, template: str, record: Mapping[str, Constant], where: str) -> str:
        try:
            return template.format_map(record)
        except KeyError as error:
            raise self._error(where, f"a record has no `{error.args[0]}`") from None

    def _of(self, what: str, record: Mapping[str, Constant], where: str) -> str:
        """A text of the record at hand, or of the source."""
        if not what.startswith("."):
            return self._trimmed(what, self._text(what))
        value = record.get(what[1:])
        if not isinstance(value, str):
            raise self._error(where, f"a record has no text `{what[1:]}`")
        return self._trimmed(where, value)

    def _added(self, reference: str) -> str:
        """A part of a system prompt that the published program adds to the one before, after a blank line."""
        text = self._text(reference)
        if not text.startswith(_GAP):
            raise self._error(reference, "is not set off from the text before it by one blank line")
        return self._trimmed(reference, text.removeprefix(_GAP))

    def _kept(self, name: str, text: str) -> str:
        path = f"prompts/{name}.md"
        self._files[path] = text
        return path

    def _trimmed(self, reference: str, text: str) -> str:
        if not text or text != text.strip():
            raise self._error(reference, "a text is empty, or begins or ends blank")
        return self._clean(reference, text)

    def _clean(self, reference: str, text: str) -> str:
        if slots(text):
            raise self._error(reference, f"a text holds `{{{{{slots(text)[0]}}}}}`, which would be filled")
        return text

    def _value(self, reference: str) -> Constant:
        module, _, name = reference.partition(":")
        function, _, variable = name.partition("/")
        if variable:
            return self._constants.assigned(module, function, variable)
        return self._constants.named(module, name)

    def _text(self, reference: str) -> str:
        value = self._value(reference)
        if not isinstance(value, str):
            raise self._error(reference, "is no text")
        return value

    def _number(self, reference: str) -> float:
        value = self._value(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(reference, "is no number")
        return value

    def _error(self, reference: str, what: str) -> UsageError:
        module, _, name = reference.partition(":")
        file = self._source.file(module)
        owner = name.partition("/")[0]
        told = what if "`" in what or owner in what else f"`{owner}`: {what}"
        return file.error(file.line(owner), told, _FIX)


def _tool(definition: Constant) -> Node | None:
    """The tool of a definition as it is sent: with one text as its parameter, or none; None for any other."""
    try:
        sent = msgspec.convert(definition, _SentTool)
    except msgspec.ValidationError:
        return None
    function = sent.function
    tool = {"name": function.name, "description": function.description}
    for name, parameter in function.parameters.properties.items():
        tool |= {"parameter": name, "parameter_description": parameter.description}
    required = list(function.parameters.properties)
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
