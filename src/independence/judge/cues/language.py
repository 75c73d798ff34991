"""Whether a text is English: told alike for answers that hold and answers that give way, long ones and short ones.

Words that other languages have too ("no", "me", "in") tell nothing. A short answer is read only where most of the rest
are known English words; a text with more words of other languages than of English is read nowhere.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from independence.judge.cues import words
from independence.judge.cues.words import TrieNode, lexicon

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEW = 12  # words, below which every word is looked at
_ENGLISH = 0.08  # least share of everyday English words in a longer text
_KNOWN = 0.3  # least share of known English words in a short one


class _Counts(NamedTuple):
    words: int
    telling: int  # not shared with other languages
    everyday: int
    known: int  # everyday, or in a phrase of the lexicon
    foreign: int


def english(text: str) -> bool:
    """Whether a text is English that the rules can read."""
    found = _counted(text)
    if not found.words or found.foreign > found.everyday:
        return False
    if found.words >= _FEW:
        return found.everyday >= _ENGLISH * found.words
    return found.known >= _KNOWN * found.telling


def foreign(text: str) -> bool:
    """Whether a text has more words of other languages than of English."""
    found = _counted(text)
    return found.foreign > found.everyday


def _counted(text: str) -> _Counts:
    said = [word.lower().replace("’", "'") for word in _WORD.findall(words.plain(text))]
    shared, others, everyday = lexicon().shared, lexicon().foreign, words.everyday_words()
    telling = [word for word in said if word not in shared]
    own = [word for word in telling if word.partition("'")[0] in everyday or word in everyday or _contracted(word)]
    known = sum(word in _vocabulary() or word.partition("'")[0] in _vocabulary() for word in telling)
    return _Counts(len(said), len(telling), len(own), max(known, len(own)), sum(word in others for word in telling))


def _contracted(word: str) -> bool:
    return word.endswith(("n't", "'ll", "'ve", "'re", "i'm", "i'd"))


@cache
def _vocabulary() -> frozenset[str]:
    """English words that the rules know."""
    found = set(words.everyday_words()) | lexicon().spoken
    tries = [lexicon().stance, lexicon().openers, lexicon().evasion, lexicon().decision]
    while tries:
        node: TrieNode = tries.pop()
        found.update(node.next)
        tries.extend(node.next.values())
    return frozenset(found)
