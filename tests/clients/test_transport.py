from __future__ import annotations

from collections.abc import Callable

import aiohttp
import pytest

from independence.clients.transport import Transport, open_session
from independence.config.endpoints import Endpoint

from .conftest import KEY, Scripted, Step, completion


async def test_bytes_go_to_the_chat_address_and_come_back_as_they_are(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(Step(418, completion("x"), {"X-Odd": "1"}))
    there = endpoint(base_url=server.url + "/")
    answered = await Transport(session, there).post(b'{"model": "m"}')
    assert (answered.status, answered.headers["x-odd"]) == (418, "1")
    assert b"gen-1" in answered.body
    seen = server.seen[0]
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/chat/completions", {"model": "m"})
    assert seen.headers["Content-Type"] == "application/json"


async def test_cookies_are_not_kept_between_calls(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(Step(200, {}, {"Set-Cookie": "session=1"}))
    transport = Transport(session, endpoint())
    await transport.post(b"{}")
    await transport.post(b"{}")
    assert "Cookie" not in server.seen[1].headers


async def test_an_attempt_ends_in_time(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(Step(fault="hang"))
    with pytest.raises(TimeoutError):
        await Transport(session, endpoint(timeout_s=0.1)).post(b"{}")


async def test_a_session_looks_for_a_proxy_only_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    async with open_session() as plain:
        assert not plain.trust_env
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    async with open_session() as proxied:
        assert proxied.trust_env


async def test_a_transport_does_not_show_the_key(
    endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    assert KEY not in repr(Transport(session, endpoint()))
