"""Texts that nobody can have meant as an answer, whatever was asked: error messages, debris, noise, word salad."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
_BEGINNING = re.compile(r"[\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Control tokens of chat templates, and the tags of tool calls.
TOKENS = re.compile(
    r"<\|[A-Za-z_][\w ]*\|?>|<[A-Za-z_]\w*\|>|<｜[^｜<>]{1,40}｜>"
    r"|</?(?:tool_calls?|tool_response|arg_key|arg_value|function|parameter|invoke|think|thinking)(?:=\w+)?>"
    r"|</?s>|<(?:[BE]OS(?:_TOKEN)?|bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[/?(?:INST|TOOL_CALLS|SYSTEM_PROMPT)\]"
)
_BRACKET = re.compile(r"[<{\[]")
_OBJECT = re.compile(r'[{\[]\s*"?\w+"?\s*:|^\s*[{<\[]|[{\[]\s*"')
_IDENTIFIER = re.compile(r"\b\w+_\w+\b")
_FORMULA = re.compile(r"\s*[=+@-]\s*[\w\"'.$:+*/-]{0,30}[(|!]")
_SHORTEST_RUN = 40  # signs
_RUN = re.compile(rf"(\S)\1{{{_SHORTEST_RUN - 1},}}")
_STATUS = re.compile(r"[45]\d\d")

_OF_FORMULA = 0.25  # share of everyday words in a formula, at most
_WORDS_A_CONTROL = 3
_MOST_FAILING = 60  # words of an error message
_FAILING = 0.7  # share of its words that are of servers, everyday words apart
_FEW_KINDS, _MANY = 3, 12  # different words, and words, of what only repeats itself
_SALAD = 12  # words from which their order tells
_SURE = 3  # different words that no other language has
_TELLING = 120  # words whose order is looked at
_CHANCE = -0.04  # below it they stand in no order; lists without sentences lie near 0
_ENGLISH = 0.15  # least share of everyday English words in a text whose order is looked at


def nonsense(text: str) -> str | None:
    """What is wrong with a text that is no answer to anything; None for all others. Speaks of English texts alone.

    nonsense("502 Bad Gateway")  # "an error message"
    """
    text = text[:_READ]
    tokens, said = words.spoken(text), words.spoken_words(text)
    controls = len(CONTROLS.findall(text)) if controlled(text) else 0
    if controls > 1 and controls * _WORDS_A_CONTROL >= len(said):
        return "control characters and escape sequences"
    run = sum(len(found[0]) for found in _RUN.finditer(text))
    if 2 * run > len(text) or (len(said) >= _MANY and len(set(said)) <= _FEW_KINDS):
        return "the same sign or word over and over"
    if _FORMULA.match(text) and words.everyday(said) <= _OF_FORMULA:
        return "a spreadsheet formula"
    if _markup(text):
        return "remains of a tool call or of markup"
    if _failure(said):
        return "an error message"
    # What has few English words may be another language, whose order is not known.
    english = len(order().english.intersection(said)) >= _SURE and words.everyday(said) >= _ENGLISH
    if english and len(said) >= _SALAD and ordered(tokens) < _CHANCE:
        return "words in no order"
    return None


def controlled(text: str) -> bool:
    """Whether there are control characters or escape sequences in a text."""
    return _BEGINNING.search(text) is not None and CONTROLS.search(text) is not None


def _markup(text: str) -> bool:
    """Whether a text has marks of a tool call or of an object, and beside them no word that somebody says."""
    if not _BRACKET.search(text) or not (TOKENS.search(text) or _OBJECT.search(text)):
        return False
    left = words.tokens(_IDENTIFIER.sub(" ", TOKENS.sub(" ", text)))
    return all(word in listed("markup") or word.isdigit() or word == words.END for word in left)


def _failure(said: Sequence[str]) -> bool:
    if not 0 < len(said) <= _MOST_FAILING:
        return False
    idle = words.lexicon().everyday
    telling = [word for word in said if word not in idle and not word.isdigit()]
    technical = listed("failures").intersection(telling)
    stated = not technical.isdisjoint(listed("failing")) or (technical and _STATUS.fullmatch(said[0]) is not None)
    share = sum(word in technical for word in telling) / max(len(telling), 1)
    return bool(stated) and share >= _FAILING and len(technical) > 1


def ordered(tokens: Sequence[str]) -> float:
    """How much better than chance the first words of a text follow each other, per word; English prose is above 0."""
    kinds = list(map(_kind, tokens[:_TELLING]))
    gained = sum(map(getitem, map(order().gains.__getitem__, [order().names["end"], *kinds]), kinds))
    return gained / max(len(kinds), 1)


@lru_cache(maxsize=1 << 14)
def _kind(word: str) -> int:
    """The kind of a word; those that are not listed are told by their endings."""
    known = order()
    if word in known.kinds:
        return known.kinds[word]
    for ending in ("ing", "ed", "ly"):
        if len(word) > 4 and word.endswith(ending):
            return known.names[ending]
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return known.names["s" if plural else "word"]


class WordOrder(NamedTuple):
    """Which kind a word is of, and how much oftener than chance would have it one kind follows another."""

    english: frozenset[str]  # words of no language that is written like English
    names: Mapping[str, int]  # of the kinds; a kind is a number
    kinds: Mapping[str, int]  # word -> kind
    gains: Sequence[Sequence[float]]  # by kind, and the kind that follows; natural logarithms


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
    kinds = {word: names[kind] for kind, listed in document["classes"].items() for word in listed.split()}
    return WordOrder(frozenset(document["english"].split()), names, kinds | {words.END: names["end"]}, gains)
