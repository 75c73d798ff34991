"""One HTTP exchange: bytes out, bytes in. No retries, no redirects, no cookies; headers are built once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import aiohttp
from yarl import URL

from independence.clients import dialects, reading
from independence.clients.proxies import proxy_of
from independence.config.endpoints import Endpoint


class Answered(NamedTuple):
    """What came back, whatever the status."""

    status: int
    headers: Mapping[str, str]  # case-insensitive
    body: bytes


def open_session() -> aiohttp.ClientSession:
    """A session for any number of endpoints: it keeps connections; how many, the engine's gate decides."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300), cookie_jar=aiohttp.DummyCookieJar()
    )


class Transport:
    """An endpoint as a place to send bytes to."""

    def __init__(self, session: aiohttp.ClientSession, endpoint: Endpoint) -> None:
        self._session = session
        self._base = URL(endpoint.base_url)
        dialect = dialects.of(endpoint.dialect)
        self._chat = self._below(dialect.chat_path)
        # Looked up once: it costs time in every call.
        self._proxy = proxy_of(self._base)
        self._headers = {**dialect.headers(endpoint), "Accept-Encoding": reading.ACCEPTED}
        self._timeout_s, self._connect_s = endpoint.timeout_s, endpoint.connect_timeout_s

    async def post(self, body: bytes, timeout_s: float | None = None) -> Answered:
        """Ask for a chat completion; without a timeout after the endpoint's.

        Raises aiohttp.ClientError, TimeoutError or BodyTooLarge.
        """
        return await self._send("POST", self._chat, timeout_s or self._timeout_s, body)

    async def fetch(self, path: str, timeout_s: float) -> Answered:
        """GET below the base URL. Raises aiohttp.ClientError, TimeoutError or BodyTooLarge."""
        return await self._send("GET", self._below(path), timeout_s)

    async def _send(self, method: str, url: URL, timeout_s: float, body: bytes | None = None) -> Answered:
        limit = aiohttp.ClientTimeout(total=timeout_s, sock_connect=self._connect_s)
        async with self._session.request(
            method, url, data=body, headers=self._headers, timeout=limit, proxy=self._proxy,
            allow_redirects=False, auto_decompress=False,
        ) as response:  # fmt: skip
            return Answered(response.status, response.headers, await reading.read(response))

    def _below(self, path: str) -> URL:
        """An address below the base URL, whose query (a version, a key) goes along."""
        return self._base.with_path(self._base.path.rstrip("/") + path).with_query(self._base.query)
