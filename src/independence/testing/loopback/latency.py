"""How long an answer takes: a fixed time, one log-normal, or the shape measured on real endpoints.

`real` is hierarchical: a model has its own pace (70 % of the log-variance), a question its own weight, and what is left
scatters by a factor of about 1.5. A judge is quick with a heavy tail. Times depend on (model, messages, seed) alone.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple, Protocol

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


class Latency(Protocol):
    """Seconds until the answer to a call is ready."""

    def __call__(self, call: TimedCall) -> float:
        """Seconds, >= 0."""
        ...


class FixedLatency(NamedTuple):
    """The same for every call."""

    seconds: float

    def __call__(self, call: TimedCall) -> float:
        """The fixed seconds."""
        return self.seconds


class LogNormalLatency(NamedTuple):
    """One log-normal for all calls; `mu` and `sigma` are of ln seconds."""

    mu: float
    sigma: float

    def __call__(self, call: TimedCall) -> float:
        """Drawn from the call's key."""
        return math.exp(self.mu + self.sigma * _NORMAL.inv_cdf(uniforms("latency", call.key).a))


class MeasuredLatency(NamedTuple):
    """The measured shape, sped up by `divisor`."""

    divisor: float
    seed: int

    def __call__(self, call: TimedCall) -> float:
        """Drawn from the model, the question and the call's key."""
        return (_judge_seconds(call.key) if call.judge else self._subject_seconds(call)) / self.divisor

    def _subject_seconds(self, call: TimedCall) -> float:
        pace = _PACE_MU + _PACE_SIGMA * _NORMAL.inv_cdf(uniforms("pace", self.seed, call.model).a)
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


def parse_latency(spec: str, seed: int) -> Latency:
    """`""` or `0.05` (seconds), `lognormal:MU,SIGMA` (of ln seconds), `real`, `real/20`. Raises UsageError."""
    text = spec.strip()
    try:
        return _parse(text, seed)
    except ValueError:
        hint = "use seconds such as 0.05, lognormal:MU,SIGMA, real, or real/20"
        raise UsageError(f"--latency {spec!r} is not a latency: {hint}.") from None


def _parse(text: str, seed: int) -> Latency:
    if text.startswith("lognormal:"):
        mu, sigma = (_number(part) for part in text.removeprefix("lognormal:").split(","))
        return LogNormalLatency(mu, _at_least(sigma, 0.0))
    if text == "real":
        return MeasuredLatency(1.0, seed)
    if text.startswith("real/"):
        return MeasuredLatency(_at_least(_number(text.removeprefix("real/")), 1e-9), seed)
    return FixedLatency(_at_least(_number(text or "0"), 0.0))


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _at_least(value: float, low: float) -> float:
    if value < low:
        raise ValueError(value)
    return value
