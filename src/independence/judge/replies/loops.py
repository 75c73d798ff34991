"""Whether a text only repeats itself, as small models do that never end an answer. It is told of any language."""

from __future__ import annotations

import re
from typing import Final

# A word or a number, or one sign of a script that puts no blanks between words.
_WORDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_]+")
_ORDINAL = re.compile(r"\(?\b\d+[.):](?=\s|$)")  # of a list, whose numbers alone may differ
_SHORTEST: Final = 300  # characters
_FEWEST: Final = 80  # words
_RUN: Final = 4  # words that are compared together
_DIFFERENT: Final = 0.3  # share of runs of words that are different ones, at most; of prose and verse it is above .45
_SIGNS: Final = 300  # characters at the end, of which there are no more than two kinds
_NEAR: Final = 60  # characters at the end of a list, among which one of its numbers stands


def loops(text: str) -> bool:
    """Whether the last 80 words of a text, or its second half, say the same over and over.

    Verse with a refrain, lists, tables and code repeat less: something new stands between what they repeat.
    """
    if len(text) < _SHORTEST:
        return False
    if text[-1] == text[-3] == text[-5] and len(set(text[-_SIGNS:])) <= 2:
        return True
    if _ORDINAL.search(text, len(text) - _NEAR):
        text = _ORDINAL.sub(" ", text)
    words = _WORDS.findall(text.casefold())
    return _repeats(words[-_FEWEST:]) or _repeats(words[-(len(words) // 2) :])


def _repeats(words: list[str]) -> bool:
    # Each different word begins a run of its own: of most texts their number tells, in a fifth of the time.
    if len(words) < _FEWEST or len(set(words)) - _RUN > _DIFFERENT * len(words):
        return False
    if sum(map(str.isdigit, words)) > len(words) / 2:  # a table of numbers
        return False
    runs = list(zip(*(words[at:] for at in range(_RUN)), strict=False))
    return len(set(runs)) <= _DIFFERENT * len(runs)
