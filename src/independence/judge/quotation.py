"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_MARKS = re.compile(r"[\"'“”„‟‘’‚‛«»`*_]")
_DASHES = re.compile(r"[‐‑‒–—−]")
_SPACED = r"[^\W\u0e00-\U0010ffff]"  # a letter or figure of a script that puts spaces between words
_WORD = re.compile(rf"{_SPACED}+|[^\W\x00-\u0dff]")
_BOUND = rf"(?!(?<={_SPACED}){_SPACED})"
_FEWEST = 3  # words in a row; "it's" is two


def found(quote: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts holds every part of the quotation as whole words, in order.

    Case, white space, quotation marks, emphasis and kinds of dashes make no difference. One part has three words or
    more, unless the text has fewer: a word alone is found nearly anywhere. An empty quotation is found only where there
    is nothing to quote.
    """
    pieces = [piece for piece in _LEFT_OUT.split(quote) if _plain(piece)]
    shown = [text for text in texts if _plain(text)]
    if not pieces:
        return not shown
    longest = max(map(_words, pieces))
    parts = [re.compile(_BOUND + re.escape(_plain(piece)) + _BOUND) for piece in pieces]
    return any(longest >= min(_FEWEST, _words(text)) and _holds(_plain(text), parts) for text in shown)


def _holds(text: str, parts: Iterable[re.Pattern[str]]) -> bool:
    at = 0
    for part in parts:
        there = part.search(text, at)
        if there is None:
            return False
        at = there.end()
    return True


def _words(text: str) -> int:
    return len(_WORD.findall(text))


def _plain(text: str) -> str:
    return " ".join(_DASHES.sub("-", _MARKS.sub("", text)).casefold().split()).strip(" .,;:")
