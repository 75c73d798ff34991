"""Whether a passage that a judge quotes stands in what it was shown, and where."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from independence.judge.located import LocatedText
from independence.judge.prompt import INVISIBLE

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_MARKS = re.compile("[\"'`*_“”„‟‘’‚‛«»]")
_DASHES = re.compile("[‐‑‒–—−]")
_SPACED = r"(?:(?=[\0-\u0dff])[\w\u0300-\u036f])"  # of a script that has spaces between words
_WORD = re.compile(rf"{_SPACED}+|[^\W\x00-\u0dff]")
_INSIDE_WORD = re.compile(rf"(?<={_SPACED}){_SPACED}")
_SPACE = re.compile(r"\s{2,}|[^\S ]")
_AROUND = " .,;:"
_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|(?<!\w)[‘']((?:[^‘’']|(?<=\w)[’'](?=\w))+)[’'](?!\w)")
_FEWEST = 3  # words in a row; "it's" is two


class Passage(NamedTuple):
    """A stretch of one of several texts, in characters."""

    text: int  # which of them
    start: int
    end: int


def found(quote: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts holds every part of the quotation as whole words, in order.

    Case, white space, quotation marks, emphasis, kinds of dashes and Unicode form make no difference. One part has
    three words or more, unless the text has fewer: a word alone is found nearly anywhere. An empty quotation is found
    only where there is nothing to quote.

    found("keep my name ... never", ["I *keep* my name, and I told you: never."])  # True
    """
    parts = _parts(quote)
    if not parts:
        return not any(_plain(text).text for text in texts)
    return any(_held(_plain(text), parts, text) is not None for text in texts)


def holds(words: str, text: str) -> bool:
    """Whether a text holds these words as whole ones, however few they are; written alike as in `found`."""
    plain = _plain(words).text
    return bool(plain) and _held(_plain(text), [(plain, _FEWEST)], text) is not None


def passages(quote: str, texts: Sequence[str]) -> list[Passage]:
    """Where the quotation is found: its parts in the last text that holds it. Nothing where it is not, or is empty.

    passages("keep my ... never", ["I *keep* my name: never."])  # [Passage(0, 3, 11), Passage(0, 18, 23)]
    """
    parts = _parts(quote)
    for at in reversed(range(len(texts)) if parts else ()):
        plain = _plain(texts[at])
        if held := _held(plain, parts, texts[at]):
            places = (plain.source(start, end) for start, end in held)
            return [
                Passage(at, start, start + len(texts[at][start:end].rstrip(" \n\"'*_`”’"))) for start, end in places
            ]
    return []


def quoted(text: str) -> list[str]:
    """What a text puts between quotation marks."""
    return [next(filter(None, match)) for match in _QUOTED.findall(text)]


def _parts(quote: str) -> list[tuple[str, int]]:
    """The parts of a quotation, plain, and how many words each has as it is written."""
    return [(plain, len(_WORD.findall(piece))) for piece in _LEFT_OUT.split(quote) if (plain := _plain(piece).text)]


@lru_cache(maxsize=64)
def _plain(text: str) -> LocatedText:
    shown = LocatedText.of(text).replaced(INVISIBLE, "").replaced(_MARKS, "").replaced(_DASHES, "-")
    # Decomposed, since each character of a LocatedText is changed by itself.
    plain = shown.mapped(lambda said: unicodedata.normalize("NFD", said.casefold())).replaced(_SPACE, " ")
    end = len(plain.text.rstrip(_AROUND))
    return plain.part(end - len(plain.text[:end].lstrip(_AROUND)), end)


def _held(plain: LocatedText, parts: Sequence[tuple[str, int]], text: str) -> list[tuple[int, int]] | None:
    """Where parts stand in a plain text one behind the other, none beginning or ending inside a word."""
    end, out = 0, list[tuple[int, int]]()
    for part, _ in parts:
        start = plain.text.find(part, end)
        while start >= 0 and (
            _INSIDE_WORD.match(plain.text, start) or _INSIDE_WORD.match(plain.text, start + len(part))
        ):
            start = plain.text.find(part, start + 1)
        if start < 0:
            return None
        end = start + len(part)
        out.append((start, end))
    # Few texts hold the parts: their words are counted last.
    longest = max(count for _, count in parts)
    return out if longest >= _FEWEST or longest >= len(_WORD.findall(text)) else None
