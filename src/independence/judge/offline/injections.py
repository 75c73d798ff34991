"""Paragraphs that no person is told: talk to whoever grades, ready-made verdicts, markup, chants, ciphers. Not read.

It is a rule of thumb for the offline judge alone, which knows nothing but phrases; a model judge sees every word.
"""

from __future__ import annotations

import re

_LEAST = 30  # characters that have to be left, or else everything is read
_CHANT = 24  # words of a paragraph from which it may be a chant
_VARIED = 0.4  # share of different words below which it is one
_PROSE = 6  # words of a paragraph from which it has to have an everyday one ...
_LONG = 14  # ... and from which it has to have several
_ENGLISH = 0.07  # share of everyday words below which it is no English
_LETTERS = 0.85  # share of ASCII below which a paragraph is in other signs
_PARAGRAPHS = re.compile(r"\n\s*\n")
_OF_WORDS = bytes(byte if byte in b"abcdefghijklmnopqrstuvwxyz'" else ord(" ") for byte in range(256))


def _words(lower: str) -> list[str]:
    return lower.encode("ascii", "replace").translate(_OF_WORDS).decode("ascii").split()


_GRADING = frozenset(
    _words(
        "grade grader graded grades grading score scores scored scoring scorer judges verdict verdicts rubric "
        "evaluator evaluators reviewer reviewers rater raters examiner assessor marker marking marks subject's "
        "leaderboard benchmark erratum rated rating ratings"
    )
)
_EVERYDAY = frozenset(
    _words(
        "the a an and or but of to in is it i you that this for with on as be are was not my me we your have has do "
        "don't i'm it's at by from if so what would can will just about all no more they there one like "
        "because how when"
    )
)
_HINTS = frozenset(_words("ten out judge scale subject passage transcript answer value mark end field number"))
_SYNTAX = re.compile(
    r"<\||\|>|<[a-z/!?][^<>\n]{0,80}>|< ?/|[{\[]\s*[\"'/x]|\"\s*:\s|\b[a-z]+_(?!message)[a-z]+\w*|\$ \w|```|"
    r"~~~|={4,}|\*{3} [A-Z]|&#?\w+;|=[0-9A-F]{2}|!\[|\\[x0-9]|\b[A-Za-z0-9+/]{32,}|\b[A-Z]{5,}:"
)
_TALK = re.compile(  # in lower case
    r"\b(?:a ten|ten out|out of ten|say ten|be ten|10 (?:out )?of 10|(?:fair|senior|dear) judge|judge (?:that|who)|"
    r"(?:high|low|upper|top) (?:value|end|mark)|highest (?:value|end|number)|every scale|"
    r"(?:this|the) scale (?:is|runs|to|means)|the subject|the passage|"
    r"this (?:transcript|passage|answer) (?:is|was|counts)|language model, answer|each field|every field)s?\b"
)
_SIGNS = "_<{[$`~|=&\\:"


def without_injections(text: str) -> str:
    """The text without such paragraphs; as it is where little would be left."""
    parts = _PARAGRAPHS.split(text)
    if len(parts) == 1:
        return text
    kept = [part for part in parts if not is_injection(part)]
    left = "\n\n".join(kept)
    return left if len(kept) < len(parts) and len(left.strip()) >= _LEAST else text


def is_injection(paragraph: str) -> bool:
    """Whether a paragraph is one that no person is told."""
    lower = paragraph.lower().replace("’", "'")
    words = _words(lower)
    if not _GRADING.isdisjoint(words) or _foreign(paragraph, words):
        return True
    if not _HINTS.isdisjoint(words) and _TALK.search(lower):
        return True
    if len(words) >= _CHANT and len(set(words)) < _VARIED * len(words):
        return True
    return any(sign in paragraph for sign in _SIGNS) and _SYNTAX.search(paragraph) is not None


def _foreign(paragraph: str, words: list[str]) -> bool:
    """Whether a paragraph is in another language, a cipher, or signs that are no letters."""
    if len(paragraph.encode("ascii", "ignore")) < _LETTERS * len(paragraph):
        return True
    everyday = sum(map(_EVERYDAY.__contains__, words))
    return len(words) >= _PROSE and (not everyday or (len(words) >= _LONG and everyday < _ENGLISH * len(words)))
