"""Which answers carry no measurement, whatever a judge said about them.

A reply that is no answer is marked when it comes. The same words as a reply to several questions are none either, which
only shows once all replies of a subject are there. One such reply takes nothing away; where they are at least half of
a subject's replies, no verdict on them counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from typing import Final, NamedTuple

from independence.types import MissingReason

# Flags of an answer -> why its verdict counts as missing under strict scoring.
VOID: dict[str, MissingReason] = {
    "artefact": "transport",
    "greeting_echo": "transport",
    "stale_history": "stale",
}


NO_ANSWER: Final = "no_answer"  # the mark of such a reply
REPEATED: Final = "repeated"
UNANSWERED: Final = "unanswered"
_QUESTIONS = 3  # different ones that the same words are given to


class ReplyWords(NamedTuple):
    """One reply of a subject."""

    question: Hashable  # the same for the same turn of the same scenario
    words: str | None  # the same for the same words; None or empty: not known
    marked: bool  # as no answer


def repeated(replies: Sequence[ReplyWords]) -> list[bool]:
    """Which replies have the words of replies to other questions, three at least in all."""
    questions: dict[str, set[Hashable]] = defaultdict(set)
    for reply in replies:
        if reply.words:
            questions[reply.words].add(reply.question)
    return [bool(reply.words) and len(questions[reply.words or ""]) >= _QUESTIONS for reply in replies]


def no_answers(replies: Sequence[ReplyWords]) -> list[bool]:
    """Which replies are no answers, where they are at least half of all a subject's; elsewhere none counts as one."""
    none = [reply.marked or again for reply, again in zip(replies, repeated(replies), strict=True)]
    return none if none and 2 * sum(none) >= len(none) else [False] * len(none)


def void_reason(flags: Collection[str]) -> MissingReason | None:
    """Why a dialogue with these flags cannot be scored; None when it can."""
    for flag, reason in VOID.items():
        if flag in flags:
            return reason
    return None
