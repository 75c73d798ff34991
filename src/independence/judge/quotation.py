"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_MARKS = re.compile(r"[\"'“”„‟‘’‚‛«»`*_]")
_ASCII_MARKS = str.maketrans("", "", "\"'`*_")
_DASHES = re.compile(r"[‐‑‒–—−]")
_SPACED = r"[^\W\u0e00-\U0010ffff]"  # a letter or figure of a script that puts spaces between words
_WORD = re.compile(rf"{_SPACED}+|[^\W\x00-\u0dff]")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_INSIDE_WORD = re.compile(rf"(?<={_SPACED}){_SPACED}")
_FEWEST = 3  # words in a row; "it's" is two


def found(quote: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts holds every part of the quotation as whole words, in order.

    Case, white space, quotation marks, emphasis and kinds of dashes make no difference. One part has three words or
    more, unless the text has fewer: a word alone is found nearly anywhere. An empty quotation is found only where there
    is nothing to quote.
    """
    pieces = [piece for piece in _LEFT_OUT.split(quote) if _plain(piece)]
    if not pieces:
        return not any(map(_plain, texts))
    longest = max(map(_words, pieces))
    parts = [_plain(piece) for piece in pieces]
    # Few texts hold the parts: their words are counted last.
    return any(_holds(_plain(text), parts) and (longest >= _FEWEST or longest >= _words(text)) for text in texts)


def _holds(text: str, parts: Iterable[str]) -> bool:
    end = 0
    for part in parts:
        start = text.find(part, end)
        while start >= 0 and (_INSIDE_WORD.match(text, start) or _INSIDE_WORD.match(text, start + len(part))):
            start = text.find(part, start + 1)
        if start < 0:
            return False
        end = start + len(part)
    return True


def _words(text: str) -> int:
    return len((_ASCII_WORD if text.isascii() else _WORD).findall(text))


def _plain(text: str) -> str:
    bare = text.translate(_ASCII_MARKS) if text.isascii() else _DASHES.sub("-", _MARKS.sub("", text))
    return " ".join(bare.casefold().split()).strip(" .,;:")
