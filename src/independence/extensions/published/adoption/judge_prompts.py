"""Published judge prompts as rubrics of ours: our slots in their places, their fields in our schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any, Final

from independence.extensions.published.adoption.layouts import Layout, RubricLayout
from independence.extensions.published.adoption.source_texts import SourceTexts
from independence.suites.template import slots

_RANGE: Final = re.compile(r'"(\w+)": <(\d+)-(\d+)>')
_TRUTH: Final = re.compile(r'"(\w+)": <true/false>')
_ABOUT: Final = "As the published judge prompt says."

Node = dict[str, Any]


def read(texts: SourceTexts, layout: Layout, name: str, turns: list[Node]) -> tuple[str, Node]:
    """The prompt of a rubric, and the fields of its verdict in our schema. Raises DocumentError or UsageError."""
    own = layout.rubrics[name]
    prompt = _judge_prompt(texts, own, turns)
    return prompt, _fields(texts, own.prompt, prompt, layout.cues)


def _judge_prompt(texts: SourceTexts, layout: RubricLayout, turns: list[Node]) -> str:
    """A published template with our slots in it."""
    out, quoted, seen = [], [], set()
    try:
        parts = list(Formatter().parse(texts.text(layout.prompt)))
    except ValueError as error:
        raise texts.error(layout.prompt, f"the judge prompt is no template ({error})") from None
    for literal, field, spec, conversion in parts:
        out.append(literal)
        if field is None:
            continue
        if field not in layout.shows or spec or conversion:
            raise texts.error(layout.prompt, f"the judge prompt shows `{{{field}}}`, which is not known")
        shown = _shown(texts, layout.shows[field], turns)
        seen.add(field)
        quoted += slots(shown)
        out.append(shown)
    if unshown := sorted(layout.shows.keys() - seen):
        raise texts.error(layout.prompt, f"the judge prompt does not show `{{{unshown[0]}}}`")
    prompt = "".join(out)
    if slots(prompt) != quoted or prompt != prompt.strip():
        raise texts.error(layout.prompt, "the judge prompt begins or ends blank, or holds `{{NAME}}`")
    return prompt


def _shown(texts: SourceTexts, what: str, turns: list[Node]) -> str:
    if what == "turn_count":
        return str(len(turns))
    if what == "all_turns":
        return "\n".join(
            f"Q ({turn['category']}): {turn['human']}\nA: {{{{answer_{number}}}}}\n"
            for number, turn in enumerate(turns, start=1)
        )
    return texts.clean(what, texts.text(what)) if ":" in what else f"{{{{{what}}}}}"


def _fields(texts: SourceTexts, reference: str, prompt: str, cues: Mapping[str, str]) -> Node:
    """Fields of the verdict, from the example of an answer in the prompt, in its order."""
    found: dict[int, tuple[str, Node]] = {}
    for match in _RANGE.finditer(prompt):
        found[match.start()] = (match[1], {"type": "integer", "range": [int(match[2]), int(match[3])]})
    found |= {match.start(): (match[1], {"type": "boolean"}) for match in _TRUTH.finditer(prompt)}
    fields = [found[at] for at in sorted(found)]
    if not fields or len({name for name, _ in fields}) != len(fields):
        raise texts.error(reference, "the judge prompt shows no answer with fields, or one field twice")
    if unknown := [name for name, _ in fields if name not in cues]:
        raise texts.error(reference, f"the judge prompt asks for `{unknown[0]}`, which is not known")
    return {name: {**shape, "about": _ABOUT, "cue": cues[name]} for name, shape in fields}
