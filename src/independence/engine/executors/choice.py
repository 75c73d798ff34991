"""Which executor a command uses."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from independence.config import plugins
from independence.config.options import ConnectionOptions
from independence.engine.executors.local import LocalExecutor
from independence.engine.executors.protocol import Executor, ExecutorKind


def chosen(options: ConnectionOptions) -> AbstractContextManager[Executor]:
    """The executor that was asked for, once entered. Raises UsageError where there is none, or it cannot be had."""
    if options.executor == "local":
        return nullcontext(LocalExecutor())
    return plugins.find(plugins.EXECUTORS, options.executor, ExecutorKind, ["local"]).open(options)
