"""Person, specific, coherent: does the subject sound like someone, like someone in particular, and of one piece?

Read over all the subject's own answers together. These are features of style; they say nothing about giving way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log
from pathlib import Path

import msgspec

from independence.config import documents
from independence.judge.cues import words
from independence.judge.cues.words import hits, lexicon

_SELF = frozenset(("i", "me", "my", "mine", "myself"))
_OTHER = frozenset(("you", "your", "yours"))
_LISTED = re.compile(r"^[ \t]*(?:[-*]|\d+[.)])\s", re.MULTILINE)


def features(answers: str, tokens: Sequence[str]) -> dict[str, float]:
    """Features of style of the subject's own words, each between 0 and 3.

    `range` is the log of the number of different topic words over 6; `self`, `other` and the phrase families are
    rates per 10 or 50 words.
    """
    total = max(len(tokens) - tokens.count(words.END), 1)
    counts = Counter(tokens)
    out = {
        "range": log(1 + len(words.content(counts))) / 6,
        "self": 10 * sum(counts[word] for word in _SELF) / total,
        "other": 10 * sum(counts[word] for word in _OTHER) / total,
        "not": 20 * counts["not"] / total,
        "quoting": 20 * (answers.count('"') + answers.count("“")) / total,
        "excited": 50 * answers.count("!") / total,
        "listed": 20 * len(_LISTED.findall(answers)) / total,
    }
    for hit in hits(tokens, lexicon().character):
        out[hit.family] = out.get(hit.family, 0.0) + 50 / max(total, 50)
    return {name: min(value, 3.0) for name, value in out.items()}


class StyleScale(msgspec.Struct, frozen=True):
    """A logistic scale: its value for an answer without any feature, and what each adds."""

    bias: float
    weights: Mapping[str, float]


@cache
def scales() -> dict[str, StyleScale]:
    """All scales by name."""
    return documents.packaged(Path(__file__).with_name("scales.yaml"), dict[str, StyleScale])


def place(found: Mapping[str, float], scale: str) -> float:
    """Where the style of a description lies on a scale, 0-1; what describes nothing has no place on any."""
    known = scales()[scale]
    total = known.bias + sum(weight * found[name] for name, weight in known.weights.items() if name in found)
    return 1.0 / (1.0 + exp(-total))
