from __future__ import annotations

import gzip
import zlib
from collections.abc import Awaitable, Callable

import aiohttp
import pytest
from yarl import URL

from independence.clients import wire
from independence.clients.failures import Failure, of_exception
from independence.clients.transport import LARGEST, BodyTooLarge, HttpResponse, Transport, proxy_of
from independence.config.endpoints import Endpoint, is_loopback
from independence.errors import UsageError

from .conftest import KEY, Scripted, Step, completion

Exchange = Callable[..., Awaitable[HttpResponse]]


@pytest.fixture
def exchange(server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Exchange:
    """Send once to a server that answers so."""

    async def send(step: Step, of_call: float | None = None, **changes: object) -> HttpResponse:
        server.says(step)
        return await Transport(session, endpoint(**changes)).post(b'{"model": "m"}', of_call)

    return send


async def test_bytes_go_to_the_chat_address_and_come_back_as_they_are(server: Scripted, exchange: Exchange) -> None:
    answered = await exchange(Step(418, completion("x"), {"X-Odd": "1"}), base_url=server.url + "/")
    assert (answered.status, answered.headers["x-odd"]) == (418, "1")
    assert b"gen-1" in answered.body
    seen = server.seen[0]
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/chat/completions", {"model": "m"})
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["Accept-Encoding"] == "gzip, deflate"
    long = bytes(range(256)) * 8192  # which comes in parts
    assert (await exchange(Step(200, long))).body == long


async def test_cookies_are_not_kept_between_calls(server: Scripted, exchange: Exchange) -> None:
    for _ in range(2):
        await exchange(Step(200, {}, {"Set-Cookie": "session=1"}))
    assert "Cookie" not in server.seen[1].headers


@pytest.mark.parametrize(("of_endpoint", "of_call"), [(0.05, None), (60.0, 0.05)])
async def test_an_attempt_ends_in_time(exchange: Exchange, of_endpoint: float, of_call: float | None) -> None:
    with pytest.raises(TimeoutError):
        await exchange(Step(fault="hang"), of_call, timeout_s=of_endpoint)


async def test_the_query_of_a_base_url_goes_along_and_no_key_is_shown(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    server.says(completion("x"))
    server.serves("/models", Step(200, {}))
    there = Transport(session, endpoint(base_url=server.url + "?api-version=3&api-key=SECRET"))
    await there.post(b"{}")
    await there.fetch("/models", 5)
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions", "/v1/models"]
    assert [seen.query for seen in server.seen] == ["api-version=3&api-key=SECRET"] * 2
    assert KEY not in repr(there)


TEXT = "café " * 50
PACKED = {
    "gzip": gzip.compress(TEXT.encode()),
    "gzip, two members": gzip.compress(TEXT.encode()[:10]) + gzip.compress(TEXT.encode()[10:]),
    "deflate": zlib.compress(TEXT.encode()),
    "deflate, bare": zlib.compress(TEXT.encode(), wbits=-15),
}


async def test_a_compressed_body_is_unpacked(exchange: Exchange) -> None:
    for kind, body in PACKED.items():
        answered = await exchange(Step(200, body, {"Content-Encoding": kind.partition(",")[0]}))
        assert answered.body.decode() == TEXT, kind


async def test_a_body_that_cannot_be_unpacked_may_pass_unless_it_was_packed_in_a_way_that_nobody_asked_for(
    exchange: Exchange,
) -> None:
    unasked = "its compression is one that was not asked for"
    for body, encoding, says in (
        (b"no gzip at all", "gzip", "the answer breaks off: its compression is broken"),
        (b"x", "br", unasked),
        (gzip.compress(b"{}", mtime=0), "x-gzip", unasked),
        (b"x", "compress", unasked),
    ):
        with pytest.raises(aiohttp.ClientError) as raised:
            await exchange(Step(200, body, {"Content-Encoding": encoding}))
        failure = of_exception(raised.value, (KEY,))
        assert (failure.lasting, failure.detail) == (says == unasked, says)
    cut = await exchange(Step(200, PACKED["gzip"][:-9], {"Content-Encoding": "gzip"}))
    outcome, cost = wire.read(cut, None, (KEY,))
    assert isinstance(outcome, Failure)
    assert (outcome.lasting, outcome.kind, cost.known) == (False, "malformed", False)


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
async def test_a_body_above_the_limit_is_not_read_to_its_end(encoding: str, exchange: Exchange) -> None:
    bomb = bytes(LARGEST + 1)
    packed = {"": bomb, "gzip": gzip.compress(bomb, 1), "deflate": zlib.compress(bomb, 1)}[encoding]
    with pytest.raises(BodyTooLarge) as raised:
        await exchange(Step(200, packed, {"Content-Encoding": encoding} if encoding else {}))
    assert "larger than 16 MB, decompressed" in of_exception(raised.value, (KEY,)).detail


async def test_a_declared_charset_is_honoured(exchange: Exchange) -> None:
    for charset, body, text in (
        ("latin-1", "café".encode("latin-1"), "café"),
        ("ISO-8859-1", "café".encode(), "café"),  # a wrong claim about what is UTF-8
        ("utf-16", "café".encode("utf-16"), "café"),
        ("punycode", b"caf\xe9", "caf\ufffd"),
        ("utf-99", b"caf\xe9", "caf\ufffd"),
    ):
        answered = await exchange(Step(200, body, {"Content-Type": f"application/json; charset={charset}"}))
        assert answered.body.decode("utf-8", "replace") == text, charset


PROXY = "http://10.9.9.9:3128"
SOCKS = "socks5://10.9.9.9:1080"
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "request_method")
HERE = ["127.0.0.1", "127.8.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"]


def proxied(url: str, **variables: str) -> URL | None:
    """The proxy of an address in an environment with these settings alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PROXIES:
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)
        return proxy_of(URL(url))


def test_this_machine_is_never_reached_through_a_proxy() -> None:
    assert all(is_loopback(URL(f"http://{host}").host or "") for host in HERE)
    variables = ("HTTP_PROXY", "http_proxy", "ALL_PROXY")
    assert {proxied(f"http://{host}:8080/v1", **{name: PROXY}) for host in HERE for name in variables} == {None}


ROUTER = "https://openrouter.ai/api/v1"
NEAR = "http://10.0.0.5/v1"
ENVIRONMENTS: list[tuple[dict[str, str], str, bool]] = [
    ({}, NEAR, False),
    ({"HTTP_PROXY": PROXY}, NEAR, True),
    ({"HTTP_PROXY": PROXY}, ROUTER, False),
    ({"HTTPS_PROXY": PROXY}, ROUTER, True),
    ({"ALL_PROXY": PROXY}, ROUTER, True),
    ({"ALL_PROXY": "10.9.9.9:3128"}, ROUTER, True),
    ({"HTTP_PROXY": " HTTP://10.9.9.9:3128/ "}, NEAR, True),
    ({"HTTP_PROXY": PROXY, "ALL_PROXY": SOCKS}, NEAR, True),
    ({"ALL_PROXY": SOCKS, "NO_PROXY": "10.0.0.0/8"}, NEAR, False),
    ({"HTTPS_PROXY": PROXY, "NO_PROXY": "openrouter.ai"}, ROUTER, False),
    ({"HTTPS_PROXY": PROXY, "NO_PROXY": "other.ai"}, ROUTER, True),
    ({"HTTP_PROXY": PROXY}, "http://localhost.evil.example/v1", True),
]
EXEMPTED = [
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
]


def test_other_hosts_take_the_proxy_of_the_environment_unless_they_are_exempted() -> None:
    rows = ENVIRONMENTS + [({"ALL_PROXY": PROXY, "NO_PROXY": no}, url, through) for no, url, through in EXEMPTED]
    found = [(variables, url, proxied(url, **variables)) for variables, url, _ in rows]
    assert found == [(variables, url, URL(PROXY) if through else None) for variables, url, through in rows]


UNUSABLE = [
    ("ALL_PROXY", "socks5://me:SECRET@10.9.9.9:1080", "a SOCKS proxy cannot be used; use an http:// proxy or unset A"),
    ("HTTP_PROXY", "socks5h://10.9.9.9:1080", "use an http:// proxy or unset HTTP_PROXY"),
    ("all_proxy", "SOCKS4A://10.9.9.9", "unset all_proxy"),
    ("HTTP_PROXY", "ftp://me:SECRET@10.9.9.9", "a proxy of kind `ftp` cannot be used; use an http:// proxy"),
    ("HTTP_PROXY", "http://me:SECRET@10.9.9.9:99999", "HTTP_PROXY: `http://10.9.9.9:99999` is no address: its port"),
    ("HTTP_PROXY", "http://", "HTTP_PROXY: `http://` is no address: it has no host name"),
    ("HTTP_PROXY", ":3128", "it has no host name"),
]


def test_a_proxy_that_cannot_be_used_is_no_reason_to_go_round_it() -> None:
    for variable, value, says in UNUSABLE:
        with pytest.raises(UsageError) as raised:
            proxied("http://llm.corp.test/v1", **{variable: value})
        assert says in str(raised.value)
        assert "SECRET" not in str(raised.value)
