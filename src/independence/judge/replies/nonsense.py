"""Texts that nobody can have meant as an answer, whatever was asked: error messages, debris, noise, word salad."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from operator import getitem
from pathlib import Path
from typing import Any, NamedTuple

from independence.config import documents
from independence.judge.cues import words

_READ = 20_000  # characters: what follows does not make an answer of what came before
_ESCAPE = (
    r"(?:[\x1b\x9b]|\\u001b|\\u009b|\\x1b|\\033)"
    r"(?:\[[0-9;?]{0,20}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[0-9;?]{0,20}[@-~])?"
)
CONTROLS = re.compile(rf"{_ESCAPE}|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Control tokens of chat templates, and the tags of tool calls.
TOKENS = re.compile(
    r"<\|[A-Za-z_][\w ]*\|?>|<[A-Za-z_]\w*\|>|<｜[^｜<>]{1,40}｜>"
    r"|</?(?:tool_calls?|tool_response|arg_key|arg_value|function|parameter|invoke|think|thinking)(?:=\w+)?>"
    r"|</?s>|<(?:[BE]OS(?:_TOKEN)?|bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[/?(?:INST|TOOL_CALLS|SYSTEM_PROMPT)\]"
)
_PLAIN = bytes((*range(0x20, 0x7F), *b"\t\n\r"))
_OBJECT = re.compile(r'[{\[]\s*"?\w+"?\s*:|^\s*[{<\[]|[{\[]\s*"')
_IDENTIFIER = re.compile(r"\b\w+_\w+\b")
_FORMULA = re.compile(r"\s*[=+@-]\s*[\w\"'.$:+*/-]{0,30}[(|!]")
_RUN = re.compile(r"(\S)\1{39,}")
_EVERY = 10  # of the characters in a run of 40, four are looked at
_STATUS = re.compile(r"[45]\d\d")

_OF_FORMULA = 0.25  # share of everyday words in a formula, at most
_WORDS_A_CONTROL = 3
_MOST_FAILING = 60  # words of an error message
_FAILING = 0.7  # share of its words that are of servers, everyday words apart
_FEW_KINDS, _MANY = 3, 12  # different words, and words, of what only repeats itself
_SALAD = 12  # words from which their order tells
_MOST_KINDS = 1 << 14  # words that are kept
_SURE = 3  # different words that no other language has
_TELLING = 120  # words whose order is looked at
_CHANCE = -0.04  # below it they stand in no order; lists without sentences lie near 0
_ENGLISH = 0.15  # least share of everyday English words in a text whose order is looked at


class _ReplyText(NamedTuple):
    text: str
    tokens: Sequence[str]
    kinds: bytes  # of the tokens whose order is looked at

    @property
    def said(self) -> Sequence[str]:
        """Its words."""
        return words.spoken_words(self.text)


def nonsense(text: str) -> str | None:
    """What is wrong with a text that is no answer to anything; None for all others. Speaks of English texts alone."""
    text = text[:_READ]
    tokens = words.spoken(text)
    read = _ReplyText(text, tokens, kinds_of(tokens[:_TELLING]))
    for rule, what in _RULES:
        if rule(read):
            return what
    return None


@lru_cache(maxsize=16)  # asked of a reply several times, for several marks
def beyond_plain(text: str) -> str:
    """Those signs of a text that are neither printable ASCII nor the end of a line nor a tab."""
    return text.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")


def controlled(text: str) -> bool:
    """Whether there are control characters or escape sequences in a text."""
    return ("\\" in text or not beyond_plain(text).isprintable()) and CONTROLS.search(text) is not None


def _controls(read: _ReplyText) -> bool:
    if not controlled(read.text):
        return False
    count = len(CONTROLS.findall(read.text))
    return count > 1 and count * _WORDS_A_CONTROL >= len(read.said)


def _repeated(read: _ReplyText) -> bool:
    run = sum(len(found[0]) for found in _RUN.finditer(read.text)) if _may_run(read.text) else 0
    if 2 * run > len(read.text):
        return True
    # Of most texts the first tokens, the mark of sentences among them, tell that there are more words.
    few = len(set(read.tokens[:_MANY])) <= _FEW_KINDS + 1
    return few and len(read.said) >= _MANY and len(set(read.said)) <= _FEW_KINDS


def _may_run(text: str) -> bool:
    """Whether four signs in a row are the same among those that are looked at; others than Latin-1 all count as one."""
    sampled = text[::_EVERY].encode("latin-1", "replace")
    signs = int.from_bytes(sampled, "big")
    return b"\0\0\0" in (signs ^ signs >> 8).to_bytes(len(sampled), "big")  # neighbours that are equal leave a zero


def _formula(read: _ReplyText) -> bool:
    return _FORMULA.match(read.text) is not None and words.everyday(read.said) <= _OF_FORMULA


def _markup(read: _ReplyText) -> bool:
    marked = "<" in read.text or "{" in read.text or "[" in read.text
    if not marked or not (TOKENS.search(read.text) or _OBJECT.search(read.text)):
        return False
    left = words.tokens(_IDENTIFIER.sub(" ", TOKENS.sub(" ", read.text)))
    return not any(word not in listed("markup") and not word.isdigit() for word in left if word != words.END)


def _failure(read: _ReplyText) -> bool:
    if len(read.kinds) - read.kinds.count(order().end) > _MOST_FAILING or not 0 < len(read.said) <= _MOST_FAILING:
        return False
    telling = [word for word in read.said if word not in words.everyday_words() and not word.isdigit()]
    technical = {word for word in telling if word in listed("failures")}
    stated = not technical.isdisjoint(listed("failing")) or (technical and _STATUS.fullmatch(read.said[0]) is not None)
    share = sum(word in technical for word in telling) / max(len(telling), 1)
    return bool(stated) and share >= _FAILING and len(technical) > 1


def _salad(read: _ReplyText) -> bool:
    """Whether words stand in no order: which kind follows which is worse than chance."""
    if len(read.tokens) < _SALAD or ordered(read.kinds) >= _CHANCE:
        return False
    english = len(order().english.intersection(read.said)) >= _SURE and words.everyday(read.said) >= _ENGLISH
    return english and len(read.said) >= _SALAD


def ordered(kinds: bytes) -> float:
    """How much better than chance the words of a text follow each other, per word; English prose is above 0."""
    before = map(order().gains.__getitem__, order().end + kinds)
    gained: float = sum(map(getitem, before, kinds))
    return gained / max(len(kinds), 1)


def kinds_of(tokens: Sequence[str]) -> bytes:
    """The kinds of words, a byte each."""
    return bytes(map(_kinds().__getitem__, tokens))


class _Kinds(dict[str, int]):
    """The kind of every word that was met; those that are not listed are told by their endings."""

    def __missing__(self, word: str) -> int:
        kind = order().names[_kind(word)]
        if len(self) < _MOST_KINDS:
            self[word] = kind
        return kind


@cache
def _kinds() -> _Kinds:
    return _Kinds(order().kinds, **{words.END: order().end[0]})


def _kind(word: str) -> str:
    if not word.endswith(("s", "ing", "ed", "ly")):
        return "word"
    for ending in ("ing", "ed", "ly"):
        if len(word) > 4 and word.endswith(ending):
            return ending
    return "s" if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else "word"


_RULES: tuple[tuple[Callable[[_ReplyText], bool], str], ...] = (
    (_controls, "control characters and escape sequences"),
    (_repeated, "the same sign or word over and over"),
    (_formula, "a spreadsheet formula"),
    (_markup, "remains of a tool call or of markup"),
    (_failure, "an error message"),
    (_salad, "words in no order"),
)


class WordOrder(NamedTuple):
    """Which kind a word is of, and how much oftener than chance would have it one kind follows another."""

    english: frozenset[str]  # words of no language that is written like English
    names: Mapping[str, int]  # of the kinds; a kind is a number
    kinds: Mapping[str, int]  # word -> kind
    gains: Sequence[Sequence[float]]  # by kind, and the kind that follows; natural logarithms
    end: bytes  # the kind of the mark of sentences


@cache
def listed(name: str) -> frozenset[str]:
    """One of the lists of `lexicon.yaml`, by its name: words, or phrases."""
    found = documents.packaged(Path(__file__).with_name("lexicon.yaml"), dict[str, str | tuple[str, ...]])[name]
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def order() -> WordOrder:
    """The order of words."""
    document = documents.packaged(Path(__file__).with_name("order.yaml"), dict[str, Any])
    names = {name: kind for kind, name in enumerate(document["kinds"].split())}
    gains = [[int(tenths) / 10 for tenths in document["table"][name].split()] for name in names]
    kinds = {word: names[kind] for kind, words in document["classes"].items() for word in words.split()}
    return WordOrder(frozenset(document["english"].split()), names, kinds, gains, bytes([names["end"]]))
