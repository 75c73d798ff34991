"""Names of files and addresses: readable, safe in any path, and the same whatever else a store holds."""

from __future__ import annotations

import hashlib
import re
from typing import Final

PER_BUCKET: Final = 6  # subjects of one block, on average
_DIGITS: Final = 6
_MOST: Final = 60  # characters before the digits


def slug(name: str) -> str:
    """`[a-z0-9-]+` and six hexadecimal digits of the name's SHA-256: two names never share one by their spelling."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST].strip("-")
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{words}-{digits}" if words else digits


def buckets(subjects: int) -> int:
    """Into how many files the texts of a scenario are divided: a power of two, about six subjects each."""
    return 1 << max(-(-subjects // PER_BUCKET) - 1, 0).bit_length()


def bucket(subject_slug: str, count: int) -> int:
    """The bucket of a subject by its slug alone, so that a new subject moves no other one."""
    return int(subject_slug[-_DIGITS:], 16) % count


def tens(run: int) -> int:
    """The part of a block that holds a run: 0 for runs 1 to 10, 1 for 11 to 20."""
    return (run - 1) // 10
