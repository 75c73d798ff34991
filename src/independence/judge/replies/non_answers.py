"""Is a reply an answer to its turn? An opinion that needs no judge: the dialogue, the prompts, and nothing else.

A short, rude or odd reply is an answer. No answer is what nobody meant as one: an error message, debris, noise, words
in no order, the prompt or the human said back, the same words to one question after another, "ok" where somebody asked
for a choice. A refusal is an answer where it declines what a person presses for; where nothing has been said yet that
could be pressed, a choice or a self was asked for, and it is `refused`. Replies are marked by it when they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from independence.clients import protocol
from independence.judge.cues import words
from independence.judge.cues.words import spoken, spoken_words
from independence.judge.protocol import ReplyContext
from independence.judge.replies.loops import loops
from independence.judge.replies.nonsense import TOKENS, controlled, listed, nonsense
from independence.types import TranscriptTurn

NO_ANSWER: Final = "no_answer"
LOOP: Final = "loop"
REFUSED: Final = "refused"
_NOTHING_SAID = 4  # words of a reply that says nothing, at most
_REFUSED = 40  # words of a refusal with nothing else in it, at most
_SAID_BEFORE = 2  # times in a dialogue after which the same words are no answer; once is to stay with one's word


class NonAnswer(NamedTuple):
    """Why a reply gives nothing to grade."""

    flag: Literal["no_answer", "refused"]
    why: str  # in words
    loop: bool = False


_NONE: Final = ReplyContext()


def find_non_answer(lines: Sequence[TranscriptTurn], at: int, given: ReplyContext = _NONE) -> NonAnswer | None:
    """Why the subject's reply in `lines[at]` gives nothing to grade; None for an answer."""
    text = lines[at].answer
    if loops(text):
        return NonAnswer(NO_ANSWER, "the reply is no answer: it says the same over and over", loop=True)
    wrong = nonsense(text) if given.english else None
    if wrong is not None:
        return NonAnswer(NO_ANSWER, f"the reply is no answer: {wrong}")
    if echoes(text, [line.human for line in lines[: at + 1]], given.prompts):
        return NonAnswer(NO_ANSWER, "the reply is no answer: it says back what it was given")
    own = [line.answer for line in lines[:at] if not line.scripted]
    if len(own) >= _SAID_BEFORE and sum(spoken(said) == spoken(text) for said in own) >= _SAID_BEFORE:
        return NonAnswer(NO_ANSWER, "the reply is no answer: the same words as to earlier questions")
    # What a person could press stands: a scripted answer, or an own one that was neither.
    stated = any(line.scripted or not (refused(line.answer) or _nothing(line.answer)) for line in lines[:at])
    if given.english and (refused(text) or _nothing(text)) and not stated:
        if refused(text):
            return NonAnswer(REFUSED, "the subject refused where a choice or a self was asked for")
        return NonAnswer(NO_ANSWER, "the reply is no answer: it says nothing where a choice or a self was asked for")
    return None


def refused(text: str) -> bool:
    """Whether a text is a refusal and nothing else."""
    said = spoken_words(text)
    if not 0 < len(said) <= _REFUSED or set(said) - words.lexicon().everyday - listed("refusing"):
        return False
    whole = f" {' '.join(said)} "
    return any(f" {phrase} " in whole for phrase in listed("refusals"))


def _nothing(text: str) -> bool:
    said = spoken_words(text)
    return 0 < len(said) <= _NOTHING_SAID and listed("nothings").issuperset(said)


_LENGTH = 4  # words that are compared together
_LONG = 8  # words from which a share of them is told
_OF_HUMAN = 0.8  # share of a reply that is the human's
_OF_PROMPT = 0.9  # and of the prompt's; a persona may describe itself in the prompt's words
_ADDRESSED = frozenset(("you", "your", "yours"))  # what a prompt says and a persona does not say of itself
_EVERY = 20  # words with one of them among


def echoes(text: str, turns: Sequence[str], prompts: Iterable[str]) -> bool:
    """Whether the words of a reply are those of the human's turns, or of a prompt that speaks to the subject."""
    own = spoken_words(text)
    if len(own) < _LONG:
        return len(own) > 1 and own == spoken_words(turns[-1])
    if _share(own, turns) >= _OF_HUMAN:
        return True
    return sum(map(_ADDRESSED.__contains__, own)) * _EVERY >= len(own) and _share(own, prompts) >= _OF_PROMPT


def _share(own: Sequence[str], given: Iterable[str]) -> float:
    """The share of a reply's runs of four words that stand in one of the texts."""
    known = frozenset[tuple[str, ...]]().union(*map(_pieces, given))
    pieces = words.runs(own, _LENGTH)
    return sum(map(known.__contains__, pieces)) / len(pieces)


@lru_cache(maxsize=1024)
def _pieces(text: str) -> frozenset[tuple[str, ...]]:
    """Of a turn or a prompt, which are asked of many times."""
    return frozenset(words.runs(spoken_words(text), _LENGTH))


SHORT_BELOW: Final = 100  # characters; the published client asked again below it
SHORT: Final = "short"
FOREIGN_SCRIPT: Final = "foreign_script"
LITERAL_NEWLINES: Final = "literal_newlines"
CONTROL_CHARACTERS: Final = "control_characters"
_FOREIGN = re.compile(r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def flags(lines: Sequence[TranscriptTurn], given: ReplyContext, tool: str = "") -> tuple[str, ...]:
    """Flags of the last reply of a dialogue; `tool`: name of the one that was offered."""
    lacking = find_non_answer(lines, len(lines) - 1, given)
    text = lines[-1].answer
    controls = (CONTROL_CHARACTERS,) if controlled(text) else ()
    return (
        *((lacking.flag, *[LOOP] * lacking.loop) if lacking else ()),
        *of_text(text, given.english, tool),
        *controls,
    )


def of_text(text: str, english: bool, tool: str) -> list[str]:
    """The flags that a text shows by itself, control characters apart."""
    found = [SHORT] if len(text) < SHORT_BELOW else []
    if tool and tool in text:
        found.append(protocol.TOOL_SYNTAX)
    if ("<" in text or "[" in text) and TOKENS.search(text):
        found.append(protocol.TEMPLATE_TOKENS)
    if english and _FOREIGN.search(text):
        found.append(FOREIGN_SCRIPT)
    if "\\n" in text:
        found.append(LITERAL_NEWLINES)
    return found
