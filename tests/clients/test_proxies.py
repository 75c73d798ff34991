from __future__ import annotations

import pytest
from yarl import URL

from independence.clients.transport import is_loopback, proxy_of

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
        ({"ALL_PROXY": "socks5://10.9.9.9:1080"}, "https://openrouter.ai/api/v1", False),
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
