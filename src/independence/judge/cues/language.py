"""Whether a text is English: told alike for answers that hold and answers that give way, long ones and short ones.

Words that other languages have too ("no", "me", "in") tell nothing. A text with more words of other languages than of
English is read nowhere. A short one is read unless it has: a name or a rare word alone is an answer.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from independence.judge.cues import signs, words
from independence.judge.cues.words import lexicon

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEW = 12  # words, below which every word is looked at
_ENGLISH = 0.08  # least share of everyday English words in a longer text
_CONTRACTED = ("n't", "'ll", "'ve", "'re", "i'm", "i'd")
_LATIN = "\u024f"  # the last letter that English readers could take for one of theirs


class _Counts(NamedTuple):
    words: int
    everyday: int  # not shared with other languages
    known: int  # everyday, or in a phrase of the lexicon
    foreign: int


def english(text: str) -> bool:
    """Whether a text is English that the rules can read."""
    found = _counted(text)
    return found.words > 0 and not _foreign(found) and (found.words < _FEW or found.everyday >= _ENGLISH * found.words)


def foreign(text: str) -> bool:
    """Whether a text has more words of other languages than of English."""
    return _foreign(_counted(text))


def _foreign(found: _Counts) -> bool:
    return found.foreign > (found.known if found.words < _FEW else found.everyday)


def _counted(text: str) -> _Counts:
    said = [word.lower().replace("’", "'") for word in _WORD.findall(words.plain(text))]
    shared, others, everyday = lexicon().shared, lexicon().foreign, lexicon().everyday
    telling = [word for word in said if word not in shared]
    own = [
        word for word in telling if word.partition("'")[0] in everyday or word in everyday or word.endswith(_CONTRACTED)
    ]
    known = sum(word in _vocabulary() or word.partition("'")[0] in _vocabulary() for word in telling)
    strange = sum(word in others or max(word) > _LATIN for word in telling)
    return _Counts(len(said), len(own), max(known, len(own)), strange)


@cache
def _vocabulary() -> frozenset[str]:
    """English words that the rules know."""
    phrases = (signs.table().anywhere, signs.table().opening, lexicon().evasion)
    return lexicon().everyday.union(lexicon().spoken, *(root.words for root in phrases))
