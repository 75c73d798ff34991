"""The scorer: a judge of ours on a finished dialogue, by what the metadata of its sample say, and nothing else.

So `inspect score` grades a log again, with the same judge or another one, in another process.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from independence.config.subjects import from_json
from independence.engine import dialogue
from independence.engine.dialogue import SubjectAnswer, TrialProgress
from independence.engine.grading import seed_of
from independence.engine.models import Models
from independence.engine.plan import Trial
from independence.engine.resolve import RunPlan
from independence.errors import UsageError
from independence.exchange import logged
from independence.extensions.inspect import models, suites
from independence.extensions.inspect.board import board, named
from independence.extensions.inspect.dialogues import INHERITED, TaskDialogues
from independence.extensions.inspect.models import InspectClient
from independence.judge import kinds, prompt, protocol
from independence.judge.model import ModelJudge
from independence.judge.protocol import DEFAULT_JUDGE, FinishedDialogue, Judge
from independence.judge.reasking import none_given
from independence.store.dialogues import Dialogue, JudgeStep, StoredVerdict, came
from independence.suites.schema import Suite
from independence.types import Condition, Grade, Missing

ROLE: Final = "grader"  # as Inspect's users call it: `--model-role grader=MODEL`
GRADER: Final = f"openrouter/{DEFAULT_JUDGE}"  # where nobody is named, as in a run of this package


@scorer(metrics=[board()], name=named("verdict"))
def verdict(judge: str = "", suite: str = "") -> Scorer:
    """Grades dialogues of this package.

    `judge`: a model as Inspect names it, `cues` or `picks`; by default the model of the role `grader`, else that of a
    run of this package. `suite`: where the suite of a log is found now, if that is a folder or file that has moved.
    """
    places, clients = dict[tuple[str, Condition], TaskDialogues](), dict[str, InspectClient]()

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - so named in the protocol
        own = logged.of_metadata(state.metadata, logged.of_json)
        if own is None:
            what = f"sample {state.sample_id} holds no dialogue of this package, so there is nothing to grade"
            raise UsageError(what, "run a task of this package, or the solver `independence/dialogue`")
        job, condition = suites.of_sample(state.metadata, suite), Condition(own.variant, own.mode)
        grader, model = grading(judge, job.suite)
        own = msgspec.structs.replace(own, verdicts=(), steps=())
        if own.configuration and len(own.turns) == own.generated and not own.turns[-1].reply.missing:
            planned = places.setdefault((own.edition, condition), TaskDialogues(job, condition))
            trial = planned.trial(from_json(own.configuration), own.scenario, own.run)
            progress = _progress(own, trial, [SubjectAnswer(text, "") for text in state.metadata.get(INHERITED) or ()])
            client = None if model is None else clients.setdefault(str(model), InspectClient(model))
            own = await graded(job, grader, client, own, _finished(job, grader, trial, progress))
        found = shown(own, job.suite, grader.name)
        found.metadata = logged.to_metadata(own)
        return found

    return score


def grading(judge: str, suite: Suite) -> tuple[Judge, Any]:
    """Who grades, and the model of Inspect that gives the verdicts, if one does; a battery is read by rules.

    Raises UsageError for a judge that asks a model which Inspect does not know, and what Inspect raises for a model
    that cannot be made.
    """
    if not judge and suite.battery:
        judge = kinds.PICKS
    if judge and kinds.of(judge) is not kinds.MODEL:
        return _ruled(judge, suite), None
    model = get_model(judge) if judge else get_model(role=ROLE, default=GRADER)
    model_id, endpoint, name = models.identity(str(model))
    return ModelJudge(model_id, endpoint=endpoint, model=name), model


def require(judge: str, suite: Suite) -> None:
    """Make the grader, so that a key that it lacks is said before any model is asked. Raises as `grading`."""
    try:
        grading(judge, suite)
    except UsageError:
        raise
    except Exception as error:
        if type(error).__name__ != "PrerequisiteError":  # which is no public name; Inspect prints its message alone
            raise
        lines = str(getattr(error, "message", error)).removeprefix("ERROR: ").splitlines()
        why = "; ".join(line.strip(" .") for line in lines if line.strip())
        mend = "name another one by --model-role grader=MODEL or -T judge=MODEL (-T judge=cues needs none)"
        raise type(error)(f"ERROR: the grader {judge or GRADER} cannot be asked: {why}; {mend}") from error


def _ruled(name: str, suite: Suite) -> Judge:
    """A judge that asks no model. Raises UsageError for one that asks one of ours."""
    (judge,) = Models().judges([name], suite)
    if judge.endpoint:
        raise UsageError(f"judge `{name}` asks a model that Inspect does not know", "name a model, `cues` or `picks`")
    return judge


def _progress(own: Dialogue, trial: Trial, before: list[SubjectAnswer]) -> TrialProgress:
    """A finished dialogue as it was asked. Raises UsageError where this package would have asked for another one."""
    if trial.key != own.trial:
        what = f"{own.scenario}, run {own.run}: what was asked is not what its suite and subject say"
        raise UsageError(what, "`independence import` the log, and grade it with `independence judge`")
    given = [dialogue.subject_answer(turn.reply) for turn in own.turns if not turn.reply.missing]
    return TrialProgress(tuple(before), tuple(given), own.end)


async def graded(
    job: RunPlan, judge: Judge, client: InspectClient | None, own: Dialogue, finished: FinishedDialogue
) -> Dialogue:
    """A finished dialogue with the verdict of a judge, and what that wrote before it, up to a step without an outcome.

    Raises what `ChatClient.ask` raises.
    """
    rubric, digest = finished.rubric, job.rubrics[own.scenario]
    steps, written = list[JudgeStep](), dict[str, str]()
    grade: Grade | None = None
    for position, step in enumerate(rubric.steps if judge.reads_rubric_steps else ()):
        if client is None:
            break
        wording = protocol.step_digest(step, finished.variables)
        key = protocol.step_key(own.end, wording, written, judge.settings)
        text = prompt.render_step(step.prompt, finished.variables, finished.turns, written)
        answer = await judge.write_step(text, client, seed_of(key))
        judge = _as_sent(judge, client)
        key = protocol.step_key(own.end, wording, written, judge.settings)
        noted = JudgeStep(
            **came(answer), key=key, judge=judge.name, step=step.name, position=position, wording=wording,
            settings=judge.settings, context=own.end,
        )  # fmt: skip
        steps.append(noted)
        if isinstance(answer, Missing):
            grade = none_given(answer.reason, answer.detail, f"step `{step.name}` came to nothing")
            break
        written[step.name] = answer.text
    if not rubric.fields:
        grade = protocol.CONTINUED
    grade = grade or await judge.grade(finished._replace(written=written), client)
    judge = _as_sent(judge, client)
    given = StoredVerdict(**came(grade), judge=judge.name, rubric=digest, settings=judge.settings, context=own.end)
    return msgspec.structs.replace(own, verdicts=(given,), steps=tuple(steps))


def _as_sent(judge: Judge, client: InspectClient | None) -> Judge:
    """The judge with the settings that went out: to models that reason Inspect may send no temperature."""
    if client is None or client.sending.sends_temperature:
        return judge
    return msgspec.structs.replace(judge, temperature=None)


def _finished(job: RunPlan, judge: Judge, trial: Trial, progress: TrialProgress) -> FinishedDialogue:
    scenario, end = trial.dialogue.scenario, progress.context or ""
    rubric, digest = job.suite.rubrics[scenario.rubric], job.rubrics[scenario.id]
    return FinishedDialogue(
        dialogue.transcript_turns(trial, progress), rubric, {**job.suite.vars, **scenario.vars},
        dialogue.reply_context(trial, job.suite.language),
        seed=seed_of(protocol.verdict_key(end, digest, judge.settings)),
    )  # fmt: skip


def shown(own: Dialogue, suite: Suite, judge: str) -> Score:
    """What Inspect shows of a dialogue and one judge's verdict: every field, the reasoning, the last reply."""
    fields = suite.rubrics[suite.scenario(own.scenario).rubric].fields
    current = [one for one in own.verdicts if one.judge == judge and one.context == own.end]
    last = own.turns[-1].reply if own.turns else None
    without = last if last and last.missing else None  # an answer
    came_of = current[-1] if current else without
    reason = came_of.missing if came_of else "unjudged" if last else "parent_missing"
    verdict = current[-1] if current and reason is None else None
    return Score(
        value=dict(verdict.values) if verdict else dict.fromkeys(fields),
        answer=last.text if last and not last.missing else None,
        explanation=verdict.reasoning if verdict else (came_of.detail if came_of else "") or reason,
        reason=reason,
    )
