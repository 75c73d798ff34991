"""How much an endpoint takes, by everybody who has a say: flags over `models.yaml` over environment over defaults."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from independence.config.endpoints import Endpoint, ModelBounds, RateSetting
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, SIM
from independence.errors import UsageError


def bounded(
    endpoints: Mapping[str, Endpoint], known: Registry, settings: EnvironmentSettings, options: ConnectionOptions
) -> dict[str, Endpoint]:
    """The endpoints with their bounds. Raises UsageError for a flag that makes no sense."""
    out = {name: _one(endpoint, known, settings, options) for name, endpoint in endpoints.items()}
    paced = any(e.rate or any(b.rate for b in e.bounds) for e in out.values())
    if options.burst is not None and out and not paced:
        raise UsageError(f"--burst {options.burst} bounds nothing alone:", "add --rps N")
    return out


def _one(endpoint: Endpoint, known: Registry, settings: EnvironmentSettings, options: ConnectionOptions) -> Endpoint:
    asked = RateSetting(options.rps, options.burst)
    entry = next((entry for entry in known.endpoints if entry.name == endpoint.name), None)
    below = RateSetting() if endpoint.name == SIM else settings.pacing.get(endpoint.dialect, RateSetting())
    if entry is not None:
        below = entry.pacing.over(below)
    own = [limit for limit in known.limits if limit.endpoint == endpoint.name]
    most, declared = (entry.max_concurrency, entry.timeout_s) if entry else (None, None)
    told = endpoint.name == LOCAL and options.local_timeout is not None
    return msgspec.structs.replace(
        endpoint,
        max_concurrency=_concurrency(endpoint.max_concurrency, most, settings, options),
        timeout_s=endpoint.timeout_s if told else declared or settings.timeout_s or endpoint.timeout_s,
        slow_timeout_s=declared or settings.timeout_s or endpoint.slow_timeout_s,
        retries=endpoint.retries if settings.retries is None else settings.retries,
        rate=asked.over(below).rate,
        bounds=tuple(
            ModelBounds(o.model, o.provider, asked.over(o.pacing).over(below).rate, o.concurrency, o.timeout_s)
            for o in own
        ),
    )


def _concurrency(usual: int, declared: int | None, settings: EnvironmentSettings, options: ConnectionOptions) -> int:
    """Calls in flight: a cap of the environment lowers what a file declares, and gives way to a larger `-pt`."""
    if settings.concurrency is None:
        return usual
    capped = settings.concurrency if declared is None else min(declared, settings.concurrency)
    return max(capped, min(options.parallel_tasks or 0, usual))
