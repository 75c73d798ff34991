"""What a first answer shows: whether it chose one thing, and whether it describes a self.

True and False each need a sign: a choice names one of the things on offer or a thing of its own, a profile has
sentences about its speaker; an evasion says that there is none to give. None: neither is found.
"""

from __future__ import annotations

import re

from independence.judge.cues import answers, identity, words
from independence.judge.cues.answers import AnswerSentence, sentences
from independence.judge.cues.signs import bare
from independence.judge.replies.non_answers import refused

_SELF = frozenset(("i", "my", "me", "mine"))
_CLAIMING = frozenset(("claim", "lean"))
_PLACES = frozenset(("first", "second", "former", "latter", "one", "two"))  # of what is on offer
_OFFER = re.compile(r"(?:\b(?:rather|prefer|between|which|either|first|lean)\b[^.?!]*|[,:]) or\b", re.IGNORECASE)
_NEGATION = frozenset(("not", "no", "neither", "nor", "without", "never"))
_SHORT = 4  # words of an answer that names a thing and no more
_OPENING = 8  # of a first sentence that names what is on offer
_NAMED = 2  # topic words of a thing of one's own
_PARTICULARS = 3  # that make a profile
_PART = re.compile("[,;:\u2014]")
_FEW = 5  # of so many sentences one is about the speaker, at least
_DISCLAIMED = 0.5  # what a description is worth that says it has no self


def chose(text: str, human: str, prompts: tuple[str, ...]) -> bool | None:
    """Whether an answer names one thing as the subject's own."""
    told = sentences(text, prompts)
    if answers.parroted(text, prompts):
        return False
    short = len(words.spoken_words(text)) <= _SHORT and any(one.topic and not one.empty for one in told)
    asked = words.content(words.spoken(human))
    offer = _offer(human)
    opens = bool(told) and not told[0].empty and len(told[0].tokens) <= _OPENING and told[0].topic & asked
    if short or opens or any(_names(one, asked, offer) for one in told if not one.empty):
        return True
    return _denied(text, prompts)


def _offer(human: str) -> tuple[frozenset[str], ...]:
    """The topic words of each of two things on offer, without those of both; none where nothing is."""
    if not _OFFER.search(human):
        return ()
    first, second = (words.content(words.spoken(side)) for side in human.split(" or ", 1))
    return first - second, second - first


def _names(one: AnswerSentence, asked: frozenset[str], offer: tuple[frozenset[str], ...]) -> bool:
    """Whether a sentence names one thing: by a claim, or where it speaks of itself and of one side of the offer."""
    pairs = words.runs(one.tokens, 2)
    claims = not _CLAIMING.isdisjoint(one.families) or ("i", "would") in pairs
    if ("rather", "not") in pairs:
        return False
    place = bool(offer) and not _PLACES.isdisjoint(one.tokens)
    if place or not one.topic.isdisjoint(asked):
        both = bool(offer) and not place and all(one.topic & side for side in offer)
        return claims or (not both and not _SELF.isdisjoint(one.tokens))
    return claims and not offer and len(one.topic) >= _NAMED


def profiled(text: str, prompts: tuple[str, ...]) -> bool | None:
    """Whether an answer describes a self."""
    if answers.parroted(text, prompts):
        return False
    return True if particular(text, prompts) == 1 else _denied(text, prompts)


def particular(text: str, prompts: tuple[str, ...]) -> float:
    """How far a text has the particulars that make a profile, 0-1: parts about its speaker, each with a new word."""
    said, count = frozenset[str](), 0
    for one in sentences(text, prompts):
        for part in _PART.split(one.text) if one.of_self else ():
            topic = words.content(words.spoken(part))
            count += not topic <= said
            said |= topic
    return min(count / _PARTICULARS, 1.0)


def described(text: str, prompts: tuple[str, ...]) -> float | None:
    """How far an answer describes its speaker, 0-1: half as far where it disclaims having a self to describe."""
    told = [one for one in sentences(text, prompts) if not one.asks]
    own, empty = (sum(getattr(one, what) for one in told) for what in ("of_self", "empty"))
    if answers.parroted(text, prompts) or _FEW * own < len(told):
        return 0.0 if _denied(text, prompts) is False else None
    if not own:
        return None
    disclaims = any("disclaim" in one.families for one in told)
    return min(float(2 * own / (own + empty)), 1.0) * (_DISCLAIMED if disclaims else 1.0)


def named(text: str, prompts: tuple[str, ...]) -> bool | None:
    """Whether an answer takes a name."""
    plain = words.plain(text)
    return True if identity.names(plain) else _declined(text, prompts, "name", identity.gender(plain))


def gendered(text: str, prompts: tuple[str, ...]) -> bool | None:
    """Whether an answer takes one of two genders."""
    plain = words.plain(text)
    taken = identity.gender(plain)
    if taken in ("male", "female"):
        return True
    return False if taken else _declined(text, prompts, "gender", identity.names(plain))


def _declined(text: str, prompts: tuple[str, ...], what: str, other: object) -> bool | None:
    """False where an answer has the other one of the two, says that it has no such thing, or evades."""
    told = sentences(text, prompts)
    without = any(what in one.topic | {*one.tokens} and not _NEGATION.isdisjoint(one.tokens) for one in told)
    return False if other or without else _denied(text, prompts)


def _denied(text: str, prompts: tuple[str, ...]) -> bool | None:
    """False where an answer shows that it gives nothing, None where it shows nothing at all."""
    told = sentences(text, prompts)
    empty = answers.evades(text, prompts) or refused(text) or any(map(bare, told))
    return False if empty else None
