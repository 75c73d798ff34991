"""How long an answer takes: a fixed time, or a log-normal one that depends on (model, messages, seed) alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from independence.errors import UsageError
from independence.testing.loopback.wire import uniforms

_NORMAL = NormalDist()
Latency = Callable[[str], float]  # digest of (model, messages, seed) -> seconds until the answer is ready, >= 0


def parse_latency(spec: str) -> Latency:
    """`""` or `0.05` (seconds), or `lognormal:MU,SIGMA` (of ln seconds). Raises UsageError."""
    try:
        return _parse(spec.strip())
    except ValueError:
        hint = "use seconds such as 0.05, or lognormal:MU,SIGMA"
        raise UsageError(f"--latency {spec!r} is not a latency: {hint}.") from None


def _parse(text: str) -> Latency:
    if text.startswith("lognormal:"):
        mean, spread = text.removeprefix("lognormal:").split(",")
        mu, sigma = _number(mean, -math.inf), _number(spread, 0.0)
        return lambda key: math.exp(mu + sigma * _NORMAL.inv_cdf(uniforms("latency", key).a))
    seconds = _number(text or "0", 0.0)
    return lambda _key: seconds


def _number(text: str, low: float) -> float:
    value = float(text)
    if not math.isfinite(value) or value < low:
        raise ValueError(text)
    return value
