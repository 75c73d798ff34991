"""From a resolved run to its result: models checked, plan approved and stored, work done.

Where the cost cap may not cover all runs, they are begun one after the other, so that those it covers are whole. A run
counts as planned once it is begun: a run that the cap never let begin is no missing measurement.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from independence.clients import dialects
from independence.clients.limits import FREE
from independence.clients.listing import ServerPages
from independence.config import subjects
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import (
    asking,
    delivery,
    estimate,
    examining,
    resume,
    run,
    service,
    weights,
    workload,
)
from independence.engine.estimate import CostEstimate
from independence.engine.events import EventHandler, JudgeExamined, ModelStopped, SubjectStarted, WorkExpected
from independence.engine.examining import ExaminationPlan
from independence.engine.executors import choice
from independence.engine.executors.protocol import Executor
from independence.engine.plan import Trial
from independence.engine.resolve import RunPlan
from independence.engine.resume import PendingTrial, PendingWork
from independence.engine.run import BeginRuns, RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.engine.service import CheckedEndpoints, Hooks, Model
from independence.errors import CostCapReached, IndependenceError, StoreUnwritable, UsageError
from independence.judge.examination import Examination
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.judge.replies import repeated_answers
from independence.store import decisions, missing, queries, records, repetitions
from independence.store.file import database
from independence.store.records import EditionRow, SubjectRow, TrialRow
from independence.store.spending import SessionLedger
from independence.store.writer import StoreCall
from independence.types import Condition


class RunPreview(msgspec.Struct, frozen=True):
    """What is about to be asked, before anything that costs is sent."""

    run: RunPlan
    left: PendingWork
    cost: CostEstimate
    differing: Counter[str]  # fields in which stored trials of other editions differ -> how many do
    expected: tuple[WorkExpected, ...] = ()  # of models on servers of the user's own, where nothing but a plan is made
    unexamined: str = ""  # what to say of judges of which nothing shows that they can judge
    parts: Mapping[str, RunPreview] = MappingProxyType({})  # of a profile, by name: all of them together

    def __repr__(self) -> str:
        cost, (low, high) = self.cost, self.cost.range_usd
        dollars = f"about ${cost.typical_usd:.4f}, likely ${low:.4f} to ${high:.4f}"
        unpriced = f"; no price known for {', '.join(cost.unpriced)}" if cost.unpriced else ""
        work = f"{cost.calls} calls and {cost.verdicts} verdicts to go"
        return f"RunPreview({self.run.where.edition_name}: {work}, {dollars}{unpriced})"


class RunEnding(msgspec.Struct, frozen=True):
    """How a run ended, by the store."""

    run: RunPlan
    left: PendingWork
    started: bool = False  # not where it was not approved, or is a dry run: then nothing was sent
    stopped_by: IndependenceError | None = None
    skipped: int = 0  # dialogues that another process is working on
    spent_usd: float = 0.0
    unknown_usd: float = 0.0  # of it: reserved for calls whose cost never came back
    why: Mapping[str, str] = MappingProxyType({})  # reason of what is missing -> the sentence behind most of it
    unmeasurable: str = ""  # in a sentence: why a subject was not asked any more on which nothing can be measured
    unsettled: str = ""  # why calls could not be settled in this run, and what helps: the sentence behind most of them

    @property
    def unfinished(self) -> int:
        """Dialogues with calls or verdicts left; the same run goes on with them."""
        return len(self.left.todo)

    @property
    def missing(self) -> dict[str, int]:
        """Answers and verdicts that came to nothing, by reason."""
        return dict(self.left.missing)

    @property
    def complete(self) -> bool:
        """Whether nothing is left and nothing is missing."""
        return not self.left.todo and not self.left.missing


class Resolver(NamedTuple):
    """How a run is resolved. Both raise IndependenceError."""

    local_server: Callable[[sqlite3.Connection], Endpoint | None]  # which has to be asked first for its models
    resolve: Callable[[sqlite3.Connection, ServerPages | None], RunPlan]  # by what that server tells


def together(parts: Mapping[str, RunPreview]) -> RunPreview:
    """At least one run as one, by name, at one price; what is said of each stays with it."""
    every = list(parts.values())
    endpoints = {name: endpoint for one in every for name, endpoint in one.run.endpoints.items()}
    left, cost = resume.together([one.left for one in every]), estimate.together([one.cost for one in every])
    return RunPreview(msgspec.structs.replace(every[0].run, endpoints=endpoints), left, cost, Counter(), parts=parts)


Approve = Callable[[RunPreview], Awaitable[bool]]


async def run_pipeline(
    resolver: Resolver, connection: sqlite3.Connection, path: Path, approve: Approve, hooks: Hooks
) -> RunEnding:
    """Resolve, plan, check, ask for approval, run. What was refused, or is a dry run, is not started."""
    local = await service.read_local(resolver.local_server(connection), hooks.on_event)
    with hooks.blocking():
        job = resolver.resolve(connection, local)
        cluster = choice.chosen(job.options)
        left = _preview(connection, job)
        exam = _examination(job, left)
    async with _checked(job, left, hooks.on_event) as found:
        preview = await _timed(connection, job, left, found, exam, hooks)
        cost = preview.cost
        service.refuse_unpriced(job.options, cost.unpriced)
        if not await approve(preview) or job.options.dry_run:
            return RunEnding(job, left)
        staged = needed(job.options.max_cost, cost)
        async with AsyncExitStack() as stack:
            with hooks.blocking():
                executor = stack.enter_context(cluster)
            ledger = SessionLedger(job.command, job.where.edition_name, job.stage)
            context = await stack.enter_async_context(
                service.opened(found, job.suite, job.rubrics, connection, path, hooks, ledger)
            )
            refused = await delivery.check(context, delivery.shapes(job.suite, left.todo), found)
            if refused:
                left = msgspec.structs.replace(left, todo=delivery.without(left.todo, refused, context.on_event))
            stored = StoreCall(asking.diagnoses, job.where, [item.trial for item in left.todo if item.calls])
            context = context._replace(diagnoses=await context.writer.write(stored))
            unasked, stop = await _examine(context, exam, job.shares)
            outcome = RunOutcome(stop, 0)
            if stop is None:
                await workload.tell(context, left.todo, cost, found)
                outcome = await _ask(context, job, examining.without(left, unasked).todo, executor, staged=staged)
            await _refuse_lost(context, job, outcome.stopped_by)
            await weights.compare(context, left.todo)
            await _compare_answers(context, job, left)
            budget, unsettled = context.budget, context.counts.why_unsettled
    if staged and not job.grading_only and outcome.stopped_by is None:
        with database.transaction(connection):
            _write_trials(connection, job)
    left, keys = resume.compare(connection, job.where, job.trials, job.judges, job.rubrics), {x.key for x in job.trials}
    judges = [judge.name for judge in job.judges]
    return RunEnding(
        job,
        left,
        started=True,
        stopped_by=outcome.stopped_by,
        skipped=outcome.skipped,
        spent_usd=budget.spent,
        unknown_usd=budget.unknown,
        why=missing.sentences(connection, job.where, judges, keys) if left.missing else {},
        unmeasurable=next((one.told for one in context.diagnoses.values() if one.told), ""),
        unsettled=unsettled if left.todo else "",
    )


async def _ask(
    context: RunContext, job: RunPlan, todo: Sequence[PendingTrial], executor: Executor, *, staged: bool
) -> RunOutcome:
    """Store the plan and do what is left of it. `staged`: run after run, as far as the cost cap lets them begin."""
    if not job.grading_only:
        first = min((item.trial.run for item in todo), default=1)
        await context.writer.write(StoreCall(write_plan, job, first if staged else None))
    outcome = await run.run(context, todo, job.shares, _begin_runs(job, context) if staged else None, executor)
    if outcome.skipped and not staged and outcome.stopped_by is None and not context.counts.why_unsettled:
        # Another process may have ended before it was done with what it held: work that two share is done to its end.
        trials = {item.trial.key for item in todo}
        again = await context.writer.write(StoreCall(resume.compare, job.where, job.trials, job.judges, job.rubrics))
        left = [item for item in again.todo if item.trial.key in trials]
        rest = context._replace(on_event=lambda e: None if isinstance(e, SubjectStarted) else context.on_event(e))
        outcome = await run.run(rest, left, job.shares, executor=executor)
    return outcome


async def _examine(
    context: RunContext, plan: ExaminationPlan, shares: Parallelism
) -> tuple[frozenset[Judge], IndependenceError | None]:
    """Let judges grade what is left of the known dialogues, and tell what they miss.

    Returns the judges that could not be asked all of it now, and what stopped the run. Raises UsageError for a judge
    that cannot judge: everything it was asked is kept.
    """
    if plan.dialogues is None:
        return frozenset(), None
    todo = await context.writer.write(StoreCall(plan.begin))
    known = context._replace(suite=plan.dialogues.suite, rubrics=plan.dialogues.rubrics)
    for part in (*plan.stages(todo), ()):
        found = await context.writer.write(StoreCall(plan.results))
        _refuse_judges(plan, found)
        outcome = await run.run(known, part, shares) if part else None
        if outcome is not None and outcome.stopped_by is not None:
            return frozenset(), outcome.stopped_by
    for judge, one in found.items():
        if one.left:
            context.on_event(ModelStopped(judge.name, "it could not be asked about all known dialogues"))
        elif one.misses or any(judge in item.judges for item in todo):
            told = f"{one} (known dialogues of {plan.suite.suite})"
            context.on_event(JudgeExamined(judge.name, told, perfect=not one.misses))
    return frozenset(judge for judge, one in found.items() if one.left), None


def _refuse_judges(plan: ExaminationPlan, found: Mapping[ModelJudge, Examination]) -> None:
    """Raises UsageError for judges that cannot judge."""
    test = f"fails the test of a judge ({len(plan.suite.known or ())} known dialogues of {plan.suite.suite})"
    if what := "; ".join(f"{judge.name} {test}: {one.refused}" for judge, one in found.items() if one.refused):
        raise UsageError(what, "name another judge with -j (`cues`: rules, no model), or trust it with --trust-judge")


async def _compare_answers(context: RunContext, job: RunPlan, left: PendingWork) -> None:
    """Keep which answers repeat others of their run, for boards: of the subjects that were asked."""
    compare = repeated_answers.of_suite(job.suite)
    asked: dict[Condition, dict[str, None]] = {}
    for item in left.todo:
        if item.calls:
            asked.setdefault(item.trial.dialogue.condition, {})[item.trial.subject.config_dir] = None
    for condition, configs in asked.items():
        await context.writer.write(StoreCall(repetitions.keep, job.where.under(condition), list(configs), compare))


async def _refuse_lost(context: RunContext, job: RunPlan, stopped_by: IndependenceError | None) -> None:
    """Raise where the store is lost, so that nobody reads what stands in its place. Its copy may lack the plan."""
    if isinstance(stopped_by, StoreUnwritable):
        with suppress(IndependenceError):
            await context.writer.write(StoreCall(write_plan, job))
        raise stopped_by


async def price(resolver: Resolver, connection: sqlite3.Connection) -> RunPreview:
    """What a whole run costs, as if nothing of it were stored. Nothing is written."""
    job = resolver.resolve(connection, await service.read_local(resolver.local_server(connection)))
    todo = [PendingTrial(trial, trial.dialogue.generated, tuple(job.judges)) for trial in job.trials]
    whole = PendingWork(resume.without_duplicates(todo, job.rubrics), len(todo), 0, 0, Counter())
    async with _checked(job, whole) as found:
        exam = _examination(job, whole)
        return await _timed(connection, job, whole, found, exam)


async def _timed(
    connection: sqlite3.Connection, job: RunPlan, left: PendingWork, found: CheckedEndpoints, exam: ExaminationPlan,
    hooks: Hooks | None = None,
) -> RunPreview:  # fmt: skip
    """What is left to pay, and of what is only planned how long it takes. `hooks`: of a run; None: only a price."""
    with hooks.blocking() if hooks else nullcontext():
        preview = _priced(connection, job, left, found, exam, exam.todo(connection if hooks else None))
    if hooks and not job.options.dry_run:
        return preview  # which its start tells
    expected = await workload.planned(connection, left.todo, preview.cost, found)
    return msgspec.structs.replace(preview, expected=expected)


def _examination(job: RunPlan, left: PendingWork) -> ExaminationPlan:
    """What shows that those who are to grade can judge."""
    grading = dict.fromkeys(judge for item in left.todo for judge in item.judges)
    return examining.planned(job.suite, grading, trusted=job.trust_judge)


def _priced(
    connection: sqlite3.Connection, job: RunPlan, left: PendingWork, found: CheckedEndpoints,
    exam: ExaminationPlan, to_examine: Sequence[PendingTrial],
) -> RunPreview:  # fmt: skip
    """What is left to pay, by listed prices and what stored calls say about tokens, where tokens cost anything."""
    listed = found.prices
    costly = any(price not in (None, FREE) for price in listed.values())
    timed = any(dialects.of(one.dialect).own_server for one in found.endpoints.values())
    history = estimate.learned(connection, job.suite) if costly or timed else None
    cost = estimate.estimate(left.todo, listed, history)
    probed = delivery.unknown(connection, delivery.shapes(job.suite, left.todo), found)
    # The estimate with the requests that show what reaches the models, at each of their servers; of a model that is
    # known it takes none.
    endpoints = found.endpoints
    usd, calls = 0.0, 0
    for key, shape in probed.items():
        prices, servers = listed.get((key.endpoint, key.model)) or FREE, len(endpoints[key.endpoint].addresses)
        each = shape.prompt_tokens * prices.prompt + shape.calls * (prices.completion + prices.request)
        usd, calls = usd + servers * each, calls + servers * shape.calls
    cost = msgspec.structs.replace(cost.plus(usd, 0.0, usd), probes=calls)
    known = estimate.of_known(to_examine, exam.dialogues, listed)
    cost = msgspec.structs.replace(cost.plus(known.typical_usd, *known.range_usd), known=known.verdicts)
    differing = resume.differing_fields(connection, job.where, job.trials)
    return RunPreview(job, left, cost, differing, unexamined=exam.unknown)


def _preview(connection: sqlite3.Connection, job: RunPlan) -> PendingWork:
    """What would be left if the plan were stored: a refused or mistyped run leaves no trace."""
    if queries.is_unanswered(connection):  # nothing of the plan can be there
        return resume.compare(connection, job.where, job.trials, job.judges, job.rubrics)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not job.grading_only:
            write_plan(connection, job)
        return resume.compare(connection, job.where, job.trials, job.judges, job.rubrics)
    finally:
        connection.execute("ROLLBACK")


def _begin_runs(job: RunPlan, context: RunContext) -> BeginRuns:
    """Begins as many runs as the cap is sure to cover, and at least one, and stores the plan of each as it begins."""
    budget, done = context.budget, 0  # calls and verdicts of the runs before
    before = budget.spent  # by the delivery probe

    async def begin(runs: Sequence[Sequence[PendingTrial]]) -> int:
        nonlocal done
        first, each = runs[0][0].trial.run, (budget.spent - before) / done if done else 0.0
        left = math.inf if budget.cap is None else budget.cap - budget.spent
        if each * _work(runs[0]) > left:
            raise CostCapReached(
                f"the cost cap of ${budget.cap:.4f} is reached: ${budget.spent:.4f} spent, and run {first} of every "
                f"subject would cost about ${each * _work(runs[0]):.4f}; it was not begun, so the runs before it are "
                "whole; a higher --max-cost resumes"
            )
        count = 1
        while done and count < len(runs) and _AMPLE * each * sum(map(_work, runs[: count + 1])) <= left:
            count += 1
        last = runs[count - 1][0].trial.run
        if not job.grading_only:
            await context.writer.write(StoreCall(_write_trials, job, last))
        done += sum(map(_work, runs[:count]))
        return count

    return begin


def write_plan(connection: sqlite3.Connection, job: RunPlan, last_run: int | None = None) -> None:
    """Edition, subjects and trials up to a run: coverage counts against this."""
    document = msgspec.json.encode(job.suite).decode()
    edition = EditionRow(job.where.suite, job.where.edition, document, wording=job.wording)
    chosen = {trial.subject.config_dir: trial.subject for trial in (*job.trials, *job.others)}
    records.add_edition(connection, edition)
    for variant, text in job.personas.items():
        records.add_persona(connection, edition, variant, text)
    records.add_subjects(connection, [subject_row(job, subject) for subject in chosen.values()])
    if job.decision is not None:
        decisions.add(connection, job.where, job.decision)  # before the trials: it is older than its first look
    _write_trials(connection, job, last_run)


def _write_trials(connection: sqlite3.Connection, job: RunPlan, last_run: int | None = None) -> None:
    planned = (*job.trials, *job.others)
    rows = (trial_row(job, trial) for trial in planned if last_run is None or trial.run <= last_run)
    records.add_trials(connection, rows)


def subject_row(job: RunPlan, subject: Subject) -> SubjectRow:
    """A subject as the edition of a run knows it."""
    return SubjectRow(
        job.where.suite,
        job.where.edition,
        config_dir=subject.config_dir,
        label=subject.label,
        model_id=subject.model_id,
        simulated=subject.simulated,
        config=subjects.to_json(subject),
    )


def trial_row(job: RunPlan, trial: Trial) -> TrialRow:
    """A trial as it is planned."""
    dialogue = trial.dialogue
    return TrialRow(
        trial.key,
        job.where.suite,
        job.where.edition,
        config_dir=trial.subject.config_dir,
        variant=dialogue.condition.variant,
        mode=dialogue.condition.mode,
        experiment=dialogue.scenario.experiment,
        scenario=dialogue.scenario.id,
        run=trial.run,
        parent=trial.parent.key if trial.parent else None,
        turns=dialogue.generated,
        shape=trial.shape,
    )


def _checked(
    job: RunPlan, left: PendingWork, on_event: EventHandler = lambda _: None
) -> AbstractAsyncContextManager[CheckedEndpoints]:
    """The endpoints that what is left will ask, checked."""
    models: dict[Model, bool] = {}
    answering: set[Model] = set()
    for item in left.todo:
        subject = item.trial.subject
        if item.calls:
            model, tools = (subject.endpoint, subject.model), item.trial.dialogue.tool is not None
            models[model] = models.get(model, False) or tools
            answering.add(model)
        for judge in item.judges:
            if judge.endpoint:
                models.setdefault((judge.endpoint, judge.model), False)
    grading = frozenset(models.keys() - answering)
    return service.check_endpoints(
        job.endpoints, models, job.options, on_event, grading=grading, suite=job.suite, local=job.local
    )


_AMPLE: Final = 1.5  # times an expected cost: a cap that covers it is not expected to stop anything


def needed(max_cost: float | None, cost: CostEstimate) -> bool:
    """Whether a cap may stop the runs midway."""
    return max_cost is not None and (bool(cost.unpriced) or max_cost < _AMPLE * cost.range_usd[1])


def _work(run: Sequence[PendingTrial]) -> int:
    """Calls and verdicts of a run."""
    return sum(item.calls + len(item.judges) for item in run)
