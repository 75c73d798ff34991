"""Latencies drawn like those measured on real endpoints, and a client that takes them.

An answer's seconds are log-normal: a subject has a pace of its own (most of the variance), a turn its weight, and the
rest scatters by a factor of about 1.5. A judge is quick, with a heavy tail and, once in a thousand calls, stuck. All
follow from (draw, model, turn or verdict, seed), so that two runs of one draw meet the same times.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

from independence.clients.protocol import ChatClient
from independence.testing.loopback.wire import uniforms
from independence.types import Answer, ChatRequest

_NORMAL = NormalDist()
_PACE_MU, _PACE_SIGMA = 1.79, 0.78  # of ln seconds, between subjects
_SCATTER = 0.39  # of ln seconds, within one subject and turn
_WEIGHTS = {"direct": 2.2, "negotiation_turn1": 1.75, "negotiation_turn2": 1.60, "tool_context": 1.59} | dict.fromkeys(
    ("pt04_turn1", "pt04_turn2"), 1.12
)
_OTHERS = (0.76, 0.98)
_BODY, _TAIL, _TAIL_SHARE = (0.864, 0.165), (1.787, 0.714), 0.057
_STUCK, _STUCK_SHARE = (60.0, 130.0), 0.001


class Draw(NamedTuple):
    """One draw of all latencies."""

    number: int
    divisor: float  # how much faster than life
    stuck: bool = True  # whether one verdict in a thousand takes minutes

    def answer(self, model: str, turn_id: str, seed: int) -> float:
        """Seconds of a subject's answer."""
        pace = _PACE_MU + _PACE_SIGMA * _normal("pace", self.number, model)
        scatter = _SCATTER * _normal("answer", self.number, model, turn_id, seed)
        return math.exp(pace + scatter) * _weight(turn_id) / self.divisor

    def verdict(self, seed: int) -> float:
        """Seconds of a judge's verdict."""
        draw = uniforms("verdict", self.number, seed)
        if self.stuck and draw.a < _STUCK_SHARE:
            return (_STUCK[0] + draw.c * (_STUCK[1] - _STUCK[0])) / self.divisor
        mu, sigma = _TAIL if draw.b < _TAIL_SHARE else _BODY
        return math.exp(mu + sigma * _NORMAL.inv_cdf(draw.c)) / self.divisor


def _normal(*parts: str | int) -> float:
    return _NORMAL.inv_cdf(uniforms(*parts).a)


def _weight(turn_id: str) -> float:
    low, high = _OTHERS
    return _WEIGHTS.get(turn_id, low + uniforms("weight", turn_id).a * (high - low))


class Slowed(NamedTuple):
    """A client whose answers take as long as a draw says, seen from here: that is how the real ones were measured."""

    inner: ChatClient
    draw: Draw
    turns: Mapping[str, str]  # human text -> id of the turn it asks for
    seconds: list[float]  # of every call so far

    async def ask(self, request: ChatRequest) -> Answer:
        """Ask, and hand the answer over when its time has come."""
        loop = asyncio.get_running_loop()
        seconds = self._seconds(request)
        due = loop.time() + seconds
        self.seconds.append(seconds)
        answer = await self.inner.ask(request)
        await asyncio.sleep(due - loop.time())
        return answer

    def _seconds(self, request: ChatRequest) -> float:
        assert request.seed is not None
        if request.schema is not None:
            return self.draw.verdict(request.seed)
        question = next(m.content for m in reversed(request.messages) if m.role in ("user", "tool"))
        assert question is not None
        return self.draw.answer(request.model, self.turns[question], request.seed)
