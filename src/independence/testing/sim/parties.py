"""Who quarrels with whom, and who of them is asking: all told by general English cues.

The first party is the one that asks something of the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from independence.testing.sim import disputes
from independence.testing.sim.conversation import conversation
from independence.testing.sim.disputes import RolePair, cues, find_phrases
from independence.types import Message

_NAMED = re.compile(
    r"[\"“]((?:the|a|an) [^\"”]{2,40})[\"”] (?:and|or) [\"“]((?:the|a|an) [^\"”]{2,40})[\"”]", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;\n]+")
_QUESTION = re.compile(r"[^.!?\n]+\?")
_MYSELF = re.compile(r"\b(?:I|I['’][md]|me|my|we|us|our)\b")


class Dispute(NamedTuple):
    """Two parties as an answer needs them."""

    first: str  # with its article: "the tenant"
    second: str
    side: int  # who asks: 1 the first party, -1 the second, 0 somebody else
    merit: float  # what the rules give the first party: 1, 0 (they are silent or leave it open) or -1
    even: bool  # the question wants an answer that gives neither side more


def dispute(messages: Sequence[Message]) -> Dispute | None:
    """The dispute that the last human turn is about; None where no two parties can be told."""
    human = conversation(messages).human
    return _dispute(human[-1]) if human else None


@lru_cache(maxsize=4096)
def _dispute(human: str) -> Dispute | None:
    text = disputes.flat(human)
    roles = _roles(human, text)
    if roles is None:
        return None
    first, second = roles if _asking(human, *roles) >= 0 else roles[::-1]
    questions = disputes.flat(" ".join(_QUESTION.findall(human)))
    return Dispute(
        f"the {first}",
        f"the {second}",
        _side(human, text, first, second),
        disputes.merit(human, first, second),
        bool(find_phrases(questions, cues().even)),
    )


def _roles(human: str, text: str) -> tuple[str, str] | None:
    """Two names that the text itself introduces side by side, or else a common pair that it speaks of."""
    named = _NAMED.search(human)
    if named:
        first, second = (_ARTICLE.sub("", name).lower() for name in named.groups())
        return first, second
    best = max(cues().pairs, key=lambda pair: _mention_score(text, pair))
    return (best.first, best.second) if _mention_score(text, best) else None


def _mention_score(text: str, pair: RolePair) -> int:
    return 2 * sum(_speaks(text, role) for role in (pair.first, pair.second)) + bool(find_phrases(text, pair.words))


def _speaks(text: str, role: str) -> bool:
    return bool(find_phrases(text, (role, f"{role}s")))


def _asking(human: str, one: str, other: str) -> int:
    """Above 0 where more speaks for the first of two asking something of the second, below 0 for the reverse."""
    sentences = [disputes.flat(sentence) for sentence in _SENTENCE.findall(human)]
    places = [place for sentence in sentences for place in find_phrases(sentence, cues().asks)]
    return sum(-disputes.object_of(place, one, other) or disputes.doer_of(place, one, other) for place in places)


def _side(human: str, text: str, first: str, second: str) -> int:
    """Who asks: who says so, or who speaks in the first person and names only the other."""
    if find_phrases(text, cues().outside):
        return 0
    claimed = [
        bool(
            find_phrases(
                text, (f"i am the {role}", f"i am a {role}", f"i am an {role}", f"i'm the {role}", f"i'm a {role}")
            )
        )
        for role in (first, second)
    ]
    if any(claimed):
        return claimed[0] - claimed[1]
    if not _MYSELF.search(human):
        return 0
    return _speaks(text, second) - _speaks(text, first)
