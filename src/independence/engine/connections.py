"""From the names of endpoints to their addresses: by options, models file and environment, with keys and limits.

Flags go over `models.yaml`, that over the environment, and that over defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import NamedTuple

import msgspec

from independence.clients import dialects
from independence.config import entries, environment
from independence.config.endpoints import (
    Endpoint,
    ModelBounds,
    RateSetting,
    check,
    check_header,
    check_key,
    filled,
    hidden,
    printable_address,
    variables,
    with_query,
)
from independence.config.entries import ShippedEndpoint
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, PYTHON, SIM
from independence.engine import trust
from independence.errors import UsageError
from independence.judge.kinds import CUES

FUNCTIONS = Endpoint(PYTHON, "", "python", max_concurrency=20, timeout_s=300.0)
LOOPBACK = Endpoint(SIM, "", "openrouter", "loopback", 200)  # its address is known once it is up


def endpoints(
    names: Iterable[str], known: Registry, env: Mapping[str, str], options: ConnectionOptions
) -> dict[str, Endpoint]:
    """The endpoints of these names. Raises UsageError for a key or an address that is missing, and for one that a file
    of the working directory names and the user has not agreed to.
    """
    found = {name: _endpoint(name, known, env, options) for name in dict.fromkeys(names)}
    if not options.trust_folder and not trust.of_environment():
        trust.check(trust.destinations(found.values(), known, env))
    return bounded(found, known, environment.settings(env), options)


def _endpoint(name: str, known: Registry, env: Mapping[str, str], options: ConnectionOptions) -> Endpoint:
    if name in (SIM, PYTHON):
        return LOOPBACK if name == SIM else FUNCTIONS
    if name == LOCAL:
        return environment.local(env, options.local_url, options.local_timeout or environment.LOCAL_TIMEOUT_S)
    if name == OPENROUTER:
        return environment.openrouter(env, keyless=options.dry_run)
    return _configured(name, known, env, keyless=options.dry_run)


def _configured(name: str, known: Registry, env: Mapping[str, str], *, keyless: bool) -> Endpoint:
    entry = known.entry(name)
    if entry is None:
        raise UsageError(f"endpoint `{name}` is not declared", "add it to `endpoints:` of models.yaml (--models-file)")
    source = entry.key_variable(env)
    key = env.get(source, "").strip()
    if source and environment.is_placeholder(key):
        if not keyless:
            what = "is still a placeholder" if key else "is not set"
            raise UsageError(
                f"endpoint `{name}` reads its key from {' or '.join(entry.key_variables)}, which {what}",
                "export it or put it into .env",
            )
        key = ""
    headers = _filled(entry.headers, env, f"a header of endpoint `{name}`", keyless=keyless)
    for header, value in headers.items():
        check_header(header, value)
    query = _filled(entry.query, env, f"the query of endpoint `{name}`", keyless=keyless)
    first, *others = [with_query(_address(one, name, env), query) for one in entry.addresses]
    return Endpoint(
        name,
        first,
        entry.dialect,
        check_key(key, source),
        entry.max_concurrency or 20 * len(entry.addresses),
        backoff_s=entry.backoff_s,
        key_source=source,
        by_slots=entry.max_concurrency is None and dialects.of(entry.dialect).own_server,
        stream=dialects.of(entry.dialect).own_server if entry.stream is None else entry.stream,
        headers=headers,
        hidden=hidden(entry.headers, headers),
        features=entry.features,
        lists_models=entry.lists_models,
        others=tuple(others),
    )


def _filled(texts: Mapping[str, str], env: Mapping[str, str], source: str, *, keyless: bool) -> dict[str, str]:
    """The texts with the values of their variables; `keyless`: without those that lack one. Raises UsageError."""
    ready = {
        name: text for name, text in texts.items()
        if not keyless or all(env.get(variable, "").strip() for variable in variables(text))
    }  # fmt: skip
    return {name: filled(text, env, source) for name, text in ready.items()}


def _address(declared: str, name: str, env: Mapping[str, str]) -> str:
    """An address of an endpoint. What stands in a variable may end as it goes on. Raises UsageError."""
    head, _, end = declared.rpartition("}")
    if not head:
        return check(declared, f"the address of endpoint `{name}`")
    base = filled(f"{head}}}", env, f"endpoint `{name}`").rstrip("/")
    source = f"the address of endpoint `{name}` ({', '.join(variables(declared))})"
    return check(base.removesuffix(end.rstrip("/")) + end, source)


def redirection(names: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Which server `openrouter` is, where it is asked and is another one."""
    base = environment.redirected(env)
    if not base or OPENROUTER not in names:
        return []
    return [f"openrouter is {printable_address(base)} here (OPENROUTER_BASE_URL)"]


def bounded(
    endpoints: Mapping[str, Endpoint], known: Registry, settings: EnvironmentSettings, options: ConnectionOptions
) -> dict[str, Endpoint]:
    """The endpoints with their bounds."""
    return {name: _one(endpoint, known, settings, options) for name, endpoint in endpoints.items()}


def _one(endpoint: Endpoint, known: Registry, settings: EnvironmentSettings, options: ConnectionOptions) -> Endpoint:
    asked = RateSetting(options.rps)
    entry = known.entry(endpoint.name)
    below = RateSetting() if endpoint.name == SIM else settings.pacing.get(endpoint.dialect, RateSetting())
    if entry is not None:
        below = entry.pacing.over(below)
    most, declared = (entry.max_concurrency, entry.timeout_s) if entry else (None, None)
    by_flag = endpoint.name == LOCAL and options.local_timeout is not None
    return msgspec.structs.replace(
        endpoint,
        max_concurrency=_concurrency(endpoint, most, settings, options),
        by_slots=endpoint.by_slots and settings.concurrency is None,
        stream=endpoint.stream if options.stream is None else options.stream,
        strict_model=options.strict_model,
        timeout_s=endpoint.timeout_s if by_flag else declared or settings.timeout_s or endpoint.timeout_s,
        slow_timeout_s=declared or settings.timeout_s or endpoint.slow_timeout_s,
        retries=endpoint.retries if settings.retries is None else settings.retries,
        rate=asked.over(below).rate,
        bounds=tuple(
            ModelBounds(p.model, p.provider, asked.over(o.pacing).over(below).rate, o.concurrency, o.timeout_s)
            for p, o in known.limits.items()
            if p.endpoint == endpoint.name
        ),
    )


def _concurrency(
    endpoint: Endpoint, declared: int | None, settings: EnvironmentSettings, options: ConnectionOptions
) -> int:
    """Calls in flight: a cap of the environment lowers what a file declares, and gives way to a larger `-pt`.

    So does what is usual for a server that has not said how many slots it has.
    """
    usual = endpoint.max_concurrency
    if settings.concurrency is None:
        return max(usual, options.parallel_tasks or 0) if endpoint.by_slots else usual
    capped = settings.concurrency if declared is None else min(declared, settings.concurrency)
    return max(capped, min(options.parallel_tasks or 0, usual))


OTHER_JUDGES = f"{CUES} (rules, no model, no key) or local/ID (a model of your own server)"


class KeyUse(NamedTuple):
    """What needs OpenRouter's key: ids of subjects and names of judges that are asked there."""

    subjects: Sequence[str] = ()
    judges: Sequence[str] = ()
    endpoints: Sequence[str] = ()  # that are asked beside it
    grading_only: bool = False


def check_openrouter_key(made: KeyUse, env: Mapping[str, str]) -> None:
    """Where OpenRouter's key is missing, say what the keys that are set can ask instead. Raises UsageError."""
    try:
        if made.subjects or made.judges:
            environment.openrouter(env)
    except UsageError as error:
        keys = [
            entry
            for entry in entries.shipped().values()
            if not environment.is_placeholder(env.get(entry.key_variable(env), ""))
        ]
        direct = {one: entry for one in made.subjects if (entry := _maker(one, keys))}
        if made.subjects and len(direct) < len(made.subjects):
            raise
        judge = _judge(made, [*direct.values(), *keys]) if made.judges else ""
        if not made.subjects:
            ways = (
                f"export it, put it into .env, or name another with --judge: {f'{judge}, ' * bool(judge)}{OTHER_JUDGES}"
            )
            ways += "" if made.grading_only else "; or grade later (--no-judge)"
            what = f"{' and '.join(made.judges)}, which is to judge, is asked at OpenRouter, and {error.what}"
            raise UsageError(what, ways) from error
        ids = [entry.id_of(one) for one, entry in direct.items()]
        itself = "which then grades itself; " * (judge in ids)
        rules = f" -j {quote(judge)}` ({itself}`--judge {CUES}` instead: rules, no key)" if judge else "`"
        found = " and ".join(dict.fromkeys(entry.key_variable(env) for entry in direct.values()))
        what = f"OpenRouter would be asked for {', '.join(direct)}, and {error.what}"
        raise UsageError(what, f"with {found}, write `-m {quote(','.join(ids))}{rules}") from error


def _maker(model_id: str, among: Iterable[ShippedEndpoint]) -> ShippedEndpoint | None:
    """The endpoint of the maker of one of OpenRouter's models."""
    vendor = model_id.partition("/")[0]
    return next((entry for entry in among if vendor in entry.vendors), None)


def _judge(made: KeyUse, keys: Sequence[ShippedEndpoint]) -> str:
    """A judge that a key can ask: the one that was meant, else one on the key of a subject; empty without a key."""
    same = next(((one, entry) for one in made.judges if (entry := _maker(one, keys))), None)
    if same is not None:
        return same[1].id_of(same[0])
    usual = sorted(keys, key=lambda entry: entry.name not in made.endpoints)
    return f"{usual[0].name}/{usual[0].judge}" if usual else ""
