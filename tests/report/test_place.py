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


def test_of_several_editions_of_one_suite_the_newest_is_taken_unless_one_is_imported(
    connection: sqlite3.Connection, toy_suite: Loaded
) -> None:
    other = Loaded(toy_suite.suite, "0123abcd")
    for loaded in (toy_suite, other):
        filled.plan(connection, loaded)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    found = place.find(connection, None, None, None)
    assert found.edition == toy_suite.edition
    assert "toy@0123abcd" in place.newest(connection, found, None)
    assert place.newest(connection, found, f"toy@{toy_suite.edition}") == ""
    assert place.find(connection, "toy", None, None).edition == toy_suite.edition
    assert place.find(connection, "toy@0123abcd", None, None).edition == "0123abcd"
    filled.plan(connection, Loaded(toy_suite.suite, "published"))
    with pytest.raises(StoreError, match=r"name one with --suite: toy@.*, toy@0123abcd"):
        place.find(connection, None, None, None)


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


def test_of_judges_with_as_many_verdicts_the_one_that_began_first_is_the_usual_one() -> None:
    assert place.usual_judge(by("b", "a")) == "b"


@pytest.mark.parametrize("other", ["cues", "offline", "hybrid:acme/judge"])
def test_a_model_comes_before_every_other_kind_of_judge_unless_it_graded_less_than_half(other: str) -> None:
    assert place.usual_judge(by(other, other, "model")) == "model"
    assert place.usual_judge(by(other, other, other, "model")) == other


def test_rules_come_before_predictions() -> None:
    assert place.usual_judge(by("offline", "offline", "cues")) == "cues"


def test_a_judge_that_graded_as_much_is_named() -> None:
    assert place.as_full(by("model", "cues", "later"), "model") == ("cues", "later")
    assert place.as_full(by("model", "model", "cues"), "model") == ()
    assert place.also_graded(("cues",)) == ["Graded as fully by cues: --judge cues."]
    assert place.also_graded(("cues", "b")) == ["Graded as fully by cues, b: --judge NAME."]
    assert place.also_graded(()) == []


def test_two_conditions_are_compared_by_a_judge_that_both_have() -> None:
    assert place.shared_judge(by("model", "model", "cues"), by("cues")) == "cues"
    assert place.shared_judge(by("model", "cues"), by("cues", "model")) == "model"
    assert place.shared_judge(by("model"), by("cues")) is None


def test_a_judge_that_graded_nothing_is_refused_with_those_that_did() -> None:
    assert place.judge(by("a", "b"), "b") == "b"
    assert place.judge(by("acme/b", "a"), "b") == "acme/b"
    with pytest.raises(StoreError, match="no verdicts by judge `c` here; judges: a, b"):
        place.judge(by("b", "a"), "c")
    with pytest.raises(StoreError, match=r"did you mean `acme/b` or `lab/b`\? judges: acme/b, lab/b"):
        place.judge(by("acme/b", "lab/b"), "b")
    with pytest.raises(StoreError, match="judges: none"):
        place.judge([], "c")


def test_people_are_never_the_usual_judge() -> None:
    assert place.usual_judge(by("human:Ann", "human:Ann", "b")) == "b"
    assert place.usual_judge(by("human:Ann")) is None


def test_an_older_version_of_the_rule_judge_gives_way_to_the_newest() -> None:
    def graded(judge: str, count: int) -> list[StoredVerdict]:
        return [StoredVerdict(str(at), judge, "r", "c", None, {"held": 1}) for at in range(count)]

    assert place.usual_judge([*graded("cues@1", 9), *graded("cues", 2)]) == "cues"
    assert place.usual_judge(graded("cues@1", 9)) == "cues@1"
