"""From names to endpoints and judges: by options, models file and environment, each with its key and limits.

Flags go over `models.yaml`, that over the environment, and that over defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from independence.clients import dialects
from independence.config import environment, registry
from independence.config.endpoints import Endpoint, ModelBounds, RateSetting, check, check_key, printable_address
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions, OfflineOptions, RunOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine.subjects import EnvironmentModel, model_of_variable
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.protocol import DEFAULT_JUDGE, Judge
from independence.suites import load
from independence.suites.schema import Suite

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
        check(entry.base_url, f"the address of endpoint `{name}`"),
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
    return [f"openrouter is {printable_address(base)} here (OPENROUTER_BASE_URL)"]


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
    by_flag = endpoint.name == LOCAL and options.local_timeout is not None
    return msgspec.structs.replace(
        endpoint,
        max_concurrency=_concurrency(endpoint.max_concurrency, most, settings, options),
        timeout_s=endpoint.timeout_s if by_flag else declared or settings.timeout_s or endpoint.timeout_s,
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


USUAL = OfflineOptions()


def chosen(options: RunOptions, suite: Suite, known: Registry, env: Mapping[str, str]) -> tuple[Judge, ...]:
    """The judges of a run: those it names, else the suite's own or the judge of all suites. Raises UsageError."""
    if options.no_judge:
        return ()
    if options.judges:
        offline = options.offline
        if offline.weights is None and any(kinds.of(name).predicts for name in options.judges):
            offline = msgspec.structs.replace(offline, weights=own_weights(options.suite))
        return specs(options.judges, known, suite, offline)
    try:
        return specs((default(suite, env),), known, suite)
    except UsageError as error:
        named = named_by_environment(suite, env)
        variable = named.variable if named else ""
        raise UsageError(f"{variable} names the judge of suite {suite.suite}: {error}") from error


def default(suite: Suite, env: Mapping[str, str]) -> str:
    """Who grades: whom the suite's environment variables name; without a usable one, the judge of all suites."""
    named = named_by_environment(suite, env)
    return named.model if named else DEFAULT_JUDGE


def named_by_environment(suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The judge that a suite's environment variables name; None where they name none."""
    return model_of_variable(env, suite.default.judge) or model_of_variable(env, suite.default.scorer)


def specs(names: Iterable[str], known: Registry, suite: Suite, offline: OfflineOptions = USUAL) -> tuple[Judge, ...]:
    """Judges by name, duplicates dropped. Raises UsageError for an id that cannot be one."""
    return kinds.configure(names, JudgeSources(known, suite, offline))


def share(judge: Judge) -> str:
    """What a judge buys from which model; "" where nothing."""
    if judge.purchase is None:
        return ""
    auditor, rule = judge.purchase.auditor.name, judge.purchase.rule
    unsure, audit, least = rule.unsure, rule.audit, rule.least
    if rule.audits:
        return f"{judge.name}: {least} verdicts per scenario are bought from {auditor}, drawn at random"
    return (
        f"{judge.name}: the least certain {unsure:.0%} of the verdicts and {audit:.0%} drawn from the rest are bought "
        f"from {auditor}; at least {least} drawn at random in each scenario that the offline judge does not know"
    )


def own_weights(suite: str) -> Path | None:
    """The weights that lie in a suite's folder; None where there are none. Raises UsageError for an unknown suite."""
    path = load.locate(suite) / kinds.WEIGHTS
    return path if path.is_file() else None


def check_judge_key(env: Mapping[str, str], *, needed: bool) -> None:
    """Where only the judge needs a key, say how to grade without one."""
    try:
        if needed:
            environment.openrouter(env)
    except UsageError as error:
        raise UsageError(
            f"the judge needs a key: {error}; or grade with --judge {CUES}, or not yet: --no-judge"
        ) from error
