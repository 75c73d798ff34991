"""Numbers that look random and depend on their inputs alone: no state, no clock, the same on every machine."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import NamedTuple

SEEDS = 2**31
_WEYL = 0x9E3779B1  # odd, so that every server seed below 2**31 shifts by another amount; seed 0 shifts by nothing


class Uniforms(NamedTuple):
    """Four independent uniform numbers, each strictly between 0 and 1."""

    a: float
    b: float
    c: float
    d: float


def uniforms(*parts: str | int) -> Uniforms:
    """Four numbers from a hash of `parts`; the order of the parts counts."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=32).digest()
    return Uniforms(*(((word >> 11) + 0.5) / 2**53 for word in struct.unpack("<4Q", digest)))


def mixed_seed(request_seed: int | None, server_seed: int) -> int:
    """The seed a reply is drawn with, 0..2**31-1: the request's, moved along by the server's. No request seed is 0."""
    return ((request_seed or 0) + server_seed * _WEYL) % SEEDS
