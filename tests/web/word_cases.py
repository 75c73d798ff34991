"""Texts, what is found in them, and their index: cases by which the page's search is compared with this one."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from independence.report.pages import words
from independence.report.pages.search import DialogueText, WordIndex
from independence.report.pages.search_schema import Role

_PARTS = (
    "keep my name", "Keep", "mY", "names", "KEEPER", "I", "am", "don't", "don\u2019t", "\u540d\u524d\u306f", "\u540d",
    "\u0e01\u0e34\u0e19", "na\u00efve", "\u0130stanbul", "\u03a3\u039f\u03a3", "x\u0301y", "12", "a_b", "*", "**", ", ",
    " \u2014 ", "\n", "\U0001f600", "\ud55c\uad6d\uc5b4", "\u0939\u093f\u0928\u094d\u0926\u0940", "Stra\u00dfe", "-",
)  # fmt: skip
_KINDS: tuple[tuple[Role, str], ...] = (("answer", ""), ("answer", ""), ("judge", "one"), ("judge", "two"))
_SHARDS = 5


def texts(seed: int) -> list[DialogueText]:
    """Of some dialogues."""
    draw = random.Random(seed)
    return [
        DialogueText(f"subject-{at % 3}", f"scenario-{at // 3}", 1 + at % 2, role, judge, _text(draw, 12))
        for at in range(12)
        for role, judge in _KINDS
    ]


def cases(seed: int) -> dict[str, Any]:
    """Queries and what they find, made anew from a seed."""
    draw, made, found = random.Random(seed), texts(seed), {}
    for _ in range(450):
        query, whole = _text(draw, draw.choice((1, 1, 2, 3))), draw.random() < 0.4
        said = words.said(query)
        if len(said) > 0 and draw.random() < 0.6:  # parts of words, as they are typed
            query = " ".join([said[0][draw.randrange(2) :], *said[1:]])[: draw.randrange(3, 20)]
        pattern = words.pattern(query, whole=whole)
        if pattern is not None:
            found[f"{query} {int(whole)}"] = [len(pattern.findall(one.text)) for one in made]
    index = WordIndex(made, _SHARDS)
    return {
        "texts": [one._asdict() for one in made], "found": found,
        "words": _raw(index, "words"), "index": _raw(index, "texts"),
        "shards": [_raw(index, str(at)) for at in range(_SHARDS)],
    }  # fmt: skip


def written(seed: int = 34) -> str:
    """The same as JSON."""
    return msgspec.json.encode(cases(seed)).decode() + "\n"


def _text(draw: random.Random, parts: int) -> str:
    return "".join(draw.choice(_PARTS) + draw.choice((" ", " ", "")) for _ in range(parts))


def _raw(index: WordIndex, name: str) -> msgspec.Raw:
    return msgspec.Raw(index.document(name))
