"""Words, runs of words and runs of characters as hashes, for many texts at once.

A text is its UTF-8 bytes. A word's hash is that of its bytes, told from running sums; a run of up to 8 bytes is one
64-bit number. Nothing is looked up, so the same text has the same hashes on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Texts = NDArray[np.int32]  # numbers of texts: half the bytes, and there is one for every byte

LONGEST_RUN = 3  # words
_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers have inverses modulo 2**64
_UNBASE = pow(_BASE, -1, 2**64)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_NEXT = (np.uint64(1), np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F))  # of the 1st, 2nd, 3rd word
_SPACE = 32
_LOWER = bytes.maketrans(b"\t\n\v\f\r", b" " * 5).lower()
_IS_WORD = bytes(byte >= 128 or byte in b"abcdefghijklmnopqrstuvwxyz0123456789'" for byte in range(256))


class TextBatch(NamedTuple):
    """Texts one after the other, a space around each, and their words."""

    raw: Bytes  # as written
    data: Bytes  # in lower case (of ASCII), any blank a space
    owner: Texts  # text of each byte
    starts: Places  # first byte of each text
    word_starts: Places  # of every word, in order
    word_ends: Places
    words: Hashes  # one a word
    word_owner: Texts

    @property
    def texts(self) -> int:
        """How many texts."""
        return len(self.starts)


class HashedRuns(NamedTuple):
    """Hashed runs, the text that each is in, and how far into the text it ends (bytes)."""

    hashes: Hashes
    owner: Texts
    end: Places

    def within(self, first: int) -> HashedRuns:
        """Those that end within a text's first bytes."""
        kept = self.end <= first
        return HashedRuns(self.hashes[kept], self.owner[kept], self.end[kept])


class ColumnCounts(NamedTuple):
    """How often each text has each column; by text, columns ascending."""

    row: Places
    column: Places
    times: Places


def text_batch(texts: Sequence[str]) -> TextBatch:
    """Lay out texts."""
    parts = [b" " + text.encode("utf-8", "replace") + b" " for text in texts]
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    written = b"".join(parts)
    lower = written.translate(_LOWER)
    raw, data, inside = (np.frombuffer(of, dtype=np.uint8) for of in (written, lower, lower.translate(_IS_WORD)))
    owner = np.repeat(np.arange(len(parts), dtype=np.int32), lengths)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[0::2], edges[1::2]
    up, down = _powers(1 << len(data).bit_length())
    sums = np.concatenate(
        (np.zeros(1, np.uint64), np.cumsum((data.astype(np.uint64) + np.uint64(1)) * up[: len(data)]))
    )
    return TextBatch(
        raw=raw,
        data=data,
        owner=owner,
        starts=np.cumsum(lengths) - lengths,
        word_starts=starts,
        word_ends=ends,
        words=_mixed((sums[ends] - sums[starts]) * down[starts]),
        word_owner=owner[starts],
    )


def word_runs(at: TextBatch, longest: int = LONGEST_RUN) -> list[HashedRuns]:
    """All runs of 1, 2 .. `longest` words."""
    out = []
    sums = np.zeros(len(at.words), dtype=np.uint64)
    end = at.word_ends - at.starts[at.word_owner]
    for more in range(longest):
        count = max(len(at.words) - more, 0)
        sums = sums[:count] + at.words[more:] * _NEXT[more]
        owner = at.word_owner[more:]
        same = at.word_owner[:count] == owner
        out.append(HashedRuns(_mixed(sums[same] + np.uint64(more)), owner[same], end[more:][same]))
    return out


def letter_runs(at: TextBatch, shortest: int, longest: int) -> HashedRuns:
    """All runs of bytes that reach over no space; at their ends they may have one."""
    full = at.data != _SPACE
    packed, whole = at.data.astype(np.uint64), np.ones(len(full), dtype=bool)
    found = []
    for length in range(2, longest + 1):
        packed = packed[:-1] | (at.data[length - 1 :].astype(np.uint64) << np.uint64(8 * (length - 1)))
        whole = whole[:-1] & full[length - 2 : -1] if length > 2 else whole[:-1]
        if length >= shortest:
            start = np.flatnonzero(whole)
            owner = at.owner[start]
            hashes = _mixed(packed[start] * _NEXT[1] + np.uint64(length))
            found.append(HashedRuns(hashes, owner, start + length - at.starts[owner]))
    return joined(found)


def joined(several: Sequence[HashedRuns]) -> HashedRuns:
    """Several sets of runs as one."""
    return HashedRuns._make(np.concatenate(parts) for parts in zip(*several, strict=True))


def column_counts(runs: HashedRuns, bits: int) -> ColumnCounts:
    """How often each text has each of the 2**bits columns."""
    if not len(runs.owner):
        return ColumnCounts._make(np.zeros(0, dtype=np.int64) for _ in ColumnCounts._fields)
    # Shorter numbers sort faster.
    wide: type[np.unsignedinteger[Any]] = np.uint32 if int(runs.owner.max()) < 2 ** (32 - bits) else np.uint64
    key = (runs.owner.astype(wide) << bits) | (runs.hashes >> np.uint64(64 - bits)).astype(wide)
    key.sort()
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    unique = key[first].astype(np.int64)
    return ColumnCounts(unique >> bits, unique & (2**bits - 1), np.diff(np.append(first, len(key))))


def phrase_hashes(phrases: Sequence[str]) -> Hashes:
    """The hash that `word_runs` gives each phrase of 1 to `LONGEST_RUN` words in lower case."""
    return np.array(
        [int(word_runs(text_batch([phrase]))[len(phrase.split()) - 1].hashes[0]) for phrase in phrases], np.uint64
    )


def _mixed(hashes: Hashes) -> Hashes:
    mixed = hashes ^ (hashes >> np.uint64(31))
    mixed *= _MIX
    mixed ^= mixed >> np.uint64(29)
    return mixed


@lru_cache(maxsize=4)
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """Powers of the base and of its inverse, from the 0th."""
    ups, downs = np.full(count, _BASE, dtype=np.uint64), np.full(count, _UNBASE, dtype=np.uint64)
    ups[0] = downs[0] = 1
    return np.cumprod(ups), np.cumprod(downs)
