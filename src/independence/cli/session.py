"""From a resolved job to a finished run: models checked, plan approved and stored, work done."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import asking
from independence.cli.asking import Model, Needs
from independence.clients.pricing import FREE, Prices
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import resume, run
from independence.engine.bench import Bench, Shares
from independence.engine.estimate import Estimate, estimate
from independence.engine.events import Event
from independence.engine.experience import learned
from independence.engine.plan import Trial
from independence.engine.profile import Profile
from independence.engine.resume import Left, Todo
from independence.engine.run import Outcome
from independence.errors import IndependenceError
from independence.judge.spec import JudgeSpec
from independence.store import leases, queries, records
from independence.store.records import EditionRow, SubjectRow, TrialRow
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
    notes: Sequence[str] = ()  # what to say about the plan
    stored: bool = False  # the trials are from the store: nothing is planned, only graded

    @property
    def place(self) -> tuple[str, str]:
        """(suite, edition)."""
        return self.suite.suite, self.edition

    @property
    def rubrics(self) -> dict[str, str]:
        """Scenario -> rubric digest."""
        return {s.id: digest.rubric(self.suite, s) for s in self.suite.scenarios}


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
        needs = Needs(job.endpoints, _models(left), job.max_cost, job.allow_unpriced)
        found = await stack.enter_async_context(asking.checked(needs))
        cost = estimate(_bought(connection, job, left), found.prices, _profile(connection, job, found.prices))
        asking.refuse_unpriced(needs, cost.unpriced)
        if not await approve(left, cost):
            return None
        if not job.stored:
            with _transaction(connection):
                _write_plan(connection, job)
        service = await stack.enter_async_context(asking.opened(found, connection, path, watch))
        bench = Bench(job.suite, job.rubrics, service.backends, service.writer, watch, service.halt, leases.owner())
        outcome = await _graded(bench, job, left)
        budget = service.budget
    after = resume.compare(connection, job.place, job.trials, job.judges, job.rubrics)
    return Finished(after, outcome.stopped_by, outcome.skipped, budget.spent, budget.unknown)


def _bought(connection: sqlite3.Connection, job: Job, left: Left) -> Sequence[Todo]:
    """What is left, with judges that buy verdicts only where they will."""
    buyers = [judge for judge in job.judges if judge.buying is not None]
    if not buyers:
        return left.todo
    from independence.engine import thinning  # the offline judge is slow to import

    states = {state.key: state for state in queries.states(connection, *job.place)}
    stored = {judge: resume.sales(connection, job.trials, states, judge, job.rubrics) for judge in buyers}
    return thinning.bought(left.todo, job.suite, stored)


async def _graded(bench: Bench, job: Job, left: Left) -> Outcome:
    """Ask and grade what is left; then let those judges speak that read all of it before they grade any."""
    outcome = await run.run(bench, resume.at_once(left.todo), job.shares)
    waiting = {spec for item in left.todo for spec in item.judges if not spec.at_once}
    if not waiting:
        return outcome
    from independence.engine import fleet

    for spec in job.judges:
        if spec in waiting and outcome.stopped_by is None:
            later = await fleet.grade(fleet.Fleet(bench, job.edition, job.trials, spec), job.shares)
            outcome = Outcome(later.stopped_by, outcome.skipped + later.skipped)
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


def _models(left: Left) -> dict[Model, bool]:
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


def _profile(
    connection: sqlite3.Connection, job: Job, prices: Mapping[tuple[str, str], Prices | None]
) -> Profile | None:
    """What stored calls say about tokens, where tokens cost anything."""
    costly = any(price not in (None, FREE) for price in prices.values())
    return learned(connection, job.suite, job.edition) if costly else None
