"""How far trials are, read for a plan: the same as their states say, of whichever of them are wanted."""

from __future__ import annotations

import sqlite3

import pytest

from independence.store import endings, queries
from independence.store.endings import Endings, FinishedTrial
from independence.types import Condition

from . import rows
from .rows import PLACE

KEYS = frozenset({"done", "half", "open", "gone", "after done", "after half", "after gone", "elsewhere"})


@pytest.fixture
def dialogues(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Finished, begun, unanswered and given up, three that continue one of those, and many that nobody asks for."""
    for number in range(20):
        rows.trial(connection, f"other {number}", scenario="other", run=number)
        rows.dialogue(connection, f"other {number}", "so")
    for key, turns in (("done", 2), ("half", 2), ("open", 1), ("gone", 1)):
        rows.trial(connection, key, turns=turns)
    for key in ("done", "half", "gone"):
        rows.trial(connection, f"after {key}", key)
    end = rows.dialogue(connection, "done", "one", "two")
    rows.dialogue(connection, "after done", "three", parent_after=end)
    rows.dialogue(connection, "half", "one")
    rows.call(connection, "gone", 0, "gone", rows.missing("blocked"))
    return connection


def read(connection: sqlite3.Connection, *wanted: str) -> Endings:
    return endings.read(connection, PLACE, frozenset(wanted) or KEYS)


def test_what_is_finished_comes_with_its_end_and_what_is_not_with_its_state(dialogues: sqlite3.Connection) -> None:
    states = {state.key: state for state in queries.states(dialogues, PLACE)}
    finished, unfinished = read(dialogues)
    assert {key: finished[key] for key in KEYS & finished.keys()} == {
        key: FinishedTrial(states[key].end or "", turns) for key, turns in (("done", 2), ("after done", 1))
    }
    assert dict(unfinished) == {key: states[key] for key in ("half", "gone", "after half", "after gone")}
    assert (unfinished["after gone"].missing, unfinished["half"].answered) == ("parent_missing", 1)


def test_few_of_many_are_looked_for_with_what_they_continue(dialogues: sqlite3.Connection) -> None:
    finished, unfinished = read(dialogues, "done", "half", "after gone", "elsewhere")
    assert (set(finished), set(unfinished)) == ({"done"}, {"half", "after gone", "gone"})


def test_what_continues_a_replaced_end_is_stale(dialogues: sqlite3.Connection) -> None:
    rows.dialogue(dialogues, "done", "one", "otherwise")
    finished, unfinished = read(dialogues)
    assert "done" in finished
    assert unfinished["after done"].stale


def test_an_answer_given_on_another_dialogue_finishes_nothing(dialogues: sqlite3.Connection) -> None:
    rows.call(dialogues, "open", 0, "another history", rows.reply("yes"))
    finished, unfinished = read(dialogues)
    assert "open" not in finished
    assert unfinished["open"].stale


def test_endings_may_be_asked_for_one_condition(dialogues: sqlite3.Connection) -> None:
    assert endings.read(dialogues, PLACE.under(Condition("v", "m")), KEYS) == read(dialogues)
    assert endings.read(dialogues, PLACE.under(Condition("v", "other")), KEYS) == Endings({}, {})
