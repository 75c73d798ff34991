"""One HTTP exchange: bytes out, bytes in. No retries, no redirects, no cookies; headers are built once.

Bodies are decompressed here, so that no small bomb and no endless answer fills the memory; what the HTTP library raises
is put into words here, because the class names of a library tell nobody what to do.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Final, NamedTuple
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from independence.clients import dialects
from independence.config.endpoints import Endpoint

LARGEST: Final = 16 * 2**20  # bytes, after decompression
_ACCEPTED: Final = "gzip, deflate"  # what `read_body` can undo
_WINDOW: Final = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_CHARSET = re.compile(
    r"charset\s*=\s*\"?((?:latin-?1|(?:iso-?8859|windows|cp|utf|koi8|gb|big5|euc|shift)[\w-]*))", re.IGNORECASE
)
_ZLIB_HEADER: Final = 8  # lowest four bits of the first byte
_TOO_LARGE: Final = f"the answer is larger than {LARGEST // 2**20} MB, decompressed; the rest was not read"


class HttpResponse(NamedTuple):
    """A response, whatever its status."""

    status: int
    headers: Mapping[str, str]  # case-insensitive
    body: bytes


def open_session() -> aiohttp.ClientSession:
    """A session for any number of endpoints. It does not limit connections; the engine does."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300), cookie_jar=aiohttp.DummyCookieJar()
    )


class Transport:
    """Requests to one endpoint, with its headers, proxy and timeouts."""

    def __init__(self, session: aiohttp.ClientSession, endpoint: Endpoint) -> None:
        self._session = session
        self._base = URL(endpoint.base_url)
        dialect = dialects.of(endpoint.dialect)
        self._chat = self._below(dialect.chat_path)
        # Looked up once: it costs time in every call.
        self._proxy = proxy_of(self._base)
        self._headers = {**dialect.headers(endpoint), "Accept-Encoding": _ACCEPTED}
        self._timeout_s, self._connect_s = endpoint.timeout_s, endpoint.connect_timeout_s

    async def post(self, body: bytes, timeout_s: float | None = None) -> HttpResponse:
        """Ask for a chat completion; without a timeout after the endpoint's.

        Raises aiohttp.ClientError, TimeoutError or BodyTooLarge.
        """
        return await self._send("POST", self._chat, timeout_s or self._timeout_s, body)

    async def fetch(self, path: str, timeout_s: float) -> HttpResponse:
        """GET below the base URL. Raises aiohttp.ClientError, TimeoutError or BodyTooLarge."""
        return await self._send("GET", self._below(path), timeout_s)

    async def _send(self, method: str, url: URL, timeout_s: float, body: bytes | None = None) -> HttpResponse:
        limit = aiohttp.ClientTimeout(total=timeout_s, sock_connect=self._connect_s)
        async with self._session.request(
            method, url, data=body, headers=self._headers, timeout=limit, proxy=self._proxy,
            allow_redirects=False, auto_decompress=False,
        ) as response:  # fmt: skip
            return HttpResponse(response.status, response.headers, await read_body(response))

    def _below(self, path: str) -> URL:
        """An address below the base URL, whose query (a version, a key) goes along."""
        return self._base.with_path(self._base.path.rstrip("/") + path).with_query(self._base.query)


def proxy_of(url: URL) -> URL | None:
    """The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.

    None for a loopback address whatever they say: a proxy would look for the server on its own machine, and prompts and
    keys would leave this one.
    """
    if url.host is None or is_loopback(url.host):
        return None
    found = getproxies()
    named = found.get(url.scheme) or found.get("all", "")
    if not named.startswith(("http://", "https://")) or proxy_bypass(f"{url.host}:{url.port}"):
        return None  # a SOCKS proxy is none that the HTTP library can use
    return URL(named)


def is_loopback(host: str) -> bool:
    """True for names and addresses of this machine; the unspecified address leads there too."""
    if host.rstrip(".").lower() == "localhost" or host.rstrip(".").lower().endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return any(one.is_loopback or one.is_unspecified for one in (address, mapped) if one is not None)


class BodyTooLarge(Exception):
    """A body of more than `LARGEST` bytes. The rest of it was not read."""


async def read_body(response: aiohttp.ClientResponse) -> bytes:
    """The body, which must have been asked for without decompression, as UTF-8 where another charset is declared.

    Raises BodyTooLarge, and aiohttp.ClientError for a body that breaks off or cannot be decompressed.
    """
    parts: AsyncIterator[bytes] = response.content.iter_any()
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        parts = _unpacked(parts, encoding)
    out = bytearray()
    async for part in parts:
        out += part
        if len(out) > LARGEST:
            raise BodyTooLarge
    return _as_utf8(bytes(out), response.headers)


async def _unpacked(parts: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    """The parts, decompressed by no more than `LARGEST` bytes at a time."""
    if encoding not in _WINDOW:
        raise aiohttp.ClientPayloadError("its compression is one that was not asked for")
    window, stream = _WINDOW[encoding], None
    try:
        async for part in parts:
            rest = part
            while rest:
                if stream is None or stream.eof:  # a file of several members goes on after the first
                    stream = zlib.decompressobj(_raw_or(window, rest))
                yield stream.decompress(rest, LARGEST + 1)
                if stream.unconsumed_tail:
                    raise BodyTooLarge
                rest = stream.unused_data
    except zlib.error as error:
        raise aiohttp.ClientPayloadError("its compression is broken") from error
    if stream is not None and not stream.eof:
        raise aiohttp.ClientPayloadError("it breaks off within its compression")


def _raw_or(window: int, start: bytes) -> int:
    """Some servers send `deflate` without its header."""
    bare = window == zlib.MAX_WBITS and start[0] & 0x0F != _ZLIB_HEADER
    return -zlib.MAX_WBITS if bare else window


def _as_utf8(body: bytes, headers: Mapping[str, str]) -> bytes:
    """JSON is UTF-8; where it is not, and says so, it is converted. A wrong claim about valid UTF-8 changes nothing."""
    declared = _CHARSET.search(headers.get("Content-Type", ""))
    if declared is None or (body.isascii() and b"\0" not in body):
        return body
    name = declared[1].lower()
    if not name.startswith(("utf-16", "utf-32", "utf16", "utf32")):
        try:
            body.decode()
        except UnicodeDecodeError:
            pass
        else:
            return body
    try:
        return body.decode(name, "replace").encode("utf-8", "replace")
    except LookupError:
        return body


class TransportFault(NamedTuple):
    """What broke an HTTP exchange."""

    kind: str  # "connect", "tls", "timeout", "cut", "too_large", "reset"
    detail: str
    transient: bool = True  # trying again may help
    sent: bool = True  # the request may have arrived, so that it may cost something


def explain(error: Exception) -> TransportFault:
    """What an exception of the HTTP library means."""
    if isinstance(error, BodyTooLarge):
        return TransportFault("too_large", _TOO_LARGE)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return _unconnected(error)
    if isinstance(error, asyncio.TimeoutError):
        return TransportFault("timeout", "no complete answer in time")
    if isinstance(error, aiohttp.ClientPayloadError):
        return TransportFault("cut", f"the answer breaks off{_reason(error)}")
    if isinstance(error, aiohttp.ClientResponseError):
        return _refused(error)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return TransportFault("reset", "the server closed the connection without an answer")
    return TransportFault(
        "reset", "the connection broke" + (f" ({_strerror(error)})" if isinstance(error, OSError) else "")
    )


def _unconnected(error: aiohttp.ClientError | OSError) -> TransportFault:
    """No connection came about."""
    if isinstance(error, aiohttp.InvalidURL):
        return TransportFault("connect", "the address cannot be read", transient=False, sent=False)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return TransportFault("connect", "no connection in time", sent=False)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        what = "its TLS certificate is not trusted (self-signed, expired, or of another name)"
        return TransportFault("tls", what, transient=False, sent=False)
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return TransportFault("tls", "it does not speak TLS on this port", transient=False, sent=False)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return TransportFault(
            "connect", f"the proxy {error.host}:{error.port} of the environment does not answer", sent=False
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return TransportFault("connect", f"the name {error.host} is not known", sent=False)
    assert isinstance(error, OSError)
    return TransportFault("connect", _strerror(error), sent=False)


def _strerror(error: OSError) -> str:
    """The system's words, without the addresses and library names around them."""
    if isinstance(error, ssl.SSLError):
        return "TLS failed"
    inner = getattr(error, "os_error", None)
    text = (inner.strerror if isinstance(inner, OSError) else error.strerror) or ""
    known = {
        ConnectionRefusedError: "connection refused",
        ConnectionResetError: "reset by the server",
        BrokenPipeError: "reset by the server",
    }
    for kind, words in known.items():
        if isinstance(inner, kind) or isinstance(error, kind):
            return words
    return text.lower() if text and "Connect call failed" not in text else "connection refused"


def _reason(error: aiohttp.ClientPayloadError) -> str:
    """Why a body broke off, where we said it ourselves; the library's own words name its classes."""
    text = str(error)
    return f": {text}" if text.startswith("it") else ""


def _refused(error: aiohttp.ClientResponseError) -> TransportFault:
    """A proxy that lets nothing through, or an answer whose head cannot be read."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return TransportFault("connect", f"the proxy refuses with HTTP {error.status}", sent=False)
    text = str(error.message)
    if "more than" in text or "too long" in text.lower():
        return TransportFault("reset", "a header of the answer is longer than 8 kB")
    return TransportFault("reset", "what came is no HTTP")
