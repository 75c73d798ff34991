"""What an endpoint says about itself: is the key good, which models does it list?

GET requests only, one attempt each, and a failure as a value: who asks here wants to know how things stand now.
"""

from __future__ import annotations

import difflib
from datetime import UTC, datetime
from typing import NamedTuple

import aiohttp
import msgspec

from independence.clients import catalogue
from independence.clients.catalogue import Catalogue, ModelInfo, WireModel
from independence.clients.failures import Failure, Said, of_answer, of_exception
from independence.clients.reading import BodyTooLarge
from independence.clients.signals import read_signal
from independence.clients.transport import Transport
from independence.clients.wire import decode_any
from independence.config.endpoints import Endpoint

_TIMEOUT_S = 30.0
_NEAR = 3


class KeyInfo(NamedTuple):
    """A key that was accepted."""

    left_usd: float | None  # of the key's own limit; None: it has none, or none was stated
    free_tier: bool  # no credit was ever bought: free models only, few requests a day


class _Key(msgspec.Struct, frozen=True):
    limit_remaining: float | None = None
    is_free_tier: bool = False


class _KeyPage(msgspec.Struct, frozen=True):
    data: _Key = _Key()


class _Models(msgspec.Struct):
    data: list[WireModel] | None = None


class _Model(msgspec.Struct):
    data: WireModel | None = None


async def read_key(endpoint: Endpoint, session: aiohttp.ClientSession) -> KeyInfo | Failure:
    """What `GET /key` says. A proxy without that page is a Failure of status 404."""
    body = await _get(endpoint, session, "/key")
    if isinstance(body, Failure):
        return body
    try:
        page = msgspec.convert(decode_any(body), _KeyPage)
    except msgspec.ValidationError:
        page = _KeyPage()
    return KeyInfo(page.data.limit_remaining, page.data.is_free_tier)


async def read_catalogue(endpoint: Endpoint, session: aiohttp.ClientSession) -> Catalogue | Failure:
    """What `GET /models` lists; `known` is False where the server answers but has no such page."""
    body = await _get(endpoint, session, "/models")
    if isinstance(body, Failure):
        return Catalogue(known=False) if body.status == 404 else body
    try:
        listed = msgspec.convert(decode_any(body), _Models).data
    except msgspec.ValidationError:
        listed = None
    models = (catalogue.read_model(wire, endpoint.dialect) for wire in listed or ())
    return Catalogue({model.id: model for model in models if model is not None}, known=listed is not None)


async def find(
    endpoint: Endpoint, session: aiohttp.ClientSession, listed: Catalogue, model: str
) -> tuple[Catalogue, ModelInfo | None]:
    """A model of a catalogue, else what OpenRouter resolves that name to; the catalogue then holds it too."""
    info = listed.info(model)
    if info is not None or not listed.known or endpoint.dialect != "openrouter":
        return listed, info
    body = await _get(endpoint, session, f"/model/{model}")
    if isinstance(body, Failure):
        return listed, None
    try:
        wire = msgspec.convert(decode_any(body), _Model).data
    except msgspec.ValidationError:
        return listed, None
    info = catalogue.read_model(wire, endpoint.dialect) if wire else None
    return (Catalogue({**listed.models, model: info}), info) if info else (listed, None)


def near(model: str, listed: Catalogue) -> list[str]:
    """Up to three listed ids that may have been meant, the nearest first."""
    names = sorted(listed.models)
    close = difflib.get_close_matches(model, names, n=_NEAR, cutoff=0.6)
    tail = model.rsplit("/", 1)[-1]  # the name without its vendor is what people remember
    close += [name for name in names if tail and tail in name]
    return list(dict.fromkeys(close))[:_NEAR]


async def _get(endpoint: Endpoint, session: aiohttp.ClientSession, path: str) -> bytes | Failure:
    timeout = min(_TIMEOUT_S, endpoint.timeout_s)
    try:
        answered = await Transport(session, endpoint).fetch(path, timeout)
    except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
        return of_exception(error, endpoint.api_key)
    if answered.status == 200:
        return answered.body
    signal = read_signal(decode_any(answered.body))
    return of_answer(Said(answered.status, answered.headers, signal, datetime.now(UTC), endpoint.api_key))
