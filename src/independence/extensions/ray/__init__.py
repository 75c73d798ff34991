"""`--executor ray`: trials on the workers of a Ray cluster. The process that runs the command is the only writer.

Each worker gets a shard of the trials and a fixed part of what bounds the run: calls in flight, rates, dollars. It goes
on once the command has on disk what it sent: so nothing counts before, and no request leaves before what it may cost is
in the ledger. A shard is a call of an actor and no plain task, which could not be told so.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.util import find_spec

from independence.config.options import ConnectionOptions
from independence.engine.executors.protocol import Executor, ExecutorKind
from independence.errors import missing_extra


def _open(options: ConnectionOptions) -> AbstractContextManager[Executor]:
    if find_spec("ray") is None:
        raise missing_extra("--executor ray needs Ray", "ray")
    from independence.extensions.ray.cluster import RayExecutor

    return RayExecutor(options)


EXECUTOR = ExecutorKind(_open)
