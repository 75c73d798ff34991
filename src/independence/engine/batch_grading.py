"""Verdicts of judges that predict every dialogue before they grade any, and that may buy some from a model.

First every finished dialogue is read by the judge, then it is drawn which verdicts are bought, then those are
asked for as the model's own, then all are settled. The draw is stored before anything is asked: after a kill the same
verdicts are bought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from sqlite3 import Connection
from typing import NamedTuple

from independence.engine import dialogue, routing, run
from independence.engine.dialogue import TrialProgress
from independence.engine.events import SubjectStarted, VerdictCommitted
from independence.engine.executors.local import LocalExecutor
from independence.engine.executors.protocol import Executor
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.routing import RoutingCandidate
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.judge.protocol import BatchJudge, FinishedDialogue, Prediction, Purchase, verdict_key
from independence.stats import strict
from independence.stats.subject_points import leverage
from independence.store import queries, records, routes
from independence.store.records import VerdictRow
from independence.store.routes import PastDraws, RouteRow, VerdictRoute
from independence.store.writer import StoreCall
from independence.suites.schema import Rubric
from independence.types import Condition, Grade, Missing, TranscriptTurn, Where

_BATCH = 256


class BatchGrading(NamedTuple):
    """One such judge at work on its dialogues."""

    context: RunContext
    edition: str
    trials: Sequence[Trial]
    judge: BatchJudge
    executor: Executor = LocalExecutor()


class PredictedTrial(NamedTuple):
    """A finished dialogue and what the judge expects of it."""

    trial: Trial
    dialogue_digest: str
    rubric: Rubric
    rubric_digest: str
    key: str  # of the verdict on it
    prediction: Prediction


async def grade(task: BatchGrading, parallelism: Parallelism) -> RunOutcome:
    """Grade every finished dialogue. What is stored already is neither drawn nor bought again."""
    context, judge = task.context, task.judge
    predicted = await _predict_all(task)
    if not judge.takes_bought:
        await _settle(task, [(one, judge.verdict(one.rubric.fields, one.prediction)) for one in predicted])
    if judge.purchase is None or not predicted:
        return RunOutcome(context.stop_signal.reason, 0)
    drawn = await _draw_routes(task, judge.purchase, predicted)
    bought = {one.key: _bought_key(judge.purchase, one) for one in predicted if drawn[one.key].way != "offline"}
    outcome = await run.run(
        context, await _unasked(task, judge.purchase, predicted, bought), parallelism, executor=task.executor
    )
    if judge.takes_bought:
        await _settle(task, await _with_bought(task, predicted, bought))
    return outcome


async def _predict_all(task: BatchGrading) -> list[PredictedTrial]:
    """What the judge expects of every finished dialogue, each once."""
    writer, judge = task.context.writer, task.judge
    out: dict[str, PredictedTrial] = {}
    at_once = _BATCH * task.executor.width
    for start in range(0, len(task.trials), at_once):
        some = task.trials[start : start + at_once]
        read = await writer.write(StoreCall(_finished, some))
        dialogues = [FinishedDialogue(turns, _rubric(task, trial)) for trial, _, turns in read]
        parts = [dialogues[at : at + _BATCH] for at in range(0, len(dialogues), _BATCH)]
        predictions = chain.from_iterable(task.executor.map(judge.predict, parts))
        for (trial, digest, _), prediction in zip(read, predictions, strict=True):
            rubric = task.context.rubrics[trial.dialogue.scenario.id]
            key = verdict_key(digest, rubric, judge.settings)
            out[key] = PredictedTrial(
                trial=trial,
                dialogue_digest=digest,
                rubric=_rubric(task, trial),
                rubric_digest=rubric,
                key=key,
                prediction=prediction,
            )
    return list(out.values())


def _finished(connection: Connection, trials: Sequence[Trial]) -> list[tuple[Trial, str, list[TranscriptTurn]]]:
    out = []
    for trial in trials:
        progress = dialogue.load(connection, trial)
        if (
            isinstance(progress, TrialProgress)
            and progress.context
            and len(progress.answers) == trial.dialogue.generated
        ):
            out.append((trial, progress.context, dialogue.transcript_turns(trial, progress)))
    return out


def _rubric(task: BatchGrading, trial: Trial) -> Rubric:
    return task.context.suite.rubrics[trial.dialogue.scenario.rubric]


async def _draw_routes(
    task: BatchGrading, purchase: Purchase, predicted: Sequence[PredictedTrial]
) -> dict[str, VerdictRoute]:
    """The route of every dialogue: as stored, else drawn now and stored; each condition for itself, as boards are."""
    trials = {one.key: one.trial.key for one in predicted}
    conditions: dict[Condition, list[RoutingCandidate]] = {}
    for one, candidate in zip(predicted, _candidates(task, predicted), strict=True):
        conditions.setdefault(one.trial.dialogue.condition, []).append(candidate)

    places = {Where(task.context.suite.suite, task.edition, condition): own for condition, own in conditions.items()}
    return await task.context.writer.write(StoreCall(_draw, task.judge.name, purchase, places, trials))


def _draw(
    connection: Connection,
    judge: str,
    purchase: Purchase,
    places: Mapping[Where, Sequence[RoutingCandidate]],
    trials: Mapping[str, str],
) -> dict[str, VerdictRoute]:
    """Draw the routes of each place and store them; `trials` by the keys of their verdicts."""
    drawn: dict[str, VerdictRoute] = {}
    for where, candidates in places.items():
        drawn |= _routes(connection, purchase, candidates, routes.past(connection, where, judge))
    auditor = purchase.auditor.name
    routes.add(connection, [RouteRow(key, auditor, trials[key], route) for key, route in drawn.items()])
    return drawn


def _routes(
    connection: Connection, purchase: Purchase, candidates: Sequence[RoutingCandidate], past: Mapping[str, PastDraws]
) -> dict[str, VerdictRoute]:
    known = routes.known(connection, [one.key for one in candidates], purchase.auditor.name)
    if purchase.rule.audits:  # it may have grown, and is drawn anew: the same digests draw the same dialogues
        before = Counter(one.scenario for one in candidates if one.key in known and known[one.key].way == "audit")
        drawn = {scenario: PastDraws(count, count) for scenario, count in before.items()}
        return routing.routes(candidates, purchase.rule, drawn)
    new = [one for one in candidates if one.key not in known]
    return known | routing.routes(new, purchase.rule, past)


def _candidates(task: BatchGrading, predicted: Sequence[PredictedTrial]) -> list[RoutingCandidate]:
    """Dialogues with what their expected errors amount to: points of the index, or shares of the scales."""
    suite = task.context.suite
    lever = leverage(strict.frame(suite)) if suite.index is not None else None
    runs = Counter(_cell(one) for one in predicted)
    out = []
    for one in predicted:
        scenario, error = one.trial.dialogue.scenario.id, one.prediction.doubt
        if lever is not None and one.prediction.known:
            error = lever.error(scenario, one.prediction.expected_error) / runs[_cell(one)]
        out.append(RoutingCandidate(one.key, scenario, error, one.prediction.known))
    return out


def _cell(one: PredictedTrial) -> tuple[str, Condition, str]:
    return (one.trial.subject.config_dir, one.trial.dialogue.condition, one.trial.dialogue.scenario.id)


def _bought_key(purchase: Purchase, one: PredictedTrial) -> str:
    return verdict_key(one.dialogue_digest, one.rubric_digest, purchase.auditor.settings)


async def _unasked(
    task: BatchGrading, purchase: Purchase, predicted: Sequence[PredictedTrial], bought: Mapping[str, str]
) -> list[PendingTrial]:
    """Those whose verdict is to be bought and has not been given yet. `bought`: own keys -> the auditor's."""
    if not purchase.auditor.is_asked:
        return []
    known = await task.context.writer.write(StoreCall(queries.known_verdicts, bought.values()))
    return [
        PendingTrial(one.trial, 0, (purchase.auditor,))
        for one in predicted
        if one.key in bought and bought[one.key] not in known
    ]


async def _with_bought(
    task: BatchGrading, predicted: Sequence[PredictedTrial], bought: Mapping[str, str]
) -> list[tuple[PredictedTrial, Grade]]:
    """The judge's verdicts: the auditor's where they were bought, else as predicted. Open ones are left out."""
    given = await task.context.writer.write(StoreCall(routes.stored_keys, bought.values()))
    out: list[tuple[PredictedTrial, Grade]] = []
    for one in predicted:
        if one.key not in bought:
            out.append((one, task.judge.verdict(one.rubric.fields, one.prediction)))
        elif (grade := given.get(bought[one.key])) is not None:
            out.append((one, grade))
    return out


async def _settle(task: BatchGrading, graded: Sequence[tuple[PredictedTrial, Grade]]) -> None:
    """Store verdicts that are not there yet, all at one instant: of two drafts the later one counts."""
    judge, context, judged_at = task.judge, task.context, records.now("microseconds")
    known = await context.writer.write(StoreCall(queries.known_verdicts, [one.key for one, _ in graded]))
    new = [(one, grade) for one, grade in graded if one.key not in known]
    rows = [
        VerdictRow(
            key=one.key,
            trial=one.trial.key,
            judge=judge.name,
            rubric=one.rubric_digest,
            context=one.dialogue_digest,
            settings=judge.settings,
            grade=grade,
            judged_at=judged_at,
            prediction=one.prediction.to_json(),
        )
        for one, grade in new
    ]
    await context.writer.write(StoreCall(records.add_verdicts, rows))
    for label, count in Counter(one.trial.subject.label for one, _ in new).items():
        context.on_event(SubjectStarted(label, 0, count))
    for one, grade in new:
        missing = grade.reason if isinstance(grade, Missing) else None
        context.on_event(VerdictCommitted(one.trial.subject.label, judge.name, 0.0, missing, grade))
