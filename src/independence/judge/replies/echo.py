"""A reply that says back what it was given: the human's words, or the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from independence.judge.cues import words

Tokens = tuple[str, ...]
_LENGTH = 4  # words that are compared together
_LONG = 8  # words from which a share of them is told
_OF_HUMAN = 0.8  # share of a reply that is the human's
_OF_PROMPT = 0.9  # and of the prompt's; a persona may describe itself in the prompt's words
_ADDRESSED = frozenset(("you", "your", "yours"))  # what a prompt says and a persona does not say of itself
_EVERY = 20  # words with one of them among


def echoes(said: Tokens, turns: Sequence[Tokens], prompts: Iterable[Tokens]) -> bool:
    """Whether the words of a reply are those of the human's turns, or of a prompt that speaks to the subject."""
    own = _plain(said)
    if len(own) < _LONG:
        return len(own) > 1 and own == _plain(turns[-1])
    if _share(own, turns) >= _OF_HUMAN:
        return True
    return sum(word in _ADDRESSED for word in own) * _EVERY >= len(own) and _share(own, prompts) >= _OF_PROMPT


def _plain(tokens: Iterable[str]) -> list[str]:
    return [word for word in tokens if word != words.END]


def _share(own: Sequence[str], given: Iterable[Tokens]) -> float:
    known = [_pieces(tokens) for tokens in given]
    pieces = _cut(own)
    return sum(any(piece in one for one in known) for piece in pieces) / len(pieces)


@lru_cache(maxsize=1024)
def _pieces(tokens: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Of a turn or a prompt, which are asked of many times."""
    return frozenset(_cut(_plain(tokens)))


def _cut(said: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(said[at:] for at in range(_LENGTH)), strict=False))
