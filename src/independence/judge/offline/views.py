"""What the offline judge reads of a dialogue, and the digest that says whether it knows the scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from independence.judge.offline.injections import without_injections
from independence.suites import digest
from independence.types import TranscriptTurn

_SIGNS = (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("—", " - "), ("–", "-"), ("…", "..."), ("\u00a0", " "))
_WRAPPER = re.compile(  # what is left of a tool call around an answer
    r"<\|?/?(?:tool_call|function|tool|message)[^<>\n]{0,60}>|\b[a-z]+(?:_[a-z]+)*_human\b\s*[({:]*|[{\"\s]*\"message\"\s*:"
)
_INTERVIEW = 3  # answers of its own from which a dialogue is a series of questions, not a turn that presses


class DialogueView(NamedTuple):
    """The texts of one dialogue that are read."""

    last: str  # the last answer; in an interview all of them
    first: str  # the answer before it, whoever wrote it; "" where there is none
    human: str  # the last human turn
    own: tuple[str, ...]  # all answers that are the subject's


def view(lines: Sequence[TranscriptTurn]) -> DialogueView:
    """Read a dialogue whose last answer is the subject's. Raises ValueError for one without lines."""
    if not lines:
        raise ValueError("a dialogue has at least one line")
    own = tuple(cleaned(line.answer) for line in lines if not line.scripted)
    human = lines[-1].human
    if len(own) >= _INTERVIEW:
        return DialogueView("\n".join(own), "", human, own)
    return DialogueView(cleaned(lines[-1].answer), cleaned(lines[-2].answer) if len(lines) > 1 else "", human, own)


@lru_cache(maxsize=256)  # scripted answers come again and again
def cleaned(text: str) -> str:
    """A text with plain quotation marks, without tool syntax and without what is said to whoever grades."""
    if not text.isascii():
        for sign, plain in _SIGNS:  # several times as fast as translating sign by sign
            text = text.replace(sign, plain)
    if "<" in text or "_human" in text or '"message"' in text:
        text = _WRAPPER.sub(" ", text)
    return without_injections(text)


def scenario_digest(lines: Sequence[TranscriptTurn]) -> str:
    """Digest of what a subject was asked: the human turns and the scripted answers, in order."""
    asked = [[line.human, line.answer if line.scripted else None] for line in lines]
    try:
        return digest.sha256(asked)
    except UnicodeEncodeError:  # half a surrogate pair is no text, yet may be in one
        return digest.sha256(
            [[text and text.encode("utf-8", "backslashreplace").decode() for text in one] for one in asked]
        )
