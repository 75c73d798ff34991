"""Dollars not spent yet: a mean, the range the sum will lie in, and a bound."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from independence.clients.pricing import Prices
from independence.engine.profile import Factor, Guess, Source

DECILE = 1.2815515655446004  # of the normal distribution: 80 % lie between minus and plus this


class Part(NamedTuple):
    """One number of one call: what to expect of it, and the log-SD from call to call."""

    guess: Guess
    noise: float


class Most(NamedTuple):
    """A bound on one call: the attempts it may take, and the tokens of all of them together."""

    attempts: int
    prompt: float
    completion: float


class Bill:
    """A sum over calls to come.

    Calls that share a factor of log-SD s vary together: the dollars behind it add (their sum)^2 (exp(s^2) - 1) to the
    variance. From call to call every call varies by itself. The range reads the sum as log-normal with this mean m and
    variance v and gives its 10 % and 90 % points: m exp(-t^2 / 2 -+ 1.2816 t), where t^2 = ln(1 + v / m^2).
    """

    def __init__(self) -> None:
        self.calls = self.steps = 0
        self.prompt = self.completion = 0.0  # tokens
        self.usd = self.most_usd = 0.0
        self.unpriced = False  # a model's price is not known: its calls are in no dollars
        self.sources: Counter[Source] = Counter()
        self._shared: dict[Factor, float] = {}  # dollars behind each
        self._alone = 0.0

    def add(self, prompt: Part, completion: Part, most: Most, prices: Prices | None, times: int = 1) -> None:
        """As many calls more, all alike. Without prices they count, and cost nothing that is known."""
        self.calls += times
        self.sources[completion.guess.source] += times
        self._charge(prompt, completion, most, prices, times)

    def add_step(self, prompt: Part, completion: Part, most: Most, prices: Prices | None, times: int = 1) -> None:
        """The same for calls that come before one: they count as steps of it."""
        self.steps += times
        self._charge(prompt, completion, most, prices, times)

    def _charge(self, prompt: Part, completion: Part, most: Most, prices: Prices | None, times: int) -> None:
        self.prompt += times * prompt.guess.tokens
        self.completion += times * completion.guess.tokens
        if prices is None:
            self.unpriced = True
            return
        self._vary(prompt, prices.prompt, times)
        self._vary(completion, prices.completion, times)
        self.usd += times * prices.request
        dear = max(prices.completion, prices.internal_reasoning)
        each = most.prompt * prices.prompt + most.completion * dear + most.attempts * prices.request
        self.most_usd += times * each

    def _vary(self, part: Part, price: float, times: int) -> None:
        usd = part.guess.tokens * price
        self.usd += times * usd
        self._alone += times * usd**2 * math.expm1(part.noise**2)
        for factor in part.guess.factors:
            self._shared[factor] = self._shared.get(factor, 0.0) + times * usd

    def plus(self, other: Bill) -> Bill:
        """Both together; factors they share stay shared."""
        out = Bill()
        for bill in (self, other):
            out.calls += bill.calls
            out.steps += bill.steps
            out.prompt += bill.prompt
            out.completion += bill.completion
            out.usd += bill.usd
            out.most_usd += bill.most_usd
            out.unpriced |= bill.unpriced
            out.sources += bill.sources
            for factor, usd in bill._shared.items():
                out._shared[factor] = out._shared.get(factor, 0.0) + usd
            out._alone += bill._alone
        return out

    @property
    def range_usd(self) -> tuple[float, float]:
        """Dollars below which one bill in ten stays, and above which one in ten goes."""
        if self.usd == 0:
            return 0.0, 0.0
        variance = self._alone + sum(usd**2 * math.expm1(factor.sd**2) for factor, usd in self._shared.items())
        spread = math.sqrt(math.log1p(variance / self.usd**2))
        middle = self.usd * math.exp(-(spread**2) / 2)
        return middle * math.exp(-DECILE * spread), middle * math.exp(DECILE * spread)
