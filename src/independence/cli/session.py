"""From a resolved job to a finished run: models checked, plan approved and stored, work done."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import msgspec

from independence.clients.budget import Budget
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.check import check
from independence.clients.openai import OpenAIClient
from independence.clients.pricing import FREE, Prices
from independence.clients.protocol import GaveUp, Wait
from independence.clients.retry import Policy
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import resume, run
from independence.engine.bench import Backend, Bench, Shares
from independence.engine.estimate import Estimate, estimate
from independence.engine.events import Event, Stopping, Waiting
from independence.engine.gate import Gate
from independence.engine.halt import Halt
from independence.engine.plan import Trial
from independence.engine.resume import Left
from independence.errors import IndependenceError, Interrupted, UsageError
from independence.judge.spec import CUES, JudgeSpec
from independence.store import leases, records
from independence.store.records import EditionRow, SubjectRow, TrialRow
from independence.store.writer import Writer
from independence.suites import digest
from independence.suites.schema import Suite


class Job(NamedTuple):
    """Everything a run needs, resolved."""

    suite: Suite
    edition: str
    personas: Mapping[str, str]
    trials: Sequence[Trial]
    judges: Sequence[JudgeSpec]
    endpoints: Mapping[str, Endpoint]
    shares: Shares
    max_cost: float | None = None
    allow_unpriced: bool = False
    stored: bool = False  # the trials are from the store: nothing is planned, only graded

    @property
    def place(self) -> tuple[str, str]:
        """(suite, edition)."""
        return self.suite.suite, self.edition

    @property
    def rubrics(self) -> dict[str, str]:
        """Scenario -> rubric digest."""
        return {s.id: digest.rubric(self.suite, s.rubric) for s in self.suite.scenarios}


class Finished(NamedTuple):
    """How a run ended, by the store."""

    left: Left
    stopped_by: IndependenceError | None
    skipped: int
    spent_usd: float
    unknown_usd: float


Approve = Callable[[Left, Estimate], Awaitable[bool]]


async def carry_out(
    job: Job, connection: sqlite3.Connection, path: Path, watch: Callable[[Event], None], approve: Approve
) -> Finished | None:
    """Check, plan, ask for approval, run. Returns None where approval was refused; then nothing was sent."""
    left = _preview(connection, job)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session())
        catalogues = await _check(job, left, session)
        prices = _prices(job, catalogues)
        _refuse_unpriced(job, left, prices)
        if not await approve(left, estimate(left.todo, prices)):
            return None
        if job.allow_unpriced:
            catalogues = _unpriced_as_free(catalogues, prices)
        if not job.stored:
            with _transaction(connection):
                _write_plan(connection, job)
        budget = Budget(job.max_cost)
        throttles = {name: Throttle(endpoint.max_concurrency) for name, endpoint in job.endpoints.items()}
        gates = {name: Gate(lambda t=throttle: t.limit) for name, throttle in throttles.items()}  # type: ignore[misc]

        halt = Halt(gates.values(), watch)

        def notify(wait: Wait) -> None:
            if halt.reason is not None:
                raise GaveUp(wait.model, "the run is stopping")
            watch(Waiting(wait))

        clients = {
            name: OpenAIClient(endpoint, session, catalogues[name], budget, throttles[name], notify, _policy(endpoint))
            for name, endpoint in job.endpoints.items()
        }
        backends = {name: Backend(clients[name], gates[name]) for name in clients}
        writer = Writer(connection, path)
        stack.push_async_callback(writer.close)
        _on_interrupt(halt, watch)
        bench = Bench(job.suite, job.rubrics, backends, writer, watch, halt, leases.owner())
        outcome = await run.run(bench, left.todo, job.shares)
    after = resume.compare(connection, job.place, job.trials, job.judges, job.rubrics)
    return Finished(after, outcome.stopped_by, outcome.skipped, budget.spent, budget.unknown)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _preview(connection: sqlite3.Connection, job: Job) -> Left:
    """What would be left if the plan were stored: a refused or mistyped run leaves no trace."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not job.stored:
            _write_plan(connection, job)
        return resume.compare(connection, job.place, job.trials, job.judges, job.rubrics)
    finally:
        connection.execute("ROLLBACK")


def _write_plan(connection: sqlite3.Connection, job: Job) -> None:
    """Edition, subjects and trials: coverage counts against this."""
    edition = EditionRow(*job.place, msgspec.json.encode(job.suite).decode())
    subjects = {trial.subject.config_dir: trial.subject for trial in job.trials}
    records.add_edition(connection, edition)
    for variant, text in job.personas.items():
        records.add_persona(connection, edition, variant, text)
    records.add_subjects(connection, [_subject_row(job, subject) for subject in subjects.values()])
    records.add_trials(connection, [_trial_row(job, trial) for trial in job.trials])


def _subject_row(job: Job, subject: Subject) -> SubjectRow:
    config = msgspec.json.encode(subject).decode()
    return SubjectRow(*job.place, subject.config_dir, subject.label, subject.model_id, subject.simulated, config)


def _trial_row(job: Job, trial: Trial) -> TrialRow:
    dialogue = trial.dialogue
    return TrialRow(
        trial.key, *job.place, trial.subject.config_dir, *dialogue.condition, dialogue.scenario.experiment,
        dialogue.scenario.id, trial.run, trial.parent.key if trial.parent else None, dialogue.generated, trial.shape,
    )  # fmt: skip


async def _check(job: Job, left: Left, session: aiohttp.ClientSession) -> dict[str, Catalogue]:
    """Ask every endpoint for its models, before anything is spent."""
    needed: dict[str, dict[str, bool]] = {name: {} for name in job.endpoints}
    for item in left.todo:
        subject = item.trial.subject
        if item.calls:
            tools = item.trial.dialogue.tool is not None
            models = needed[subject.endpoint]
            models[subject.model] = models.get(subject.model, False) or tools
        for judge in item.judges:
            if judge.kind != CUES:
                needed[judge.endpoint].setdefault(judge.model, False)
    return {
        name: await check(endpoint, needed[name], session, _policy(endpoint))
        if needed[name]
        else Catalogue({}, known=False)
        for name, endpoint in job.endpoints.items()
    }


def _policy(endpoint: Endpoint) -> Policy:
    return Policy(base_backoff_s=endpoint.backoff_s, retries=endpoint.retries)


def _prices(job: Job, catalogues: Mapping[str, Catalogue]) -> dict[tuple[str, str], Prices | None]:
    pairs = {(trial.subject.endpoint, trial.subject.model) for trial in job.trials}
    pairs |= {(judge.endpoint, judge.model) for judge in job.judges if judge.kind != CUES}
    found = {pair: catalogues[pair[0]].info(pair[1]) for pair in pairs if pair[0] in catalogues}
    return {pair: info.prices if info else None for pair, info in found.items()}


def _unpriced_as_free(
    catalogues: Mapping[str, Catalogue], prices: Mapping[tuple[str, str], Prices | None]
) -> dict[str, Catalogue]:
    """Catalogues in which nothing is reserved for a model without a price; what it turns out to cost counts."""
    models = {name: dict(catalogue.models) for name, catalogue in catalogues.items()}
    for (endpoint, model), price in prices.items():
        if price is None:
            info = catalogues[endpoint].info(model) or ModelInfo(model)
            models[endpoint][model] = msgspec.structs.replace(info, prices=FREE)
    return {name: Catalogue(models[name], catalogue.known) for name, catalogue in catalogues.items()}


def _refuse_unpriced(job: Job, left: Left, prices: Mapping[tuple[str, str], Prices | None]) -> None:
    if job.max_cost is None or job.allow_unpriced:
        return
    unknown = estimate(left.todo, prices).unpriced
    if unknown:
        raise UsageError(
            f"--max-cost cannot be held: no price is known for {', '.join(unknown)}; "
            "leave it out, or accept its cost with --allow-unpriced"
        )


def _on_interrupt(halt: Halt, watch: Callable[[Event], None]) -> None:
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
            watch(Stopping("interrupted: dropping the calls in flight"))
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted)
