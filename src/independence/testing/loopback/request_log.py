"""What a server was asked and what it billed: counts in memory and, if wanted, a log of JSON lines.

Every request has two lines: `received` before anything is done about it, `finished` before its response leaves. So
whoever holds an answer finds it in the log, and what was received but not finished is in flight.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

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


class _StartRecord(msgspec.Struct, frozen=True, kw_only=True):
    state: Literal["received", "finished"] = "received"
    number: int
    received: float
    model: str
    digest: str


class _EndRecord(_StartRecord, frozen=True, kw_only=True):
    state: Literal["received", "finished"] = "finished"
    finished: float
    status: int
    fault: str
    cost_usd: float
    prompt_tokens: int
    completion_tokens: int
    gone: bool


class RequestLog:
    """Counts of one server, from its start."""

    def __init__(self, log: str = "") -> None:
        self.requests = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self.billed_usd = 0.0
        self.faults: Counter[str] = Counter()  # by kind, those that were injected
        self.statuses: Counter[int] = Counter()
        self.models: Counter[str] = Counter()
        self.digests: Counter[str] = Counter()  # by body: more than 1 means it was sent again
        self.usage = Usage()
        self._log = _opened(log) if log else None

    def receive(self, model: str, digest: str) -> RequestTicket:
        """Take a request in."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.models[model] += 1
        self.digests[digest] += 1
        ticket = RequestTicket(self.requests, time.time(), model, digest, self.digests[digest])
        if self._log is not None:
            self._write(_StartRecord(number=ticket.number, received=ticket.received, model=model, digest=digest))
        return ticket

    def finish(self, ticket: RequestTicket, settled: RequestEnd) -> None:
        """Close a request; what it cost is billed whether or not the client still listens."""
        self.in_flight -= 1
        self.statuses[settled.status] += 1
        if settled.fault:
            self.faults[settled.fault] += 1
        self.usage += settled.usage
        self.billed_usd = self.usage.cost_usd
        if self._log is not None:
            self._write(_finished(ticket, settled))

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _write(self, line: _StartRecord) -> None:
        if self._log is not None:
            os.write(self._log, msgspec.json.encode(line) + b"\n")


def _opened(path: str) -> int:
    user_files.check(Path(path), "--log", b'{"state":"received","number":')
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise UsageError(f"--log {path}: {error.strerror}; choose a file that can be written.") from None


def _finished(ticket: RequestTicket, settled: RequestEnd) -> _EndRecord:
    return _EndRecord(
        number=ticket.number,
        received=ticket.received,
        model=ticket.model,
        digest=ticket.digest,
        finished=time.time(),
        status=settled.status,
        fault=settled.fault,
        cost_usd=settled.usage.cost_usd,
        prompt_tokens=settled.usage.prompt_tokens,
        completion_tokens=settled.usage.completion_tokens,
        gone=settled.gone,
    )
