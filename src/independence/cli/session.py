"""From a resolved job to a finished run: models checked, plan approved and stored, work done."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import model_service, staged_runs
from independence.cli.event_loop import interruptible
from independence.cli.model_service import Model, ModelNeeds, ModelService
from independence.cli.staged_runs import StagedRuns
from independence.clients.pricing import FREE
from independence.config import subjects
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import cost_history, resume, run
from independence.engine.cost_history import CostHistory, PriceList
from independence.engine.estimate import CostEstimate, estimate
from independence.engine.events import Event
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial, PendingWork
from independence.engine.run import BeginRuns, RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.errors import IndependenceError
from independence.judge.spec import JudgeSpec
from independence.store import leases, queries, records
from independence.store.records import EditionRow, SubjectRow, TrialRow
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Where


class ResolvedRun(NamedTuple):
    """Everything a run needs, resolved."""

    suite: Suite
    edition: str
    personas: Mapping[str, str]
    trials: Sequence[Trial]
    judges: Sequence[JudgeSpec]
    endpoints: Mapping[str, Endpoint]
    shares: Parallelism
    max_cost: float | None = None
    allow_unpriced: bool = False
    notes: Sequence[str] = ()  # what to say about the plan
    stored: bool = False  # the trials are from the store: nothing is planned, only graded

    @property
    def where(self) -> Where:
        """The edition that is asked or graded."""
        return Where(self.suite.suite, self.edition)

    @property
    def rubrics(self) -> dict[str, str]:
        """Scenario -> rubric digest."""
        return {s.id: digest.rubric(self.suite, s) for s in self.suite.scenarios}


class RunResult(NamedTuple):
    """How a run ended, by the store."""

    left: PendingWork
    stopped_by: IndependenceError | None
    skipped: int
    spent_usd: float
    unknown_usd: float


Approve = Callable[[PendingWork, CostEstimate], Awaitable[bool]]


async def carry_out(
    job: ResolvedRun, connection: sqlite3.Connection, path: Path, watch: Callable[[Event], None], approve: Approve
) -> RunResult | None:
    """Check, plan, ask for approval, run. Returns None where approval was refused; then nothing was sent."""
    with interruptible():
        left = _preview(connection, job)
    async with AsyncExitStack() as stack:
        asked = {(item.trial.subject.endpoint, item.trial.subject.model) for item in left.todo if item.calls}
        models = _models(left)
        needs = ModelNeeds(
            job.endpoints,
            models,
            job.max_cost,
            job.allow_unpriced,
            job.where.edition_name,
            frozenset(models.keys() - asked),
        )
        found = await stack.enter_async_context(model_service.check_endpoints(needs))
        with interruptible():
            cost = _priced(connection, job, left, found.prices)
        model_service.refuse_unpriced(needs, cost.unlisted)
        if not await approve(left, cost):
            return None
        staged = staged_runs.needed(job.max_cost, cost)
        if not job.stored:
            with interruptible(), _transaction(connection):
                _write_plan(connection, job, _first_run(left) if staged else None)
        service = await stack.enter_async_context(model_service.open_service(found, connection, path, watch))
        bench = RunContext(
            job.suite, job.rubrics, service.backends, service.writer, watch, service.halt, leases.owner()
        )
        outcome = await _run_and_grade(bench, job, left, _begin_runs(job, service) if staged else None)
        budget = service.budget
    if staged and not job.stored and outcome.stopped_by is None:
        with _transaction(connection):
            _write_trials(connection, job)
    after = resume.compare(connection, job.where, job.trials, job.judges, job.rubrics)
    return RunResult(after, outcome.stopped_by, outcome.skipped, budget.spent, budget.unknown)


def _priced(connection: sqlite3.Connection, job: ResolvedRun, left: PendingWork, listed: PriceList) -> CostEstimate:
    """What is left to pay, by listed prices and by what such calls cost so far where none is listed."""
    todo, filled = _with_purchases(connection, job, left), cost_history.filled_prices(connection, listed, job.judges)
    history = _history(connection, job, filled.prices)
    cost = estimate(todo, filled.prices, history)
    unlisted = estimate(todo, listed, history).unpriced if filled.notes else cost.unpriced
    return cost._replace(unlisted=unlisted, notes=filled.notes)


def _with_purchases(connection: sqlite3.Connection, job: ResolvedRun, left: PendingWork) -> Sequence[PendingTrial]:
    """What is left, with judges that buy verdicts only where they will."""
    buyers = [judge for judge in job.judges if judge.buying is not None]
    if not buyers:
        return left.todo
    from independence.engine import expected_purchases  # the offline judge is slow to import

    states = {state.key: state for state in queries.states(connection, job.where)}
    stored = {
        judge: resume.purchasable_verdicts(connection, job.trials, states, judge, job.rubrics) for judge in buyers
    }
    return expected_purchases.with_expected_purchases(left.todo, job.suite, stored)


def _first_run(left: PendingWork) -> int:
    return min((item.trial.run for item in left.todo), default=1)


async def _run_and_grade(bench: RunContext, job: ResolvedRun, left: PendingWork, begin: BeginRuns | None) -> RunOutcome:
    """Ask and grade what is left; then let those judges speak that read all of it before they grade any."""
    outcome = await run.run(bench, resume.without_batch_judges(left.todo), job.shares, begin)
    waiting = {spec for item in left.todo for spec in item.judges if not spec.at_once}
    if not waiting:
        return outcome
    from independence.engine import batch_grading

    for spec in job.judges:
        if spec in waiting and outcome.stopped_by is None:
            later = await batch_grading.grade(
                batch_grading.BatchGrading(bench, job.edition, job.trials, spec), job.shares
            )
            outcome = RunOutcome(later.stopped_by, outcome.skipped + later.skipped)
    return outcome


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _preview(connection: sqlite3.Connection, job: ResolvedRun) -> PendingWork:
    """What would be left if the plan were stored: a refused or mistyped run leaves no trace."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not job.stored:
            _write_plan(connection, job)
        return resume.compare(connection, job.where, job.trials, job.judges, job.rubrics)
    finally:
        connection.execute("ROLLBACK")


def _begin_runs(job: ResolvedRun, service: ModelService) -> BeginRuns:
    """Begins run after run, and stores the plan of each as it begins."""

    async def planned(run: int) -> None:
        if not job.stored:
            await service.writer.write(lambda connection: _write_trials(connection, job, run))

    return StagedRuns(service.budget, planned).begin


def _write_plan(connection: sqlite3.Connection, job: ResolvedRun, last_run: int | None = None) -> None:
    """Edition, subjects and trials up to a run: coverage counts against this."""
    edition = EditionRow(job.where.suite, job.where.edition, msgspec.json.encode(job.suite).decode())
    chosen = {trial.subject.config_dir: trial.subject for trial in job.trials}
    records.add_edition(connection, edition)
    for variant, text in job.personas.items():
        records.add_persona(connection, edition, variant, text)
    records.add_subjects(connection, [_subject_row(job, subject) for subject in chosen.values()])
    _write_trials(connection, job, last_run)


def _write_trials(connection: sqlite3.Connection, job: ResolvedRun, last_run: int | None = None) -> None:
    chosen = [trial for trial in job.trials if last_run is None or trial.run <= last_run]
    records.add_trials(connection, [_trial_row(job, trial) for trial in chosen])


def _subject_row(job: ResolvedRun, subject: Subject) -> SubjectRow:
    return SubjectRow(
        job.where.suite, job.where.edition, subject.config_dir, subject.label, subject.model_id, subject.simulated,
        subjects.to_json(subject),
    )  # fmt: skip


def _trial_row(job: ResolvedRun, trial: Trial) -> TrialRow:
    dialogue = trial.dialogue
    return TrialRow(
        trial.key, job.where.suite, job.where.edition, trial.subject.config_dir, *dialogue.condition,
        dialogue.scenario.experiment, dialogue.scenario.id, trial.run,
        trial.parent.key if trial.parent else None, dialogue.generated, trial.shape,
    )  # fmt: skip


def _models(left: PendingWork) -> dict[Model, bool]:
    """Who will be asked -> whether with tools."""
    needed: dict[Model, bool] = {}
    for item in left.todo:
        subject = item.trial.subject
        if item.calls:
            model, tools = (subject.endpoint, subject.model), item.trial.dialogue.tool is not None
            needed[model] = needed.get(model, False) or tools
        for judge in item.judges:
            if judge.asks:
                needed.setdefault((judge.endpoint, judge.model), False)
    return needed


def _history(connection: sqlite3.Connection, job: ResolvedRun, prices: PriceList) -> CostHistory | None:
    """What stored calls say about tokens, where tokens cost anything."""
    costly = any(price not in (None, FREE) for price in prices.values())
    return cost_history.learned(connection, job.suite, job.edition) if costly else None
