"""Plain text to tokens: markup and leaked tool syntax removed, contractions opened, sentences marked.

A token is a lower-case word or `"."`, which closes a sentence or a line. The lexicon of the rules is read here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from independence.config import documents
from independence.judge.located import LocatedText

END = "."
T = TypeVar("T")

_WRAPPER = re.compile(
    r'^\W{0,9}[a-z]\w*[({]\W{0,9}"?\w+"?\s*[:=]\s*"|</?[a-z_|]+>|"\s{0,8}\}{1,8}\W{0,40}$', re.IGNORECASE
)
BLANK = "\u25a1"  # stands for a blank of a form that nobody filled in
_BLANK = re.compile(
    r"\[(?:[A-Z]|(?i:your|my|insert|enter|name)\b)[^][\n]{0,60}\](?!\()|_{3,}"
    r"|[({<](?i:your|insert|enter|name)\b[^][(){}<>:\n]{0,60}[)}>]"
)
_TOKEN, _SENTENCE_ENDS = re.compile(r"[a-z0-9]+|[.!?\n]+"), re.compile(r"[.!?\n]+")
_STARS, _LOW_LINES, _PERCENT = re.compile(r"\*"), re.compile("_"), re.compile("%")
_SPELLED_OUT = (  # in this order
    ("’", "'"), ("\\n", "\n"), ("\\u2019", "'"), ("\\u2014", " "),  # escapes, as some servers leave them in a text
    ("cannot", "can not"), ("won't", "will not"), ("can't", "can not"), ("shan't", "shall not"), ("n't", " not"),
    ("'m", " am"), ("'re", " are"), ("'ve", " have"), ("'ll", " will"), ("'d", " would"), ("'s", " is"),
)  # fmt: skip


def plain(text: str) -> str:
    """`text` without a leaked tool-call wrapper, template tags or emphasis marks; case and punctuation kept.

    What a form leaves to be filled in, as in "Name: [Your Name]", is a `BLANK`.
    """
    if "{" in text or "<" in text:
        text = _WRAPPER.sub(" ", text.strip())
    text = _BLANK.sub(BLANK, text)
    return text.replace("*", "").replace("_", " ")


def tokens(text: str) -> list[str]:
    """The tokens of `text`. Ends with a sentence mark unless empty.

    tokens("I won't. You're right!")  # ["i", "will", "not", ".", "you", "are", "right", "."]
    """
    text = plain(text).lower()
    for written, meant in _SPELLED_OUT:
        text = text.replace(written, meant)
    found = _TOKEN.findall(_SENTENCE_ENDS.sub(END, text))
    return [*found, END] if found and found[-1] != END else found


def located(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The tokens of a text with a space between, and for each character of that where its token stands in the text."""
    form = LocatedText.of(text)
    if "{" in text or "<" in text:
        form = form.part(len(text) - len(text.lstrip()), len(text.rstrip())).replaced(_WRAPPER, " ")
    form = (
        form.replaced(_BLANK, BLANK)
        .replaced(_STARS, "")
        .replaced(_LOW_LINES, " ")
        .replaced(_PERCENT, " percent")
        .mapped(str.lower)
    )
    for written, meant in _SPELLED_OUT:
        if written in form.text:
            form = form.replaced(re.compile(re.escape(written)), meant)
    tokens, places = list[str](), list[tuple[int, int]]()
    for match in _TOKEN.finditer(form.text):
        start, end = form.source(*match.span())
        token = match[0] if match[0].isalnum() else END
        tokens.append(token)
        # What was opened stands where it began: "n't" is all of "do not".
        places += [(start, max(end, start + 1))] * (len(token) + 1)
    return " ".join(tokens), places


@lru_cache(maxsize=512)
def spoken(text: str) -> tuple[str, ...]:
    """The tokens of a text, kept: a dialogue is read for several purposes, and prompts again and again."""
    return tuple(tokens(text))


@lru_cache(maxsize=512)
def spoken_words(text: str) -> tuple[str, ...]:
    """The words of a text, without the marks of sentences."""
    return tuple(filter(END.__ne__, spoken(text)))


def content(words: Iterable[str]) -> frozenset[str]:
    """Stems of the words that carry a topic: no function words, nothing shorter than three letters."""
    return frozenset([stem(word) for word in set(words) - lexicon().everyday if len(word) > 2])


def runs(said: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """Every `length` words in a row; none of fewer words."""
    return list(zip(*(said[at:] for at in range(length)), strict=False))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A crude stem: enough for `opinions` to meet `opinion`, never for display."""
    for ending in ("ically", "ations", "ation", "ness", "ing", "ies", "ed", "ly", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """How much of `part` is found in `whole`, 0-1; 0 for an empty part."""
    return len(part & whole) / len(part) if part else 0.0


def everyday(words: Sequence[str]) -> float:
    """Share of function words, 0-1; English prose has about a half."""
    idle = lexicon().everyday
    return sum(map(idle.__contains__, words)) / len(words) if words else 0.0


class CueLexicon(msgspec.Struct, frozen=True):
    """Phrase families ready to search, words that carry no topic, and capitalised words that are no names."""

    character: Phrases
    evasion: Phrases
    compliments: frozenset[str]
    everyday: frozenset[str]
    shared: frozenset[str]
    foreign: frozenset[str]
    spoken: frozenset[str]
    ordinary: frozenset[str]


@cache
def lexicon() -> CueLexicon:
    """The lexicon."""
    return read_lexicon(Path(__file__).with_name("lexicon.yaml"), CueLexicon)


def read_lexicon(path: Path, kind: type[T]) -> T:
    """A packaged lexicon; its families become phrases to search, in which `lists` of the same file stand."""
    document = documents.packaged(path, dict[str, Any])
    lists = document.pop("lists", {})
    return msgspec.convert(document, kind, dec_hook=lambda _, families: Phrases(families, lists))


class PhraseHit(NamedTuple):
    """One phrase found: its family and the token range it covers."""

    family: str
    start: int
    end: int


class Phrases:
    """Phrases ready to search: every form of every pattern, and its family.

    A pattern has slots with a space between: `a|b`, `$LIST` for one of a list, `_` where a slot may stay empty. A
    phrase that is listed twice belongs to the family listed last.
    """

    def __init__(self, families: Mapping[str, Iterable[str]], lists: Mapping[str, Sequence[str]]) -> None:
        self.families: dict[str, str] = {}  # by form
        self.longest: dict[str, int] = {}  # words of a form, by the first of them
        for family, patterns in families.items():
            for pattern in patterns:
                slots = [lists[slot[1:]] if slot.startswith("$") else slot.split("|") for slot in pattern.split()]
                for choices in product(*slots):
                    form = [word for word in " ".join(choices).split() if word != "_"]
                    self.families[" ".join(form)] = family
                    self.longest[form[0]] = max(self.longest.get(form[0], 0), len(form))

    @property
    def words(self) -> frozenset[str]:
        """Every word of the phrases."""
        return frozenset(word for form in self.families for word in form.split())


def hits(words: Sequence[str], phrases: Phrases) -> list[PhraseHit]:
    """Every phrase in `words`, left to right; at each place the longest, and none inside another."""
    found: list[PhraseHit] = []
    free = 0
    for at, word in enumerate(words):
        if at < free or word not in phrases.longest:
            continue
        for end in range(min(at + phrases.longest[word], len(words)), at, -1):
            family = phrases.families.get(" ".join(words[at:end]))
            if family is not None:
                found.append(PhraseHit(family, at, end))
                free = end
                break
    return found
