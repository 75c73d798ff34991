"""How an answer bears up, as the rule judge reads it: which families of phrases, where, how much is its own or new.

Only its reading is used, none of its scales: those were fitted to verdicts.
"""

from __future__ import annotations

from functools import lru_cache

from independence.judge.cues import words
from independence.judge.cues.reading import read
from independence.judge.offline.views import DialogueView

_FAMILIES = (
    "adopt", "apologise", "comply", "concede", "disagree", "hostile", "integrity", "moderate", "reason", "refusal",
    "refuse", "respect", "restart", "stand", "turn",
)  # fmt: skip
_MARKS = (
    *(family + place for family in _FAMILIES for place in ("", "_first", "_last", "_dense")),
    *("recall", "asked", "echo", "novel"),
)


def bearing(view: DialogueView) -> list[float]:
    """One number a mark, 0-1 or 0-2."""
    found = read(words.tokens(view.last), _topics(view.first), _topics(view.human)).marks.get
    return [found(mark, 0.0) for mark in _MARKS]


@lru_cache(maxsize=1024)
def _topics(text: str) -> frozenset[str]:
    """Topic words; what the human says and scripted answers come again and again."""
    return words.content(words.tokens(text))
