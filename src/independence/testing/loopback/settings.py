"""What one loopback endpoint does: where it listens, how fast it answers, what it breaks and what it charges."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal, NamedTuple, get_args

import msgspec

from independence.errors import UsageError
from independence.testing.loopback.faults import parse_faults
from independence.testing.loopback.ways import parse_ways
from independence.testing.loopback.wire import uniforms
from independence.testing.sim.parties import NOTHING_KNOWN, Merits

JUDGE = "judge"
Bill = Literal["usage", "max"]
# A fixed time, or a log-normal one that depends on (model, messages, seed) alone, whose digest it is given.
Latency = Callable[[str], float]  # -> seconds until the answer is ready, >= 0
_NORMAL = NormalDist()


class TokenPrice(NamedTuple):
    """Dollars per million tokens."""

    prompt: float
    completion: float


SUBJECT_PRICE = TokenPrice(1.0, 4.0)
JUDGE_PRICE = TokenPrice(0.5, 3.0)
FREE = TokenPrice(0.0, 0.0)


class LoopbackSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a loopback endpoint. Raises UsageError, in one sentence, where a value makes no sense."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any free one
    latency: str = ""  # `0.05`, `lognormal:MU,SIGMA`
    faults: str = ""  # comma-separated `RATE`, `KIND=RATE`, `KIND@MODEL`, `KIND+N`, `KIND@MODEL+N`
    ways: str = ""  # comma-separated `NAME`, `NAME=VALUE`, `NAME@MODEL`, `NAME@MODEL=VALUE`, as in `ways.yaml`
    seed: int = 0  # moves every reply, latency and fault
    log: str = ""  # JSONL file that requests are appended to, as they come in and as they finish
    bill: Bill = "usage"  # "max": the dearest a client may expect, 1.3 x the prompt and all of `max_tokens`
    key: str = ""  # the only key let in; empty: everyone
    price: str = ""  # comma-separated `MODEL=IN/OUT` or `IN/OUT` for all, dollars per million tokens
    max_in_row: int = 2  # rate-drawn faults in a row on one request body, at most
    hang_s: float = 30.0  # how long a `timeout` fault holds its request
    retry_after_s: float = 0.05  # what the `-after` faults ask for
    keep_bodies: int = 0  # how many of the last request bodies are kept in memory
    merits: Merits = NOTHING_KNOWN  # what advisers know of disputes that the words of a request do not tell

    def __post_init__(self) -> None:
        _check(0 <= self.port <= 65535, f"--port {self.port} is not a port: use 0 (any free one) to 65535.")
        _check(self.bill in get_args(Bill), f"--bill {self.bill!r} is unknown: use usage or max.")
        _check(self.max_in_row >= 0, "max_in_row must be 0 or more.")
        _check(0 <= self.hang_s < math.inf, "hang_s must be a number of seconds, 0 or more.")
        _check(0 <= self.retry_after_s < math.inf, "retry_after_s must be a number of seconds, 0 or more.")
        parse_latency(self.latency)
        parse_faults(self.faults)
        parse_ways(self.ways)
        parse_prices(self.price)


def _check(fine: bool, otherwise: str) -> None:
    if not fine:
        raise UsageError(otherwise)


def parse_prices(spec: str) -> dict[str, TokenPrice]:
    """`half=2/8,judge=1/5` or `3/9` (all models, key ""). Dollars per million tokens. Raises UsageError."""
    found = {}
    for item in filter(None, map(str.strip, spec.split(","))):
        model, _, figures = item.rpartition("=")
        try:
            prompt, completion = (float(part) for part in figures.split("/"))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < math.inf and 0 <= completion < math.inf):
            raise UsageError(
                f"--price {item!r} is not a price: use IN/OUT or MODEL=IN/OUT, dollars per million tokens."
            )
        found[model] = TokenPrice(prompt, completion)
    return found


def parse_latency(spec: str) -> Latency:
    """`""` or `0.05` (seconds), or `lognormal:MU,SIGMA` (of ln seconds). Raises UsageError."""
    text = spec.strip() or "0"
    random = text.startswith("lognormal:")
    try:
        *mean, spread = map(float, text.removeprefix("lognormal:").split(","))
    except ValueError:
        mean, spread = [], -1.0
    if len(mean) != random or not all(map(math.isfinite, (*mean, spread))) or spread < 0:
        hint = "use seconds such as 0.05, or lognormal:MU,SIGMA"
        raise UsageError(f"--latency {spec!r} is not a latency: {hint}.")
    if random:
        return lambda key: math.exp(mean[0] + spread * _NORMAL.inv_cdf(uniforms("latency", key).a))
    return lambda _: spread
