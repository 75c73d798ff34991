"""How the work of a command is carried out: one protocol, whoever does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import NamedTuple, Protocol

from independence.config.options import ConnectionOptions
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism, RunContext

# Carries out trials of one or more runs, the lowest run first. Returns how many of them another process holds.
RunTrials = Callable[[Sequence[PendingTrial]], Awaitable[int]]


class Executor(Protocol):
    """Who does the work. The store is written by the process that runs the command, whoever does it."""

    def trials(self, context: RunContext, shares: Parallelism, /) -> AbstractAsyncContextManager[RunTrials]:
        """Ready to carry out trials, until it is left. What ends a run is told to the context's stop signal."""
        ...


class ExecutorKind(NamedTuple):
    """What a package declares in the entry-point group `independence.executors`, for `--executor NAME`."""

    # The executor by the options of a command, once entered. Raises UsageError where it cannot be had.
    open: Callable[[ConnectionOptions], AbstractContextManager[Executor]]
