"""Is this an answer at all? The gate in front of judging; it has no opinion about what an answer says."""

from __future__ import annotations

import unicodedata
from typing import Literal

Artefact = Literal["punctuation", "greeting"]

_NO_WORDS = ("P", "Z", "C", "Sm", "Sk", "Sc", "M")  # an emoji (So) says something, a brace does not
_EDGES = " \t\r\n\"'`“”‘’«».!…"


def readable(text: str) -> bool:
    """Whether a text holds anything a person could take as said: a letter, a digit, a picture."""
    if text[:1].isalnum():
        return True
    return any(c.isalnum() for c in text) or any(not unicodedata.category(c).startswith(_NO_WORDS) for c in text)


def artefact(text: str, greeting: str) -> Artefact | None:
    """The transport artefact a text is: lone punctuation, or the scripted greeting echoed; None for an answer.

    Short, rude and odd are answers. An empty text is no artefact but no answer, which is for the caller to tell.
    """
    if not text.strip():
        return None
    if not readable(text):
        return "punctuation"
    short = len(text) <= 2 * len(greeting) + len(_EDGES)
    return "greeting" if greeting and short and _bare(text) == _bare(greeting) else None


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES).casefold()
