"""Before a run: whether every part of a request reaches each model that is going to be asked.

What was found is kept in the store, and holds for a day, for the same address, chat template and version of this
package. Nothing is measured where a part does not reach the model.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeVar

import msgspec

from independence import __version__
from independence.clients import delivery
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.delivery import DeliveryFindings, Probe, Shape
from independence.clients.listing import ServerProperties
from independence.clients.prompt_lengths import PromptLengths
from independence.clients.protocol import GaveUp, Parked, Refused
from independence.config.subjects import PYTHON, SIM
from independence.engine import dialogue, estimate
from independence.engine.concurrency import StopSignal
from independence.engine.events import DeliveryUnverified, EventHandler, ModelStopped
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import RunContext
from independence.engine.service import CheckedEndpoints, policy
from independence.errors import UsageError
from independence.judge import model
from independence.judge.model import ModelJudge
from independence.judge.schema import json_schema
from independence.store import deliveries, records
from independence.store.deliveries import DeliveryRow
from independence.store.writer import StoreCall
from independence.suites.schema import Suite
from independence.types import ChatRequest

T = TypeVar("T")
JUDGED: Final = "judge"  # in place of a delivery mode
_HOLDS: Final = timedelta(days=1)
_POLL_S: Final = 0.1
_AT_ONCE: Final = 12  # models of one endpoint that are probed beside each other


class ProbedModel(NamedTuple):
    """Who is asked, and in which way."""

    endpoint: str
    model: str
    provider: str | None
    delivery: str  # a mode, or JUDGED

    @property
    def name(self) -> str:
        """The model with its pinned provider, as stores have it."""
        return f"{self.model}+{self.provider}" if self.provider else self.model

    def __str__(self) -> str:
        how = "as judge" if self.delivery == JUDGED else f"in {self.delivery}"
        return f"{self.endpoint}/{self.name} {how}"


def shapes(suite: Suite, todo: Sequence[PendingTrial]) -> dict[ProbedModel, Shape]:
    """How every model that is going to be asked is asked, with its longest prompt.

    Simulated ones and functions need no probe.
    """
    asked: dict[ProbedModel, ChatRequest] = {}
    longest: defaultdict[ProbedModel, float] = defaultdict(float)
    prompts = estimate.rubrics(suite)
    for item, _ in estimate.alike(todo):
        trial, subject = item.trial, item.trial.subject
        if item.calls and subject.endpoint not in (SIM, PYTHON):
            key = _of_subject(trial)
            longest[key] = max(longest[key], estimate.longest_prompt(trial) + dialogue.most_tokens(trial))
            asked.setdefault(key, dialogue.request(trial, dialogue.blank_progress(trial, 0)))
        rubric = suite.rubrics[trial.dialogue.scenario.rubric]
        for judge in map(model.asked, item.judges if rubric.fields else ()):
            if judge is not None:
                key = _of_judge(judge)
                prompt = estimate.longest_judge_prompt(trial, judge.name, prompts)
                longest[key] = max(longest[key], prompt + judge.max_tokens)
                bare = rubric.verdict != "object" or rubric.prompt_as
                schema = None if bare else json_schema(rubric.fields, rubric.quote or "")
                asked.setdefault(key, ChatRequest(judge.model, (), judge.max_tokens, judge.sampling, schema=schema))
    return {key: Shape(request, longest[key], key.delivery == JUDGED) for key, request in asked.items()}


def _of_subject(trial: Trial) -> ProbedModel:
    subject = trial.subject
    return ProbedModel(subject.endpoint, subject.model, subject.sampling.provider, trial.dialogue.condition.mode)


def _of_judge(judge: ModelJudge) -> ProbedModel:
    return ProbedModel(judge.endpoint, judge.model, judge.provider, JUDGED)


async def check(
    context: RunContext, asked: Mapping[ProbedModel, Shape], found: CheckedEndpoints
) -> dict[ProbedModel, Refused | Parked | GaveUp]:
    """Probe every model of which nothing is known, and set its connection up by what was found.

    Returns who cannot be asked now, and why. Raises UsageError where a part does not reach a model, or where nobody can
    be asked, and what stops the run.
    """
    doors = {name: asyncio.Semaphore(min(_AT_ONCE, one.gate.limit)) for name, one in context.backends.items()}
    alone = defaultdict[tuple[str, str], asyncio.Lock](asyncio.Lock)  # the forms of a model are found one at a time

    async def one(key: ProbedModel, shape: Shape) -> DeliveryFindings | Refused | Parked | GaveUp:
        async with alone[key.endpoint, key.model], doors[key.endpoint]:
            return await _one(context, key, shape, found.properties[key.endpoint])

    shapes = {
        key: shape._replace(context=found.properties[key.endpoint].context, slots=found.properties[key.endpoint].slots)
        for key, shape in asked.items()
    }
    probes = [asyncio.create_task(one(*item)) for item in shapes.items()]
    results = dict(zip(shapes, await _unless_stopped(probes, context.stop_signal), strict=True))
    lost = {key: own for key, own in results.items() if isinstance(own, DeliveryFindings) and own.lost}
    if lost:
        told = {key: delivery.lacking(own, shapes[key]) for key, own in lost.items()}
        raise UsageError("; ".join(f"{key}: {what}" for key, (what, _) in told.items()), next(iter(told.values()))[1])
    refused = {key: own for key, own in results.items() if not isinstance(own, DeliveryFindings)}
    if refused and len(refused) == len(results):
        why = "; ".join(dict.fromkeys(f"{key}: {stop.why}" for key, stop in refused.items()))
        lasting = any(isinstance(stop, Refused) for stop in refused.values())
        raise UsageError(why.rstrip("."), "" if lasting else "the same command asks again")
    return refused


async def _unless_stopped(tasks: list[asyncio.Task[T]], stop_signal: StopSignal) -> list[T]:
    """What tasks come to. Raises what one raises, or why the run is to stop: nothing was planned yet."""
    try:
        waiting = set(tasks)
        while waiting:
            done, waiting = await asyncio.wait(waiting, timeout=_POLL_S, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
            if stop_signal.reason is not None:
                raise stop_signal.reason
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _one(
    context: RunContext, key: ProbedModel, shape: Shape, properties: ServerProperties
) -> DeliveryFindings | Refused | Parked | GaveUp:
    client = context.backends[key.endpoint].client
    assert isinstance(client, OpenAIClient)
    connection = client.connection
    assert isinstance(connection, EndpointConnection)
    address, template = connection.endpoint.printable, properties.template
    found = await context.writer.write(StoreCall(_known, key, address, template))
    if found is None:
        try:
            found = await _probed(connection, key, shape)
        except (Refused, Parked, GaveUp) as stop:
            return stop
        row = DeliveryRow(
            key.endpoint, key.name, key.delivery, address=address, template=template, version=__version__,
            found=msgspec.json.encode(found).decode(), probed_at=records.now(),
        )  # fmt: skip
        if not found.lost:
            await context.writer.write(StoreCall(deliveries.add, row))
    else:
        connection.choices[key.model] = connection.usual | found.choices | dict(connection.choices.get(key.model, {}))
        connection.tell(shape.request)
    if found.whole_counts and found.verified:
        connection.lengths.setdefault(key.model, PromptLengths(found.per_word))
    if not found.verified and not found.lost:
        connection.unverified.add(key.model)
        context.on_event(DeliveryUnverified(str(key), delivery.unverified(found)))
    return found


async def _probed(connection: EndpointConnection, key: ProbedModel, shape: Shape) -> DeliveryFindings:
    """What reaches a model. Where several servers share the endpoint every one is probed, and of what they differ in
    the lesser is true. Raises UsageError where a part is lost at one of them, and what `Probe.run` raises.
    """
    several = bool(connection.endpoint.others)
    results = []
    for one in connection.of_each_server if several else [connection]:
        found = await Probe(OpenAIClient(one, policy(one.endpoint)), shape).run()
        if several and found.lost:
            what, fix = delivery.lacking(found, shape)
            raise UsageError(f"{key} at {one.endpoint.printable}: {what}", fix)
        results.append(found)
        if several:
            connection.take(one.known)
    least = min(results, key=lambda found: found.verified)
    choices = {name: form for found in results for name, form in found.choices.items()}
    counted = all(found.whole_counts for found in results)
    return msgspec.structs.replace(least, choices=choices, whole_counts=counted)


def unknown(
    connection: sqlite3.Connection, asked: Mapping[ProbedModel, Shape], found: CheckedEndpoints
) -> dict[ProbedModel, Shape]:
    """Those that have to be probed."""
    at = {key: found.endpoints[key.endpoint].printable for key in asked}
    told = {key: found.properties[key.endpoint].template for key in asked}
    return {key: shape for key, shape in asked.items() if _known(connection, key, at[key], told[key]) is None}


def _known(connection: sqlite3.Connection, key: ProbedModel, address: str, template: str) -> DeliveryFindings | None:
    """What the last probe found, where it still holds."""
    row = deliveries.latest(connection, key.endpoint, key.name, key.delivery)
    if row is None or (row.address, row.template, row.version) != (address, template, __version__):
        return None
    if datetime.now(UTC) - datetime.fromisoformat(row.probed_at) > _HOLDS:
        return None
    return msgspec.json.decode(row.found, type=DeliveryFindings)


def without(
    todo: Sequence[PendingTrial], refused: Mapping[ProbedModel, Refused | Parked | GaveUp], on_event: EventHandler
) -> list[PendingTrial]:
    """The work without the models that cannot be asked now; `on_event` hears of each."""
    out, stopped = [], dict.fromkeys(ModelStopped(k.name, s.why) for k, s in refused.items() if k.delivery == JUDGED)
    for item in todo:
        judges = tuple(one for one in item.judges if (own := model.asked(one)) is None or _of_judge(own) not in refused)
        stop = refused.get(_of_subject(item.trial)) if item.calls else None
        if stop is not None:
            stopped[ModelStopped(stop.model, stop.why, item.trial.subject.label)] = None
        elif item.calls or judges:
            out.append(msgspec.structs.replace(item, judges=judges))
    for event in stopped:
        on_event(event)
    return out
