"""The time that waiting goes by. A test hands over a clock that it moves itself, and waits for nothing."""

from __future__ import annotations

import threading
import time
from typing import Final


class Clock:
    """The clock of this machine."""

    def monotonic(self) -> float:
        """Seconds since some moment; never less than before."""
        return time.monotonic()

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the time is over; whether it is set."""
        return event.wait(seconds)


MACHINE: Final = Clock()
