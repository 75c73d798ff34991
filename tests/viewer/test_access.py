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
        200: [f"http://{HOME}"],
        403: ["http://evil.example", "null", f"https://{HOME}", "http://127.0.0.1:9000", "http://localhost:8000"],
    }
    asked = [(status, {"Host": host}) for status, own in hosts.items() for host in own]
    asked += [(status, {"Host": HOME, "Origin": origin}) for status, own in origins.items() for origin in own]
    assert [one for one in asked if wrong(*one)] == []
    assert rules.refusal({}, {}, "") is not None


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


def test_a_token_does_not_let_in_by_another_name_where_the_address_has_one() -> None:
    rules = AccessRules("192.168.1.7", TOKEN)
    refused = rules.refusal({"Host": "evil.example"}, {}, TOKEN)
    assert refused is not None
    assert refused.status == 403
    assert rules.refusal({"Host": "192.168.1.7:80"}, {}, TOKEN) is None
