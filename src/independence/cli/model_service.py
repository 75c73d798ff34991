"""What a command needs to ask models: endpoints checked first, then clients, doors, one budget, one writer, Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import aiohttp
import click
import msgspec

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.listing import check
from independence.clients.openai import OpenAIClient
from independence.clients.pricing import FREE, Budget, Prices
from independence.clients.protocol import GaveUp, Policy, Wait
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.config.subjects import SIM
from independence.engine.events import CallWaiting, ConcurrencyChanged, Event, RunStopping
from independence.engine.gate import EndpointGate
from independence.engine.model_limits import PerModelLimits
from independence.engine.run_context import EndpointBackend
from independence.engine.stop_signal import StopSignal
from independence.errors import IndependenceError, Interrupted, UsageError
from independence.judge.spec import CUES
from independence.store.sessions import SessionLedger
from independence.store.writer import Writer
from independence.testing.loopback import serving
from independence.testing.loopback.settings import LoopbackSettings

ASK_ABOVE_USD = 5.0
Model = tuple[str, str]  # endpoint, model id there


class ModelNeeds(NamedTuple):
    """Who will be asked, and what it may cost."""

    endpoints: Mapping[str, Endpoint]
    models: Mapping[Model, bool]  # -> whether it must take tools
    max_cost: float | None = None
    allow_unpriced: bool = False
    about: str = ""  # what the ledger says of it; "" for what is stored nowhere
    grading: frozenset[Model] = frozenset()  # models that are asked for verdicts alone


class CheckedEndpoints(NamedTuple):
    """Endpoints that answer and have what is needed. Nothing that costs money was sent."""

    needs: ModelNeeds
    session: aiohttp.ClientSession
    catalogues: Mapping[str, Catalogue]

    @property
    def prices(self) -> dict[Model, Prices | None]:
        """What the models cost; None for unknown."""
        found = {model: self.catalogues[model[0]].info(model[1]) for model in self.needs.models}
        return {model: info.prices if info else None for model, info in found.items()}


class ModelService(NamedTuple):
    """Everything that asking goes through."""

    backends: Mapping[str, EndpointBackend]
    halt: StopSignal
    writer: Writer
    budget: Budget


@asynccontextmanager
async def check_endpoints(needs: ModelNeeds) -> AsyncIterator[CheckedEndpoints]:
    """Ask every endpoint for its models, before anything is spent. Raises UsageError, KeyRejected."""
    async with open_session() as session:
        catalogues = {}
        for name, endpoint in needs.endpoints.items():
            models = {model: tools for (at, model), tools in needs.models.items() if at == name}
            try:
                known = await check(endpoint, models, session, policy(endpoint)) if models else Catalogue(known=False)
            except UsageError as error:
                raise _of_judge(error, name, models, needs.grading) from error
            catalogues[name] = known
        yield CheckedEndpoints(needs, session, catalogues)


def _of_judge(error: UsageError, endpoint: str, models: Mapping[str, bool], grading: Collection[Model]) -> UsageError:
    """The error, with the way to grade without a model where it is about nobody but judges."""
    subjects = [model for model in models if (endpoint, model) not in grading]
    judges = [model for model in models if (endpoint, model) in grading]
    named = any(f"no model `{model}`" in str(error) for model in judges)
    if not judges or (subjects and not named):
        return error
    said = f"the judge cannot be asked: {error}"
    otherwise = " Or" if said.endswith("?") else "; or"
    return type(error)(f"{said}{otherwise} grade with --judge {CUES}, or not yet: --no-judge")


@asynccontextmanager
async def open_service(
    found: CheckedEndpoints, connection: sqlite3.Connection, path: Path, watch: Callable[[Event], None]
) -> AsyncIterator[ModelService]:
    """Clients, doors, budget and writer for the length of a command. Ctrl-C stops it in order, a second one at once."""
    needs, catalogues = found.needs, found.catalogues
    if needs.allow_unpriced:
        catalogues = _unpriced_as_free(catalogues, found.prices)
    budget = Budget(needs.max_cost)
    throttles = {name: _throttle(name, endpoint.max_concurrency, watch) for name, endpoint in needs.endpoints.items()}
    gates = {name: EndpointGate(lambda t=throttle: t.limit) for name, throttle in throttles.items()}  # type: ignore[misc]
    halt = StopSignal(gates.values(), watch)

    def notify(wait: Wait) -> None:
        if halt.reason is not None:
            raise GaveUp(wait.model, "the run is stopping")
        watch(CallWaiting(wait))

    clients = {
        name: OpenAIClient(
            endpoint,
            found.session,
            catalogues[name],
            budget=budget,
            throttle=throttles[name],
            notify=notify,
            policy=policy(endpoint),
        )
        for name, endpoint in needs.endpoints.items()
    }
    writer = Writer(connection, path, _ledger_writer(budget, needs.about) if needs.about else None)
    on_interrupt(halt, watch)
    try:
        wards = {name: PerModelLimits(endpoint, clients[name].buckets) for name, endpoint in needs.endpoints.items()}
        backends = {name: EndpointBackend(clients[name], gates[name], wards[name]) for name in clients}
        yield ModelService(backends, halt, writer, budget)
    finally:
        with suppress(IndependenceError):  # a full disk was reported already
            await writer.write(lambda _: None)  # so that the last dollars are in the ledger
        await writer.close()


def _throttle(name: str, cap: int, watch: Callable[[Event], None]) -> Throttle:
    return Throttle(cap, lambda slots: watch(ConcurrencyChanged(name, slots, cap)))


async def loopback(stack: AsyncExitStack) -> Endpoint:
    """The endpoint that serves `sim/` ids, up until the stack closes. Simulated models cost nothing."""
    server = await stack.enter_async_context(serving(LoopbackSettings(price="0/0")))
    return Endpoint(SIM, server.base_url, "openrouter", "loopback", 200)


def policy(endpoint: Endpoint) -> Policy:
    """How an endpoint is tried again."""
    return Policy(base_backoff_s=endpoint.backoff_s, retries=endpoint.retries)


def refuse_unpriced(needs: ModelNeeds, unpriced: tuple[str, ...]) -> None:
    """Raises UsageError where a cap cannot be held because a price is not known."""
    if needs.max_cost is not None and unpriced and not needs.allow_unpriced:
        raise UsageError(
            f"--max-cost cannot be held: no price is known for {', '.join(unpriced)}; "
            "leave it out, or accept its cost with --allow-unpriced"
        )


def affordable(usd: float, agreed: bool) -> bool:
    """Whether to go ahead at a typical cost of `usd`. `agreed`: by --yes, or bounded by --max-cost."""
    if agreed or usd <= ASK_ABOVE_USD:
        return True
    if not sys.stdin.isatty():
        raise click.UsageError(f"this may cost about ${usd:.2f}; add --yes or --max-cost to go ahead")
    return click.confirm(f"about ${usd:.2f}; go ahead?", err=True)


def on_interrupt(halt: StopSignal, watch: Callable[[Event], None]) -> None:
    """First Ctrl-C: finish what is in flight. Second: drop it."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def interrupted() -> None:
        if isinstance(halt.reason, Interrupted):
            task.cancel()
        elif halt.reason is None:
            halt.stop(Interrupted("interrupted"))
        else:
            watch(RunStopping("interrupted", dropped=True))
            task.cancel()

    lost = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []  # the terminal, as when an SSH session ends
    for number in (signal.SIGINT, signal.SIGTERM, *lost):
        if signal.getsignal(number) is signal.SIG_IGN:
            continue  # as under nohup
        loop.add_signal_handler(number, interrupted)


def _ledger_writer(budget: Budget, about: str) -> Callable[[sqlite3.Connection], None]:
    """Writes what this command has spent so far into the ledger."""
    context = click.get_current_context(silent=True)
    ledger = SessionLedger((context and context.info_name) or "", about)
    return lambda connection: ledger.note(connection, budget.spent, budget.unknown)


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
