"""Runs begun one after the other where the cost cap may not cover all of them, so that the runs it covers are whole.

A run counts as planned once it is begun: a run that the cap never let begin is no missing measurement.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from independence.clients.pricing import Budget
from independence.engine.estimate import CostEstimate
from independence.engine.resume import PendingTrial
from independence.errors import CostCapReached

_AMPLE: Final = 1.5  # times an expected cost: a cap that covers it is not expected to stop anything


def needed(max_cost: float | None, cost: CostEstimate) -> bool:
    """Whether a cap may stop the runs midway."""
    return max_cost is not None and (bool(cost.unpriced) or max_cost < _AMPLE * cost.range_usd[1])


class StagedRuns:
    """Begins as many runs as the cap is sure to cover, and at least one. `plan` stores the plan up to a run number."""

    def __init__(self, budget: Budget, plan: Callable[[int], Awaitable[None]]) -> None:
        self._budget = budget
        self._plan = plan
        self._done = 0  # calls and verdicts of the runs before

    async def begin(self, runs: Sequence[Sequence[PendingTrial]]) -> int:
        """Plan the next runs, and say how many.

        Raises CostCapReached where what is left of the cap does not cover one, at the cost of those before.
        """
        budget, first = self._budget, runs[0][0].trial.run
        each = budget.spent / self._done if self._done else 0.0
        left = math.inf if budget.cap is None else budget.cap - budget.spent
        if each * _work(runs[0]) > left:
            raise CostCapReached(
                f"the cost cap of ${budget.cap:.4f} is reached: ${budget.spent:.4f} spent, and run {first} of every "
                f"subject would cost about ${each * _work(runs[0]):.4f}; it was not begun, so the runs before it are "
                "whole; a higher --max-cost resumes"
            )
        count = 1
        while self._done and count < len(runs) and _AMPLE * each * sum(map(_work, runs[: count + 1])) <= left:
            count += 1
        await self._plan(runs[count - 1][0].trial.run)
        self._done += sum(map(_work, runs[:count]))
        return count


def _work(run: Sequence[PendingTrial]) -> int:
    """Calls and verdicts of a run."""
    return sum(item.calls + len(item.judges) for item in run)
