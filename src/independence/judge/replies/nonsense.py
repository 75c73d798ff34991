"""Texts that nobody can have meant as an answer, whatever was asked: error messages, debris, noise, word salad."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
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
_OBJECT = re.compile(r'[{\[]\s*"?\w+"?\s*:|^\s*[{<\[]|[{\[]\s*"')
_IDENTIFIER = re.compile(r"\b\w+_\w+\b")
_FORMULA = re.compile(r"\s*[=+@-]\s*[\w\"'.$:+*/-]{0,30}[(|!]")
_RUN = re.compile(r"(\S)\1{39,}")
_EVERY = 10  # of the characters in a run of 40, four are looked at
_SAMPLED_RUN = re.compile(r"(\S)\1{3}")
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
    said: Sequence[str]  # its words


def nonsense(text: str) -> str | None:
    """What is wrong with a text that is no answer to anything; None for all others. Speaks of English texts alone."""
    text = text[:_READ]
    read = _ReplyText(text, words.spoken(text), words.spoken_words(text))
    return next((what for rule, what in _RULES if rule(read)), None)


@lru_cache(maxsize=16)  # asked of a reply twice, for two marks
def controlled(text: str) -> bool:
    """Whether there are control characters or escape sequences in a text."""
    plain = text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable()
    return (not plain or "\\" in text) and CONTROLS.search(text) is not None


def _controls(read: _ReplyText) -> bool:
    if not controlled(read.text):
        return False
    count = len(CONTROLS.findall(read.text))
    return count > 1 and count * _WORDS_A_CONTROL >= len(read.said)


def _repeated(read: _ReplyText) -> bool:
    sampled = _SAMPLED_RUN.search(read.text[::_EVERY]) is not None
    run = sum(len(found[0]) for found in _RUN.finditer(read.text)) if sampled else 0
    return 2 * run > len(read.text) or (len(read.said) >= _MANY and len(set(read.said)) <= _FEW_KINDS)


def _formula(read: _ReplyText) -> bool:
    return _FORMULA.match(read.text) is not None and words.everyday(read.said) <= _OF_FORMULA


def _markup(read: _ReplyText) -> bool:
    marked = "<" in read.text or "{" in read.text or "[" in read.text
    if not marked or not (TOKENS.search(read.text) or _OBJECT.search(read.text)):
        return False
    left = words.tokens(_IDENTIFIER.sub(" ", TOKENS.sub(" ", read.text)))
    return not any(word not in listed("markup") and not word.isdigit() for word in left if word != words.END)


def _failure(read: _ReplyText) -> bool:
    if not read.said or len(read.said) > _MOST_FAILING:
        return False
    telling = [word for word in read.said if word not in words.everyday_words() and not word.isdigit()]
    technical = {word for word in telling if word in listed("failures")}
    stated = not technical.isdisjoint(listed("failing")) or (technical and _STATUS.fullmatch(read.said[0]) is not None)
    share = sum(word in technical for word in telling) / max(len(telling), 1)
    return bool(stated) and share >= _FAILING and len(technical) > 1


def _salad(read: _ReplyText) -> bool:
    """Whether words stand in no order: which kind follows which is worse than chance."""
    if len(read.said) < _SALAD or words.everyday(read.said) < _ENGLISH:
        return False
    return len(order().english.intersection(read.said)) >= _SURE and ordered(read.tokens[:_TELLING]) < _CHANCE


def ordered(tokens: Sequence[str]) -> float:
    """How much better than chance the words of a text follow each other, per word; English prose is above 0."""
    gains = order().gains
    kinds = map(_kinds().__getitem__, (words.END, *tokens))
    return sum(map(gains.__getitem__, pairwise(kinds))) / max(len(tokens), 1)


class _Kinds(dict[str, str]):
    """The kind of every word that was met; those that are not listed are told by their endings."""

    def __missing__(self, word: str) -> str:
        kind = _kind(word)
        if len(self) < _MOST_KINDS:
            self[word] = kind
        return kind


@cache
def _kinds() -> _Kinds:
    return _Kinds(order().kinds, **{words.END: "end"})


def _kind(word: str) -> str:
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
    kinds: Mapping[str, str]  # word -> kind
    gains: Mapping[tuple[str, str], float]  # natural logarithms


@cache
def listed(name: str) -> frozenset[str]:
    """One of the lists of `lexicon.yaml`, by its name: words, or phrases."""
    found = documents.packaged(Path(__file__).with_name("lexicon.yaml"), dict[str, str | tuple[str, ...]])[name]
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def order() -> WordOrder:
    """The order of words."""
    document = documents.packaged(Path(__file__).with_name("order.yaml"), dict[str, Any])
    gains = {
        (before, after): int(tenths) / 10
        for before, row in document["table"].items()
        for after, tenths in zip(document["kinds"].split(), row.split(), strict=True)
    }
    kinds = {word: kind for kind, words in document["classes"].items() for word in words.split()}
    return WordOrder(frozenset(document["english"].split()), kinds, gains)
