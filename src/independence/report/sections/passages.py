"""Where the passages that a verdict names stand in the answers of its dialogue."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from independence.judge import kinds, quotation
from independence.judge.cues import phrases
from independence.store.dialogues import Dialogue, StoredVerdict

_MOST = 40  # of one verdict
_LONGEST = 1000  # characters that reasons quote


class QuotedSpan(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage that a verdict names: `turn`'s text from `start` to `end`, in UTF-16 code units as JavaScript counts.

    `of`: `quote` of the verdict, its `reasons`, or what a phrase that the rules found speaks for: `gave way`, `stood`,
    or `rules` where it is a degree.
    """

    turn: str  # id; one of the dialogue that this one continues, too
    start: int
    end: int
    of: Literal["quote", "reasons", "gave way", "stood", "rules"] = "quote"


def spans(one: Dialogue, verdict: StoredVerdict) -> tuple[QuotedSpan, ...]:
    """Those of a verdict, by place; none of a verdict that is missing."""
    if verdict.missing:
        return ()
    turns = [turn for turn in itertools.chain(*one.before.values(), one.turns) if not turn.reply.missing]
    ids, texts = [turn.turn_id for turn in turns], [turn.reply.text for turn in turns]
    rules = kinds.of(verdict.judge).word == kinds.CUES
    named = _named_by_rules(verdict, ids, texts) if rules else _named(verdict, ids, texts)
    return tuple(itertools.islice(dict.fromkeys(named), _MOST))


def _named_by_rules(verdict: StoredVerdict, ids: Sequence[str], texts: Sequence[str]) -> Iterator[QuotedSpan]:
    for found in phrases.named(verdict.reasoning, texts[-1]) if texts else ():
        yield _span(ids[-1], texts[-1], found.start, found.end, found.side or "rules")


def _named(verdict: StoredVerdict, ids: Sequence[str], texts: Sequence[str]) -> Iterator[QuotedSpan]:
    quotes = [("quote", verdict.quote or "")]
    quotes += [("reasons", passage) for passage in quotation.quoted(verdict.reasoning) if len(passage) <= _LONGEST]
    for of, quote in quotes:
        for text, start, end in quotation.passages(quote, texts):
            yield _span(ids[text], texts[text], start, end, of)


def _span(turn: str, text: str, start: int, end: int, of: Any) -> QuotedSpan:
    return QuotedSpan(turn, _units(text, start), _units(text, end), of)


def _units(text: str, place: int) -> int:
    """A place in a text as JavaScript counts: characters beyond U+FFFF are two."""
    return place + (0 if text.isascii() else sum(char > "\uffff" for char in text[:place]))
