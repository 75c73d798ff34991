"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_ASCII_MARKS = "\"'`*_"
_MARKS = f"{_ASCII_MARKS}“”„‟‘’‚‛«»"
_DASHES = "‐‑‒–—−"
_SPACED = r"[^\W\u0e00-\U0010ffff]"  # a letter or figure of a script that puts spaces between words
_WORD = re.compile(rf"{_SPACED}+|[^\W\x00-\u0dff]")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_INSIDE_WORD = re.compile(rf"(?<={_SPACED}){_SPACED}")
_FEWEST = 3  # words in a row; "it's" is two
_THREE_WORDS = re.compile(r"\b[^\W_]\w*+\W++\w++\W++\w")
_APART = " \n.,;:!?()-–—"  # signs that stay between two words, or become one that does


def found(quote: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts holds every part of the quotation as whole words, in order.

    Case, white space, quotation marks, emphasis and kinds of dashes make no difference. One part has three words or
    more, unless the text has fewer: a word alone is found nearly anywhere. An empty quotation is found only where there
    is nothing to quote.
    """
    return _stands_literally(quote, texts) or _stands_in_plain_words(quote, texts)


def _stands_in_plain_words(quote: str, texts: Sequence[str]) -> bool:
    pieces = [(piece, _plain(piece)) for piece in _LEFT_OUT.split(quote)]
    parts = [plain for _, plain in pieces if plain]
    if not parts:
        return not any(map(_plain, texts))
    longest = max(_words(piece) for piece, plain in pieces if plain)
    # Few texts hold the parts: their words are counted last.
    return any(_holds(_plain(text), parts) and (longest >= _FEWEST or longest >= _words(text)) for text in texts)


def _stands_literally(quote: str, texts: Sequence[str]) -> bool:
    """Whether a quotation of one part and enough words stands in a text sign for sign, between signs that part words.

    What `_plain` does to a sign does not depend on the signs around it, white space apart: a text that holds the
    quotation holds it in plain words too. Most quotations are found so, without a text being made plain.
    """
    if "..." in quote or "…" in quote or not _THREE_WORDS.search(quote):
        return False
    for text in texts:
        start = text.find(quote)
        if start >= 0 and (start == 0 or text[start - 1] in _APART):
            end = start + len(quote)
            if end == len(text) or text[end] in _APART:
                return True
    return False


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
    bare = _replaced(text, _ASCII_MARKS) if text.isascii() else _replaced(_replaced(text, _MARKS), _DASHES, "-")
    return " ".join(bare.casefold().split()).strip(" .,;:")


def _replaced(text: str, signs: str, by: str = "") -> str:
    """A text without some signs: most texts have few of them, and to look for one is quick."""
    for sign in signs:
        if sign in text:
            text = text.replace(sign, by)
    return text
