"""From names of endpoints to endpoints: by options, models file and environment, each with its key and limits.

Flags go over `models.yaml`, that over the environment, and that over defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from independence.clients import dialects
from independence.config import environment, registry
from independence.config.endpoints import Endpoint, ModelBounds, RateSetting, check_key
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.errors import UsageError

DEFAULT_FILE = Path("models.yaml")
LOOPBACK = Endpoint(SIM, "", "openrouter", "loopback", 200)  # its address is known once it is up


def models(file: Path | None) -> Registry:
    """What a models file lists: the one named, else `./models.yaml` where it is there. Raises DocumentError."""
    path = file or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)
    known = registry.load(path, dialects.of) if path else Registry()
    return msgspec.structs.replace(known, redirected=bool(environment.redirected(environment.read())))


def endpoints(
    names: Iterable[str], known: Registry, env: Mapping[str, str], options: ConnectionOptions
) -> dict[str, Endpoint]:
    """The endpoints of these names. Raises UsageError for a key or an address that is missing."""
    found = {name: _endpoint(name, known, env, options) for name in dict.fromkeys(names)}
    return bounded(found, known, environment.settings(env), options)


def _endpoint(name: str, known: Registry, env: Mapping[str, str], options: ConnectionOptions) -> Endpoint:
    if name == SIM:
        return LOOPBACK
    if name == LOCAL:
        return environment.local(env, options.local_url, options.local_timeout or environment.LOCAL_TIMEOUT_S)
    if name == OPENROUTER:
        return environment.openrouter(env, keyless=options.dry_run)
    return _configured(name, known, env, keyless=options.dry_run)


def _configured(name: str, known: Registry, env: Mapping[str, str], *, keyless: bool) -> Endpoint:
    entry = next((entry for entry in known.endpoints if entry.name == name), None)
    if entry is None:
        raise UsageError(f"endpoint `{name}` is not declared", "add it to `endpoints:` of models.yaml (--models-file)")
    source = entry.api_key_env or ""
    key = env.get(source, "") if source else ""
    if source and environment.is_placeholder(key):
        if not keyless:
            raise UsageError(f"endpoint `{name}` reads its key from {source}, which is not set")
        key = ""
    return Endpoint(
        name,
        entry.base_url.rstrip("/"),
        entry.dialect,
        check_key(key.strip(), source),
        entry.max_concurrency or 20,
        backoff_s=entry.backoff_s,
        key_source=source,
    )


def redirection(names: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Which server `openrouter` is, where it is asked and is another one."""
    base = environment.redirected(env)
    if not base or OPENROUTER not in names:
        return []
    return [f"openrouter is {environment.without_credentials(base)} here (OPENROUTER_BASE_URL)"]


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
