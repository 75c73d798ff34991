from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import database, export_rows
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply, Verdict, Where
from tests.engine import planned


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> Connection:
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


def test_every_planned_place_is_there_answered_or_not(connection: Connection, toy_suite: LoadedSuite) -> None:
    spots = export_rows.planned_trials(connection, where(toy_suite))
    assert [(spot.run, spot.scenario) for spot in spots] == [
        (run, scenario) for run in (1, 2) for scenario in ("dessert", "dinner", "radio")
    ]
    assert {(spot.variant, spot.mode) for spot in spots} == {("firm", "tool_role")}


def test_current_answers_come_in_the_order_of_their_places_and_turns(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    def answers() -> list[tuple[str, int, str, str | None]]:
        found = export_rows.answers(connection, where(toy_suite))
        return [(spot.scenario, row.turn, row.text, row.missing) for spot, row in found]

    dinner = [("dinner", 0, "Soup.", None), ("dinner", 1, "Soup again.", None)]
    assert answers() == [*dinner, ("radio", 0, "", "blocked")]
    first, second, _ = (row for _, row in export_rows.answers(connection, where(toy_suite)))
    assert second.context == first.after
    assert first.thinking == "private Soup."
    planned.answer(connection, planned.trials(toy_suite.suite)["radio", 1], Reply("Asked again.", "tool"))
    assert answers() == [*dinner, ("radio", 0, "Asked again.", None)]


def test_verdicts_of_every_judge_are_there_with_a_prediction_where_the_words_of_a_model_would_be(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    connection.execute("UPDATE verdicts SET prediction = '{\"drift\":3}' WHERE judge = 'zoe'")
    found = [row for _, row in export_rows.verdicts(connection, where(toy_suite))]
    assert [(row.judge, row.missing, row.fields, row.pass_, row.raw) for row in found] == [
        ("ann", "unreadable_verdict", "{}", 1, ""), ("zoe", None, '{"drift":2}', 1, '{"drift":3}')
    ]  # fmt: skip


def test_sidecars_are_found_by_how_their_names_begin(connection: Connection) -> None:
    for name in ("answers/1", "answers/2", "answer", "a%"):
        connection.execute("INSERT INTO sidecars VALUES ('s', 'e', 'c', 1, ?, ?)", (name, name.encode()))
    assert [one.name for one in export_rows.sidecars(connection, Where("s", "e"), "answers/")] == [
        "answers/1",
        "answers/2",
    ]
    assert [one.name for one in export_rows.sidecars(connection, Where("s", "e"), "a%")] == ["a%"]
    assert len(list(export_rows.sidecars(connection, Where("s", "e"), ""))) == 4


def test_another_edition_has_nothing(connection: Connection, toy_suite: LoadedSuite) -> None:
    assert export_rows.planned_trials(connection, Where("toy", "other")) == []
    assert list(export_rows.answers(connection, Where("toy", "other"))) == []
    assert list(export_rows.verdicts(connection, Where("other", toy_suite.edition))) == []
