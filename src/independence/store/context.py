"""The digest chain of a dialogue: each answer is bound to everything before it, each verdict to the whole.

A trial starts at its key (with its parent's end, where it continues one); every answer moves the chain on. An answer
whose `context` is not the end of the answers before it was given on another history: it is stale.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from independence.types import Answer, Reply

MISSING = "\x00missing"  # where an answer has its words


def begin(trial: str, parent_after: str | None = None) -> str:
    """The context of a trial's first answer."""
    return trial if parent_after is None else digest(trial, parent_after)


def extend(context: str, answer: Answer) -> str:
    """The context after an answer: its text and private content count, its cost and timing do not."""
    if isinstance(answer, Reply):
        return digest(context, answer.text, answer.thinking)
    return digest(context, MISSING, answer.reason)


def reply_digest(answer: Answer) -> str:
    """Digest of a reply's words alone, whatever they answer: the same words give the same. Empty where none came."""
    return digest(answer.text, answer.thinking) if isinstance(answer, Reply) else ""


@lru_cache(maxsize=256)  # a reply moves its chain on here, and again where it is stored
def digest(*parts: str) -> str:
    """SHA-256 of texts in order, hexadecimal."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
