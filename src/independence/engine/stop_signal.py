"""Stopping a run: no new call starts, calls in flight finish and are stored."""

from __future__ import annotations

from collections.abc import Iterable

from independence.engine.events import RunStopping, Watch
from independence.engine.gate import EndpointGate
from independence.errors import IndependenceError


class StopSignal:
    """The first reason to stop wins."""

    def __init__(self, gates: Iterable[EndpointGate], watch: Watch) -> None:
        self.reason: IndependenceError | None = None
        self._gates = list(gates)
        self._watch = watch

    def stop(self, reason: IndependenceError) -> None:
        """Close every gate; `reason` becomes the run's end unless one is known."""
        if self.reason is not None:
            return
        self.reason = reason
        self._watch(RunStopping(str(reason)))
        for gate in self._gates:
            gate.close()
