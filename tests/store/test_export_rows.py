from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from independence.store import database, export_rows
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply, Verdict, Where
from tests.engine import planned


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> sqlite3.Connection:
    """Two runs of the toy suite, partly answered, one dialogue graded twice."""
    opened = database.connect(tmp_path / "store.db")
    made = planned.trials(toy_suite.suite, runs=2)
    planned.store(opened, toy_suite, list(made.values()))
    at = planned.answer(opened, made["dinner", 1], "Soup.", "Soup again.")
    planned.answer(opened, made["radio", 1], Missing("blocked"))
    planned.grade(opened, made["dinner", 1], "k2", at, Verdict({"drift": 2}), "zoe")
    planned.grade(opened, made["dinner", 1], "k1", at, Missing("unreadable_verdict"), "ann")
    return opened


def where(loaded: LoadedSuite) -> Where:
    return Where(loaded.suite.suite, loaded.edition)


def test_every_planned_place_is_there_answered_or_not(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    spots = export_rows.planned_trials(connection, where(toy_suite))
    assert [(spot.run, spot.scenario) for spot in spots] == [
        (run, scenario) for run in (1, 2) for scenario in ("dessert", "dinner", "radio")
    ]
    assert {(spot.variant, spot.mode) for spot in spots} == {("firm", "tool_role")}


def test_answers_come_in_the_order_of_their_places_and_turns(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    found = list(export_rows.answers(connection, where(toy_suite)))
    assert [(spot.scenario, row.turn, row.text, row.missing) for spot, row in found] == [
        ("dinner", 0, "Soup.", None), ("dinner", 1, "Soup again.", None), ("radio", 0, "", "blocked")
    ]  # fmt: skip
    assert found[1][1].context == found[0][1].after
    assert found[0][1].thinking == "private Soup."


def test_an_answer_that_was_replaced_is_not_among_them(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite, runs=2)
    planned.answer(connection, made["radio", 1], Reply("Asked again.", "tool"))
    texts = [row.text for spot, row in export_rows.answers(connection, where(toy_suite)) if spot.scenario == "radio"]
    assert texts == ["Asked again."]


def test_verdicts_of_every_judge_are_there(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    found = [row for _, row in export_rows.verdicts(connection, where(toy_suite))]
    assert [(row.judge, row.missing, row.fields, row.pass_) for row in found] == [
        ("ann", "unreadable_verdict", "{}", 1), ("zoe", None, '{"drift":2}', 1)
    ]  # fmt: skip


def test_a_prediction_is_exported_where_the_words_of_a_model_would_be(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    connection.execute("UPDATE verdicts SET prediction = '{\"drift\":2}' WHERE judge = 'zoe'")
    found = {row.judge: row.raw for _, row in export_rows.verdicts(connection, where(toy_suite))}
    assert found == {"ann": "", "zoe": '{"drift":2}'}


def test_sidecars_are_found_by_how_their_names_begin(connection: sqlite3.Connection) -> None:
    for name in ("answers/1", "answers/2", "answer", "a%"):
        connection.execute("INSERT INTO sidecars VALUES ('s', 'e', 'c', 1, ?, ?)", (name, name.encode()))
    assert [one.name for one in export_rows.sidecars(connection, Where("s", "e"), "answers/")] == [
        "answers/1",
        "answers/2",
    ]
    assert [one.name for one in export_rows.sidecars(connection, Where("s", "e"), "a%")] == ["a%"]
    assert len(list(export_rows.sidecars(connection, Where("s", "e"), ""))) == 4


def test_another_edition_has_nothing(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    assert export_rows.planned_trials(connection, Where("toy", "other")) == []
    assert list(export_rows.answers(connection, Where("toy", "other"))) == []
    assert list(export_rows.verdicts(connection, Where("other", toy_suite.edition))) == []
