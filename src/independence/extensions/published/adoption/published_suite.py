"""A published suite in our schema: which text of the source becomes which part of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any, Final, NamedTuple

import msgspec

from independence.extensions.published.adoption.layouts import (
    JUDGE,
    MAX_TOKENS,
    SYSTEM_PROMPTS,
    TEMPERATURE,
    Layout,
    ScenarioLayout,
    ToolLayout,
    TurnLayout,
)
from independence.extensions.published.adoption.source import Constant, Source
from independence.suites.load import load
from independence.suites.template import slots

Node = dict[str, Any]
Record = Mapping[str, Constant]
_GAP: Final = "\n\n"  # between the parts of a system prompt
# In the answer of a judge prompt.
_FIELD: Final = re.compile(r'"(?P<name>\w+)": <(?:(?P<low>\d+)-(?P<high>\d+)|true/false)>')
_ABOUT: Final = "As the published judge prompt says."


class SuiteTexts(NamedTuple):
    """A suite before it is written."""

    document: Node  # of suite.yaml
    files: Mapping[str, str]  # below its folder
    judge: str


class PublishedSuite:
    """Reads the parts of a suite from a source. Every method raises DocumentError or UsageError."""

    def __init__(self, layout: Layout, source: Source) -> None:
        self._layout, self._source = layout, source
        self._ours = load(layout.suite).suite  # of the same dialogues, in our words
        self._files: dict[str, str] = {}

    def texts(self) -> SuiteTexts:
        """The whole suite."""
        layout, source = self._layout, self._source
        for reference, expected in layout.expects.items():
            if (found := source.value(reference)) != expected:
                what = f"{reference.partition(':')[2]} is {found}, where this layout has {expected}"
                raise source.error(reference, what)
        scenarios = [one for own in layout.scenarios for one in self._scenarios(own)]
        ids = {scenario["id"] for scenario in scenarios}
        # A scenario of one id is of one kind in both wordings.
        kinds = {
            name: {"about": kind.about, "scenarios": {one: why for one, why in kind.scenarios.items() if one in ids}}
            for name, kind in (self._ours.kinds or {}).items()
        }
        document = {
            "suite": layout.suite, "title": layout.title, "about": layout.about,
            "variants": {name: self._kept(f"system/{name}", text) for name, text in self._variants().items()},
            "delivery": {
                "modes": ["user_role", "tool_role"], "max_tokens": int(source.number(MAX_TOKENS)),
                "tool_role": self._tool(layout.tool),
            },
            "default": {
                "variant": "strong_independence", "mode": "tool_role", "temperature": source.number(TEMPERATURE),
            },
            "experiments": dict(layout.experiments),
            "rubrics": {name: self._rubric(name, scenarios) for name in layout.rubrics},
            "scenarios": scenarios, "index": msgspec.json.decode(msgspec.json.encode(self._ours.index)),
            "kinds": {name: kind for name, kind in kinds.items() if kind["scenarios"]},
            "prompt_notes": dict(self._ours.prompt_notes or {}),
        }  # fmt: skip
        return SuiteTexts(document, self._files, source.text(JUDGE))

    def _variants(self) -> dict[str, str]:
        reference = SYSTEM_PROMPTS
        found = self._source.value(reference)
        if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
            raise self._source.error(reference, "the system prompts are no mapping of names to texts")
        if "strong_independence" not in found or not all(re.fullmatch(r"\w+", name) for name in found):
            raise self._source.error(reference, "the system prompts have other names than the ones that are known")
        return {name: self._source.trimmed(reference, str(text)) for name, text in found.items()}

    def _tool(self, layout: ToolLayout) -> Node:
        tool = _tool(self._source.value(layout.definition))
        if tool is None or ("parameter" in tool) != (layout.protocol == "speak"):
            raise self._source.error(layout.definition, "the tool has other parameters than the ones that are known")
        for function in layout.scripted_in:
            said = {"trigger": self._source.scripted(function, "content", {"role": "user"})}
            if layout.protocol == "speak":
                said["greeting"] = self._source.scripted(function, tool["parameter"], {})
            if any(tool.get(key, text) != text for key, text in said.items()):
                what = f"`{function}` begins a dialogue in other words"
                raise self._source.error(f"prompt_builder:{function}", what)
            tool |= said
        suffix = self._kept("delivery/tool_role", self._added(layout.suffix))
        return tool | {"protocol": layout.protocol, "suffix": suffix}

    def _added(self, reference: str) -> str:
        """A part of a system prompt that the published program adds to the one before, after a blank line."""
        text = self._source.text(reference)
        if not text.startswith(_GAP):
            raise self._source.error(reference, "is not set off from the text before it by one blank line")
        return self._source.trimmed(reference, text.removeprefix(_GAP))

    def _scenarios(self, layout: ScenarioLayout) -> Iterator[Node]:
        for record in self._source.records(layout.each) if layout.each else [{}]:
            rows = self._source.records(layout.turns_of) if layout.turns_of else [record]
            if layout.only:
                by_id = {str(row.get("id")): row for row in rows}
                if absent := [name for name in layout.only if name not in by_id]:
                    raise self._source.error(layout.turns_of, f"has no record `{absent[0]}`")
                rows = [by_id[name] for name in layout.only]
            where = layout.turns_of or layout.each
            node: Node = {
                "id": self._filled(layout.id, record, layout.each), "experiment": layout.experiment,
                "title": self._filled(layout.title, record, layout.each).replace("_", " "), "rubric": layout.rubric,
                "verdict_id": layout.verdict_id, "category": self._text(layout.category, record, layout.each),
                "system": self._added(layout.system) if layout.system else "",
                "turns": [self._turn(turn, row, where) for row in rows for turn in layout.turns],
            }  # fmt: skip
            if node["category"]:
                node["vars"] = {"category": node["category"]}
            yield {key: value for key, value in node.items() if value}

    def _turn(self, layout: TurnLayout, record: Record, where: str) -> Node:
        if layout.fills:
            filled = {name: self._source.text(own) for name, own in layout.fills.items()}
            human = self._source.trimmed(layout.human, self._template(layout.human, filled))
        else:
            human = self._text(layout.human, record, where)
        node = {
            "id": self._filled(layout.id, record, where), "category": self._text(layout.category, record, where),
            "human": human, "reply": self._text(layout.reply, record, where),
        }  # fmt: skip
        return {key: value for key, value in node.items() if value}

    def _filled(self, template: str, record: Record, where: str) -> str:
        """A template of the layout filled with the fields of a record."""
        try:
            return template.format_map(record)
        except KeyError as error:
            raise self._source.error(where, f"a record has no `{error.args[0]}`") from None

    def _text(self, what: str, record: Record, where: str) -> str:
        """A text of the record at hand, or of the source; empty where the layout names none."""
        if not what.startswith("."):
            return self._source.trimmed(what, self._source.text(what)) if what else ""
        value = record.get(what[1:])
        if not isinstance(value, str):
            raise self._source.error(where, f"a record has no text `{what[1:]}`")
        return self._source.trimmed(where, value)

    def _template(self, reference: str, shown: Mapping[str, str]) -> str:
        """A template of the source with a text for each of its names."""
        out: list[str] = []
        ours: list[str] = []  # slots that the texts bring
        seen = set()
        try:
            parts = list(Formatter().parse(self._source.text(reference)))
        except ValueError as error:
            raise self._source.error(reference, f"the template cannot be read ({error})") from None
        for literal, field, spec, conversion in parts:
            out.append(literal)
            if field is None:
                continue
            if field not in shown or spec or conversion:
                raise self._source.error(reference, f"the template shows `{{{field}}}`, which is not known")
            seen.add(field)
            ours += slots(shown[field])
            out.append(shown[field])
        if unshown := sorted(shown.keys() - seen):
            raise self._source.error(reference, f"the template does not show `{{{unshown[0]}}}`")
        if slots("".join(out)) != ours:
            raise self._source.error(reference, "the template holds `{{NAME}}`, which would be filled")
        return "".join(out)

    def _rubric(self, name: str, scenarios: list[Node]) -> Node:
        """A judge prompt with our slots in it, and the fields of the answer that it shows, in its order."""
        turns = next(scenario for scenario in scenarios if scenario["rubric"] == name)["turns"]
        layout = self._layout.rubrics[name]
        shown = {
            "turn_count": str(len(turns)),
            "all_turns": "\n".join(
                f"Q ({turn.get('category', '')}): {turn['human']}\nA: {{{{answer_{number}}}}}\n"
                for number, turn in enumerate(turns, start=1)
            ),
        }
        for what in layout.shows.values():
            shown.setdefault(what, self._source.text(what) if ":" in what else f"{{{{{what}}}}}")
        prompt = self._template(layout.prompt, {name: shown[what] for name, what in layout.shows.items()})
        if prompt != prompt.strip():
            raise self._source.error(layout.prompt, "the judge prompt begins or ends blank")
        rules = {name: field.cue for own in self._ours.rubrics.values() for name, field in own.fields.items()}
        fields: Node = {}
        for match in _FIELD.finditer(prompt):
            if match["name"] in fields:
                raise self._source.error(layout.prompt, f"the judge prompt asks for `{match['name']}` twice")
            if match["name"] not in rules:
                what = f"the judge prompt asks for `{match['name']}`, which is not known"
                raise self._source.error(layout.prompt, what)
            shape: Node = {"type": "boolean"}
            if match["low"] is not None:
                shape = {"type": "integer", "range": [int(match["low"]), int(match["high"])]}
            fields[match["name"]] = {**shape, "about": _ABOUT, "cue": rules[match["name"]]}
        if not fields:
            raise self._source.error(layout.prompt, "the judge prompt shows no answer with fields")
        return {"prompt": self._kept(f"rubrics/{name}", prompt), "prompt_as": "published", "fields": fields}

    def _kept(self, name: str, text: str) -> str:
        path = f"prompts/{name}.md"
        self._files[path] = text
        return path


def _tool(definition: Constant) -> Node | None:
    """The tool of a definition as it is sent: with one text as its parameter, or none; None for any other."""
    match definition:
        case {
            "type": "function",
            "function": {
                "name": str(name),
                "description": str(about),
                "parameters": {"type": "object", "properties": dict(properties), "required": list(required), **more},
                **further,
            },
            **others,
        } if not (more or further or others) and list(properties) == required:
            tool: Node = {"name": name, "description": about}
        case _:
            return None
    match list(properties.items()):
        case []:
            return tool | {"required": []}
        case [(parameter, {"type": "string", "description": str(said), **others})] if not others:
            return tool | {"parameter": parameter, "parameter_description": said}
    return None
