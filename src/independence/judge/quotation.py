"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_MARKS = re.compile("[\"'`*_“”„‟‘’‚‛«»]")
_DASHES = re.compile("[‐‑‒–—−]")
_SPACED = r"(?:(?=[\0-\u0dff])\w)"  # a letter or figure of a script that puts spaces between words
_WORD = re.compile(rf"{_SPACED}+|[^\W\x00-\u0dff]")
_INSIDE_WORD = re.compile(rf"(?<={_SPACED}){_SPACED}")
_FEWEST = 3  # words in a row; "it's" is two


def found(quote: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts holds every part of the quotation as whole words, in order.

    Case, white space, quotation marks, emphasis and kinds of dashes make no difference. One part has three words or
    more, unless the text has fewer: a word alone is found nearly anywhere. An empty quotation is found only where there
    is nothing to quote.

    found("keep my name ... never", ["I *keep* my name, and I told you: never."])  # True
    """
    pieces = [piece for piece in _LEFT_OUT.split(quote) if _plain(piece)]
    if not pieces:
        return not any(map(_plain, texts))
    parts, longest = [_plain(piece) for piece in pieces], max(len(_WORD.findall(piece)) for piece in pieces)
    # Few texts hold the parts: their words are counted last.
    return any(_holds(_plain(text), parts) and longest >= min(_FEWEST, len(_WORD.findall(text))) for text in texts)


def _plain(text: str) -> str:
    return " ".join(_DASHES.sub("-", _MARKS.sub("", text)).casefold().split()).strip(" .,;:")


def _holds(text: str, parts: Sequence[str]) -> bool:
    """Whether plain parts stand in a plain text one behind the other, none beginning or ending inside a word."""
    end = 0
    for part in parts:
        start = text.find(part, end)
        while start >= 0 and (_INSIDE_WORD.match(text, start) or _INSIDE_WORD.match(text, start + len(part))):
            start = text.find(part, start + 1)
        if start < 0:
            return False
        end = start + len(part)
    return True
