"""From names of endpoints to endpoints: by options, models file and environment, each with its key and limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from independence.clients import dialects
from independence.config import environment, limits, registry
from independence.config.endpoints import Endpoint, check_key
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
    return limits.bounded(found, known, environment.settings(env), options)


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
