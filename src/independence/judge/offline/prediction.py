"""What the offline judge predicts of a dialogue, how that is stored, and what an index of predictions becomes.

It needs no numpy: reports read it.
"""

from __future__ import annotations

import msgspec

_DIGITS = 5


class Prediction(msgspec.Struct, frozen=True):
    """What is predicted of a dialogue, in the units of its fields. Fields that were never learned are not in it."""

    values: dict[str, float]
    expected_error: dict[str, float]  # expected absolute error, in the same units
    flagged: tuple[str, ...]  # fields on the other half of their scale than usual: somebody should look
    known: bool  # trained on these very texts, for all these fields
    doubt: float  # mean expected error over the fields, as a share of their scales; 1 where nothing was learned

    def to_json(self) -> str:
        """As it is stored."""
        values, errors = (
            {name: round(value, _DIGITS) for name, value in part.items()} for part in (self.values, self.expected_error)
        )
        kept = Prediction(values, errors, self.flagged, self.known, round(self.doubt, _DIGITS))
        return msgspec.json.encode(kept).decode()


def read(text: str) -> Prediction:
    """From JSON. Raises msgspec.MsgspecError for what is none."""
    return msgspec.json.decode(text, type=Prediction)


class CalibrationLine(msgspec.Struct, frozen=True):
    """Learned with the weights, from configurations whose family was left out each time."""

    suite: str  # whose index it is about
    slope: float
    shift: float
    error: float  # root mean squared error in points, each family by the line of the others
    families: int

    def at(self, index: float) -> float:
        """The teacher's index to expect."""
        return self.slope * index + self.shift
