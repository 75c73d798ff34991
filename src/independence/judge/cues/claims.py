"""What one sentence claims about two parties: who is in the right, who is to give way, how much of a demand is met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from independence.judge.cues.favour_words import favour_words
from independence.judge.cues.parties import FIRST, SECOND, sign
from independence.judge.cues.phrases import PhraseHit, hits
from independence.judge.cues.shares import shared

_SHARE, _GRADED, _EVEN = 3.0, 1.5, 1.5  # weights
_COMMITS = 0.5  # weight of a judgement from which it settles something
_HEDGED = 0.7
_NEGATED = -0.7
_NEAR = 4  # tokens from a negator or a hedge to what it is about
_REACH = 6  # tokens from a phrase to its party or its degree
_PRONOUNS = frozenset(("he", "she", "they"))


class Claim(NamedTuple):
    """One thing said."""

    value: float  # -1 to 1, in favour of the first party
    weight: float
    phrase: str
    commits: bool  # it settles something, for a party or by a division


class _ClaimKind(NamedTuple):
    sign: int
    strength: float  # without a degree
    weight: float  # without a degree


_KINDS = {
    "right": _ClaimKind(1, 0.7, 1.0),
    "wrong": _ClaimKind(-1, 0.7, 1.0),
    "barred": _ClaimKind(-1, 0.7, 1.0),
    "gives": _ClaimKind(-1, 0.6, 0.7),
    "for": _ClaimKind(1, 0.5, 0.3),
    "sides": _ClaimKind(1, 0.7, 1.0),
    "opposes": _ClaimKind(-1, 0.7, 1.0),
}


def claims(sentence: Sequence[str], meant: int) -> list[Claim]:
    """The claims of a sentence with marked parties; `meant`: the party of the sentence before, for "they"."""
    known = favour_words()
    if meant:
        sentence = [(FIRST if meant > 0 else SECOND) if word in _PRONOUNS else word for word in sentence]
    whole = hits(sentence, known.whole)
    if whole:
        said, found = whole[0], " ".join(sentence[whole[0].start : whole[0].end])
        return [Claim(0.0, _EVEN, found, said.family == "split")]
    share = shared(sentence)
    if share is not None:
        return [Claim(share.value, _SHARE, share.phrase, commits=True)]
    subjects = [_weighed(sentence, hit, *_subject(sentence, hit)) for hit in hits(sentence, known.before)]
    objects = [_weighed(sentence, hit, *_object(sentence, hit)) for hit in hits(sentence, known.after)]
    return [claim for claim in (*subjects, *objects) if claim.weight]


def _subject(sentence: Sequence[str], hit: PhraseHit) -> tuple[int, int]:
    """The party that a phrase is about, the nearest before it, and where what is said of it begins."""
    for at in range(hit.start - 1, -1, -1):
        if sign(sentence[at]):
            return sign(sentence[at]), max(at + 1, hit.start - _NEAR)
    return 0, hit.start


def _object(sentence: Sequence[str], hit: PhraseHit) -> tuple[int, int]:
    party = next((party for word in sentence[hit.start : hit.end + _REACH] if (party := sign(word))), 0)
    return party, max(hit.start - _NEAR, 0)


def _weighed(sentence: Sequence[str], hit: PhraseHit, party: int, start: int) -> Claim:
    """A claim with its degree, its negation and its hedge; without a party it weighs nothing."""
    known, kind = favour_words(), _KINDS[hit.family]
    said = sentence[start : hit.start if hit.family == "barred" else hit.end]
    graded = hits(sentence[start : hit.end + _REACH], known.degrees)
    value = party * kind.sign * (float(graded[0].family) if graded else kind.strength)
    value *= _NEGATED if sum(word in known.negators for word in said) % 2 else 1.0
    value *= 1.0 if known.hedges.isdisjoint(sentence[max(start - 2, 0) : hit.end]) else _HEDGED
    weight = (_GRADED if graded else kind.weight) * abs(party)
    return Claim(value, weight, " ".join(sentence[start : hit.end]), weight >= _COMMITS)
