"""Verdicts of judges that predict every dialogue before they grade any, and that may buy some from a model.

First every finished dialogue is read by the judge, then it is drawn which verdicts are bought, then those are
asked for as the model's own, then all are settled. The draw is stored before anything is asked: after a kill the same
verdicts are bought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from sqlite3 import Connection
from typing import NamedTuple

from independence.engine import dialogue, run
from independence.engine.batch_judge import BatchGrading
from independence.engine.dialogue import TrialProgress
from independence.engine.events import SubjectStarted, VerdictCommitted
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run import RunOutcome
from independence.engine.run_context import RunContext
from independence.extensions.trained import draws, routing
from independence.extensions.trained.draws import PastDraws
from independence.extensions.trained.protocol import PredictingJudge
from independence.extensions.trained.routing import RoutingCandidate
from independence.judge.protocol import FinishedDialogue, Judge, Prediction, verdict_key
from independence.stats import strict
from independence.stats.subject_points import leverage
from independence.store import queries, records, routes
from independence.store.records import VerdictRow
from independence.store.routes import RouteRow, VerdictRoute
from independence.store.writer import StoreCall
from independence.suites.schema import Rubric
from independence.types import Condition, Grade, Missing, TranscriptTurn, Where

_BATCH = 256


class PredictedTrial(NamedTuple):
    """A finished dialogue and what the judge expects of it."""

    trial: Trial
    dialogue_digest: str
    rubric: Rubric
    rubric_digest: str
    key: str  # of the verdict on it
    prediction: Prediction


async def grade(judge: PredictingJudge, task: BatchGrading) -> RunOutcome:
    """Grade every finished dialogue. What is stored already is neither drawn nor bought again."""
    context, auditor = task.context, judge.auditor
    predicted = await _predict_all(judge, task)
    if not judge.takes_bought:
        await _store(judge, context, [(one, judge.verdict(one.rubric.fields, one.prediction)) for one in predicted])
    if auditor is None or not predicted:
        return RunOutcome(context.stop_signal.reason, 0)
    drawn = await _draw_routes(judge, auditor, task, predicted)
    bought = {
        one.key: verdict_key(one.dialogue_digest, one.rubric_digest, auditor.settings)
        for one in predicted
        if drawn[one.key].way != "offline"
    }
    unasked = []  # those whose verdict is to be bought and has not been given yet
    if auditor.is_asked:
        known = await context.writer.write(StoreCall(queries.known_verdicts, bought.values()))
        unasked = [
            PendingTrial(one.trial, 0, (auditor,))
            for one in predicted
            if one.key in bought and bought[one.key] not in known
        ]
    outcome = await run.run(context, unasked, task.shares, executor=task.executor)
    if judge.takes_bought:
        given = await context.writer.write(StoreCall(routes.stored_keys, bought.values()))
        graded: list[tuple[PredictedTrial, Grade]] = []  # bought ones that are still open are left out
        for one in predicted:
            if one.key not in bought:
                graded.append((one, judge.verdict(one.rubric.fields, one.prediction)))
            elif (grade := given.get(bought[one.key])) is not None:
                graded.append((one, grade))
        await _store(judge, context, graded)
    return outcome


async def _predict_all(judge: PredictingJudge, task: BatchGrading) -> list[PredictedTrial]:
    """What the judge expects of every finished dialogue, each once."""
    writer = task.context.writer
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
    judge: PredictingJudge, auditor: Judge, task: BatchGrading, predicted: Sequence[PredictedTrial]
) -> dict[str, VerdictRoute]:
    """The route of every dialogue: as stored, else drawn now and stored; each condition for itself, as boards are."""
    trials = {one.key: one.trial.key for one in predicted}
    conditions: dict[Condition, list[RoutingCandidate]] = {}
    for one, candidate in zip(predicted, _candidates(task, predicted), strict=True):
        conditions.setdefault(one.trial.dialogue.condition, []).append(candidate)

    def draw(connection: Connection) -> dict[str, VerdictRoute]:
        drawn: dict[str, VerdictRoute] = {}
        for condition, candidates in conditions.items():
            where = Where(task.context.suite.suite, task.edition, condition)
            past = draws.past(connection, where, judge.name)
            known = draws.known(connection, [one.key for one in candidates], auditor.name)
            if judge.rule.audits:  # it may have grown, and is drawn anew: the same digests draw the same dialogues
                before = Counter(
                    one.scenario for one in candidates if one.key in known and known[one.key].way == "audit"
                )
                past = {scenario: PastDraws(count, count) for scenario, count in before.items()}
                drawn |= routing.routes(candidates, judge.rule, past)
            else:
                new = [one for one in candidates if one.key not in known]
                drawn |= known | routing.routes(new, judge.rule, past)
        routes.add(connection, [RouteRow(key, auditor.name, trials[key], route) for key, route in drawn.items()])
        return drawn

    return await task.context.writer.write(StoreCall(draw))


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


async def _store(judge: PredictingJudge, context: RunContext, graded: Sequence[tuple[PredictedTrial, Grade]]) -> None:
    """Store verdicts that are not there yet, all at one instant: of two drafts the later one counts."""
    judged_at = records.now("microseconds")
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
