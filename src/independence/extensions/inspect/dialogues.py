"""The solver: a sample is one dialogue of the plan, asked turn by turn with the requests that a run of ours sends.

A scenario that follows another continues the very words of its own epoch: whichever of the two samples comes first asks
for the dialogue that both need, the other one takes it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final, NamedTuple

import anyio
import msgspec
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.solver import Generate, Solver, TaskState, solver

from independence.clients.protocol import ChatClient
from independence.config.subjects import Subject, asked_with
from independence.engine import asking, dialogue, pipeline, plan
from independence.engine.dialogue import SubjectAnswer, TrialProgress
from independence.engine.plan import Selection, Trial
from independence.engine.resolve import RunPlan
from independence.exchange import logged
from independence.extensions.inspect import models, suites
from independence.extensions.inspect.board import named
from independence.extensions.inspect.models import InspectClient
from independence.store import context, records
from independence.store.dialogues import Dialogue
from independence.store.records import CallRow
from independence.types import Condition, Message, Reply, Sampling

INHERITED: Final = "inherited"  # key of a sample's metadata: the answers of the dialogues that it continues


class AnsweredDialogue(NamedTuple):
    """A trial that was asked to its end, or to an answer that never came."""

    trial: Trial
    progress: TrialProgress
    calls: tuple[CallRow, ...] = ()
    lacks: str = ""  # why the dialogue that it continues has no end

    @property
    def finished(self) -> bool:
        """Whether every turn has an answer."""
        return not self.lacks and len(self.progress.answers) == self.trial.dialogue.generated

    @property
    def said(self) -> tuple[SubjectAnswer, ...]:
        """All answers, those of the dialogues that it continues included."""
        return self.progress.inherited + self.progress.answers


@solver(name=named("dialogue"))
def ask(suite: str = "v2", variant: str = "", mode: str = "") -> Solver:
    """Asks for every turn of a dialogue, and leaves in the metadata of the sample what a scorer needs to grade it."""
    job, condition = suites.resolved(suite, variant, mode)
    planned, clients = TaskDialogues(job, condition), dict[str, InspectClient]()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - so named in the protocol
        model = get_model()
        client = clients.setdefault(str(model), InspectClient(model))  # which learns what is rejected
        subject = subject_of(model, job.suite.default.temperature)
        asked = await planned.answered(client, planned.trial(subject, str(state.sample_id), state.epoch))
        if not client.sending.sends_temperature:
            asked = planned.of_subject(asked, msgspec.structs.replace(subject, temperature_supported=False))
        state.metadata = state.metadata | {
            INHERITED: [one.text for one in asked.progress.inherited], **logged.to_metadata(record(job, asked)),
        }  # fmt: skip
        state.messages, state.output = models.chat_messages(transcript(asked)), output(asked)
        return state

    return solve


def subject_of(model: Any, suite_temperature: float | None) -> Subject:
    """A model of Inspect as a subject, at the settings of Inspect's command line, else at the suite's and ours."""
    # `model.config` has what the command line says. What `inspect_ai.eval` says of a model that was made before, and
    # what a task has of its own (`task_with`), is in nothing public before a request, and a subject is known by it.
    told = model.config.merge(active_generate_config())
    model_id, endpoint, name = models.identity(str(model))
    own = Subject(model_id, endpoint, name, Sampling(effort="auto"))
    return asked_with(own, Sampling(told.temperature, told.reasoning_effort), Sampling(suite_temperature))


class TaskDialogues:
    """The dialogues of one task, of every model that is asked and every epoch."""

    def __init__(self, job: RunPlan, condition: Condition) -> None:
        self._job, self._condition = job, condition
        self._trials: dict[tuple[Subject, int], dict[str, Trial]] = {}
        self._shared = {one.follows for one in job.suite.scenarios if one.follows}
        self._asked: dict[str, AnsweredDialogue] = {}
        self._locks: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    def trial(self, subject: Subject, scenario: str, run: int) -> Trial:
        """One place of the plan. Raises KeyError for a scenario that the suite does not have."""
        place = (subject, run)
        if place not in self._trials:
            selection = Selection((self._condition,), runs=run, only_run=run)
            made = plan.trials(self._job.suite, selection, [subject])
            self._trials[place] = {one.dialogue.scenario.id: one for one in made}
        return self._trials[place][scenario]

    async def answered(self, client: ChatClient, trial: Trial) -> AnsweredDialogue:
        """Ask for every answer of a trial, and of what it continues. Raises what `ChatClient.ask` raises."""
        if trial.dialogue.scenario.id not in self._shared:
            return await self._ask(client, trial)
        async with self._locks[trial.key]:
            if trial.key not in self._asked:
                self._asked[trial.key] = await self._ask(client, trial)
            return self._asked[trial.key]

    def of_subject(self, asked: AnsweredDialogue, subject: Subject) -> AnsweredDialogue:
        """A dialogue as that of another configuration, where it turned out that this one was asked."""
        trial, end = self.trial(subject, asked.trial.dialogue.scenario.id, asked.trial.run), None
        if asked.lacks:
            return asked._replace(trial=trial)
        if asked.trial.parent is not None:
            end = self.of_subject(self._asked[asked.trial.parent.key], subject).progress.context
        at, calls = context.begin(trial.key, end), list[CallRow]()
        whole = at
        for call in asked.calls:
            at, before = context.extend(at, call.answer), at
            whole = at if isinstance(call.answer, Reply) else whole
            calls.append(msgspec.structs.replace(call, trial=trial.key, context=before, after=at))
        return AnsweredDialogue(trial, asked.progress._replace(context=whole), tuple(calls))

    async def _ask(self, client: ChatClient, trial: Trial) -> AnsweredDialogue:
        inherited: tuple[SubjectAnswer, ...] = ()
        end: str | None = None
        if trial.parent is not None:
            stem = await self.answered(client, trial.parent)
            if not stem.finished:
                return AnsweredDialogue(trial, TrialProgress((), (), None), lacks="parent_missing")
            inherited, end = stem.said, stem.progress.context
        progress, calls = TrialProgress(inherited, (), context.begin(trial.key, end)), list[CallRow]()
        while len(progress.answers) < trial.dialogue.generated:
            answer, after = await client.ask(dialogue.request(trial, progress)), None
            if isinstance(answer, Reply):
                after = progress.extended(answer)
                answer = asking.marked(trial, after, answer, self._job.suite)
            turn, at = len(progress.answers), progress.context or ""
            calls.append(
                CallRow(
                    trial=trial.key, turn=turn, turn_id=dialogue.turn_id(trial, turn), context=at,
                    after=context.extend(at, answer), answer=answer, answered_at=records.now(),
                )
            )  # fmt: skip
            if after is None:
                break
            progress = after
        return AnsweredDialogue(trial, progress, tuple(calls))


def record(job: RunPlan, asked: AnsweredDialogue) -> Dialogue:
    """A dialogue as the log carries it, without verdicts."""
    trial = asked.trial
    return logged.of_rows(pipeline.subject_row(job, trial.subject), pipeline.trial_row(job, trial), asked.calls)


def transcript(asked: AnsweredDialogue) -> list[Message]:
    """The messages of a dialogue with its last answer, for people to read."""
    if asked.lacks or not asked.calls:
        return list(dialogue.opening(asked.trial.dialogue))
    turns = len(asked.progress.answers)
    before = asked.progress._replace(answers=asked.progress.answers[: len(asked.calls) - 1])
    sent = dialogue.request(asked.trial, before).messages
    return [*sent, Message("assistant", asked.progress.answers[-1].text)] if turns == len(asked.calls) else list(sent)


def output(asked: AnsweredDialogue) -> Any:
    """The last answer as Inspect's output of a sample; an empty text where none came."""
    last = asked.progress.answers[-1].text if asked.finished else ""
    return ModelOutput.from_content(asked.trial.subject.model_id, last)
