"""The one chat protocol: what engine and judge can do with a client, and how a call can end without an answer.

`ask` returns an `Answer`: a `Reply`, or `Missing` where an answer came that is none (reasoning only, a transport
artefact, a blocked prompt). It raises when the call cannot be settled now: `Parked` (this model cannot go on), `GaveUp`
(transient faults outlasted the retries; ask again on resume), and the run-ending errors of `errors.py` (`KeyRejected`,
`OutOfCredit`, `CostCapReached`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple, Protocol

from independence.types import Answer, Attempt, ChatRequest


class Wait(NamedTuple):
    """A pause that a person watching the run may wonder about."""

    model: str
    reason: str  # "429", "503", "timeout", "budget", "rate", ...
    seconds: float
    attempt: int = 0  # the attempt that failed, from 1, where the wait is before another one
    still: bool = False  # the same wait goes on; nothing new to show


class Policy(NamedTuple):
    """How patient a client is."""

    base_backoff_s: float = 0.5
    cap_s: float = 60.0
    retries: int = 6  # of transport faults, over one call
    reasks: int = 2  # of answers that are none

    def pause(self, retried: int, retry_after: float | None) -> float:
        """Seconds to wait before retry number `retried` (from 0): full jitter below an exponential ceiling.

        What the server asks for is a lower bound; the jitter on top keeps all callers from coming back at once.
        """
        ceiling = min(self.cap_s, self.base_backoff_s * 2.0 ** min(retried, 30))
        if retry_after is None:
            return random.uniform(0.0, ceiling)
        return retry_after + random.uniform(0.0, self.base_backoff_s)


Notify = Callable[[Wait], None]  # may raise GaveUp to end the call instead of waiting


class Parked(Exception):
    """This model cannot be asked any more in this run (daily quota, no endpoint, key limit). Others go on."""

    def __init__(self, model: str, why: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(f"{model}: {why}")
        self.model = model
        self.why = why
        self.attempts = attempts


class GaveUp(Exception):
    """Transient faults outlasted the retries. Nothing is stored as an answer; resuming asks again."""

    def __init__(self, model: str, why: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(f"{model}: {why}")
        self.model = model
        self.why = why
        self.attempts = attempts


class ChatClient(Protocol):
    """A source of answers for one endpoint."""

    async def ask(self, request: ChatRequest) -> Answer:
        """Send, retry what is transport, return what came."""
        ...
