"""Who is answered: this machine, by its own names, and no page of another site."""

from __future__ import annotations

import pytest

from independence.errors import UsageError
from independence.viewer.access import COOKIE, AccessRules

HOME = "127.0.0.1:8000"
TOKEN = "a text that only readers know"


def test_this_machine_is_answered_by_its_own_names_and_no_page_of_another_site() -> None:
    rules = AccessRules("127.0.0.1")

    def wrong(expected: int, headers: dict[str, str]) -> bool:
        refused = rules.refusal(headers, {}, "")
        return (refused.status if refused else 200) != expected

    hosts = {
        200: [HOME, "localhost:8000", "[::1]:8000", "localhost:9000", "LOCALHOST:1", "localhost"],
        403: ["evil.example:8000", f"127.0.0.1.{HOME}", "192.168.1.7:8000", "", "localhost.", "[", "a@localhost:1"],
    }
    origins = {
        200: [f"http://{HOME}", f"https://{HOME}"],
        403: ["http://evil.example", "null", f"ftp://{HOME}", "http://127.0.0.1:9000", "http://localhost:8000"],
    }
    asked = [(status, {"Host": host}) for status, own in hosts.items() for host in own]
    asked += [(status, {"Host": HOME, "Origin": origin}) for status, own in origins.items() for origin in own]
    assert [one for one in asked if wrong(*one)] == []
    assert rules.refusal({}, {}, "") is not None


def test_where_a_browser_says_where_a_request_comes_from_that_decides() -> None:
    rules = AccessRules("127.0.0.1")

    def status(site: str, mode: str = "cors", *, page: bool = False) -> int:
        headers = {"Host": HOME, "Origin": "https://proxy.example", "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        refused = rules.refusal(headers, {}, "", page=page)
        return refused.status if refused else 200

    assert [status(site) for site in ("same-origin", "none")] == [200, 200]
    assert [status(site) for site in ("same-site", "cross-site", "")] == [403, 403, 403]
    assert status("cross-site", "navigate", page=True) == 200, "a link of another site may lead to the page"
    assert [status("cross-site", "navigate"), status("cross-site", page=True)] == [403, 403]


def test_a_name_that_a_proxy_says_is_allowed_or_refused_as_one_that_is_asked() -> None:
    def refused(said: dict[str, str], *allowed: str) -> str:
        found = AccessRules("127.0.0.1", "", allowed).refusal({"Host": HOME, "Sec-Fetch-Site": "none"} | said, {}, "")
        return found.sentence if found else ""

    for said in (
        {"X-Forwarded-Host": "a.example:443"}, {"X-Forwarded-Host": "localhost, a.example"},
        {"Forwarded": "for=10.0.0.1;host=a.example"}, {"Forwarded": 'host="localhost:80", host="A.example:8443"'},
        {"Host": "a.example"},
    ):  # fmt: skip
        assert "--allow-host a.example" in refused(said), said
        assert "a.example" in refused(said, "b.example")
        assert refused(said, "b.example", "A.example:80") == ""
    for name in ("https://a.example", "a b", ""):
        with pytest.raises(UsageError, match="is no name of a host"):
            AccessRules("127.0.0.1", "", [name])


def test_without_more_from_a_browser_its_origin_is_a_name_that_was_asked_said_or_allowed() -> None:
    def status(origin: str, *allowed: str, **said: str) -> int:
        headers = {"Host": HOME, "Origin": origin} | {name.replace("_", "-"): text for name, text in said.items()}
        refused = AccessRules("127.0.0.1", TOKEN, allowed).refusal(headers, {COOKIE: TOKEN}, "")
        return refused.status if refused else 200

    assert status("https://a.example", X_Forwarded_Host="a.example") == 200
    assert status("http://a.example:8080", Forwarded="host=a.example:8080;proto=http") == 200
    assert status("http://a.example", "a.example") == 200
    assert [status("http://a.example"), status("http://a.example", "b.example")] == [403, 403]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_an_address_that_other_machines_reach_needs_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        AccessRules(host)
    AccessRules(host, TOKEN)


def test_a_token_that_can_be_guessed_is_refused() -> None:
    AccessRules("127.0.0.1", "a" * 12)
    for token in ("abc", "a" * 11):
        with pytest.raises(UsageError, match=f"{len(token)} characters"):
            AccessRules("127.0.0.1", token)


def test_with_a_token_nobody_is_answered_without_it() -> None:
    rules = AccessRules("0.0.0.0", TOKEN)
    there = {"Host": "192.168.1.7:8000"}
    refused = rules.refusal(there, {}, "")
    assert refused is not None
    assert refused.status == 401
    assert rules.refusal(there, {COOKIE: "another text"}, "") is not None
    assert rules.refusal(there, {COOKIE: TOKEN}, "") is None
    assert rules.refusal(there, {}, TOKEN) is None
    assert rules.refusal({**there, "Authorization": f"Bearer {TOKEN}"}, {}, "") is None
    assert rules.refusal({**there, "Origin": "http://evil.example"}, {COOKIE: TOKEN}, "") is not None


def test_a_token_lets_in_by_any_name() -> None:
    rules = AccessRules("192.168.1.7", TOKEN)
    for name in ("192.168.1.7:80", "viewer.example"):
        assert rules.refusal({"Host": name}, {}, TOKEN) is None
        refused = rules.refusal({"Host": name}, {}, "")
        assert refused is not None
        assert refused.status == 401
