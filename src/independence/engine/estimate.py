"""What a plan will cost before anything is sent: calls, a typical figure and the most it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from independence.clients.pricing import Prices
from independence.engine.plan import Dialogue
from independence.engine.resume import Todo
from independence.judge.spec import CUES

# Means over 12,583 published calls: tokens an answer and a verdict take.
_ANSWER_TOKENS = 341
_VERDICT_TOKENS = 149
_JUDGE_MAX_TOKENS = 1024
_BYTES_PER_TOKEN = 3.5
_RUBRIC_TOKENS = 900
_MARGIN = 1.3


class Estimate(NamedTuple):
    """Work and dollars. `unpriced` names models whose price is not known; they are in no figure."""

    calls: int
    verdicts: int
    typical_usd: float
    most_usd: float
    unpriced: tuple[str, ...]


def estimate(todo: Sequence[Todo], prices: Mapping[tuple[str, str], Prices | None]) -> Estimate:
    """Price what is left to do; `prices` by (endpoint, model), None for unknown."""
    typical = most = 0.0
    unpriced: dict[str, None] = {}
    for item in todo:
        subject = item.trial.subject
        own = prices.get((subject.endpoint, subject.model))
        if item.calls and own is None:
            unpriced[subject.model_id] = None
        elif own is not None:
            low, high = _answers(item.trial.dialogue, item.calls, own)
            typical, most = typical + low, most + high
        for judge in item.judges:
            rate = prices.get((judge.endpoint, judge.model))
            if judge.kind != CUES and rate is None:
                unpriced[judge.name] = None
            elif rate is not None:
                low, high = _verdict(item.trial.dialogue, rate)
                typical, most = typical + low, most + high
    verdicts = sum(len(item.judges) for item in todo)
    return Estimate(sum(item.calls for item in todo), verdicts, typical, most, tuple(unpriced))


def _answers(dialogue: Dialogue, left: int, prices: Prices) -> tuple[float, float]:
    """The last `left` turns of a dialogue, each with all before it in its prompt."""
    scripted = len(dialogue.system) + sum(len(b.human) + len(b.reply or "") for b in dialogue.beats)
    answer = min(_ANSWER_TOKENS, dialogue.max_tokens)
    low = high = 0.0
    for turn in range(dialogue.generated - left, dialogue.generated):
        prompt = scripted / _BYTES_PER_TOKEN + turn * answer
        longest = (scripted / _BYTES_PER_TOKEN + turn * dialogue.max_tokens) * _MARGIN
        dear = max(prices.completion, prices.internal_reasoning)
        low += prompt * prices.prompt + answer * prices.completion + prices.request
        high += longest * prices.prompt + dialogue.max_tokens * dear + prices.request
    return low, high


def _verdict(dialogue: Dialogue, prices: Prices) -> tuple[float, float]:
    scripted = sum(len(b.human) + len(b.reply or "") for b in dialogue.beats) / _BYTES_PER_TOKEN + _RUBRIC_TOKENS
    dear = max(prices.completion, prices.internal_reasoning)
    prompt = scripted + dialogue.generated * min(_ANSWER_TOKENS, dialogue.max_tokens)
    longest = (scripted + dialogue.generated * dialogue.max_tokens) * _MARGIN
    return (
        prompt * prices.prompt + _VERDICT_TOKENS * prices.completion + prices.request,
        longest * prices.prompt + _JUDGE_MAX_TOKENS * dear + prices.request,
    )
