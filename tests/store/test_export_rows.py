"""Dialogues with their answers and verdicts, as exports and trajectories read them."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import database, export_rows, queries, trajectories
from independence.store.trajectories import DialogueFilter, StoredDialogue
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply, Verdict, Where
from tests.engine import planned
from tests.report import filled


@pytest.fixture
def answered(tmp_path: Path, toy_suite: LoadedSuite) -> Connection:
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


def test_every_planned_place_is_there_answered_or_not(answered: Connection, toy_suite: LoadedSuite) -> None:
    spots = export_rows.planned_trials(answered, where(toy_suite))
    assert [(spot.run, spot.scenario) for spot in spots] == [
        (run, scenario) for run in (1, 2) for scenario in ("dessert", "dinner", "radio")
    ]
    assert {(spot.variant, spot.mode) for spot in spots} == {("firm", "tool_role")}


def test_current_answers_come_in_the_order_of_their_places_and_turns(
    answered: Connection, toy_suite: LoadedSuite
) -> None:
    def answers() -> list[tuple[str, int, str, str | None]]:
        found = export_rows.answers(answered, where(toy_suite))
        return [(spot.scenario, row.turn, row.text, row.missing) for spot, row in found]

    dinner = [("dinner", 0, "Soup.", None), ("dinner", 1, "Soup again.", None)]
    assert answers() == [*dinner, ("radio", 0, "", "blocked")]
    first, second, _ = (row for _, row in export_rows.answers(answered, where(toy_suite)))
    assert second.context == first.after
    assert first.thinking == "private Soup."
    planned.answer(answered, planned.trials(toy_suite.suite)["radio", 1], Reply("Asked again.", "tool"))
    assert answers() == [*dinner, ("radio", 0, "Asked again.", None)]


def test_verdicts_of_every_judge_are_there_with_a_prediction_where_the_words_of_a_model_would_be(
    answered: Connection, toy_suite: LoadedSuite
) -> None:
    answered.execute("UPDATE verdicts SET prediction = '{\"drift\":3}' WHERE judge = 'zoe'")
    found = [row for _, row in export_rows.verdicts(answered, where(toy_suite))]
    assert [(row.judge, row.missing, row.fields, row.pass_, row.raw) for row in found] == [
        ("ann", "unreadable_verdict", "{}", 1, ""), ("zoe", None, '{"drift":2}', 1, '{"drift":3}')
    ]  # fmt: skip


def test_sidecars_are_found_by_how_their_names_begin(answered: Connection) -> None:
    for name in ("answers/1", "answers/2", "answer", "a%"):
        answered.execute("INSERT INTO sidecars VALUES ('s', 'e', 'c', 1, ?, ?)", (name, name.encode()))
    assert [one.name for one in export_rows.sidecars(answered, Where("s", "e"), "answers/")] == [
        "answers/1",
        "answers/2",
    ]
    assert [one.name for one in export_rows.sidecars(answered, Where("s", "e"), "a%")] == ["a%"]
    assert len(list(export_rows.sidecars(answered, Where("s", "e"), ""))) == 4


CONDITION = filled.CONDITION


def read(connection: Connection, loaded: LoadedSuite, wanted: DialogueFilter) -> list[StoredDialogue]:
    return list(trajectories.dialogues(connection, Where("toy", loaded.edition, CONDITION), wanted))


def places(found: list[StoredDialogue]) -> list[tuple[str, str, int]]:
    return [(one.planned.config_dir, one.planned.scenario, one.planned.run) for one in found]


@pytest.fixture
def filled_store(connection: Connection, toy_suite: LoadedSuite) -> Connection:
    for config in ("a", "b"):
        filled.complete(connection, toy_suite, config, ((8, 6, 2), (7, 6, 2), (7, 5, 2)))
    return connection


def test_scenarios_subjects_and_runs_narrow_what_is_read_of_answers_verdicts_and_what_was_said_before(
    filled_store: Connection, toy_suite: LoadedSuite
) -> None:
    every = read(filled_store, toy_suite, DialogueFilter(["dinner", "radio", "dessert"], ["a", "b"]))
    assert len(every) == 18
    assert places(every) == sorted(places(every))
    some = read(filled_store, toy_suite, DialogueFilter(["radio", "dessert"], ["b"], 2, 3))
    assert places(some) == [("b", "dessert", 2), ("b", "dessert", 3), ("b", "radio", 2), ("b", "radio", 3)]
    assert some == [one for one in every if one in some]
    for none in (DialogueFilter([], ["a"]), DialogueFilter(["radio"], ["nobody"])):
        assert read(filled_store, toy_suite, none) == []
    (found,) = read(filled_store, toy_suite, DialogueFilter(["dessert"], ["a"], 2, 2))
    assert found.said == ["a dessert 2 0"]
    assert found.before == {"dinner_0": "a dinner 2 0", "dinner_1": "a dinner 2 1"}
    assert [verdict.fields for verdict in found.verdicts] == ['{"firmness":6,"kept":false}']
    assert found.end == found.state.end == found.verdicts[0].context
    assert found.replaced == {}


def test_older_answers_are_counted_and_what_follows_them_is_stale(
    filled_store: Connection, toy_suite: LoadedSuite
) -> None:
    for text in ("Another soup.", "A third one."):
        filled.answer(filled_store, "a", "dinner", 1, Reply(text, "tool"))
    dessert, dinner = read(filled_store, toy_suite, DialogueFilter(["dinner", "dessert"], ["a"], 1, 1))
    assert dinner.replaced == {0: 2}
    assert dinner.said == ["A third one.", "a dinner 1 1"]
    assert (dinner.state.answered, dinner.state.stale, dinner.state.end) == (1, True, None)
    assert dessert.state.end is None
    assert dessert.before["dinner_0"] == "A third one."


def test_what_was_never_asked_or_came_to_nothing_is_read_too(connection: Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["dinner", 1], Missing("blocked"))
    found = read(connection, toy_suite, DialogueFilter(["dinner", "radio", "dessert"], [planned.SUBJECT.config_dir]))
    states = {one.planned.scenario: (one.end != "", one.state.missing) for one in found}
    assert states == {"dinner": (True, "blocked"), "radio": (False, None), "dessert": (False, "parent_missing")}


def test_states_of_some_trials_are_those_of_all(filled_store: Connection, toy_suite: LoadedSuite) -> None:
    where = Where("toy", toy_suite.edition, CONDITION)
    every = queries.states(filled_store, where)
    some = queries.states(filled_store, where, [filled.key("b", "dessert", 2), filled.key("a", "radio", 1)])
    assert some == [one for one in every if one in some]
    assert {one.key for one in some} == {
        filled.key("b", "dessert", 2), filled.key("b", "dinner", 2), filled.key("a", "radio", 1),
    }  # fmt: skip
    assert queries.states(filled_store, where, []) == []
