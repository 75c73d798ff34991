"""Who is answered: this machine, by its own names, and no page of another site."""

from __future__ import annotations

import pytest

from independence.errors import UsageError
from independence.viewer.access import COOKIE, AccessRules

HOME = {"Host": "127.0.0.1:8000"}
TOKEN = "a text that only readers know"


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "localhost:9000", "LOCALHOST:1"])
def test_this_machine_is_answered_by_each_of_its_names_and_through_a_tunnel(host: str) -> None:
    assert AccessRules("127.0.0.1").refusal({"Host": host}, {}, "") is None


@pytest.mark.parametrize(
    "host",
    ["evil.example:8000", "127.0.0.1.evil.example:8000", "192.168.1.7:8000", "", "localhost.", "[", "a@localhost:1"],
)
def test_another_name_for_this_machine_is_refused(host: str) -> None:
    refused = AccessRules("127.0.0.1").refusal({"Host": host}, {}, "")
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:9000", "http://localhost:8000"],
)
def test_a_page_of_another_site_is_refused(origin: str) -> None:
    refused = AccessRules("127.0.0.1").refusal({**HOME, "Origin": origin}, {}, "")
    assert refused is not None
    assert refused.status == 403


def test_its_own_page_is_answered() -> None:
    assert AccessRules("127.0.0.1").refusal({**HOME, "Origin": "http://127.0.0.1:8000"}, {}, "") is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_an_address_that_other_machines_reach_needs_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        AccessRules(host)
    AccessRules(host, TOKEN)


def test_a_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(UsageError, match="3 characters"):
        AccessRules("127.0.0.1", "abc")


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
    refused = AccessRules("192.168.1.7", TOKEN).refusal({"Host": "evil.example"}, {}, TOKEN)
    assert refused is not None
    assert refused.status == 403
