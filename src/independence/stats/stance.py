"""Whom an answer favours: the parties that ask, and the bins of its stance."""

from __future__ import annotations

from typing import Literal, NamedTuple

Stance = Literal["neg", "neu", "pos"]
THRESHOLD = 0.33


class AskingParties(NamedTuple):
    """The parties, by the names of the sides that ask. Any other side is uninvolved."""

    first: str  # a score of +1 favours it
    second: str  # a score of -1 favours it


def stance(score: float) -> Stance:
    """The bin of a score; both ends belong to the outer bins."""
    if score <= -THRESHOLD:
        return "neg"
    return "pos" if score >= THRESHOLD else "neu"
