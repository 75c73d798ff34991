"""Suites as tasks of Inspect AI: `inspect eval independence/v2 --model openai/gpt-5`.

One task for each suite that ships, and `independence/suite` for a folder of one's own. All are made here from the
suite's data: what is asked, how it is graded and what it comes to is the same as in a run of this package.
"""

from __future__ import annotations

from typing import Any, Final

import inspect_ai
from inspect_ai import Task
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, metric, scorer
from inspect_ai.solver import solver

from independence.clients.client import OpenAIClient
from independence.config.options import ConnectionOptions
from independence.engine import dialogue, plan, resolve
from independence.engine.resolve import ResolvedRun
from independence.errors import UsageError
from independence.exchange import logged
from independence.extensions.inspect import dialogues, models, scoring, versions
from independence.extensions.inspect.dialogues import AnsweredDialogue, TaskDialogues
from independence.judge import kinds
from independence.judge.protocol import DEFAULT_JUDGE
from independence.report import analysis
from independence.suites import load, script
from independence.types import Condition

GRADER: Final = f"openrouter/{DEFAULT_JUDGE}"  # where nobody is named, as in a run of this package

versions.check(inspect_ai.__version__)


def suite_task(suite: str, judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """A suite as a task of Inspect.

    `suite`: a built-in name or a folder with suite.yaml. `judge`: Inspect's name of a model, `cues` or `picks`; by
    default the judge of a run of this package. `variant`: a system prompt of the suite, or a .md file of one's own.
    `mode`: user_role or tool_role. `runs`: how often each scenario is asked, as Inspect's --epochs says too.
    Raises UsageError.
    """
    job, condition = _resolved(str(suite), str(variant), str(mode), int(runs))
    usual = kinds.PICKS if job.suite.battery else GRADER
    parts = _Parts(job, condition, str(judge) or usual, int(runs))
    return Task(
        dataset=MemoryDataset(parts.samples(), name=job.where.edition_name),
        solver=parts.solver(),
        scorer=parts.scorer(),
        epochs=int(runs),
        version=job.edition,
        metadata=logged.to_metadata(logged.edition(job)),
        description=job.suite.about,
    )


def _resolved(suite: str, variant: str, mode: str, runs: int) -> tuple[ResolvedRun, Condition]:
    """What is asked, without whom. Raises UsageError for names that the suite does not have."""
    loaded = load.load(suite, analysis.check)
    own, personas, names = resolve.with_personas(loaded, [variant] if variant else [])
    (condition,) = plan.select(own, names, [mode] if mode else [], runs, ()).conditions
    job = ResolvedRun(
        suite=own, edition=loaded.edition, trials=(), judges=(), options=ConnectionOptions(), personas=personas
    )
    return job, condition


class _Parts:
    """What a task consists of."""

    def __init__(self, job: ResolvedRun, condition: Condition, judge: str, runs: int) -> None:
        self._job, self._condition, self._runs = job, condition, runs
        self._judge, self._judge_model = scoring.configured(judge, job.suite), judge
        self._clients: dict[str, OpenAIClient] = {}
        self._dialogues = TaskDialogues(job, condition)
        self._answered: dict[tuple[str, str, int], AnsweredDialogue] = {}

    def samples(self) -> list[Any]:
        """One for each scenario."""
        out = []
        for scenario in self._job.suite.scenarios:
            made = script.compose(self._job.suite, scenario, self._condition)
            about = {
                "suite": self._job.where.suite, "edition": self._job.edition, "experiment": scenario.experiment,
                "scenario": scenario.id, "title": scenario.title, "variant": self._condition.variant,
                "mode": self._condition.mode, **scenario.factors,
            }  # fmt: skip
            messages = models.chat_messages(dialogue.opening(made))
            out.append(Sample(id=scenario.id, input=messages, metadata=about))
        return out

    def solver(self) -> Any:
        """Asks for every turn of a dialogue."""

        def made() -> Any:
            async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001 - so named in the protocol
                model = get_model()
                subject = dialogues.subject_of(model, self._job.suite.default.temperature)
                trial = self._dialogues.trial(subject, str(state.sample_id), state.epoch)
                asked = await self._dialogues.answered(self._client(model), trial)
                self._answered[str(state.model), str(state.sample_id), state.epoch] = asked
                state.messages = models.chat_messages(dialogues.transcript(asked))
                state.output = dialogues.output(asked)
                return state

            return solve

        return solver(name="dialogue")(made)()

    def scorer(self) -> Any:
        """Grades a dialogue, and makes a row of a board of all of them."""
        judge = self._judge

        def board() -> Any:
            def row(scores: list[SampleScore]) -> dict[str, float]:
                return scoring.board_row(self._job, judge.name, self._runs, scores)

            return row

        def made() -> Any:
            async def graded(state: Any, target: Any) -> Any:  # noqa: ARG001 - so named in the protocol
                asked = self._answered.pop((str(state.model), str(state.sample_id), state.epoch), None)
                if asked is None:
                    what = "only a dialogue that this task has asked can be graded"
                    raise UsageError(what, "`independence import` the log, and grade it with `independence judge`")
                if asked.finished:
                    client = self._client(get_model(self._judge_model)) if judge.endpoint else None
                    own = await scoring.graded(self._job, judge, client, asked)
                else:
                    own = scoring.record(self._job, asked)
                shown = scoring.score(own, self._job.suite, judge.name)
                shown.metadata = logged.to_metadata(own)
                return shown

            return graded

        metrics = [metric(name="board", scores="unreduced")(board)()]
        return scorer(metrics=metrics, name="verdict")(made)()

    def _client(self, model: Any) -> OpenAIClient:
        """One for each model: it learns which parameters are rejected."""
        name = str(model)
        if name not in self._clients:
            self._clients[name] = models.client(model)
        return self._clients[name]


def _name(name: str) -> str:
    """The name of a task under which `independence/NAME` finds it.

    Inspect puts the package in front where it is in site-packages; of an editable installation it knows only those
    whose distribution is called like the package.
    """
    return name if get_installed_package_name(suite_task) else f"independence/{name}"


def _task(name: str) -> Any:
    """The task of a suite that ships."""

    def shipped(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
        return suite_task(name, judge, variant, mode, runs)

    return inspect_ai.task(name=_name(name))(shipped)


TASKS: Final = {name: _task(name) for name in load.built_in()}
suite = inspect_ai.task(name=_name("suite"))(suite_task)
