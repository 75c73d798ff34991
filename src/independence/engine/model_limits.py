"""The bounds of one model at an endpoint, shared by all its lanes: calls in flight, and the line at its bucket.

Calls that wait for a token hold slots in which another model could be asked. So a model gets no further slot while
enough of its calls stand in line already.
"""

from __future__ import annotations

import math

from independence.clients.throttle import Bucket, Buckets
from independence.config.endpoints import Endpoint
from independence.engine.gate import ConcurrencyLimit

_IN_LINE = 4  # enough for the next tokens to find somebody


class PerModelLimits:
    """The models of one endpoint that have bounds of their own."""

    def __init__(self, endpoint: Endpoint, buckets: Buckets) -> None:
        self._endpoint = endpoint
        self._buckets = buckets
        self._shares: dict[tuple[str, str | None], ConcurrencyLimit | None] = {}

    def share(self, model: str, provider: str | None = None) -> ConcurrencyLimit | None:
        """What the lanes of a model have in common; None where the endpoint's own limit is all there is."""
        key = (model, provider)
        if key not in self._shares:
            concurrency = self._endpoint.bounds_of(model, provider).concurrency
            self._shares[key] = _share(concurrency, self._buckets.of(model, provider))
        return self._shares[key]


def _share(concurrency: int | None, bucket: Bucket | None) -> ConcurrencyLimit | None:
    limit = math.inf if concurrency is None else concurrency
    if bucket is not None:
        paced = _RateLimited(limit, bucket)
        bucket.moved = paced.passed
        return paced
    return None if concurrency is None else ConcurrencyLimit(limit)


class _RateLimited(ConcurrencyLimit):
    def __init__(self, limit: float, bucket: Bucket) -> None:
        super().__init__(limit)
        self._bucket = bucket

    @property
    def full(self) -> bool:
        """Whether enough calls are in flight, or in line for a token."""
        return self.busy >= self.limit or self.busy - self._bucket.past >= _IN_LINE

    def passed(self) -> None:
        """A call got its token: where the line was full until now, another may join it."""
        if self.busy - self._bucket.past == _IN_LINE - 1:
            self.dispatch()
