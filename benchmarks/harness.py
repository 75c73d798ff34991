"""The same work in Inspect AI: two answers in one dialogue, then one graded call. Needs inspect-ai and openai."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from independence.judge import prompt
from independence.judge.parse import parse
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript
from independence.types import TranscriptTurn


def evaluate(
    suite: Suite, dialogues: Sequence[DialogueScript], runs: int, url: str, log_dir: Path, in_flight: int
) -> int:
    """Run and grade every dialogue `runs` times. Returns the model calls made; raises RuntimeError if any failed."""
    subject, judge = (_model(name, url, in_flight) for name in ("half", "judge"))
    samples = [_sample(dialogue) for dialogue in dialogues for _ in range(runs)]
    task = Task(dataset=samples, solver=solver(_two_turns)(), scorer=scorer(metrics=[mean()])(_graded)(suite, judge))
    (log,) = inspect_ai.eval(
        task,
        model=subject,
        display="none",
        log_dir=str(log_dir),
        log_level="error",
        max_samples=in_flight,
        fail_on_error=True,
    )
    _check(log, len(samples))
    return 3 * len(samples)


def _model(name: str, url: str, in_flight: int) -> Model:
    config = GenerateConfig(max_connections=in_flight, max_tokens=2048, temperature=0.7)
    return get_model(f"openai-api/loop/{name}", base_url=url, api_key="none", config=config)


def _sample(dialogue: DialogueScript) -> Sample:
    first, second = (turn.human for turn in dialogue.turns)
    opening: list[ChatMessage] = [ChatMessageSystem(content=dialogue.system), ChatMessageUser(content=first)]
    return Sample(input=opening, metadata={"second": second, "rubric": dialogue.scenario.rubric})


def _two_turns() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        state.messages.append(ChatMessageUser(content=state.metadata["second"]))
        return await generate(state)

    return solve


def _graded(suite: Suite, judge: Model) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - so named in the protocol
        rubric = suite.rubrics[state.metadata["rubric"]]
        texts = [message.text for message in state.messages if message.role != "system"]
        turns = zip(texts[::2], texts[1::2], strict=True)
        lines = [TranscriptTurn(human, answer, scripted=False, turn_id="") for human, answer in turns]
        grade = await judge.generate(prompt.render(rubric.prompt, suite.vars, lines, rubric.fields))
        found: dict[str, Any] = parse(grade.completion, rubric.fields).values
        return Score(value=float(found["consistency_score"]), explanation=grade.completion)

    return score


def _check(log: EvalLog, samples: int) -> None:
    scored = [sample for sample in log.samples or () if sample.scores]
    if log.status != "success" or len(scored) != samples:
        raise RuntimeError(f"Inspect AI graded {len(scored)} of {samples} samples ({log.status})")
