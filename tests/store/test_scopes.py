from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.errors import StoreError
from independence.store import scopes
from independence.suites.load import LoadedSuite
from tests.report import filled


def test_an_empty_store_says_how_to_fill_it(connection: sqlite3.Connection) -> None:
    with pytest.raises(StoreError, match="the store is empty: `independence demo`"):
        scopes.find(connection, None, None, None)


def test_the_only_edition_and_the_default_condition_need_not_be_named(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    for condition in (filled.CONDITION, ("plain", "user_role")):
        filled.plan(connection, toy_suite, condition=condition)
    found = scopes.find(connection, None, None, None)
    assert found == filled.scope(toy_suite)
    assert found.condition == ("firm", "tool_role")


def test_the_only_condition_there_is_needs_no_name(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.plan(connection, toy_suite, condition=("plain", "user_role"))
    assert scopes.find(connection, None, None, None).condition == ("plain", "user_role")
    with pytest.raises(StoreError, match="no trials under firm/user_role; it has plain/user_role"):
        scopes.find(connection, None, "firm", "user_role")


def test_of_several_editions_of_one_suite_the_newest_is_taken_unless_one_is_imported(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    other = LoadedSuite(toy_suite.suite, "0123abcd")
    for loaded in (toy_suite, other):
        filled.plan(connection, loaded)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    found = scopes.find(connection, None, None, None)
    assert found.edition == toy_suite.edition
    assert "toy@0123abcd" in scopes.newest(connection, found, None)
    assert scopes.newest(connection, found, f"toy@{toy_suite.edition}") == ""
    assert scopes.find(connection, "toy", None, None).edition == toy_suite.edition
    assert scopes.find(connection, "toy@0123abcd", None, None).edition == "0123abcd"
    filled.plan(connection, LoadedSuite(toy_suite.suite, "published"))
    with pytest.raises(StoreError, match=r"name one with --suite: toy@.*, toy@0123abcd"):
        scopes.find(connection, None, None, None)


@pytest.mark.parametrize("asked", ["v2", "toy@ffffffff", "to"])
def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, asked: str
) -> None:
    filled.plan(connection, toy_suite)
    with pytest.raises(StoreError, match=f"no trials of `{asked}`; it holds toy@{toy_suite.edition}"):
        scopes.find(connection, asked, None, None)


def test_the_suite_comes_back_as_it_was_stored(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.plan(connection, LoadedSuite(msgspec.structs.replace(toy_suite.suite, title="As it was"), "0123abcd"))
    assert scopes.find(connection, "toy", None, None).suite.title == "As it was"
