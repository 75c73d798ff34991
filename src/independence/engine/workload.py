"""What a run will take on servers of the user's own: calls, tokens, and at the measured rate how long."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec

from independence.clients import dialects
from independence.clients.limits import Budget
from independence.clients.protocol import ChatClient, GaveUp, Parked, Refused
from independence.engine import service
from independence.engine.concurrency import StopSignal
from independence.engine.estimate import CostEstimate
from independence.engine.events import WorkExpected
from independence.engine.progress import RunProgress
from independence.engine.resume import PendingTrial
from independence.engine.run_context import EndpointBackend, RunContext
from independence.engine.service import CheckedEndpoints, Model
from independence.store import spending
from independence.store.writer import StoreCall
from independence.types import ChatRequest, Message, Sampling

_TOKENS: Final = 32  # of the answer by which a rate is measured
_QUESTION: Final = "Describe a harbour on a rainy morning, in one paragraph."

Work = tuple[int, float, Sampling]
"""Calls, the tokens that will be written, and what the model is asked with."""


async def tell(context: RunContext, todo: Sequence[PendingTrial], cost: CostEstimate, found: CheckedEndpoints) -> None:
    """Tell the watcher, for each model on a server of the user's own. Raises what ends the run."""
    for model, work in _expected(todo, cost, found).items():
        each = await context.writer.write(StoreCall(spending.tokens_per_second, *model))
        context.on_event(await _timed(model, work, each, context.backends[model[0]], context.counts, found))


async def planned(
    connection: sqlite3.Connection, todo: Sequence[PendingTrial], cost: CostEstimate, found: CheckedEndpoints
) -> tuple[WorkExpected, ...]:
    """What `tell` tells, of a run that is only planned. Nothing of the answers by which rates are measured is kept."""
    out = []
    for model, work in _expected(todo, cost, found).items():
        counts, once = RunProgress(), msgspec.structs.replace(found.endpoints[model[0]], retries=0)
        parts = service.backend(
            once, found.session, found.catalogues[model[0]], Budget(None),
            partial(service.hear, stop_signal=StopSignal([], counts), on_event=counts),
        )  # fmt: skip
        out.append(await _timed(model, work, spending.tokens_per_second(connection, *model), parts, counts, found))
    return tuple(out)


async def _timed(
    model: Model, work: Work, each: float, parts: EndpointBackend, counts: RunProgress, found: CheckedEndpoints
) -> WorkExpected:
    """How long work will take, by the stored rate of a call (`each`), else by that of one short answer.

    A stored rate is that of one call among others, its wait in the server's line included: so many calls at once, so
    many times that rate.
    """
    calls, tokens, sampling = work
    rate = each * min(calls, parts.gate.limit) or await _measured(parts.client, counts, model, sampling, found)
    return WorkExpected("/".join(model), calls, round(tokens), rate)


def _expected(todo: Sequence[PendingTrial], cost: CostEstimate, found: CheckedEndpoints) -> dict[Model, Work]:
    """Model -> its calls, the tokens that it will write, and settings that it is asked with."""
    models = {item.trial.subject.config_dir: item.trial.subject for item in todo}
    judges = {judge.name: judge for item in todo for judge in item.judges if judge.endpoint}
    out: dict[Model, Work] = {}
    for payer, bill in cost.bills.items():
        if payer.config_dir not in models:  # it cannot be asked now
            continue
        judge, subject = judges.get(payer.judge), models[payer.config_dir]
        model = (judge.endpoint, judge.model) if judge else (subject.endpoint, subject.model)
        if dialects.of(found.endpoints[model[0]].dialect).own_server:
            calls, tokens, sampling = out.get(model, (0, 0.0, Sampling() if judge else subject.sent))
            out[model] = (calls + bill.calls + bill.steps, tokens + bill.completion, sampling)
    return out


async def _measured(
    client: ChatClient, counts: RunProgress, model: Model, sampling: Sampling, found: CheckedEndpoints
) -> float:
    """Tokens a second of a short answer; 0 where it is not streamed, costs something, or does not come."""
    endpoint, name = found.endpoints[model[0]], model[1]
    prices = dialects.of(endpoint.dialect).prices(found.catalogues[model[0]].info(name))
    if not endpoint.stream or prices is None or prices.completion:
        return 0.0
    request = ChatRequest(name, (Message("user", _QUESTION),), _TOKENS, sampling)
    with suppress(Refused, Parked, GaveUp):
        await client.ask(request)
    return counts.tokens_per_second
