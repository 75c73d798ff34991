from __future__ import annotations

from sqlite3 import Connection

import msgspec
import pytest

from independence.errors import StoreError
from independence.store import scopes
from independence.store.scopes import Names
from independence.suites.load import LoadedSuite
from tests.report import filled


def test_an_empty_store_says_how_to_fill_it(connection: Connection) -> None:
    with pytest.raises(StoreError, match="the store is empty: `independence demo`"):
        scopes.find(connection, None, None, None)


def test_the_only_edition_and_the_default_condition_need_not_be_named(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    for condition in (filled.CONDITION, ("plain", "user_role")):
        filled.plan(connection, toy_suite, condition=condition)
    found = scopes.find(connection, None, None, None)
    assert found == filled.scope(toy_suite)
    assert found.condition == ("firm", "tool_role")


def test_the_only_condition_there_is_needs_no_name_and_the_suite_is_as_it_was_stored(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    renamed = LoadedSuite(msgspec.structs.replace(toy_suite.suite, title="As it was"), "0123abcd")
    filled.plan(connection, renamed, condition=("plain", "user_role"))
    found = scopes.find(connection, None, None, None)
    assert (found.condition, found.suite.title) == (("plain", "user_role"), "As it was")
    with pytest.raises(StoreError, match="no trials under firm/user_role; it has plain/user_role"):
        scopes.find(connection, None, "firm", "user_role")


def test_of_several_editions_of_one_suite_the_newest_is_taken_unless_one_is_imported(
    connection: Connection, toy_suite: LoadedSuite
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


def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    filled.plan(connection, toy_suite)
    for asked in ("v2", "toy@ffffffff", "to"):
        with pytest.raises(StoreError, match=f"no trials of `{asked}`; it holds toy@{toy_suite.edition}"):
            scopes.find(connection, asked, None, None)


KNOWN = {
    names.config_dir: names
    for names in (
        Names("a--one@low-t0.7", "one@low-t0.7", "a/one"),
        Names("a--one@none-t0.7", "one@none-t0.7", "a/one"),
        Names("a--two+host@none-t0.7", "two+host@none-t0.7", "a/two"),
        Names("lab--half+alpha@none-t0.7", "lab/half+alpha@none-t0.7", "lab/half"),
        Names("sim--half@none-t0.7", "sim/half@none-t0.7", "sim/half"),
    )
}


NAMED = {
    "a--one@low-t0.7": ["a--one@low-t0.7"],
    "one@low-t0.7": ["a--one@low-t0.7"],
    "a/one": ["a--one@low-t0.7", "a--one@none-t0.7"],
    "two+host": ["a--two+host@none-t0.7"],
    "two": ["a--two+host@none-t0.7"],
    "lab/half+alpha": ["lab--half+alpha@none-t0.7"],
    "sim/half@none-t0.7 (simulated)": ["sim--half@none-t0.7"],
    "sim/half (sim)": ["sim--half@none-t0.7"],
}


def test_whatever_a_board_prints_in_full_finds_its_subject() -> None:
    assert {name: scopes.subjects([name], KNOWN, "here") for name in NAMED} == NAMED


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("one", "`one` names several subjects here; use a label: one@low-t0.7, one@none-t0.7"),
        ("half", "names several subjects here; use a label: lab/half\\+alpha@none-t0.7, sim/half@none-t0.7"),
        ("lab/ha…", "no subject `lab/ha…` here; did you mean `lab/half\\+alpha@none-t0.7`"),
        ("one…none-t0.7", "did you mean `one@none-t0.7`"),
        ("alpha", "did you mean `lab/half\\+alpha@none-t0.7`"),
        ("tow+host", "did you mean `two\\+host`"),
        ("zebra", "there is lab/half\\+alpha@none-t0.7, one@low-t0.7"),
    ],
)
def test_a_cut_or_partial_name_is_answered_with_the_full_ones_it_may_mean(name: str, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        scopes.subjects([name], KNOWN, "here")


def test_a_persona_is_found_by_the_name_of_its_file() -> None:
    assert scopes.variant_named("mine", {"mine-8229", "neutral"}) == "mine-8229"
    assert scopes.variant_named("mine", {"mine-8229", "mine-1111"}) == "mine"
    assert scopes.variant_named("mine", {"mine", "mine-1111"}) == "mine"
