"""How many calls an endpoint takes at once: halved on overload, growing back by about one a round trip."""

from __future__ import annotations

from collections.abc import Callable


def _nobody(_: int) -> None:
    return None


class Throttle:
    """Additive increase, multiplicative decrease. The engine's gate reads `limit`; the client reports what it saw."""

    def __init__(self, cap: int, told: Callable[[int], None] = _nobody) -> None:
        """`told` hears every new limit."""
        self._told = told
        self._cap = float(max(1, cap))
        self._window = self._cap
        self.epoch = 0  # counts decreases; a call notes it when it starts

    @property
    def limit(self) -> int:
        """Calls that may be in flight now, 1..cap."""
        return int(self._window)

    def overloaded(self, epoch: int | None = None) -> None:
        """The endpoint had too much. Calls that began before the last decrease say nothing new and are ignored."""
        if epoch is not None and epoch != self.epoch:
            return
        self._move(max(1.0, self._window / 2))
        self.epoch += 1

    def succeeded(self) -> None:
        """A call was served: grow by 1/limit, so that `limit` of them add one."""
        self._move(min(self._cap, self._window + 1 / self.limit))

    def _move(self, window: float) -> None:
        before, self._window = self.limit, window
        if self.limit != before:
            self._told(self.limit)
