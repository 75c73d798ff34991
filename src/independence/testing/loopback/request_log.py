"""What a server was asked and what it billed: counts in memory and, if wanted, a log of JSON lines.

Every request has two lines: `received` before anything is done about it, `finished` before its response leaves. So
whoever holds an answer finds it in the log, and what was received but not finished is in flight.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import user_files
from independence.errors import UsageError
from independence.types import Usage


class RequestTicket(NamedTuple):
    """A request that came in."""

    number: int  # 1-based
    received: float  # seconds since the epoch
    model: str
    digest: str  # SHA-256 of the body, hex
    attempt: int  # how often this body has come in, this time included


class RequestEnd(NamedTuple):
    """How a request ended."""

    status: int  # 0: no response was sent
    fault: str = ""
    usage: Usage = Usage()
    gone: bool = False  # the client had left before the answer was ready


class RequestLog:
    """Counts of one server, from its start."""

    def __init__(self, log: str = "", keep_bodies: int = 0) -> None:
        self.requests = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self.billed_usd = 0.0
        self.faults: Counter[str] = Counter()  # by kind, those that were injected
        self.statuses: Counter[int] = Counter()
        self.models: Counter[str] = Counter()
        self.digests: Counter[str] = Counter()  # by body: more than 1 means it was sent again
        self.usage = Usage()
        self.bodies: deque[bytes] = deque(maxlen=keep_bodies)  # the last ones, in order
        self._log: int | None = None
        if log:
            user_files.check(Path(log), "--log", b'{"state":"received","number":')
            try:
                self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            except OSError as error:
                raise UsageError(f"--log {log}: {error.strerror}; choose a file that can be written.") from None

    def receive(self, model: str, digest: str, body: bytes = b"") -> RequestTicket:
        """Take a request in."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.models[model] += 1
        self.digests[digest] += 1
        self.bodies.append(body)
        ticket = RequestTicket(self.requests, time.time(), model, digest, self.digests[digest])
        self._write("received", ticket)
        return ticket

    def finish(self, ticket: RequestTicket, settled: RequestEnd) -> None:
        """Close a request; what it cost is billed whether or not the client still listens."""
        self.in_flight -= 1
        self.statuses[settled.status] += 1
        if settled.fault:
            self.faults[settled.fault] += 1
        self.usage += settled.usage
        self.billed_usd = self.usage.cost_usd
        usage = settled.usage
        counts = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        end = {"status": settled.status, "fault": settled.fault, "cost_usd": usage.cost_usd, **counts}
        self._write("finished", ticket, finished=time.time(), **end, gone=settled.gone)

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _write(self, state: str, ticket: RequestTicket, **more: object) -> None:
        if self._log is not None:
            number, received, model, digest, _ = ticket
            line = {"state": state, "number": number, "received": received, "model": model, "digest": digest, **more}
            os.write(self._log, msgspec.json.encode(line) + b"\n")
