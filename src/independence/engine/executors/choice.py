"""Which executor a command uses."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec

from independence.config.options import ConnectionOptions
from independence.engine.executors.local import LocalExecutor
from independence.engine.executors.protocol import Executor
from independence.engine.executors.ray import RayExecutor
from independence.errors import UsageError


def chosen(options: ConnectionOptions) -> AbstractContextManager[Executor]:
    """The executor that was asked for, once entered. Raises UsageError where Ray is not installed, or not reached."""
    if options.executor == "local":
        return nullcontext(LocalExecutor())
    if find_spec("ray") is None:
        raise UsageError("--executor ray needs Ray:", "pip install 'ai-independence-bench[ray]'")
    return RayExecutor(options)
