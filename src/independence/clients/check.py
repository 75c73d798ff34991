"""Before anything is sent that costs money: is the server there, is the key good, are the models what we need?"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Mapping
from datetime import UTC, datetime

import aiohttp
import msgspec

from independence.clients.catalogue import Catalogue, ModelInfo, WireModel, read_model
from independence.clients.failures import Failure, Said, key_rejected, of_answer, of_exception
from independence.clients.reading import BodyTooLarge
from independence.clients.retry import Policy, pause
from independence.clients.signals import read_signal
from independence.clients.transport import Answered, Transport
from independence.clients.wire import decode_any
from independence.config import addresses
from independence.config.endpoints import Endpoint
from independence.config.environment import OPENROUTER_URL
from independence.config.subjects import OPENROUTER, SIM
from independence.errors import UsageError

_TRIES = 3
_TIMEOUT_S = {"openrouter": 30.0, "local": 10.0}
_LONGEST_PAUSE_S = 5.0
_LISTED = 6


class _Listing(msgspec.Struct):
    data: list[WireModel] | None = None


class _Single(msgspec.Struct):
    data: WireModel | None = None


async def check(
    endpoint: Endpoint,
    models_needed: Mapping[str, bool],
    session: aiohttp.ClientSession,
    policy: Policy | None = None,
) -> Catalogue:
    """Read the catalogue of an endpoint and check `models_needed` (model id -> whether it must take tools) against it.

    Raises KeyRejected when the key is refused, UsageError when the server is not there, when a model is not, or when
    one that must take tools does not. Sends GET requests only.
    """
    transport = Transport(session, endpoint)
    policy = policy or Policy()
    if endpoint.dialect == "openrouter" and endpoint.api_key:
        await _fetch(endpoint, transport, "/key", policy)
    catalogue = await _read(endpoint, transport, policy)
    if not catalogue.known:
        return catalogue
    catalogue = await _with_aliases(endpoint, transport, policy, catalogue, models_needed)
    problems = [p for model, tools in models_needed.items() if (p := _problem(endpoint, catalogue, model, tools=tools))]
    if problems:
        raise UsageError("; ".join(problems))
    return catalogue


async def _read(endpoint: Endpoint, transport: Transport, policy: Policy) -> Catalogue:
    answered = await _fetch(endpoint, transport, "/models", policy)
    if answered is None:
        return Catalogue(known=False)
    try:
        listing = msgspec.convert(decode_any(answered.body), _Listing)
    except msgspec.ValidationError:
        return Catalogue(known=False)
    models = (read_model(wire, endpoint.dialect) for wire in listing.data or ())
    return Catalogue({m.id: m for m in models if m is not None}, known=listing.data is not None)


async def _with_aliases(
    endpoint: Endpoint, transport: Transport, policy: Policy, catalogue: Catalogue, needed: Mapping[str, bool]
) -> Catalogue:
    """Add what OpenRouter resolves to a model under another name."""
    if endpoint.dialect != "openrouter":
        return catalogue
    found: dict[str, ModelInfo] = {}
    for model in needed:
        if catalogue.info(model) is None:
            info = await _resolve(endpoint, transport, policy, model)
            if info is not None:
                found[model] = info
    return Catalogue({**catalogue.models, **found}) if found else catalogue


async def _resolve(endpoint: Endpoint, transport: Transport, policy: Policy, model: str) -> ModelInfo | None:
    answered = await _fetch(endpoint, transport, f"/model/{model}", policy)
    try:
        single = msgspec.convert(decode_any(answered.body), _Single) if answered else _Single()
    except msgspec.ValidationError:
        return None
    return read_model(single.data, endpoint.dialect) if single.data else None


async def _fetch(endpoint: Endpoint, transport: Transport, path: str, policy: Policy) -> Answered | None:
    """GET with a few tries. None where the server has no such path, or will not show it."""
    tries = min(_TRIES, endpoint.retries + 1)
    for tried in range(tries):
        try:
            answered = await transport.fetch(path, min(_TIMEOUT_S[endpoint.dialect], endpoint.timeout_s))
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            failure = of_exception(error, endpoint.api_key)
        else:
            if answered.status == 200:
                return answered
            signal = read_signal(decode_any(answered.body))
            failure = of_answer(Said(answered.status, answered.headers, signal, datetime.now(UTC), endpoint.api_key))
        if failure.action == "key":
            _refuse(endpoint, failure)
        if failure.status and failure.action != "retry":
            return None
        if failure.kind in ("connect", "tls") or tried == tries - 1:
            raise _absent(endpoint, failure)
        await asyncio.sleep(min(_LONGEST_PAUSE_S, pause(policy, tried, failure.retry_after)))
    raise AssertionError


def _refuse(endpoint: Endpoint, failure: Failure) -> None:
    """Raises KeyRejected, unless no key was sent as nothing but a listing is wanted."""
    if endpoint.api_key or endpoint.dialect != "openrouter":
        raise key_rejected(endpoint, failure)


def _absent(endpoint: Endpoint, failure: Failure) -> UsageError:
    url = addresses.shown(endpoint.base_url)
    advice = "check the address"
    if failure.kind == "tls":
        advice = "write http:// where the server has no TLS, or give it a certificate that this machine trusts"
    elif "proxy" in failure.detail:
        advice = "correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY"
    elif endpoint.dialect == "local" and failure.kind == "connect":
        advice = "start the server, or give its address with --local-url"
    return UsageError(f"{endpoint.name}: no server answers at {url} ({failure.kind}: {failure.detail})", advice)


def _called(endpoint: Endpoint) -> str:
    """The endpoint's name, with the address where another server stands for OpenRouter's."""
    redirected = endpoint.name == OPENROUTER and endpoint.base_url != OPENROUTER_URL
    return f"{endpoint.name} ({addresses.shown(endpoint.base_url)})" if redirected else endpoint.name


def _problem(endpoint: Endpoint, catalogue: Catalogue, model: str, *, tools: bool) -> str:
    info = catalogue.info(model)
    if info is None:
        return f"{_called(endpoint)} has no model `{model}`{_hint(endpoint, model, catalogue)}"
    if tools and info.rejects("tools"):
        return f"`{model}` takes no tools, which tool_role needs; use --modes user_role"
    return ""


def _hint(endpoint: Endpoint, model: str, catalogue: Catalogue) -> str:
    """What may be meant, written as the command line takes it."""
    prefix = "" if endpoint.name == OPENROUTER else f"{endpoint.name}/"
    names = sorted(catalogue.models)
    tail = model.rsplit("/", 1)[-1]  # the name without its vendor is what people remember
    alike = [name for name in names if tail and tail in name]
    near = difflib.get_close_matches(model, names, n=1, cutoff=0.6) or alike[:1]
    where = f" --endpoint {endpoint.name}" if prefix else ""
    if near:
        many = len(alike) >= _LISTED and endpoint.name != SIM
        more = f" `independence models --catalogue {tail}{where}` lists {len(alike)} like it" * many
        return f"; did you mean `{prefix}{near[0]}`?{more}"
    if not names:
        return "; it lists none"
    if len(names) <= _LISTED:
        return f"; it has {', '.join(prefix + name for name in names)}"
    return f"; `independence models --catalogue{where}` lists the {len(names):,} it has" if endpoint.name != SIM else ""
