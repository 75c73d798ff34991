"""The process that runs a command: it deals out shards, writes what workers send, and counts dollars."""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, redirect_stdout, suppress
from typing import Any, NamedTuple

import msgspec
import ray

from independence import __version__
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.limits import Budget
from independence.config import environment
from independence.config.endpoints import Endpoint, Rate
from independence.config.options import ConnectionOptions
from independence.engine import plan
from independence.engine.events import POSITION, WorkerLost
from independence.engine.executors.protocol import RunTrials
from independence.engine.resume import PendingTrial
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.errors import CostCapReached, IndependenceError, UsageError, WorkersLost
from independence.extensions.ray.worker import Job, News, ShardWorker, Spending
from independence.store.writer import StoreCall
from independence.types import grouped

_DEATHS = 3  # in a row, without anything done, after which a worker is not replaced


class RayExecutor:
    """A Ray cluster does the work: one that runs already, else one on this machine, for as long as it is open."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options

    def __enter__(self) -> RayExecutor:
        """Connect to the cluster. Raises UsageError where there is none at the address."""
        self._own = not ray.is_initialized()
        if self._own:
            _connect(environment.read().get("RAY_ADDRESS") or "local")
        cpus = int(ray.cluster_resources().get("CPU", 1))
        default = 2 * sum(bool(node["Alive"]) for node in ray.nodes())
        self._workers = self._options.ray_workers or min(cpus, default)
        if self._workers > cpus:
            self.__exit__()
            raise UsageError(f"--ray-workers {self._workers}:", f"the cluster has {cpus} CPUs, write at most as many")
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the cluster; one that was started for this command ends."""
        if self._own:
            ray.shutdown()

    @asynccontextmanager
    async def trials(self, context: RunContext, shares: Parallelism) -> AsyncIterator[RunTrials]:
        """Workers ready to carry out trials."""
        run = _ClusterRun(context, shares, self._workers)
        stopping = asyncio.create_task(run.pass_on_stop())
        try:
            with redirect_stdout(sys.stderr):  # Ray prints there what became of a worker: on stdout are results alone
                yield run.run_trials
        finally:
            stopping.cancel()
            run.close()


def _connect(address: str) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    settings: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        if address not in ("local", "auto"):  # where nobody listens Ray would try for minutes
            host, _, port = address.rpartition(":")
            if "://" in host or not host or not port.isdecimal():
                raise ValueError("it is not HOST:PORT")
            socket.create_connection((host, int(port)), timeout=5.0).close()
        ray.init(address, log_to_driver=False, logging_level="CRITICAL", **settings)
    except (ValueError, RuntimeError, OSError, OverflowError) as error:
        why = str(error).strip().partition("\n")[0]
        raise UsageError(
            f"no Ray cluster can be reached at `{address}` ({why})",
            "start one with `ray start --head`, or leave RAY_ADDRESS out for one on this machine",
        ) from error


class _Part(NamedTuple):
    """A worker's part of what bounds a run: the one of that number, counted from 0, of so many."""

    at: int
    of: int

    def count(self, bound: int) -> int:
        return bound * (self.at + 1) // self.of - bound * self.at // self.of

    def rate(self, rate: Rate | None) -> Rate | None:
        # No burst is below 1: together they may be as many as there are workers.
        return rate and Rate(rate.per_second / self.of, max(1, rate.burst // self.of))

    def endpoint(self, whole: Endpoint) -> Endpoint:
        """An endpoint that takes no more than this part of what it takes, and of each of its models."""
        bounds = (
            msgspec.structs.replace(b, concurrency=b.concurrency and self.count(b.concurrency), rate=self.rate(b.rate))
            for b in whole.bounds
        )
        slots = self.count(whole.max_concurrency)
        return msgspec.structs.replace(whole, max_concurrency=slots, rate=self.rate(whole.rate), bounds=tuple(bounds))


class _Account:
    """What one worker has spent and may spend, in the budget of the command."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._known = Spending()
        self._hold = budget.hold(0.0)

    def book(self, now: Spending) -> None:
        unknown = now.unknown - self._known.unknown
        self._hold.settle(now.spent - self._known.spent - unknown)
        if unknown > 0:
            self._budget.hold(unknown).keep()
        self._known, self._hold = now, self._budget.hold(now.held)

    def lose(self) -> float:
        """The worker died: whatever it could spend may be spent. Returns the dollars that are gone."""
        self._hold.keep()
        return self._known.spent + self._known.held


class _ClusterRun:
    """One run on several workers."""

    def __init__(self, context: RunContext, shares: Parallelism, workers: int) -> None:
        self._connections: dict[str, EndpointConnection] = {}
        for name, backend in context.backends.items():
            if isinstance(backend.client, OpenAIClient) and isinstance(backend.client.connection, EndpointConnection):
                self._connections[name] = backend.client.connection
        self._context, self._shares = context, shares
        self._most = min(workers, shares.calls)  # so that each has a part of every bound
        for endpoint in (one.endpoint for one in self._connections.values()):
            of_models = (bound.concurrency for bound in endpoint.bounds if bound.concurrency)
            self._most = min(self._most, endpoint.max_concurrency, *of_models)
        self._budget = next((one.budget for one in self._connections.values()), Budget(None))
        self._actors: dict[int, Any] = {}

    async def run_trials(self, todo: Sequence[PendingTrial]) -> int:
        """Carry out trials, at -p 1 one subject after the other. Returns how many another process holds."""
        parts = grouped(todo, lambda item: item.trial.subject.label if self._shares.subjects == 1 else "")
        return sum([await self._rounds(part) for part in parts.values()])

    async def _rounds(self, todo: list[PendingTrial]) -> int:
        """Deal trials out until all are done. What a shard left, because its dollars were used up or its workers died,
        is dealt again to half as many, so that the last one has all dollars that are left.
        """
        workers, skipped = self._most, 0
        while todo and self._context.stop_signal.reason is None:
            shards = _shards(todo, workers)
            share = self._budget.left / len(shards)
            async with asyncio.TaskGroup() as group:
                parts = [_Part(at, len(shards)) for at in range(len(shards))]
                tasks = [group.create_task(self._shard(*own, share)) for own in zip(parts, shards, strict=True)]
            ended = [(task.result(), shard) for task, shard in zip(tasks, shards, strict=True)]
            skipped += sum(outcome.skipped for outcome, _ in ended if outcome.stopped_by is None)
            stops = [outcome.stopped_by for outcome, _ in ended if outcome.stopped_by is not None]
            if stops and (len(shards) == 1 or sum(isinstance(one, WorkersLost) for one in stops) == len(shards)):
                self._context.stop_signal.stop(stops[0])
            todo = [item for outcome, shard in ended if outcome.stopped_by is not None for item in shard]
            workers = max(1, len(shards) // 2)
        return skipped

    async def _shard(self, part: _Part, todo: list[PendingTrial], share: float) -> RunOutcome:
        """Have a worker carry out a shard; one that dies is replaced, and what it had stored is not asked again."""
        context, cap, deaths = self._context, self._budget.cap, 0
        while deaths < _DEATHS and context.stop_signal.reason is None:
            account = _Account(self._budget)
            job = Job(
                todo,
                context.suite,
                dict(context.rubrics),
                {name: (part.endpoint(at.endpoint), at.catalogue, at.known) for name, at in self._connections.items()},
                self._shares._replace(calls=part.count(self._shares.calls)),
                cap,
                Spending() if cap is None else Spending(cap - share, self._budget.unknown),
                context.lease_owner,
            )
            if part.at not in self._actors:
                self._actors[part.at] = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(ShardWorker).remote()
            actor = self._actors[part.at]
            try:
                stream = actor.run.options(num_returns="streaming").remote(__version__, pickle.dumps(job))
                async for item in stream:
                    news: News = pickle.loads(await item)  # noqa: S301 - from a process that this one started
                    deaths = 0 if news.events else deaths
                    await self._take(actor, account, news)
                    if news.ended is not None:
                        if not isinstance(news.ended.stopped_by, CostCapReached | None):
                            context.stop_signal.stop(news.ended.stopped_by)
                        return news.ended
            except ray.exceptions.RayTaskError as error:
                if not isinstance(error.cause, IndependenceError):
                    raise RuntimeError(f"a worker failed\n{error}") from error
                context.stop_signal.stop(error.cause)
            except ray.exceptions.RayError as error:
                deaths, why = deaths + 1, str(error).strip().rpartition("\n")[2][:200]
                share -= account.lose()
                del self._actors[part.at]
                context.on_event(WorkerLost(part.at + 1, len(todo)))
        if deaths < _DEATHS:
            return RunOutcome(None, 0)
        return RunOutcome(WorkersLost(f"every Ray worker died: {why}", "install the same version on all machines"), 0)

    async def _take(self, actor: Any, account: _Account, news: News) -> None:
        """Take in what a worker says, and tell it what of it is on disk."""
        for event, position in news.events:
            POSITION.set(position)  # whoever watches is told from where it happened
            self._context.on_event(event)
        if news.writes:
            written = await asyncio.gather(*(self._write(number, what, account) for number, what in news.writes))
            await actor.committed.remote(pickle.dumps(written))

    async def _write(
        self, number: int, what: StoreCall[Any] | Spending, account: _Account
    ) -> tuple[int, object, Exception | None]:
        try:
            if not isinstance(what, Spending):
                return number, await self._context.writer.write(what), None
            account.book(what)
            await self._budget.record()
        except Exception as error:  # noqa: BLE001 - it is raised where the write was asked for
            return number, None, error
        return number, None, None

    async def pass_on_stop(self) -> None:
        await self._context.stop_signal.stopped.wait()
        message = pickle.dumps(self._context.stop_signal.reason)
        for actor in self._actors.values():
            actor.stop.remote(message)

    def close(self) -> None:
        for actor in self._actors.values():
            with suppress(ray.exceptions.RayError, ValueError):
                ray.kill(actor)


def _shards(todo: Sequence[PendingTrial], workers: int) -> list[list[PendingTrial]]:
    """Trials for each of so many workers, or of as many as there is work for: each has some of every subject and run.

    A dialogue and those that continue it stay together.
    """
    shards: list[list[PendingTrial]] = [[] for _ in range(workers)]
    load = [0] * workers
    for items in grouped(todo, lambda item: (item.trial.subject.label, plan.root(item.trial).key)).values():
        at = load.index(min(load))
        shards[at] += items
        load[at] += sum(item.calls + len(item.judges) for item in items)
    return [shard for shard in shards if shard]
