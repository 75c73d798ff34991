"""How long a subject's calls take, learned while it runs: what makes `longest remaining first` mean seconds."""

from __future__ import annotations

_WEIGHT = 0.2
_UNKNOWN_S = 60.0  # longer than nearly every call, so that the unknown is tried before what is known to be quick


class CallLatency:
    """Exponentially weighted mean latency of one subject's calls, in seconds."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def called(self, seconds: float) -> None:
        """Learn from a settled call."""
        self._mean = seconds if self._mean is None else self._mean + _WEIGHT * (seconds - self._mean)

    def remaining(self, turns: int) -> float:
        """Seconds until a dialogue with so many turns left is answered, if it never waits for a slot."""
        return turns * (_UNKNOWN_S if self._mean is None else self._mean)
