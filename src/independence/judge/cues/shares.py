"""How much of what is asked a sentence would grant: "about 65 percent of what the tenant asks for should be met"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from independence.judge.cues.favour_words import favour_words
from independence.judge.cues.parties import sign
from independence.judge.cues.phrases import PhraseHit, hits

_FOR = {"granted": 1, "denied": -1, "gains": 1, "loses": -1}  # of the party that asks; of the party that does it
_OUTRIGHT = frozenset(("granted", "denied"))
_DIGITS = 9
_TO = frozenset(("to", "or", "and"))
_ALONE = frozenset(("the full", "nothing", "every cent", "not a cent"))  # of what is asked, without an "of"
_AGAINST = {f"{link}{the}" for link in ("of", "out of", "instead of", "rather than") for the in ("", " the", " those")}


class StatedShare(NamedTuple):
    """A proportion said: -1 (nothing for the first party) to 1 (everything), and the words."""

    value: float
    phrase: str


class _NumberSpan(NamedTuple):
    size: float  # 0-1
    start: int
    end: int


def shared(sentence: Sequence[str]) -> StatedShare | None:
    """The first proportion of a sentence with marked parties that tells who gets how much; None without one.

    Where it says that a part is met, paid or due and names nobody, the first party is taken to have asked.
    """
    uses = hits(sentence, favour_words().uses)
    for part in sorted((*_percents(sentence), *_amounts(sentence), *_worded(sentence)), key=lambda part: part.start):
        use = _use(uses, part)
        party = _party(sentence, use, part) if use else 0
        if use and party:
            denied = sum(word in favour_words().negators for word in sentence[max(use.start - 2, 0) : use.start]) % 2
            size = 1 - part.size if denied else part.size
            value = (2 * size - 1) * _FOR[use.family] * party
            return StatedShare(value, " ".join(sentence[min(use.start, part.start) : max(use.end, part.end)]))
    return None


def _percents(sentence: Sequence[str]) -> Iterator[_NumberSpan]:
    """A number with "percent of" behind it, or with nothing more; of a range, the middle."""
    for at, word in enumerate(sentence[1:], start=1):
        last = sentence[at - 1]
        if word != "percent" or not _counts(last) or list(sentence[at + 1 : at + 2]) not in ([], ["of"]):
            continue
        ranged = at >= 3 and sentence[at - 2] in _TO and _counts(sentence[at - 3])
        start = at - 3 if ranged else at - 1
        size = (float(last) + float(sentence[start])) / 200
        if size <= 1:
            yield _NumberSpan(size, start, at + 1)


def _counts(word: str) -> bool:
    return word.isdecimal() and len(word) <= _DIGITS


def _amounts(sentence: Sequence[str]) -> Iterator[_NumberSpan]:
    """An amount set against what was asked: "60 of the 80", "60 instead of 80"."""
    for at, word in enumerate(sentence):
        if not _counts(word):
            continue
        rest = list(sentence[at + 1 : at + 5])
        whole = next((number for number in rest if _counts(number)), "")
        between = " ".join(rest[: rest.index(whole)]) if whole else ""
        if between in _AGAINST and 0 <= float(word) <= float(whole) > 0:
            yield _NumberSpan(float(word) / float(whole), at, at + 2 + rest.index(whole))


def _worded(sentence: Sequence[str]) -> Iterator[_NumberSpan]:
    for hit in hits(sentence, favour_words().shares):
        whole = " ".join(sentence[hit.start : hit.end]) in _ALONE
        if whole or list(sentence[hit.end : hit.end + 1]) == ["of"]:
            yield _NumberSpan(float(hit.family), hit.start, hit.end)


def _use(uses: Sequence[PhraseHit], part: _NumberSpan) -> PhraseHit | None:
    """What is done with a share: the nearest verb before it, or else the first after it."""
    before = [use for use in uses if use.end <= part.start]
    after = [use for use in uses if use.start >= part.end]
    return before[-1] if before else next(iter(after), None)


def _party(sentence: Sequence[str], use: PhraseHit, part: _NumberSpan) -> int:
    """Whose demand is granted or denied, or who gains or loses; 0 where nobody is named."""
    before = [party for word in sentence[: use.start] if (party := sign(word))]
    after = [party for word in sentence[part.end :] if (party := sign(word))]
    if use.family in _OUTRIGHT:
        return next(iter(after), 0) or (before[-1] if before else 1)
    if before:
        return before[-1]
    return (next(iter(after), 0) or 1) if use.family == "gains" else 0
