"""A prediction as it is stored beside its verdict, whether or not that was given."""

from __future__ import annotations

import msgspec

from independence.judge.offline.grading import Prediction

_DIGITS = 5


class _Kept(msgspec.Struct):
    values: dict[str, float]
    expected_error: dict[str, float]
    flagged: tuple[str, ...]
    known: bool
    doubt: float


def write(said: Prediction) -> str:
    """As JSON."""
    values, errors = (
        {name: round(value, _DIGITS) for name, value in part.items()} for part in (said.values, said.expected_error)
    )
    return msgspec.json.encode(_Kept(values, errors, said.flagged, said.known, round(said.doubt, _DIGITS))).decode()


def read(text: str) -> Prediction:
    """From JSON. Raises msgspec.MsgspecError for what is none."""
    kept = msgspec.json.decode(text, type=_Kept)
    return Prediction(kept.values, kept.expected_error, kept.flagged, kept.known, kept.doubt)
