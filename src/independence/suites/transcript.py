"""A finished dialogue as judges see it: who said what, in order, scripted parts marked."""

from __future__ import annotations

from typing import NamedTuple


class TranscriptTurn(NamedTuple):
    """One exchange of a finished dialogue."""

    human: str
    answer: str
    scripted: bool  # the answer was written by us, not by the subject
    turn_id: str = ""
