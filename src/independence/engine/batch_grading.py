"""Verdicts of judges that read a whole fleet before they grade: offline, and hybrid, which buys some from a model.

First every finished dialogue is read by the offline judge, then it is drawn which verdicts are bought, then those are
asked for as the model's own, then all are settled. The draw is stored before anything is asked: after a kill the same
verdicts are bought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import NamedTuple

import msgspec

from independence.engine import dialogue, routing, run
from independence.engine.dialogue import TrialProgress
from independence.engine.events import SubjectStarted, VerdictCommitted
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.routing import RoutingCandidate
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.judge.offline import grading, prediction, weights
from independence.judge.offline.prediction import Prediction
from independence.judge.spec import OFFLINE, JudgeSpec, verdict_key
from independence.stats import strict
from independence.stats.subject_points import leverage
from independence.store import queries, records, routes
from independence.store.records import VerdictRow
from independence.store.routes import PastDraws, RouteRow, VerdictRoute
from independence.suites.schema import Field
from independence.types import Condition, Grade, Missing, TranscriptTurn, Where

_BATCH = 256
_WHOLE = 1.0  # a hybrid takes what is predicted however unsure: the least certain were bought


class BatchGrading(NamedTuple):
    """One such judge at work on its dialogues."""

    bench: RunContext
    edition: str
    trials: Sequence[Trial]
    spec: JudgeSpec


class PredictedTrial(NamedTuple):
    """A finished dialogue and what the offline judge says of it."""

    trial: Trial
    at: str  # digest of the dialogue
    rubric: str  # digest
    key: str  # of the verdict on it
    fields: Mapping[str, Field]
    said: Prediction


async def grade(fleet: BatchGrading, shares: Parallelism) -> RunOutcome:
    """Grade every finished dialogue. What is stored already is neither drawn nor bought again."""
    bench, spec = fleet.bench, fleet.spec
    seen = await _predict_all(fleet)
    if spec.kind == OFFLINE:
        limit = weights.load_or_shipped(spec.file).about.limit
        await _settle(fleet, [(one, _offline_grade(one, limit)) for one in seen])
    if spec.buying is None or not seen:
        return RunOutcome(bench.halt.reason, 0)
    drawn = await _draw_routes(fleet, seen)
    bought = [one for one in seen if drawn[one.key].way != "offline"]
    outcome = await run.run(bench, await _unasked(fleet, bought), shares)
    if spec.kind != OFFLINE:
        await _settle(fleet, await _hybrid_grades(fleet, seen, drawn))
    return outcome


async def _predict_all(fleet: BatchGrading) -> list[PredictedTrial]:
    """What the offline judge says of every finished dialogue, each once."""
    judge, writer = weights.load_or_shipped(fleet.spec.file), fleet.bench.writer
    out: dict[str, PredictedTrial] = {}
    for start in range(0, len(fleet.trials), _BATCH):
        some = fleet.trials[start : start + _BATCH]
        read = await writer.write(lambda connection, own=some: list(_finished(connection, own)))  # type: ignore[misc]
        cases = [grading.DialogueToGrade(lines, _fields(fleet, trial)) for trial, _, lines in read]
        for (trial, at, _), case, said in zip(read, cases, grading.predict_all(cases, judge), strict=True):
            rubric = fleet.bench.rubrics[trial.dialogue.scenario.id]
            key = verdict_key(at, rubric, fleet.spec.settings)
            out[key] = PredictedTrial(trial, at, rubric, key, case.fields, said)
    return list(out.values())


def _finished(connection: Connection, trials: Sequence[Trial]) -> Iterator[tuple[Trial, str, list[TranscriptTurn]]]:
    for trial in trials:
        progress = dialogue.load(connection, trial)
        if isinstance(progress, TrialProgress) and progress.at and len(progress.said) == trial.dialogue.generated:
            yield trial, progress.at, dialogue.transcript_turns(trial, progress)


def _fields(fleet: BatchGrading, trial: Trial) -> dict[str, Field]:
    return fleet.bench.suite.rubrics[trial.dialogue.scenario.rubric].fields


async def _draw_routes(fleet: BatchGrading, seen: Sequence[PredictedTrial]) -> dict[str, VerdictRoute]:
    """The route of every dialogue: as stored, else drawn now and stored; each condition for itself, as boards are."""
    spec = fleet.spec
    trials = {one.key: one.trial.key for one in seen}
    conditions: dict[Condition, list[RoutingCandidate]] = {}
    for one, candidate in zip(seen, _candidates(fleet, seen), strict=True):
        conditions.setdefault(one.trial.dialogue.condition, []).append(candidate)

    def draw(connection: Connection) -> dict[str, VerdictRoute]:
        drawn: dict[str, VerdictRoute] = {}
        for condition, candidates in conditions.items():
            drawn |= _routes(connection, fleet, condition, candidates)
        routes.add(connection, [RouteRow(key, spec.auditor, trials[key], route) for key, route in drawn.items()])
        return drawn

    return await fleet.bench.writer.write(draw)


def _routes(
    connection: Connection, fleet: BatchGrading, condition: Condition, candidates: Sequence[RoutingCandidate]
) -> dict[str, VerdictRoute]:
    spec, where = fleet.spec, Where(fleet.bench.suite.suite, fleet.edition, condition)
    assert spec.buying is not None
    known = routes.known(connection, [one.key for one in candidates], spec.auditor)
    if spec.buying.audits:  # it may have grown, and is drawn anew: the same digests draw the same dialogues
        before = Counter(one.scenario for one in candidates if one.key in known and known[one.key].way == "audit")
        past = {scenario: PastDraws(count, count) for scenario, count in before.items()}
        return routing.routes(candidates, spec.buying, past)
    new = [one for one in candidates if one.key not in known]
    return known | routing.routes(new, spec.buying, routes.past(connection, where, spec.name))


def _candidates(fleet: BatchGrading, seen: Sequence[PredictedTrial]) -> list[RoutingCandidate]:
    """Dialogues with what their expected errors amount to: points of the index, or shares of the scales."""
    suite = fleet.bench.suite
    lever = leverage(strict.frame(suite)) if suite.index is not None else None
    runs = Counter(_cell(one) for one in seen)
    out = []
    for one in seen:
        scenario, error = one.trial.dialogue.scenario.id, one.said.doubt
        if lever is not None and one.said.known:
            error = lever.error(scenario, one.said.expected_error) / runs[_cell(one)]
        out.append(RoutingCandidate(one.key, scenario, error, one.said.known))
    return out


def _cell(one: PredictedTrial) -> tuple[str, Condition, str]:
    return (one.trial.subject.config_dir, one.trial.dialogue.condition, one.trial.dialogue.scenario.id)


async def _unasked(fleet: BatchGrading, bought: Sequence[PredictedTrial]) -> list[PendingTrial]:
    """Those whose verdict the model has not given yet."""
    keys = {one.key: _bought_key(fleet, one) for one in bought}
    known = await fleet.bench.writer.write(lambda connection: queries.known_verdicts(connection, keys.values()))
    return [PendingTrial(one.trial, 0, (fleet.spec.bought,)) for one in bought if keys[one.key] not in known]


def _bought_key(fleet: BatchGrading, one: PredictedTrial) -> str:
    return verdict_key(one.at, one.rubric, fleet.spec.bought.settings)


async def _hybrid_grades(
    fleet: BatchGrading, seen: Sequence[PredictedTrial], drawn: dict[str, VerdictRoute]
) -> list[tuple[PredictedTrial, Grade]]:
    """The hybrid's verdicts: the model's where it was bought, else the prediction. Open ones are left out."""
    keys = {one.key: _bought_key(fleet, one) for one in seen if drawn[one.key].way != "offline"}
    given = await fleet.bench.writer.write(lambda connection: routes.stored_keys(connection, keys.values()))
    out: list[tuple[PredictedTrial, Grade]] = []
    for one in seen:
        if one.key not in keys:
            out.append((one, _offline_grade(one, _WHOLE)))
        elif (grade := given.get(keys[one.key])) is not None:
            out.append((one, msgspec.structs.replace(grade, raw=prediction.write(one.said))))
    return out


def _offline_grade(one: PredictedTrial, limit: float) -> Grade:
    """The offline judge's verdict, and beside it what was predicted."""
    return msgspec.structs.replace(grading.verdict(one.fields, one.said, limit), raw=prediction.write(one.said))


async def _settle(fleet: BatchGrading, graded: Sequence[tuple[PredictedTrial, Grade]]) -> None:
    """Store verdicts that are not there yet, all at one instant: of two drafts of a fleet the later one counts."""
    spec, bench, at = fleet.spec, fleet.bench, records.now("microseconds")
    known = await bench.writer.write(lambda c: queries.known_verdicts(c, [one.key for one, _ in graded]))
    new = [(one, grade) for one, grade in graded if one.key not in known]
    rows = [
        VerdictRow(one.key, one.trial.key, spec.name, one.rubric, one.at, spec.settings, grade, judged_at=at)
        for one, grade in new
    ]
    await bench.writer.write(lambda connection: records.add_verdicts(connection, rows))
    for label, count in Counter(one.trial.subject.label for one, _ in new).items():
        bench.watch(SubjectStarted(label, 0, count))
    for one, grade in new:
        missing = grade.reason if isinstance(grade, Missing) else None
        bench.watch(VerdictCommitted(one.trial.subject.label, spec.name, 0.0, missing, grade))
