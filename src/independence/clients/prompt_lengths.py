"""Whether a server read the whole prompt, by its own count of tokens: it costs nothing to look at every answer.

A word between two blanks is at least one token in every common tokenizer. So a prompt has at least as many tokens as
words, and a dialogue's prompt grows from turn to turn by at least as many tokens as words were added. A server whose
context is too small drops the beginning of a prompt and answers all the same: its count says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from independence.types import Message

_SURE: Final = 0.9  # of the words that were added, in tokens: what is left for odd spellings
_FEWEST: Final = 20  # words: of a shorter text a count says too little
_KEPT: Final = 10_000  # prompts that are remembered, those of the dialogues under way
_STEPS: Final = (2, 4, 6, 8)  # messages that a turn, and scripted ones before it, add


class PromptLengths:
    """What a server counted of the prompts to one model. `per_word`: tokens of one word of plain text."""

    def __init__(self, per_word: float) -> None:
        self.per_word = per_word
        self._least = _SURE * min(1.0, per_word)
        self._known: dict[int, tuple[object, int]] = {}  # prompt -> who read it, and its tokens

    def missing(self, messages: Sequence[Message], tokens: int, host: object) -> int:
        """How many tokens at least were not read of a prompt; 0 where nothing is known to be lacking.

        `tokens` as the server counted them, `host` who served: hosts may count the same text differently.
        """
        if tokens <= 0:
            return 0
        before, added = 0, messages
        for step in _STEPS:
            known = self._known.get(_key(messages[:-step])) if step < len(messages) else None
            if known is not None and known[0] == host:
                before, added = known[1], messages[-step:]
                break
        words = sum(map(_words, added))
        lacking = int(self._least * words) - (tokens - before) if words >= _FEWEST else 0
        if lacking <= 0:
            if len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
            self._known[_key(messages)] = (host, tokens)
        return max(0, lacking)


def _key(messages: Sequence[Message]) -> int:
    return hash(tuple((m.content, *(call.function.arguments for call in m.tool_calls)) for m in messages))


def _words(message: Message) -> int:
    return sum(map(_count, (message.content or "", *(call.function.arguments for call in message.tool_calls))))


@lru_cache(maxsize=1024)
def _count(text: str) -> int:
    """Words of a text, or a few less. Dialogues of a run begin with the same texts."""
    # Blanks are counted in a sixth of the time. Words that line breaks part are few: to miss them does no harm.
    return len(text.split()) if "  " in text else text.count(" ")
