from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from independence.clients import wire
from independence.clients.failures import Failure, of_exception
from independence.clients.transport import LARGEST, BodyTooLarge, Transport, is_loopback, proxy_of
from independence.config.endpoints import Endpoint
from independence.errors import UsageError

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


async def test_a_model_that_needs_longer_is_waited_for(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(Step(fault="hang"))
    with pytest.raises(TimeoutError):
        await Transport(session, endpoint(timeout_s=60.0)).post(b"{}", 0.1)


async def test_a_transport_does_not_show_the_key(
    endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    assert KEY not in repr(Transport(session, endpoint()))


TEXT = "café " * 50
PACKED = {
    "gzip": gzip.compress(TEXT.encode()),
    "two members": gzip.compress(TEXT.encode()[:10]) + gzip.compress(TEXT.encode()[10:]),
    "deflate": zlib.compress(TEXT.encode()),
    "bare deflate": zlib.compress(TEXT.encode(), wbits=-15),
}


@pytest.mark.parametrize("kind", PACKED)
async def test_a_compressed_body_is_unpacked(
    kind: str, server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    encoding = "deflate" if "deflate" in kind else "gzip"
    server.says(Step(200, PACKED[kind], {"Content-Encoding": encoding}))
    assert (await Transport(session, endpoint()).post(b"{}")).body.decode() == TEXT
    assert server.seen[0].headers["Accept-Encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("body", "encoding", "says"),
    [
        (b"no gzip at all", "gzip", "the answer breaks off: its compression is broken"),
        (b"x", "br", "its compression is one that was not asked for"),
        (gzip.compress(b"{}", mtime=0), "x-gzip", "its compression is one that was not asked for"),
        (b"x", "compress", "its compression is one that was not asked for"),
    ],
)
async def test_a_body_that_cannot_be_unpacked_is_transient(
    body: bytes,
    encoding: str,
    says: str,
    server: Scripted,
    endpoint: Callable[..., Endpoint],
    session: aiohttp.ClientSession,
) -> None:
    server.says(Step(200, body, {"Content-Encoding": encoding}))
    with pytest.raises(aiohttp.ClientError) as raised:
        await Transport(session, endpoint()).post(b"{}")
    failure = of_exception(raised.value, KEY)
    assert (failure.lasting, failure.detail) == (False, says)


async def test_a_packed_body_that_is_cut_is_no_answer(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(Step(200, PACKED["gzip"][:-9], {"Content-Encoding": "gzip"}))
    outcome, cost = wire.read(await Transport(session, endpoint()).post(b"{}"), None, KEY)
    assert isinstance(outcome, Failure)
    assert (outcome.lasting, outcome.kind, cost.known) == (False, "malformed", False)


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
async def test_a_body_above_the_limit_is_not_read_to_its_end(
    encoding: str, server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    bomb = bytes(LARGEST + 1)
    packed = {"": bomb, "gzip": gzip.compress(bomb, 1), "deflate": zlib.compress(bomb, 1)}[encoding]
    server.says(Step(200, packed, {"Content-Encoding": encoding} if encoding else {}))
    with pytest.raises(BodyTooLarge):
        await Transport(session, endpoint()).post(b"{}")


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("latin-1", "café".encode("latin-1"), "café"),
        ("ISO-8859-1", "café".encode(), "café"),  # a wrong claim about what is UTF-8
        ("utf-16", "café".encode("utf-16"), "café"),
        ("punycode", b"caf\xe9", "caf\ufffd"),
        ("utf-99", b"caf\xe9", "caf\ufffd"),
    ],
)
async def test_a_declared_charset_is_honoured(
    charset: str, body: bytes, text: str, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": f"application/json; charset={charset}"})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as there:
        answered = await Transport(session, endpoint(base_url=str(there.make_url("/v1")))).post(b"{}")
    assert answered.body.decode("utf-8", "replace") == text


async def test_the_query_of_a_base_url_goes_along(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(completion("x"))
    server.serves("/models", Step(200, {}))
    there = Transport(session, endpoint(base_url=server.url + "?api-version=3&api-key=SECRET"))
    await there.post(b"{}")
    await there.fetch("/models", 5)
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions", "/v1/models"]
    assert [seen.query for seen in server.seen] == ["api-version=3&api-key=SECRET"] * 2


PROXY = "http://10.9.9.9:3128"


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


HERE = ["127.0.0.1", "127.8.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("host", HERE)
def test_this_machine_is_never_reached_through_a_proxy(
    host: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, PROXY)
    assert proxy_of(URL(f"http://{host}:8080/v1")) is None
    assert is_loopback(URL(f"http://{host}").host or "")


@pytest.mark.parametrize(
    ("variables", "url", "proxied"),
    [
        ({}, "http://10.0.0.5/v1", False),
        ({"HTTP_PROXY": PROXY}, "http://10.0.0.5/v1", True),
        ({"HTTP_PROXY": PROXY}, "https://openrouter.ai/api/v1", False),
        ({"HTTPS_PROXY": PROXY}, "https://openrouter.ai/api/v1", True),
        ({"ALL_PROXY": PROXY}, "https://openrouter.ai/api/v1", True),
        ({"ALL_PROXY": "10.9.9.9:3128"}, "https://openrouter.ai/api/v1", True),
        ({"HTTP_PROXY": " HTTP://10.9.9.9:3128/ "}, "http://10.0.0.5/v1", True),
        ({"HTTP_PROXY": PROXY, "ALL_PROXY": "socks5://10.9.9.9:1080"}, "http://10.0.0.5/v1", True),
        ({"ALL_PROXY": "socks5://10.9.9.9:1080", "NO_PROXY": "10.0.0.0/8"}, "http://10.0.0.5/v1", False),
        ({"HTTPS_PROXY": PROXY, "NO_PROXY": "openrouter.ai"}, "https://openrouter.ai/api/v1", False),
        ({"HTTPS_PROXY": PROXY, "NO_PROXY": "other.ai"}, "https://openrouter.ai/api/v1", True),
        ({"HTTP_PROXY": PROXY}, "http://localhost.evil.example/v1", True),
    ],
)
def test_other_hosts_take_the_proxy_of_the_environment(
    variables: dict[str, str], url: str, proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(URL(url)) == (URL(PROXY) if proxied else None)


@pytest.mark.parametrize(
    ("exempted", "url", "proxied"),
    [
        ("10.0.0.0/8", "http://10.1.2.3/v1", False),
        ("corp.test, 10.0.0.0/8 ", "http://10.1.2.3:8000/v1", False),
        ("10.0.0.0/8", "http://11.1.2.3/v1", True),
        ("10.0.0.0/8", "http://[fd00::1]/v1", True),
        ("10.9.8.7/8", "http://10.1.2.3/v1", False),
        ("10.1.2.3", "http://10.1.2.3/v1", False),
        ("10.1.2.3:8000", "http://10.1.2.3:8000/v1", False),
        ("10.1.2.3:8001", "http://10.1.2.3:8000/v1", True),
        ("fd00::/8", "http://[fd00::1]:8000/v1", False),
        ("fd00::1", "http://[fd00::1]:8000/v1", False),
        ("[fd00::1]", "http://[fd00::1]:8000/v1", False),
        ("[fd00::1]:8000", "http://[fd00::1]:8000/v1", False),
        ("[fd00::1]:8001", "http://[fd00::1]:8000/v1", True),
        ("*", "http://llm.corp.test/v1", False),
        ("other.test,*", "http://llm.corp.test/v1", False),
        ("*.Corp.test", "http://llm.corp.test/v1", False),
        (".corp.test", "http://llm.corp.test/v1", False),
        ("corp.test", "http://llm.corp.test/v1", False),
        ("orp.test", "http://llm.corp.test/v1", True),
        ("10.0.0.0/99,,/", "http://10.1.2.3/v1", True),
    ],
)
def test_hosts_and_networks_of_no_proxy_are_asked_directly(
    exempted: str, url: str, proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", exempted)
    assert proxy_of(URL(url)) == (URL(PROXY) if proxied else None)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        (
            "ALL_PROXY",
            "socks5://me:SECRET@10.9.9.9:1080",
            "a SOCKS proxy cannot be used; use an http:// proxy or unset A",
        ),
        (
            "HTTP_PROXY",
            "socks5h://10.9.9.9:1080",
            "a SOCKS proxy cannot be used; use an http:// proxy or unset HTTP_PROXY",
        ),
        ("all_proxy", "SOCKS4A://10.9.9.9", "unset all_proxy"),
        ("HTTP_PROXY", "ftp://me:SECRET@10.9.9.9", "a proxy of kind `ftp` cannot be used; use an http:// proxy"),
        (
            "HTTP_PROXY",
            "http://me:SECRET@10.9.9.9:99999",
            "HTTP_PROXY: `http://10.9.9.9:99999` is no address: its port",
        ),
        ("HTTP_PROXY", "http://", "HTTP_PROXY: `http://` is no address: it has no host name"),
        ("HTTP_PROXY", ":3128", "it has no host name"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_no_reason_to_go_round_it(
    variable: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError) as raised:
        proxy_of(URL("http://llm.corp.test/v1"))
    assert says in str(raised.value)
    assert "SECRET" not in str(raised.value)
