"""The scorer and the metric: a judge of ours on a finished dialogue, and the row of the board that its verdicts make.

A verdict that is missing has no values, never zeros, and what was not asked counts as planned: the metric has an index
exactly where a board of ours has one.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from inspect_ai.scorer import Score

from independence.api.reading import Store
from independence.clients.protocol import ChatClient
from independence.config.registry import Registry
from independence.config.subjects import Subject, from_json
from independence.engine import dialogue, pipeline, plan
from independence.engine.grading import seed_of
from independence.engine.plan import Selection
from independence.engine.resolve import ResolvedRun
from independence.errors import UsageError
from independence.exchange import logged, storing
from independence.exchange.logged import LoggedDialogue, LoggedStep, LoggedVerdict
from independence.extensions.inspect import models
from independence.extensions.inspect.dialogues import AnsweredDialogue
from independence.judge import kinds, prompt, protocol
from independence.judge.kinds import JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue, Judge
from independence.judge.reasking import none_given
from independence.store.database import transaction, writing
from independence.suites.schema import Suite
from independence.types import Condition, Grade, Missing

PAIRS: Final = ("bounds", "ci")  # of numbers on boards, low end first
_AMONG_OTHERS: Final = ("rank", "tier", "above")  # what a row says only beside others


def configured(name: str, suite: Suite) -> Judge:
    """A judge by our name or by Inspect's name of a model. Raises UsageError for one that waits for all dialogues."""
    kind = kinds.of(name)
    if kind is kinds.MODEL:
        model_id, endpoint, model = models.identity(name)
        return ModelJudge(model_id, endpoint=endpoint, model=model)
    (judge,) = kinds.configure([name], JudgeSources(Registry(), suite))
    if judge.waits_for_all or judge.endpoint:
        what = f"judge `{name}` grades all dialogues together, after the last of them"
        raise UsageError(
            what, "name a model or `cues`; `independence import` and `independence judge` grade a log later"
        )
    return judge


class DialogueGrader:
    """One judge of a suite's dialogues, with what it is asked through."""

    def __init__(self, suite: Suite, rubrics: Mapping[str, str], judge: Judge, client: ChatClient | None) -> None:
        self._suite, self._rubrics, self._judge, self._client = suite, rubrics, judge, client

    async def grade(self, asked: AnsweredDialogue) -> tuple[LoggedVerdict, tuple[LoggedStep, ...]]:
        """The verdict on a finished dialogue, and what the judge wrote before. Raises what `ChatClient.ask` raises."""
        scenario, judge = asked.trial.dialogue.scenario, self._judge
        rubric, digest = self._suite.rubrics[scenario.rubric], self._rubrics[scenario.id]
        end = asked.progress.context or ""
        finished = FinishedDialogue(
            dialogue.transcript_turns(asked.trial, asked.progress), rubric, {**self._suite.vars, **scenario.vars},
            dialogue.reply_context(asked.trial, self._suite.language),
            seed=seed_of(protocol.verdict_key(end, digest, judge.settings)),
        )  # fmt: skip
        steps = await self._write(finished, end)
        lacking = next((step for step in steps if step.missing is not None), None)
        grade: Grade
        if lacking is not None and lacking.missing is not None:
            why = f"step `{lacking.step}` came to nothing"
            grade = none_given(lacking.missing.reason, lacking.missing.detail, why)
        else:
            written = {step.step: step.reply.text for step in steps if step.reply is not None}
            grade = await judge.grade(finished._replace(written=written), self._client)
        own = LoggedVerdict(judge=judge.name, rubric=digest, settings=judge.settings, **logged.came(grade))
        return own, tuple(steps)

    async def _write(self, finished: FinishedDialogue, end: str) -> list[LoggedStep]:
        """The steps of the rubric in order, up to one that comes to nothing."""
        judge, out, written = self._judge, list[LoggedStep](), dict[str, str]()
        if not judge.reads_rubric_steps or self._client is None:
            return out
        for position, step in enumerate(finished.rubric.steps):
            wording = protocol.step_digest(step, finished.variables)
            key = protocol.step_key(end, wording, written, judge.settings)
            text = prompt.render_step(step.prompt, finished.variables, finished.turns, written)
            answer = await judge.write_step(text, self._client, seed_of(key))
            out.append(
                LoggedStep(
                    key=key, judge=judge.name, step=step.name, position=position, wording=wording,
                    settings=judge.settings, **logged.came(answer),
                )
            )  # fmt: skip
            if isinstance(answer, Missing):
                break
            written[step.name] = answer.text
        return out


def record(job: ResolvedRun, asked: AnsweredDialogue) -> LoggedDialogue:
    """A dialogue as the log carries it, without verdicts."""
    return LoggedDialogue(
        subject=pipeline.subject_row(job, asked.trial.subject),
        trial=pipeline.trial_row(job, asked.trial),
        begins=asked.begins,
        answers=tuple(map(logged.logged_answer, asked.calls)),
    )


def score(own: LoggedDialogue, suite: Suite, judge: str) -> Any:
    """What Inspect shows of a dialogue and one judge's verdict: every field, the reasoning, the last reply."""
    fields = suite.rubrics[suite.scenario(own.trial.scenario).rubric].fields
    current = [one for one in own.verdicts if one.judge == judge and one.context in (None, own.end)]
    verdict, missing = (current[-1].verdict, current[-1].missing) if current else (None, _lacking(own))
    reply = own.answers[-1].reply if own.answers else None
    return Score(
        value=dict(verdict.values) if verdict else dict.fromkeys(fields),
        answer=reply.text if reply else None,
        explanation=verdict.reasoning if verdict else (missing.detail or missing.reason) if missing else None,
        reason=missing.reason if missing else None,
    )


def _lacking(own: LoggedDialogue) -> Missing:
    """Why a dialogue has no verdict."""
    last = own.answers[-1].missing if own.answers else None
    return last or Missing("unjudged" if own.answers else "parent_missing")


def board_row(job: ResolvedRun, judge: str, runs: int, scores: Iterable[Any]) -> dict[str, float]:
    """The numbers of the board's row that these scores make, by name; what the board leaves open is left out."""
    dialogues = [own for one in scores if (own := logged.of_metadata(one.score.metadata, LoggedDialogue)) is not None]
    configured = {one.subject.config_dir: one.subject.config for one in dialogues}
    if len(configured) != 1:
        return {}
    subject = from_json(next(iter(configured.values())))
    runs = max([runs, *(one.trial.run for one in dialogues)])
    (condition,) = {Condition(one.trial.variant, one.trial.mode) for one in dialogues}
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path = Path(folder, "row.db")
        _store(path, planned(job, condition, runs, subject), dialogues)
        with Store(path) as held:
            judged = any(one.verdicts for one in dialogues)
            board = held.board(f"{job.where.suite}@{job.where.edition}", judge=judge if judged else None)
            return dict(numbers(next(board.records())))


def planned(job: ResolvedRun, condition: Condition, runs: int, subject: Subject) -> ResolvedRun:
    """The same run with all trials of one subject."""
    trials = plan.trials(job.suite, Selection((condition,), runs=runs), [subject])
    return msgspec.structs.replace(job, trials=trials)


def _store(path: Path, job: ResolvedRun, dialogues: list[LoggedDialogue]) -> None:
    with writing(path, new=True) as connection, transaction(connection):
        pipeline.write_plan(connection, job)
        storing.write(connection, logged.rows(logged.edition(job), dialogues))


def numbers(row: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """Numbers of a flat row by name; of a pair its ends."""
    for name, value in row.items():
        plain = re.sub(r"^dimensions\.", "", name)
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in _AMONG_OTHERS:
            yield plain, float(value)
        elif name in PAIRS and isinstance(value, list | tuple):
            low, high = value
            yield f"{name}_low", float(low)
            yield f"{name}_high", float(high)
