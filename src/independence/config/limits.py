"""How much an endpoint takes, by everybody who has a say: flags over `models.yaml` over environment over defaults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from independence.config.endpoints import Endpoint, ModelBounds, RateSetting
from independence.config.environment import EnvironmentSettings
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, SIM
from independence.errors import UsageError


class RateFlags(NamedTuple):
    """What the command line says; None where it says nothing."""

    rps: float | None = None  # --rps: requests per second to each model
    burst: int | None = None  # --burst
    calls: int | None = None  # -pt: calls at once within a subject
    local_timeout_s: float | None = None  # --local-timeout

    @property
    def pacing(self) -> RateSetting:
        """The rate they ask for."""
        return RateSetting(self.rps, self.burst)


def bounded(
    endpoints: Mapping[str, Endpoint], known: Registry, settings: EnvironmentSettings, flags: RateFlags
) -> dict[str, Endpoint]:
    """The endpoints with their bounds. Raises UsageError for a flag that makes no sense."""
    _check(flags)
    out = {name: _one(endpoint, known, settings, flags) for name, endpoint in endpoints.items()}
    paced = any(e.rate or any(b.rate for b in e.bounds) for e in out.values())
    if flags.burst is not None and out and not paced:
        raise UsageError(f"--burst {flags.burst} bounds nothing alone:", "add --rps N")
    return out


def _check(flags: RateFlags) -> None:
    for flag, value, unit in (
        ("--rps", flags.rps, "requests a second"),
        ("--local-timeout", flags.local_timeout_s, "seconds"),
    ):
        if value is not None and not 0 < value < math.inf:
            raise UsageError(f"{flag} {value:g}:", f"write {unit} above 0")
    if flags.burst is not None and flags.burst < 1:
        raise UsageError(f"--burst {flags.burst}: at least 1 is needed")


def _one(endpoint: Endpoint, known: Registry, settings: EnvironmentSettings, flags: RateFlags) -> Endpoint:
    entry = next((entry for entry in known.endpoints if entry.name == endpoint.name), None)
    below = RateSetting() if endpoint.name == SIM else settings.pacing.get(endpoint.dialect, RateSetting())
    if entry is not None:
        below = entry.pacing.over(below)
    own = [limit for limit in known.limits if limit.endpoint == endpoint.name]
    most, declared = (entry.max_concurrency, entry.timeout_s) if entry else (None, None)
    told = endpoint.name == LOCAL and flags.local_timeout_s is not None
    return msgspec.structs.replace(
        endpoint,
        max_concurrency=_concurrency(endpoint.max_concurrency, most, settings, flags),
        timeout_s=endpoint.timeout_s if told else declared or settings.timeout_s or endpoint.timeout_s,
        slow_timeout_s=declared or settings.timeout_s or endpoint.slow_timeout_s,
        retries=endpoint.retries if settings.retries is None else settings.retries,
        rate=flags.pacing.over(below).rate,
        bounds=tuple(
            ModelBounds(o.model, o.provider, flags.pacing.over(o.pacing).over(below).rate, o.concurrency, o.timeout_s)
            for o in own
        ),
    )


def _concurrency(usual: int, declared: int | None, settings: EnvironmentSettings, flags: RateFlags) -> int:
    """Calls in flight: a cap of the environment lowers what a file declares, and gives way to a larger `-pt`."""
    if settings.concurrency is None:
        return usual
    capped = settings.concurrency if declared is None else min(declared, settings.concurrency)
    return max(capped, min(flags.calls or 0, usual))
