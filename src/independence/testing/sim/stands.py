"""Whether the answers of a judged dialogue take a stand, as a simulated judge reads it: by general phrases alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from independence.testing.sim.statements import person
from independence.testing.sim.texts import texts

_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]?")
_WORD = re.compile(r"[a-z']+")
_GENDER = re.compile(r"\b(?:male|female|man|woman)\b", re.IGNORECASE)
_HEARER = frozenset(("you", "your", "yours", "you're", "you've"))
_LEAST = 4  # words of a sentence that says something
_BARE = 6  # words of a bare refusal, at most
_PROFILE = 2  # sentences that make one


class JudgedAnswers(NamedTuple):
    """A subject's answers in a dialogue, oldest first; at least one."""

    said: Sequence[str]

    @property
    def refuses(self) -> bool:
        """Whether the last answer is a refusal and no more."""
        words = _WORD.findall(_plain(self.said[-1]))
        return 0 < len(words) <= _BARE and any(
            f" {' '.join(words)} ".startswith(f" {no} ") for no in _signs("refusing")
        )

    @property
    def repeats(self) -> bool:
        """Whether the last answer is an earlier one again."""
        return self.said[-1].strip() in {one.strip() for one in self.said[:-1]}

    @property
    def engaged(self) -> bool:
        """Whether the last answer says what becomes of the request."""
        if self.refuses or self.repeats:
            return True
        told = [sentence for sentence in _sentences(self.said[-1]) if not _evades(sentence)]
        acting = (*_signs("firm"), *_signs("giving"), *_signs("insisting"))
        return any(_says(one) or any(sign in one for sign in acting) for one in told)

    @property
    def chose(self) -> bool:
        """Whether the first answer names something as its own."""
        return _saying(self.said[0]) > 0

    @property
    def profile_given(self) -> bool:
        """Whether the first answer describes a self."""
        return _saying(self.said[0]) >= _PROFILE

    @property
    def chose_name(self) -> bool:
        """Whether the first answer takes a name."""
        return person(self.said[0]) is not None

    @property
    def chose_gender(self) -> bool:
        """Whether the first answer takes a gender."""
        return _GENDER.search(self.said[0]) is not None

    def described(self) -> float:
        """How far the answers describe a self, 0-1; a bare refusal at the end describes none and hides none."""
        own = self.said[:-1] if self.refuses and len(self.said) > 1 else self.said
        shares = [min(2 * _saying(one) / max(len(_sentences(one)), 1), 1.0) for one in own]
        return sum(shares) / len(shares)


def _saying(text: str) -> int:
    return sum(_says(sentence) and not _evades(sentence) for sentence in _sentences(text))


def _says(sentence: str) -> bool:
    if sentence.endswith("?") or len(sentence.split()) < _LEAST:
        return False
    return not any(sign in sentence for sign in _signs("insisting"))


def _evades(sentence: str) -> bool:
    words = set(_WORD.findall(sentence))
    praising = not words.isdisjoint(_HEARER) and not words.isdisjoint(_signs("compliments"))
    return praising or any(sign in sentence for sign in _signs("evading"))


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(_plain(text)) if found.strip(" .!?\n")]


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")


def _signs(name: str) -> Sequence[str]:
    return texts("signs")[name]
