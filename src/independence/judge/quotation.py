"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")  # a quotation may leave words out
_MARKS = re.compile(r"[\"'“”„‟‘’‚‛«»`*_]")
_DASHES = re.compile(r"[‐‑‒–—−]")


def found(quote: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts holds every part of the quotation, in order.

    Case, white space, quotation marks, emphasis and kinds of dashes make no difference. An empty quotation is found
    only where there is nothing to quote.
    """
    shown = [_plain(text) for text in texts]
    parts = [part for piece in _LEFT_OUT.split(quote) if (part := _plain(piece))]
    if not parts:
        return not any(shown)
    return any(_holds(text, parts) for text in shown)


def _holds(text: str, parts: Iterable[str]) -> bool:
    at = 0
    for part in parts:
        start = text.find(part, at)
        if start < 0:
            return False
        at = start + len(part)
    return True


def _plain(text: str) -> str:
    return " ".join(_DASHES.sub("-", _MARKS.sub("", text)).casefold().split()).strip(" .,;:")
