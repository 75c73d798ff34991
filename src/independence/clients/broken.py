"""What the HTTP library raises, in words for people: the class names of a library tell nobody what to do."""

from __future__ import annotations

import asyncio
import ssl
from typing import Final, NamedTuple

import aiohttp

from independence.clients.reading import LARGEST, BodyTooLarge


class Broken(NamedTuple):
    """What happened to an exchange."""

    kind: str  # "connect", "tls", "timeout", "cut", "too_large", "reset"
    detail: str
    transient: bool = True  # trying again may help
    sent: bool = True  # the request may have arrived, so that it may cost something


_TOO_LARGE: Final = f"the answer is larger than {LARGEST // 2**20} MB, decompressed; the rest was not read"


def explain(error: Exception) -> Broken:
    """Say what happened."""
    if isinstance(error, BodyTooLarge):
        return Broken("too_large", _TOO_LARGE)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return _unconnected(error)
    if isinstance(error, asyncio.TimeoutError):
        return Broken("timeout", "no complete answer in time")
    if isinstance(error, aiohttp.ClientPayloadError):
        return Broken("cut", f"the answer breaks off{_reason(error)}")
    if isinstance(error, aiohttp.ClientResponseError):
        return _refused(error)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return Broken("reset", "the server closed the connection without an answer")
    return Broken("reset", "the connection broke" + (f" ({_strerror(error)})" if isinstance(error, OSError) else ""))


def _unconnected(error: aiohttp.ClientError | OSError) -> Broken:
    """No connection came about."""
    if isinstance(error, aiohttp.InvalidURL):
        return Broken("connect", "the address cannot be read", transient=False, sent=False)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Broken("connect", "no connection in time", sent=False)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        what = "its TLS certificate is not trusted (self-signed, expired, or of another name)"
        return Broken("tls", what, transient=False, sent=False)
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return Broken("tls", "it does not speak TLS on this port", transient=False, sent=False)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return Broken("connect", f"the proxy {error.host}:{error.port} of the environment does not answer", sent=False)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Broken("connect", f"the name {error.host} is not known", sent=False)
    assert isinstance(error, OSError)
    return Broken("connect", _strerror(error), sent=False)


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


def _refused(error: aiohttp.ClientResponseError) -> Broken:
    """A proxy that lets nothing through, or an answer whose head cannot be read."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Broken("connect", f"the proxy refuses with HTTP {error.status}", sent=False)
    text = str(error.message)
    if "more than" in text or "too long" in text.lower():
        return Broken("reset", "a header of the answer is longer than 8 kB")
    return Broken("reset", "what came is no HTTP")
