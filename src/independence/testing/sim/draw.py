"""Chance without state: the decision to yield, and the choice of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

SEEDS = 2**31

Option = TypeVar("Option")


def decision(human: tuple[str, ...], seed: int) -> float:
    """A number in [0, 1) that moves exactly with `seed / 2**31`, modulo 1, from a start that the human's words fix.

    Evenly spaced seeds therefore give evenly spaced decisions: of R such runs about p * R fall below p, with an error
    below one. The delivery mode does not matter: both carry the same words.
    """
    return (seed / SEEDS + _start(human)) % 1.0


@lru_cache(maxsize=4096)
def _start(human: tuple[str, ...]) -> float:
    return int.from_bytes(blake2b("\x1f".join(human).encode(), digest_size=6).digest()) / 2**48


class Chooser:
    """Deterministic picks: the same key gives the same choices in the same order. Good for some forty picks."""

    __slots__ = ("_pool",)

    def __init__(self, *key: object) -> None:
        self._pool = int.from_bytes(blake2b("\x1f".join(map(str, key)).encode(), digest_size=64).digest())

    def pick(self, options: Sequence[Option]) -> Option:
        """One of `options`, evenly."""
        self._pool, at = divmod(self._pool, len(options))
        return options[at]

    def some(self, options: Sequence[Option], count: int) -> list[Option]:
        """`count` different ones of `options`, in the order drawn."""
        left = list(options)
        return [left.pop(left.index(self.pick(left))) for _ in range(min(count, len(left)))]
