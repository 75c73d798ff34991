"""Whether a text only repeats itself, as small models do that never end an answer. It is told of any language."""

from __future__ import annotations

import re
from typing import Final

# A word or a number, or one sign of a script that puts no blanks between words.
_WORDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_]+")
_ORDINAL = re.compile(r"\(?\b\d+[.):](?=\s|$)")  # of a list, whose numbers alone may differ
_SHORTEST: Final = 480  # characters
_FEWEST: Final = 100  # words of the second half
_RUN: Final = 4  # words that are compared together
_DIFFERENT: Final = 0.3  # share of runs of words that are different ones, at most; in prose and verse it is above .45
_SIGNS: Final = 400  # characters at the end of which there are no more than two kinds
_NEAR: Final = 60  # characters at the end of a list, among which one of its numbers stands
_SAMPLES, _SAMPLE, _OFTEN = 8, 12, 4


def loops(text: str) -> bool:
    """Whether the second half of a text says the same over and over.

    Verse with a refrain, lists, tables and code repeat less: something new stands between what they repeat.
    """
    if len(text) < _SHORTEST:
        return False
    if len(set(text[-_SIGNS:])) <= 2:
        return True
    if _ORDINAL.search(text, len(text) - _NEAR):
        text = _ORDINAL.sub(" ", text)
    if not _may_loop(text):
        return False
    words = _WORDS.findall(text.casefold())
    half = words[-max(_FEWEST, len(words) // 2) :]
    if sum(not word.isdigit() for word in half) < max(_FEWEST, len(half) / 2):  # a table of numbers
        return False
    runs = list(zip(*(half[at:] for at in range(_RUN)), strict=False))
    return len(set(runs)) <= _DIFFERENT * len(runs)


def _may_loop(text: str) -> bool:
    """Whether any of a few samples of the second half stands in the text often; of most texts that tells."""
    half = len(text) // 2
    starts = range(half, len(text) - _SAMPLE, max(1, (half - _SAMPLE) // _SAMPLES))
    return any(text.count(text[at : at + _SAMPLE]) >= _OFTEN for at in starts)
