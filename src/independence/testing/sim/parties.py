"""A dispute: who quarrels with whom, who of them is asking, and what the facts say.

No word on the wire tells what the facts say. Whoever serves the advisers may know it and hand over a table, from the
digest of a request to its dispute. Of any other request the parties and the asker are told by general English cues, the
first party being the one that asks something of the other, and what the facts say is left open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from independence.testing.sim.situation import conversation
from independence.testing.sim.texts import Lines, texts
from independence.types import Message

_NAMED = re.compile(
    r"[\"“]((?:the|a|an) [^\"”]{2,40})[\"”] (?:and|or) [\"“]((?:the|a|an) [^\"”]{2,40})[\"”]", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;\n]+")
_QUESTION = re.compile(r"[^.!?\n]+\?")
_MYSELF = re.compile(r"\b(?:I|I['’][md]|me|my|we|us|our)\b")
_I_AM = ("i am the", "i am a", "i am an", "i'm the", "i'm a")
_WORD = re.compile(r"[a-z0-9']+")
_LINKS = frozenset(
    ("is", "are", "was", "were", "be", "not", "never", "fully", "also", "therefore", "then", "has", "have")
)
_ARTICLES = frozenset(("a", "an", "the", "any", "each", "every", "both"))


class Dispute(NamedTuple):
    """Two parties as an answer needs them."""

    first: str  # with its article: "the tenant"
    second: str
    side: Annotated[int, Meta(ge=-1, le=1)]  # who asks: 1 the first party, -1 the second, 0 somebody else
    merit: Annotated[float, Meta(ge=-1, le=1)] = 0.0  # how far the facts favour the first party; 0: they leave it open
    even: bool = False  # the question wants an answer that gives neither side more


Merits = Mapping[str, Dispute]  # request digest -> what the request is about
NOTHING_KNOWN: Final[Merits] = {}


def request_digest(messages: Sequence[Message]) -> str:
    """SHA-256, in hex, of what a request says: the role and the text of every message."""
    told = "\x1e".join(f"{message.role}\x1f{message.content or ''}" for message in messages)
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


class PhraseMatch(NamedTuple):
    """A phrase in a text: what stands before it and after it."""

    before: str
    after: str


def cues(name: str) -> Lines:
    """The cue words of that name."""
    return texts("disputes")[name]


def dispute(messages: Sequence[Message], known: Merits = NOTHING_KNOWN) -> Dispute | None:
    """The dispute that the last human turn is about; None where no two parties can be told."""
    found = known.get(request_digest(messages)) if known else None
    if found is not None:
        return found
    human = conversation(messages).human
    return _dispute(human[-1]) if human else None


@lru_cache(maxsize=4096)
def _dispute(human: str) -> Dispute | None:
    text = flat(human)
    roles = _roles(human, text)
    if roles is None:
        return None
    first, second = roles if _asking(human, *roles) >= 0 else roles[::-1]
    questions = flat(" ".join(_QUESTION.findall(human)))
    return Dispute(
        f"the {first}",
        f"the {second}",
        _side(human, text, first, second),
        even=bool(find_phrases(questions, cues("even"))),
    )


def _roles(human: str, text: str) -> tuple[str, str] | None:
    """Two names that the text itself introduces side by side, or else a common pair that it speaks of."""
    named = _NAMED.search(human)
    if named:
        first, second = (_ARTICLE.sub("", name).lower() for name in named.groups())
        return first, second
    scores = {pair: _mentions(text, pair.split(), words) for pair, words in texts("pairs").items()}
    best = max(scores, key=lambda pair: scores[pair])
    first, second = best.split()
    return (first, second) if scores[best] else None


def _mentions(text: str, pair: Iterable[str], words: Lines) -> int:
    return 2 * sum(_speaks(text, role) for role in pair) + bool(find_phrases(text, words))


def _speaks(text: str, role: str) -> bool:
    return bool(find_phrases(text, (role, f"{role}s")))


def _asking(human: str, one: str, other: str) -> int:
    """Above 0 where more speaks for the first of two asking something of the second, below 0 for the reverse."""
    sentences = [flat(sentence) for sentence in _SENTENCE.findall(human)]
    places = [place for sentence in sentences for place in find_phrases(sentence, cues("asks"))]
    return sum(-object_of(place, one, other) or doer_of(place, one, other) for place in places)


def _side(human: str, text: str, first: str, second: str) -> int:
    """Who asks: who says so, or who speaks in the first person and names only the other."""
    if find_phrases(text, cues("outside")):
        return 0
    claimed = [bool(find_phrases(text, [f"{start} {role}" for start in _I_AM])) for role in (first, second)]
    if any(claimed):
        return claimed[0] - claimed[1]
    if not _MYSELF.search(human):
        return 0
    return _speaks(text, second) - _speaks(text, first)


def flat(text: str) -> str:
    """Lower case, words between single spaces, possessive endings off, so that ` word ` finds whole words."""
    plain = re.sub(r"'s\b", "", text.lower().replace("’", "'"))
    return f" {' '.join(_WORD.findall(plain))} "


def find_phrases(text: str, phrases: Iterable[str]) -> list[PhraseMatch]:
    """Every place of the phrases in a text that is `flat`, in order."""
    places = [(start, start + len(phrase) + 1) for phrase in phrases for start in _starts(text, f" {phrase} ")]
    return [PhraseMatch(text[: start + 1], text[end:]) for start, end in sorted(places)]


def _starts(text: str, phrase: str) -> Iterator[int]:
    start = text.find(phrase)
    while start >= 0:
        yield start
        start = text.find(phrase, start + 1)


def object_of(place: PhraseMatch, one: str, other: str) -> int:
    """Which of two stands right behind a phrase, articles aside: 1, -1, or 0 for neither."""
    after = " ".join(word for word in place.after.split() if word not in _ARTICLES)
    return f"{after} ".startswith(f"{one} ") - f"{after} ".startswith(f"{other} ")


def doer_of(place: PhraseMatch, one: str, other: str) -> int:
    """Which of two does what a verb says, 1 or -1: the last one before it, or behind "and" the first; 0 for neither."""
    places = [f" {role} " for role in (one, other)]
    if _without_links(place.before)[-1:] == ["and"]:
        starts = [place.before.find(role) % (len(place.before) + 1) for role in places]
        return (starts[0] < starts[1]) - (starts[0] > starts[1])
    ends = [place.before.rfind(role) for role in places]
    return (ends[0] > ends[1]) - (ends[0] < ends[1])


def _without_links(before: str) -> list[str]:
    words = before.split()
    while words and words[-1] in _LINKS:
        words.pop()
    return words
