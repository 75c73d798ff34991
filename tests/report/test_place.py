from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.errors import StoreError
from independence.report import place
from independence.store.queries import StoredVerdict
from independence.suites.load import Loaded

from . import filled


def test_an_empty_store_says_how_to_fill_it(connection: sqlite3.Connection) -> None:
    with pytest.raises(StoreError, match="the store is empty: `independence demo`"):
        place.find(connection, None, None, None)


def test_the_only_edition_and_the_default_condition_need_not_be_named(
    connection: sqlite3.Connection, toy_suite: Loaded
) -> None:
    for condition in (filled.CONDITION, ("plain", "user_role")):
        filled.plan(connection, toy_suite, condition=condition)
    found = place.find(connection, None, None, None)
    assert found == filled.place(toy_suite)
    assert found.condition == "firm/tool_role"


def test_the_only_condition_there_is_needs_no_name(connection: sqlite3.Connection, toy_suite: Loaded) -> None:
    filled.plan(connection, toy_suite, condition=("plain", "user_role"))
    assert place.find(connection, None, None, None).condition == "plain/user_role"
    with pytest.raises(StoreError, match="no trials under firm/user_role; it has plain/user_role"):
        place.find(connection, None, "firm", "user_role")


def test_several_editions_have_to_be_told_apart(connection: sqlite3.Connection, toy_suite: Loaded) -> None:
    other = Loaded(toy_suite.suite, "0123abcd")
    for loaded in (toy_suite, other):
        filled.plan(connection, loaded)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    with pytest.raises(StoreError, match=f"name one with --suite: toy@{toy_suite.edition}, toy@0123abcd"):
        place.find(connection, None, None, None)
    assert place.find(connection, "toy", None, None).edition == toy_suite.edition
    assert place.find(connection, "toy@0123abcd", None, None).edition == "0123abcd"


@pytest.mark.parametrize("asked", ["v2", "toy@ffffffff", "to"])
def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(
    connection: sqlite3.Connection, toy_suite: Loaded, asked: str
) -> None:
    filled.plan(connection, toy_suite)
    with pytest.raises(StoreError, match=f"no trials of `{asked}`; it holds toy@{toy_suite.edition}"):
        place.find(connection, asked, None, None)


def test_the_suite_comes_back_as_it_was_stored(connection: sqlite3.Connection, toy_suite: Loaded) -> None:
    filled.plan(connection, Loaded(msgspec.structs.replace(toy_suite.suite, title="As it was"), "0123abcd"))
    assert place.find(connection, "toy", None, None).suite.title == "As it was"


def by(*judges: str) -> list[StoredVerdict]:
    return [StoredVerdict("t", judge, "r", "c", None, {}) for judge in judges]


def test_the_usual_judge_is_the_one_with_most_verdicts() -> None:
    assert place.usual_judge([]) is None
    assert place.usual_judge(by("b", "a", "b")) == "b"
    assert place.usual_judge(by("b", "a")) == "a"


def test_a_judge_that_graded_nothing_is_refused_with_those_that_did() -> None:
    place.check_judge(by("a", "b"), "b")
    with pytest.raises(StoreError, match="no verdicts by judge `c` here; judges: a, b"):
        place.check_judge(by("b", "a"), "c")
    with pytest.raises(StoreError, match="judges: none"):
        place.check_judge([], "c")
