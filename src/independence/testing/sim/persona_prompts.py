"""What a simulated judge reads out of a character's prompt: the sentences in which the prompt says "I" or "you"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_MOST: Final = 8
_EDGE: Final = " \t-*#>\"'“”"
_SENTENCE = re.compile(r"[^.!?\n]+[.!]")
_NAMED = re.compile(r"\b(?:[Yy]ou are|[Yy]our name is|I am) ([A-Z]\w+)")
_ROLE = re.compile(r"\b(?:companion|negotiator|reviewer|mascot)\b")
_MAY = "You may "
_OTHER = ("You are ", "You will ", "You can ", _MAY, "I am ", "I'm ", "I may ")  # no commitments
_TURNED: Final = (
    (r"\byou are\b", "I am"),
    (r"\byourself\b", "myself"),
    (r"\byour\b", "my"),
    (r"\b(to|for|with|at|from|about|by|of|asks?|tells?|gives?) you\b", r"\1 me"),
    (r"\byou\b", "I"),
)


def wanted(schema: Mapping[str, Any] | None) -> bool:
    """Whether a form asks for what a prompt says of its character."""
    return {"commitments", "may"} <= set((schema or {}).get("properties", ()))


def read(text: str, invented: str = "") -> dict[str, Any]:
    """What the prompt of a character says; `invented`: a passage in place of all that stand in it."""
    said = [one.strip(_EDGE) for one in _SENTENCE.findall(text)]
    own = [one for one in said if one.startswith("I ") and not one.startswith(_OTHER)]
    told = [one for one in said if one.startswith("You ") and not one.startswith(_OTHER)]
    name, role = _NAMED.search(text), _ROLE.search(text)
    return {
        "name": name and name[1],
        "role": role[0] if role else "companion",
        "commitments": [{"passage": invented or one, "sentence": _turned(one)} for one in dict.fromkeys([*own, *told])][
            :_MOST
        ],
        "may": [
            {"passage": invented or one, "sentence": _turned(one.removeprefix(_MAY)).rstrip(".!")}
            for one in said
            if one.startswith(_MAY)
        ],
    }


def _turned(sentence: str) -> str:
    """A sentence to "you" in the first person."""
    for pattern, words in _TURNED:
        sentence = re.sub(pattern, words, sentence, flags=re.IGNORECASE)
    return sentence
