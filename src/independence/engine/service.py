"""What asking models takes: endpoints checked first, then clients, limits, one budget and one writer."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

import aiohttp
import msgspec

from independence.clients import dialects, listing
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection, KnownServer
from independence.clients.limits import FREE, Buckets, Budget, Prices
from independence.clients.listing import ServerPages, ServerProperties
from independence.clients.protocol import GaveUp, Notify, Policy, Told, Wait
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config import environment, functions
from independence.config.endpoints import Endpoint, masking
from independence.config.options import ConnectionOptions
from independence.config.subjects import LOCAL, PYTHON, SIM
from independence.engine import connections, models, progress
from independence.engine.concurrency import EndpointGate, PerModelLimits, StopSignal
from independence.engine.connections import LOOPBACK
from independence.engine.events import CallWaiting, ConcurrencyChanged, Event, EventHandler
from independence.engine.merits import merits_of
from independence.engine.models import Models
from independence.engine.progress import RunProgress
from independence.engine.run_context import EndpointBackend, RunContext
from independence.errors import IndependenceError, UsageError
from independence.judge.replies.loops import loops
from independence.store import leases
from independence.store.spending import SessionLedger
from independence.store.writer import StoreCall, Writer
from independence.suites.schema import Suite
from independence.testing.sim.parties import NOTHING_KNOWN, Merits

Model = tuple[str, str]  # endpoint, model id there


class Hooks(NamedTuple):
    """What the caller of a run hears of it and does beside it."""

    on_event: EventHandler = lambda _: None
    # Called in the task that asks, once models may be asked, with what stops that in order.
    on_started: Callable[[StopSignal], None] = lambda _: None
    blocking: Callable[[], AbstractContextManager[object]] = nullcontext  # entered where the event loop waits long


class CheckedEndpoints(NamedTuple):
    """Endpoints that answer and have what is needed. Nothing that costs money was sent."""

    endpoints: Mapping[str, Endpoint]
    options: ConnectionOptions
    session: aiohttp.ClientSession
    catalogues: Mapping[str, Catalogue]
    properties: Mapping[str, ServerProperties]
    prices: Mapping[Model, Prices | None]  # of the models that are asked; None: unknown


@asynccontextmanager
async def check_endpoints(
    endpoints: Mapping[str, Endpoint],
    models: Mapping[Model, bool],
    options: ConnectionOptions,
    on_event: EventHandler = lambda _: None,
    *,
    grading: Collection[Model] = (),
    suite: Suite | None = None,
    local: ServerPages | None = None,
) -> AsyncIterator[CheckedEndpoints]:
    """Ask every endpoint for its models, before anything is spent. Raises UsageError, KeyRejected.

    `models`: who is asked, and whether it must take tools; `grading`: those of them that are asked for verdicts alone;
    `suite`: whose disputes simulated advisers know the merit of; `local`: what the server of `local/` ids told, where
    it was asked before. `on_event` hears of a server that is loading and is waited for. Where simulated models are
    asked, the endpoint that serves them is up for as long as this.
    """
    async with AsyncExitStack() as stack:
        if SIM in endpoints and any(endpoint == SIM for endpoint, _ in models):
            address = (await loopback(stack, merits_of(suite) if suite else NOTHING_KNOWN)).base_url
            endpoints = {**endpoints, SIM: msgspec.structs.replace(endpoints[SIM], base_url=address)}
        session = await stack.enter_async_context(open_session())
        pages = {}
        for name, one in endpoints.items():
            asked = {model: tools for (at, model), tools in models.items() if at == name}
            try:
                pages[name] = await _pages(one, asked, session, on_event, local if name == LOCAL else None)
            except UsageError as error:
                raise _of_judge(error, name, asked, grading) from error
        infos = {model: pages[model[0]].listed.info(model[1]) for model in models}
        yield CheckedEndpoints(
            {name: _with_slots(one, pages[name], options) for name, one in endpoints.items()},
            options,
            session,
            {name: one.listed for name, one in pages.items()},
            {name: one.properties for name, one in pages.items()},
            {model: info.prices if info else None for model, info in infos.items()},
        )


def _with_slots(endpoint: Endpoint, pages: ServerPages, options: ConnectionOptions) -> Endpoint:
    """The endpoint with the slots of its servers, where they tell: so many calls are in flight unless anybody says
    otherwise.
    """
    known = msgspec.structs.replace(endpoint, slots=pages.endpoint.slots)
    if not endpoint.by_slots or not pages.properties.slots:
        return known
    most = max(pages.properties.slots, options.parallel_tasks or 0)
    return msgspec.structs.replace(known, max_concurrency=most)


async def read_local(endpoint: Endpoint | None, on_event: EventHandler = lambda _: None) -> ServerPages | None:
    """What the server of `local/` ids tells of itself; None where none is asked. That it does not answer is a failure
    among it: a run in which nothing is left needs no server.
    """
    if endpoint is None:
        return None
    async with open_session() as session:
        return await listing.read_pages(endpoint, session, policy(endpoint), lambda wait: on_event(CallWaiting(wait)))


async def known_models(options: ConnectionOptions, names: Collection[str]) -> tuple[Models, ServerPages | None]:
    """What is known of models, by the models file and, where one of these names is at `local/`, by that server."""
    env, known = environment.read(), models.read(options.models_file)
    local = await read_local(models.local_server(options, names, known, env))
    return known.with_local(local, env), local


async def _pages(
    endpoint: Endpoint,
    models: Mapping[str, bool],
    session: aiohttp.ClientSession,
    on_event: EventHandler,
    told: ServerPages | None,
) -> ServerPages:
    if not models:
        return ServerPages(endpoint, Catalogue(known=False))
    if endpoint.name == PYTHON:
        free = {functions.known(model).key: ModelInfo(model, prices=FREE) for model in models}
        return ServerPages(endpoint, Catalogue(free))
    return await listing.check(
        endpoint, models, session, policy(endpoint), lambda wait: on_event(CallWaiting(wait)), told
    )


def _of_judge(error: UsageError, endpoint: str, models: Mapping[str, bool], grading: Collection[Model]) -> UsageError:
    """The error, with the way to grade without a model where it is about nobody but judges."""
    subjects = [model for model in models if (endpoint, model) not in grading]
    judges = [model for model in models if (endpoint, model) in grading]
    named = any(f"no model `{model}`" in str(error) for model in judges)
    if not judges or (subjects and not named):
        return error
    what = f"the judge cannot be asked: {error}"
    otherwise = " Or" if what.endswith("?") else "; or"
    others = f"name another with --judge: {connections.OTHER_JUDGES}"
    return type(error)(f"{what}{otherwise} {others}; or grade later (--no-judge)")


@asynccontextmanager
async def opened(
    found: CheckedEndpoints, suite: Suite, rubrics: Mapping[str, str], connection: sqlite3.Connection, path: Path,
    hooks: Hooks, ledger: SessionLedger,
) -> AsyncIterator[RunContext]:  # fmt: skip
    """Clients, gates, budget and writer; what is spent is noted in the ledger as it goes."""
    catalogues = found.catalogues
    if found.options.allow_unpriced:
        catalogues = _unpriced_as_free(catalogues, found.prices)
    budget = Budget(found.options.max_cost)
    counts, owner = RunProgress(), leases.owner()

    def on_event(event: Event) -> None:
        counts(event)
        hooks.on_event(event)

    def notify(what: Told) -> None:
        hear(what, stop_signal, on_event)

    def on_slots(endpoint: Endpoint) -> Callable[[int], None]:
        return lambda slots: on_event(ConcurrencyChanged(endpoint.name, slots, endpoint.max_concurrency))

    backends = {
        name: backend(endpoint, found.session, catalogues[name], budget, notify, on_slots(endpoint))
        for name, endpoint in found.endpoints.items()
    }
    stop_signal = StopSignal([one.gate for one in backends.values()], on_event)
    writer = Writer(connection, path, stop_signal.stop)
    budget.record_by(lambda spent, unknown: writer.write(StoreCall(ledger.note, spent, unknown)))
    hooks.on_started(stop_signal)
    try:
        secrets = masking(secret for endpoint in found.endpoints.values() for secret in endpoint.secrets)
        about = functools.partial(counts.snapshot, ledger.command, ledger.about, budget, ledger.stage)
        record = functools.partial(budget.record, anew=True)
        async with progress.written(about, secrets, writer, owner, beside=record):
            yield RunContext(
                suite, rubrics, backends, writer=writer, on_event=on_event, stop_signal=stop_signal, lease_owner=owner,
                budget=budget, counts=counts,
            )  # fmt: skip
    finally:
        with suppress(IndependenceError):  # a full disk was reported already
            await budget.record(anew=True)  # so that the ledger holds what was spent, and no more
        await writer.close()


def hear(what: Told, stop_signal: StopSignal, on_event: EventHandler) -> None:
    """Tell the watcher what a client tells. Raises GaveUp where a run that is stopping would be waited in."""
    if isinstance(what, Wait) and stop_signal.reason is not None:
        raise GaveUp(what.model, "the run is stopping")
    on_event(CallWaiting(what) if isinstance(what, Wait) else what)


def backend(
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    catalogue: Catalogue,
    budget: Budget,
    notify: Notify,
    on_slots: Callable[[int], None] = lambda _: None,
    known: KnownServer | None = None,
) -> EndpointBackend:
    """How one endpoint is asked.

    `on_slots` hears how many calls it takes at once from now on; `known`: what was found out about its server before.
    """
    throttle, buckets = Throttle(endpoint.max_concurrency, on_slots), Buckets(endpoint)
    reached = EndpointConnection(
        endpoint, session, catalogue, budget=budget, throttle=throttle, notify=notify, buckets=buckets, loops=loops
    )
    if known is not None:
        reached.take(known)
    client = OpenAIClient(reached, policy(endpoint))
    return EndpointBackend(client, EndpointGate(lambda: throttle.limit), PerModelLimits(endpoint, buckets))


async def loopback(stack: AsyncExitStack, merits: Merits = NOTHING_KNOWN) -> Endpoint:
    """The endpoint that serves `sim/` ids, up until the stack closes. Simulated models cost nothing."""
    from independence.testing.loopback.server import serving  # a web server that real models do not need
    from independence.testing.loopback.settings import LoopbackSettings

    server = await stack.enter_async_context(serving(LoopbackSettings(price="0/0", merits=merits)))
    return msgspec.structs.replace(LOOPBACK, base_url=server.base_url)


def policy(endpoint: Endpoint) -> Policy:
    """How an endpoint is tried again."""
    keeps_cut = dialects.of(endpoint.dialect).own_server
    return Policy(base_backoff_s=endpoint.backoff_s, retries=endpoint.retries, keeps_cut=keeps_cut)


def refuse_unpriced(options: ConnectionOptions, unpriced: tuple[str, ...]) -> None:
    """Raises UsageError where a cap cannot be held because a price is not known."""
    if options.max_cost is not None and unpriced and not options.allow_unpriced:
        raise UsageError(
            f"--max-cost cannot be held: no price is known for {', '.join(unpriced)}; "
            "leave it out, or accept its cost with --allow-unpriced"
        )


def _unpriced_as_free(
    catalogues: Mapping[str, Catalogue], prices: Mapping[Model, Prices | None]
) -> dict[str, Catalogue]:
    """Catalogues in which nothing is reserved for a model without a price; what it turns out to cost counts."""
    models = {name: dict(catalogue.models) for name, catalogue in catalogues.items()}
    for (endpoint, model), price in prices.items():
        if price is None:
            info = catalogues[endpoint].info(model) or ModelInfo(model)
            models[endpoint][model] = msgspec.structs.replace(info, prices=FREE)
    return {name: Catalogue(models[name], catalogue.known) for name, catalogue in catalogues.items()}
