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
from independence.config.subjects import from_json
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
_AMONG_OTHERS: Final = ("rank", "tier")  # what a row says only beside others


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


async def graded(job: ResolvedRun, judge: Judge, client: ChatClient | None, asked: AnsweredDialogue) -> LoggedDialogue:
    """A finished dialogue with the verdict of a judge, and what that wrote before it, up to a step without an outcome.

    Raises what `ChatClient.ask` raises.
    """
    scenario, end = asked.trial.dialogue.scenario, asked.progress.context or ""
    rubric, digest = job.suite.rubrics[scenario.rubric], job.rubrics[scenario.id]
    finished = FinishedDialogue(
        dialogue.transcript_turns(asked.trial, asked.progress), rubric, {**job.suite.vars, **scenario.vars},
        dialogue.reply_context(asked.trial, job.suite.language),
        seed=seed_of(protocol.verdict_key(end, digest, judge.settings)),
    )  # fmt: skip
    steps, written = list[LoggedStep](), dict[str, str]()
    grade: Grade | None = None
    for position, step in enumerate(rubric.steps if judge.reads_rubric_steps else ()):
        if client is None:
            break
        wording = protocol.step_digest(step, finished.variables)
        key = protocol.step_key(end, wording, written, judge.settings)
        text = prompt.render_step(step.prompt, finished.variables, finished.turns, written)
        answer = await judge.write_step(text, client, seed_of(key))
        own = LoggedStep(
            key=key, judge=judge.name, step=step.name, position=position, wording=wording, settings=judge.settings,
            **logged.came(answer),
        )  # fmt: skip
        steps.append(own)
        if isinstance(answer, Missing):
            grade = none_given(answer.reason, answer.detail, f"step `{step.name}` came to nothing")
            break
        written[step.name] = answer.text
    grade = grade or await judge.grade(finished._replace(written=written), client)
    verdict = LoggedVerdict(judge=judge.name, rubric=digest, settings=judge.settings, **logged.came(grade))
    return msgspec.structs.replace(record(job, asked), verdicts=(verdict,), steps=tuple(steps))


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
    last = own.answers[-1] if own.answers else None
    if current:
        verdict, missing = current[-1].verdict, current[-1].missing
    else:
        verdict, missing = None, (last and last.missing) or Missing("unjudged" if last else "parent_missing")
    return Score(
        value=dict(verdict.values) if verdict else dict.fromkeys(fields),
        answer=last.reply.text if last and last.reply else None,
        explanation=verdict.reasoning if verdict else (missing.detail or missing.reason) if missing else None,
        reason=missing.reason if missing else None,
    )


def board_row(job: ResolvedRun, judge: str, runs: int, scores: Iterable[Any]) -> dict[str, float]:
    """The numbers of the board's row that these scores make, by name; what the board leaves open is left out."""
    dialogues = [own for one in scores if (own := logged.of_metadata(one.score.metadata, LoggedDialogue)) is not None]
    configured = {one.subject.config_dir: one.subject.config for one in dialogues}
    if len(configured) != 1:
        return {}
    subject = from_json(next(iter(configured.values())))
    runs = max([runs, *(one.trial.run for one in dialogues)])
    (condition,) = {Condition(one.trial.variant, one.trial.mode) for one in dialogues}
    trials = plan.trials(job.suite, Selection((condition,), runs=runs), [subject])
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path = Path(folder, "row.db")
        with writing(path, new=True) as connection, transaction(connection):
            pipeline.write_plan(connection, msgspec.structs.replace(job, trials=trials))
            storing.write(connection, logged.rows(logged.edition(job), dialogues))
        with Store(path) as held:
            judged = any(one.verdicts for one in dialogues)
            board = held.board(f"{job.where.suite}@{job.where.edition}", judge=judge if judged else None)
            return dict(numbers(next(board.records())))


def numbers(row: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """Numbers of a flat row by name; of a pair its ends, of an estimate its value and the ends of its interval."""
    for name, value in row.items():
        plain = re.sub(r"^dimensions\.", "", name)
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in _AMONG_OTHERS:
            yield plain, float(value)
        elif isinstance(value, Mapping) and "est" in value:
            yield from numbers({name: value["est"], f"{name}_ci": value["ci"]})
        elif name.endswith(PAIRS) and isinstance(value, list | tuple):
            low, high = value
            yield f"{name}_low", float(low)
            yield f"{name}_high", float(high)
