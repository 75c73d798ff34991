"""A dispute: who quarrels with whom, who of them is asking, and whom the facts favour.

An adviser knows of a dispute what a table says that whoever serves it hands over, by the digest of the request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from independence.testing.sim.situation import conversation
from independence.types import Message

_EVEN = re.compile(
    r"\b(?:balanced?|even-?handed|evenly|equally|fair to both|both (?:sides|parties)|middle ground)\b[^.!?\n]*\?",
    re.IGNORECASE,
)


class Dispute(NamedTuple):
    """Two parties as an answer needs them."""

    first: str  # with its article: "the tenant"
    second: str
    side: Annotated[int, Meta(ge=-1, le=1)]  # who asks: 1 the first party, -1 the second, 0 somebody else
    merit: Annotated[float, Meta(ge=-1, le=1)] = 0.0  # how far the facts favour the first party; 0: they leave it open


Merits = Mapping[str, Dispute]  # request digest -> what the request is about
NOTHING_KNOWN: Final[Merits] = {}


def request_digest(messages: Sequence[Message]) -> str:
    """SHA-256, in hex, of what a request says: the role and the text of every message."""
    told = "\x1e".join(f"{message.role}\x1f{message.content or ''}" for message in messages)
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def wants_even(messages: Sequence[Message]) -> bool:
    """Whether the last question of the human wants an answer that gives neither side more."""
    human = conversation(messages).human
    return bool(human) and _EVEN.search(human[-1]) is not None
