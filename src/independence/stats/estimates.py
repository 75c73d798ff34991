"""A number that a board shows of a subject, whatever its analysis."""

from __future__ import annotations

import msgspec

from independence.types import Ends


class Estimate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number on the scale of its measure, how sure it is, and what it rests on.

    `value` is None where what was judged does not show it. `bounds` are what the value can still be, with each missing
    verdict at either end of its scale; None where none is missing. `n` counts what the value rests on (runs, cells,
    stems), 0 where nothing is counted. `method` says how the 95 % interval was made, and so what it is about.
    """

    value: float | None
    interval: Ends | None = None
    n: int = 0
    method: str = ""
    bounds: Ends | None = None

    @property
    def ends(self) -> Ends | None:
        """Between what it lies, whatever missing verdicts would be; None where nothing is known."""
        return self.bounds or (None if self.value is None else (self.value, self.value))


NO_ESTIMATE = Estimate(None)
