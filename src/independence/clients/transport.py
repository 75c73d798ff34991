"""One HTTP exchange: bytes out, bytes in. No retries, no redirects, no cookies; headers are built once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

import aiohttp
from yarl import URL

from independence.clients.dialects import headers
from independence.config.endpoints import Endpoint

_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class Answered(NamedTuple):
    """What came back, whatever the status."""

    status: int
    headers: Mapping[str, str]  # case-insensitive
    body: bytes


def open_session() -> aiohttp.ClientSession:
    """A session for any number of endpoints: connections are kept and not limited here (the engine's gate does that).

    Proxies are taken from the environment only where it names one, because looking costs time in every call.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=any(os.environ.get(name) or os.environ.get(name.upper()) for name in _PROXIES),
    )


class Transport:
    """An endpoint as a place to send bytes to."""

    def __init__(self, session: aiohttp.ClientSession, endpoint: Endpoint) -> None:
        self._session = session
        self._base = endpoint.base_url.rstrip("/")
        self._chat = URL(self._base + "/chat/completions")
        self._headers = headers(endpoint)
        self._timeout = aiohttp.ClientTimeout(total=endpoint.timeout_s, sock_connect=endpoint.connect_timeout_s)

    async def post(self, body: bytes) -> Answered:
        """Ask for a chat completion. Raises aiohttp.ClientError or TimeoutError."""
        async with self._session.post(
            self._chat, data=body, headers=self._headers, timeout=self._timeout, allow_redirects=False
        ) as response:
            return Answered(response.status, response.headers, await response.read())

    async def fetch(self, path: str, timeout_s: float) -> Answered:
        """GET below the base URL. Raises aiohttp.ClientError or TimeoutError."""
        timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=self._timeout.sock_connect)
        async with self._session.get(
            URL(self._base + path), headers=self._headers, timeout=timeout, allow_redirects=False
        ) as response:
            return Answered(response.status, response.headers, await response.read())
