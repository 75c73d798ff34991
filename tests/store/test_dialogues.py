"""Whole dialogues as every export, page and trajectory reads them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import dialogues, names, queries
from independence.store.dialogues import Dialogue
from independence.store.file import database
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Missing, Reply, Usage, Verdict, Where
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
    return Where("toy", loaded.edition, filled.CONDITION)


def read(
    connection: Connection,
    loaded: LoadedSuite,
    scenarios: Collection[str] | None = None,
    configs: Collection[str] | None = None,
    runs: range | None = None,
) -> list[Dialogue]:
    return list(dialogues.read(connection, where(loaded), configs, scenarios, runs))


def places(found: list[Dialogue]) -> list[tuple[str, int, str]]:
    return [(one.config, one.run, one.scenario) for one in found]


def said(one: Dialogue) -> list[str]:
    return [turn.reply.text for turn in one.turns]


def test_every_planned_place_is_there_with_its_current_answers(answered: Connection, toy_suite: LoadedSuite) -> None:
    found = read(answered, toy_suite)
    assert [place[1:] for place in places(found)] == [
        (run, scenario) for run in (1, 2) for scenario in ("dessert", "dinner", "radio")
    ]
    dessert, dinner, radio, *others = found
    assert (said(dessert), said(dinner), said(radio)) == ([], ["Soup.", "Soup again."], [""])
    assert [one.turns for one in others] == [()] * 3
    first, second = dinner.turns
    assert second.reply.context == first.reply.after
    assert first.answer == Reply("Soup.", "tool", thinking="private Soup.")
    assert radio.turns[0].answer == Missing("blocked")
    spent = Reply("Again.", "tool", usage=Usage(3, 2, 1, cost_usd=0.5), attempts=(Attempt("ok", 1.5, Usage(3)),))
    planned.answer(answered, planned.trials(toy_suite.suite)["radio", 1], spent)
    (radio,) = read(answered, toy_suite, ["radio"], runs=range(1, 2))
    assert [reply.answer for reply in radio.turns[0].replies] == [Missing("blocked"), spent]
    reply = radio.turns[0].reply
    assert (reply.missing, reply.seconds, reply.usage.cost_usd) == (None, 1.5, 0.5)


def test_verdicts_of_every_judge_are_there(answered: Connection, toy_suite: LoadedSuite) -> None:
    (one,) = read(answered, toy_suite, ["dinner"], runs=range(1, 2))
    assert [(own.judge, own.missing, own.values, own.pass_) for own in one.verdicts] == [
        ("ann", "unreadable_verdict", {}, 1), ("zoe", None, {"drift": 2}, 1)
    ]  # fmt: skip


def test_sidecars_are_found_by_their_name(answered: Connection) -> None:
    for name in ("answers", "answer"):
        answered.execute("INSERT INTO sidecars VALUES ('s', 'e', 'c', 1, ?, ?)", (name, name.encode()))
    assert names.imported(answered, Where("s", "e"), "answer") == {("c", 1): b"answer"}
    assert names.imported(answered, Where("s", "e")) == {}


@pytest.fixture
def filled_store(connection: Connection, toy_suite: LoadedSuite) -> Connection:
    for config in ("a", "b"):
        filled.complete(connection, toy_suite, config, ((8, 6, 2), (7, 6, 2), (7, 5, 2)))
    return connection


def test_scenarios_subjects_and_runs_narrow_what_is_read_of_answers_verdicts_and_what_was_said_before(
    filled_store: Connection, toy_suite: LoadedSuite
) -> None:
    every = read(filled_store, toy_suite)
    assert len(every) == 18
    assert places(every) == sorted(places(every))
    some = read(filled_store, toy_suite, ["radio", "dessert"], ["b"], range(2, 4))
    assert places(some) == [("b", 2, "dessert"), ("b", 2, "radio"), ("b", 3, "dessert"), ("b", 3, "radio")]
    assert some == [one for one in every if one in some]
    assert read(filled_store, toy_suite, []) == read(filled_store, toy_suite, ["radio"], ["nobody"]) == []
    (found,) = read(filled_store, toy_suite, ["dessert"], ["a"], range(2, 3))
    assert said(found) == ["a dessert 2 0"]
    ((parent, before),) = found.before.items()
    assert parent == found.parent == filled.key("a", "dinner", 2)
    assert [(turn.turn_id, turn.reply.text) for turn in before] == [
        ("dinner_0", "a dinner 2 0"), ("dinner_1", "a dinner 2 1"),
    ]  # fmt: skip
    assert [verdict.grade for verdict in found.verdicts] == [Verdict({"firmness": 6, "kept": False}, "cues on dessert")]
    assert (found.missing, found.end) == (None, found.verdicts[0].context)
    assert [len(turn.replies) for turn in found.turns] == [1]


def test_older_answers_are_kept_apart_and_what_follows_them_is_stale(
    filled_store: Connection, toy_suite: LoadedSuite
) -> None:
    for text in ("Another soup.", "A third one."):
        filled.answer(filled_store, "a", "dinner", 1, Reply(text, "tool"))
    dessert, dinner = read(filled_store, toy_suite, ["dinner", "dessert"], ["a"], range(1, 2))
    assert [[reply.text for reply in turn.replies] for turn in dinner.turns] == [
        ["a dinner 1 0", "Another soup.", "A third one."], ["a dinner 1 1"],
    ]  # fmt: skip
    assert said(dinner) == ["A third one.", "a dinner 1 1"]
    assert [turn.reply.stale for turn in dinner.turns] == [False, True]
    assert (dinner.missing, dessert.missing) == ("stale", "stale")
    ((first, _),) = dessert.before.values()
    assert first == dinner.turns[0]


def test_what_was_never_asked_or_came_to_nothing_is_read_too(connection: Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["dinner", 1], Missing("blocked"))
    states = {one.scenario: (one.end != "", one.missing) for one in read(connection, toy_suite)}
    assert states == {"dinner": (True, "blocked"), "radio": (False, "not_run"), "dessert": (False, "parent_missing")}


def test_states_of_some_trials_are_those_of_all(filled_store: Connection, toy_suite: LoadedSuite) -> None:
    every = queries.states(filled_store, where(toy_suite))
    some = queries.states(filled_store, where(toy_suite), [filled.key("b", "dessert", 2), filled.key("a", "radio", 1)])
    assert some == [one for one in every if one in some]
    assert {one.key for one in some} == {
        filled.key("b", "dessert", 2), filled.key("b", "dinner", 2), filled.key("a", "radio", 1),
    }  # fmt: skip
    assert queries.states(filled_store, where(toy_suite), []) == []
