"""When to try again, and what an ask has cost so far."""

from __future__ import annotations

import random
from typing import NamedTuple

import msgspec

from independence.types import Attempt, Usage


class Policy(NamedTuple):
    """How patient a client is."""

    base_backoff_s: float = 0.5
    cap_s: float = 60.0
    retries: int = 6  # of transport faults, over one ask
    reasks: int = 2  # of answers that are none


def pause(policy: Policy, retried: int, retry_after: float | None) -> float:
    """Seconds to wait before retry number `retried` (from 0): full jitter below an exponential ceiling.

    What the server asks for is a lower bound; the jitter on top keeps all callers from coming back at once.
    """
    ceiling = min(policy.cap_s, policy.base_backoff_s * 2.0 ** min(retried, 30))
    if retry_after is None:
        return random.uniform(0.0, ceiling)
    return retry_after + random.uniform(0.0, policy.base_backoff_s)


class Ledger:
    """The attempts of one ask, in order."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []
        self.retried = 0  # transport retries used up

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts so far."""
        return tuple(self._attempts)

    @property
    def usage(self) -> Usage:
        """Usage of all attempts together."""
        if len(self._attempts) == 1:
            return self._attempts[0].usage
        return sum((a.usage for a in self._attempts), Usage())

    def add(self, attempt: Attempt) -> None:
        """Write down an attempt."""
        self._attempts.append(attempt)

    def mark(self, outcome: str) -> None:
        """Say what the last attempt turned out to be, now that its answer has been read."""
        if self._attempts[-1].outcome == outcome:
            return
        self._attempts[-1] = msgspec.structs.replace(self._attempts[-1], outcome=outcome)
