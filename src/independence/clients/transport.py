"""One HTTP exchange: bytes out, bytes in. No retries, no redirects, no cookies; headers are built once.

Bodies are read in parts, which the HTTP library decompresses to a bounded size each, so that no small bomb and no
endless answer fills the memory.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from independence.clients import bodies, dialects, streams
from independence.clients.streams import CutShort, StreamBroken, StreamedAnswer, StreamLimits
from independence.config import endpoints
from independence.config.endpoints import Endpoint
from independence.errors import UsageError

LARGEST: Final = 16 * 2**20  # bytes, after decompression
_ACCEPTED: Final = "gzip, deflate"  # what every installation can undo
_UNDONE: Final = frozenset({"", "identity", "gzip", "deflate"})
_TELLING: Final = 8  # bytes that tell whether a body is a stream
_BEFORE: Final = b" \t\r\n\xef\xbb\xbf"
_CHARSET = re.compile(
    r"charset\s*=\s*\"?((?:latin-?1|(?:iso-?8859|windows|cp|utf|koi8|gb|big5|euc|shift)[\w-]*))", re.IGNORECASE
)


class HttpResponse(NamedTuple):
    """A response, whatever its status."""

    status: int
    headers: Mapping[str, str]  # case-insensitive
    body: bytes


def open_session() -> aiohttp.ClientSession:
    """A session for any number of endpoints. It does not limit connections; the engine does."""
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


class Transport:
    """Requests to one endpoint, with its headers, proxy and timeouts."""

    def __init__(self, session: aiohttp.ClientSession, endpoint: Endpoint) -> None:
        self._session = session
        self._base = URL(endpoint.base_url)
        dialect = dialects.of(endpoint.dialect)
        self._chat = self._below(dialect.chat_path)
        self._proxy = proxy_of(self._base)
        self._headers = CIMultiDict({**dialect.headers(endpoint), "Accept-Encoding": _ACCEPTED})
        self._headers.update(endpoint.headers)
        self._timeout_s, self._connect_s = endpoint.timeout_s, endpoint.connect_timeout_s

    def post(self, body: bytes, timeout_s: float | None = None) -> Coroutine[Any, Any, HttpResponse]:
        """Ask for a chat completion; without a timeout after the endpoint's.

        Raises aiohttp.ClientError, TimeoutError or BodyTooLarge, when awaited.
        """
        return self._send("POST", self._chat, timeout_s or self._timeout_s, body)

    async def stream(self, body: bytes, answer: StreamedAnswer, limits: StreamLimits) -> HttpResponse:
        """Ask for a chat completion that comes as it is written; a server may answer whole all the same.

        Raises what `post` does, and StreamBroken where a part of an answer had come.
        """
        try:
            async with patience(limits.first_s) as renew:
                return await self._send(
                    "POST", self._chat, None, body,
                    lambda response: read_stream(
                        response, answer, lambda: renew(limits.silence_s), limits.first_s
                    ),
                )  # fmt: skip
        except (aiohttp.ClientError, BodyTooLarge, CutShort, OSError) as error:
            if answer.first_at is None:
                raise
            raise StreamBroken(error, answer.text, answer.tokens) from error
        finally:
            answer.tell()

    async def fetch(self, path: str, timeout_s: float, *, root: bool = False) -> HttpResponse:
        """GET below the base URL, or below its host. Raises aiohttp.ClientError, TimeoutError or BodyTooLarge."""
        return await self._send("GET", self._base.with_path(path) if root else self._below(path), timeout_s)

    async def _send(
        self,
        method: str,
        url: URL,
        timeout_s: float | None,
        body: bytes | None = None,
        read: Callable[[aiohttp.ClientResponse], Awaitable[bytes]] | None = None,
    ) -> HttpResponse:
        limit = aiohttp.ClientTimeout(total=None, sock_connect=self._connect_s)
        async with patience(timeout_s):
            response = await self._session.request(
                method, url, data=body, headers=self._headers, timeout=limit, proxy=self._proxy, allow_redirects=False
            )
            try:
                return HttpResponse(response.status, response.headers, await (read or read_body)(response))
            finally:
                if not response.closed:  # at the end of a body its connection went back by itself
                    response.release()
                    await response.wait_for_close()

    def _below(self, path: str) -> URL:
        """An address below the base URL, whose query (a version, a key) goes along."""
        return self._base.with_path(self._base.path.rstrip("/") + path).with_query(self._base.query)


_STILL_S: Final = 1.0  # so much later than it should have been is a process that stood still, and
_CATCH_UP_S: Final = 5.0  # is what it gets to read what came meanwhile


@asynccontextmanager
async def patience(seconds: float | None) -> AsyncIterator[Callable[[float], None]]:
    """A time limit, and what sets another one from now on; None: no limit. Raises TimeoutError.

    A process that was paused (Ctrl-Z, a container) wakes up after its limits: what was answered is read before they
    count, so that nothing is paid twice.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None
    async with asyncio.timeout(None) as limit:

        def renew(after: float) -> None:
            nonlocal timer
            if timer is not None:
                timer.cancel()
            timer = loop.call_later(after, over, loop.time() + after)

        def over(due: float) -> None:
            if loop.time() - due > _STILL_S:
                renew(_CATCH_UP_S)
            else:
                limit.reschedule(loop.time())

        if seconds is not None:
            renew(seconds)
        try:
            yield renew
        finally:
            if timer is not None:
                timer.cancel()


def proxy_of(url: URL) -> URL | None:
    """The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. Raises UsageError.

    None for a loopback address whatever they say: a proxy would look for the server on its own machine, and prompts and
    keys would leave this one.
    """
    if url.host is None or endpoints.is_loopback(url.host):
        return None
    settings = getproxies()
    kind = url.scheme if settings.get(url.scheme) else "all"
    named = settings.get(kind, "").strip()
    if not named or proxy_bypass(f"{url.host_subcomponent}:{url.port}"):
        return None
    if any(_exempts(entry.strip().lower(), url.host) for entry in settings.get("no", "").split(",")):
        return None
    spelled = (name for name, value in os.environ.items() if name.lower() == f"{kind}_proxy" and value.strip() == named)
    variable = next(spelled, f"{kind}_proxy".upper())
    scheme = named.lower().partition("://")[0] if "://" in named else "http"  # as curl takes it
    if scheme not in ("http", "https"):
        what = "a SOCKS proxy" if scheme.startswith("socks") else f"a proxy of kind `{scheme}`"
        raise UsageError(f"{what} cannot be used", f"use an http:// proxy or unset {variable}")
    return URL(endpoints.check(named if "://" in named else f"http://{named}", variable))


def _exempts(entry: str, host: str) -> bool:
    """Whether an entry of NO_PROXY is for a host, written as the standard library does not know it: with `*`, or as a
    network such as `10.0.0.0/8`.
    """
    if entry.startswith("*"):
        return host.endswith(entry[1:])
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return False


class BodyTooLarge(Exception):
    """A body of more than `LARGEST` bytes. The rest of it was not read."""


async def read_body(response: aiohttp.ClientResponse) -> bytes:
    """The body, decompressed, as UTF-8 where another charset is declared.

    Raises BodyTooLarge, and aiohttp.ClientError for a body that breaks off within its frame or cannot be decompressed.
    """
    return await _whole(response, await _begun(response))


async def read_stream(
    response: aiohttp.ClientResponse, answer: StreamedAnswer, heard: Callable[[], None], alive_s: float = 0.0
) -> bytes:
    """The body that a stream of events comes to, or the body itself where it is none. Every token is `heard`, and for
    `alive_s` after one whatever else comes.

    Raises what `read_body` does, and CutShort for a stream that breaks off.
    """
    begun = await _begun(response)
    while len(begun.lstrip(_BEFORE)) < _TELLING and (part := await response.content.readany()):
        begun = begun.lstrip(_BEFORE) + part  # blanks keep the connection open
    declared = response.headers.get("Content-Type", "")
    if not (200 <= response.status < 300 and streams.is_stream(begun.lstrip(_BEFORE), declared)):
        return await _whole(response, begun)
    body = await streams.read(response.content, begun, answer, heard, LARGEST, alive_s)
    if body is None:
        raise BodyTooLarge
    return body


async def _begun(response: aiohttp.ClientResponse) -> bytes:
    """The first bytes of a body."""
    encoding = response.headers.get("Content-Encoding")
    if encoding is not None and encoding.strip().lower() not in _UNDONE:  # it would be handed over as it came
        message = f"Can not decode content-encoding: {encoding.strip().lower()}"
        raise aiohttp.ClientResponseError(response.request_info, response.history, message=message)
    return await response.content.readany()


async def _whole(response: aiohttp.ClientResponse, body: bytes) -> bytes:
    """A body that begins so."""
    out = bytearray(body)
    while len(out) <= LARGEST and (part := await response.content.readany()):
        out += part
    if len(out) > LARGEST:
        raise BodyTooLarge
    return _as_utf8(bytes(out), response.headers.get("Content-Type", ""))


def _as_utf8(body: bytes, content_type: str) -> bytes:
    """JSON is UTF-8; where it is not, and says so, it is converted. A wrong claim about valid UTF-8 changes nothing."""
    declared = _CHARSET.search(content_type)
    if not declared or (body.isascii() and b"\0" not in body):
        return body
    name = declared[1].lower()
    if not name.startswith(("utf-16", "utf-32", "utf16", "utf32")) and bodies.is_utf8(body):
        return body
    try:
        return body.decode(name, "replace").encode("utf-8", "replace")
    except LookupError:
        return body
