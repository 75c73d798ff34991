"""The journal of a call: attempts that did not settle it are on disk before the next one is sent.

A call of one attempt is never written here. After a crash the next process takes what came from here, and goes on with
the attempt that was in flight.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import msgspec

from independence.clients.connection import AttemptLog, Clean
from independence.clients.wire import Outcome, ReceivedMessage
from independence.store import attempts
from independence.store.attempts import StoredAttempt
from independence.store.writer import AnswerCall, StoreWriter
from independence.types import Attempt, ChatRequest


class _KeptAnswer(NamedTuple):
    """What came, as it is kept."""

    received: ReceivedMessage
    forms: tuple[str, ...]  # in which it was asked for


class StoredJournal:
    """The journal of one call, in the store."""

    __slots__ = ("_call", "_earlier", "_made", "_writer", "_written")

    def __init__(self, writer: StoreWriter, trial: str, what: str, earlier: Sequence[StoredAttempt]) -> None:
        """`what`: turn id or judge. `earlier`: what a process that is gone has tried."""
        self._writer, self._call = writer, (trial, what)
        self._earlier = list(earlier)
        self._written = len(earlier)
        self._made: list[tuple[ChatRequest, Attempt, _KeptAnswer | None]] = []

    async def attempt(
        self, request: ChatRequest, log: AttemptLog, send: Callable[[], Awaitable[Outcome]], clean: Clean
    ) -> Outcome:
        """What came when this was sent before; else what `send` brings, once the attempts before it are on disk."""
        while self._earlier:
            one = self._earlier.pop(0)
            log.add(one.attempt)
            # What was asked otherwise, as by another version, has cost something and is no answer to this.
            if one.answer is not None and one.request == _digest(request):
                received, log.forms = msgspec.json.decode(one.answer, type=_KeptAnswer)
                return received
        if self._made:
            made, self._made = self._made, []
            rows = []
            for asked, attempt, came in made:
                answer = None if came is None else clean(msgspec.json.encode(came).decode())
                rows.append(StoredAttempt(_digest(asked), attempt, answer))
            first, self._written = self._written, self._written + len(rows)
            await self._writer.write(AnswerCall(attempts.add, *self._call, first, rows))
        outcome = await send()
        came = _KeptAnswer(outcome, log.forms) if isinstance(outcome, ReceivedMessage) else None
        self._made.append((request, log.attempts[-1], came))
        return outcome


def _digest(request: ChatRequest) -> str:
    return hashlib.sha256(msgspec.json.encode(request)).hexdigest()
