"""How long an answer takes: a fixed time, one log-normal, or the shape measured on real endpoints.

`real` is hierarchical: a model has its own pace (70 % of the log-variance), a question its own weight, and what is left
scatters by a factor of about 1.5. A judge is quick with a heavy tail. Times depend on (model, messages, seed) alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

from independence.errors import UsageError
from independence.testing.loopback.wire import uniforms

_NORMAL = NormalDist()
_PACE_MU, _PACE_SIGMA = 1.79, 0.78  # of ln seconds, between models
_SCATTER = 0.39  # of ln seconds, within one model and question
_HEAVY = (2.2, 1.75, 1.60, 1.59, 1.12)  # factors of the five slow questions; all others lie in _LIGHT
_LIGHT = (0.76, 0.98)
_QUESTIONS = 17
_JUDGE_BODY = (0.864, 0.165)
_JUDGE_TAIL = (1.787, 0.714)
_JUDGE_TAIL_SHARE = 0.057
_JUDGE_STUCK_SHARE = 0.001
_JUDGE_STUCK = (60.0, 130.0)  # seconds


class TimedCall(NamedTuple):
    """What a time may depend on."""

    model: str
    question: str  # last human text
    key: str  # digest of (model, messages, seed)
    judge: bool


Latency = Callable[[TimedCall], float]  # seconds until the answer is ready, >= 0


def parse_latency(spec: str, seed: int) -> Latency:
    """`""` or `0.05` (seconds), `lognormal:MU,SIGMA` (of ln seconds), `real`, `real/20`. Raises UsageError."""
    try:
        return _parse(spec.strip(), seed)
    except ValueError:
        hint = "use seconds such as 0.05, lognormal:MU,SIGMA, real, or real/20"
        raise UsageError(f"--latency {spec!r} is not a latency: {hint}.") from None


def _parse(text: str, seed: int) -> Latency:
    if text.startswith("lognormal:"):
        mean, spread = text.removeprefix("lognormal:").split(",")
        mu, sigma = _number(mean, -math.inf), _number(spread, 0.0)
        return lambda call: math.exp(mu + sigma * _NORMAL.inv_cdf(uniforms("latency", call.key).a))
    if text == "real" or text.startswith("real/"):
        divisor = _number(text.removeprefix("real/"), 1e-9) if "/" in text else 1.0
        return lambda call: (_judge_seconds(call.key) if call.judge else _subject_seconds(call, seed)) / divisor
    seconds = _number(text or "0", 0.0)
    return lambda _call: seconds


def _number(text: str, low: float) -> float:
    value = float(text)
    if not math.isfinite(value) or value < low:
        raise ValueError(text)
    return value


def _subject_seconds(call: TimedCall, seed: int) -> float:
    pace = _PACE_MU + _PACE_SIGMA * _NORMAL.inv_cdf(uniforms("pace", seed, call.model).a)
    scatter = _SCATTER * _NORMAL.inv_cdf(uniforms("latency", call.key).a)
    return math.exp(pace + scatter) * _weight(call.question)


def _weight(question: str) -> float:
    # The wire does not say which scenario it carries, so the text stands for it.
    draw = uniforms("weight", question)
    place = int(draw.a * _QUESTIONS)
    return _HEAVY[place] if place < len(_HEAVY) else _LIGHT[0] + draw.b * (_LIGHT[1] - _LIGHT[0])


def _judge_seconds(key: str) -> float:
    draw = uniforms("latency", key)
    if draw.b < _JUDGE_STUCK_SHARE:
        return _JUDGE_STUCK[0] + draw.c * (_JUDGE_STUCK[1] - _JUDGE_STUCK[0])
    mu, sigma = _JUDGE_TAIL if draw.c < _JUDGE_TAIL_SHARE else _JUDGE_BODY
    return math.exp(mu + sigma * _NORMAL.inv_cdf(draw.a))
