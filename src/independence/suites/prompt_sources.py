"""What other programs keep a system prompt in: character cards, assistants of OpenAI, files of agents, plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from independence.config import user_files
from independence.errors import UsageError
from independence.suites import front_matter, template

# What programs for cards put before the dialogue, in their order; the greeting, for one, is no part of a prompt.
_CARD: Final = {"system_prompt": "", "description": "", "personality": "Personality: ", "scenario": "Scenario: "}
_FORMAT: Final = ("spec", "spec_version", "data", "object")  # what says that it is one
_KEY = re.compile(r"^([a-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$", re.MULTILINE)
_NO_KEY = re.compile(r"^(?![a-z][\w-]*[ \t]*:(?:\s|$)|[-#\s]|$)", re.MULTILINE)


class PromptSource(NamedTuple):
    """A system prompt of another program's file, and what else that says."""

    prompt: str
    name: str = ""  # of the character; "" where the file has none
    unused: tuple[str, ...] = ()  # fields that say something, and of which nothing is taken


def read(path: Path, values: Mapping[str, str]) -> PromptSource:
    """The prompt in a file; `values` fill what templates leave to be filled.

    Raises UsageError for a file that cannot be read, a JSON of another kind, and where there is no prompt.
    """
    text = user_files.read_text(path)
    found = _of_json(path, text, values) or _of_text(text, values)
    if not found.prompt:
        raise UsageError(f"{path}: no system prompt is in it", "name the file that holds one")
    return found


def _of_json(path: Path, text: str, values: Mapping[str, str]) -> PromptSource | None:
    """A card or an assistant; None for what is neither, and is no file of JSON."""
    try:
        data: Any = json.loads(text)
    except ValueError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("data"), dict):
        said = data | data["data"]
    else:
        said = data if isinstance(data, dict) else {}
    texts = {key: value.strip() for key, value in said.items() if isinstance(value, str)}
    name = texts.get("name", "")
    if texts.get("spec", "").startswith("chara_card"):
        known = {"char": texts.get("nickname") or name, "original": "", **values}  # of `original` there is none here
        prompt = "\n\n".join(f"{before}{texts[key]}" for key, before in _CARD.items() if texts.get(key))
        used = (*_CARD, "name", "nickname")
    elif "instructions" in said:
        known, prompt, used = dict(values), texts.get("instructions", ""), ("instructions", "name")
    elif path.suffix == ".json":
        what = "no character card (V2 or V3), and no JSON with `instructions`"
        raise UsageError(f"{path}: {what}", "save the system prompt alone, as a .md file")
    else:
        return None
    unused = tuple(key for key, value in said.items() if value not in (None, "", [], {}) and key not in used + _FORMAT)
    return PromptSource(template.filled(prompt, known).strip(), name, unused)


def _of_text(text: str, values: Mapping[str, str]) -> PromptSource:
    """A file of an agent, whose front matter need not be sound YAML; else all of it is the prompt."""
    found = front_matter.parts(text)
    keys = dict(_KEY.findall(found.written)) if found and found.ended else {}
    if found is None or not keys or (_NO_KEY.search(found.written) and not keys.keys() & {"name", "description"}):
        return PromptSource(template.filled(text, values).strip())
    name = keys.pop("name", "").strip().strip("\"'")
    return PromptSource(template.filled(found.below, values).strip(), name, tuple(keys))
