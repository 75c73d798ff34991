"""How an index of predictions becomes the teacher's: a line, and how far off it was out of family."""

from __future__ import annotations

import msgspec


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
