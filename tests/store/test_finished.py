"""Rows of finished dialogues: written with the last answer, gone with a change, equal to what the answers say."""

from __future__ import annotations

import sqlite3

import pytest

from independence.store import context, queries
from independence.store.queries import TrialState

from . import rows


def kept(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM finished ORDER BY trial").fetchall()


def by_calls(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM finished_by_calls ORDER BY trial").fetchall()


def states(connection: sqlite3.Connection) -> list[TrialState]:
    return queries.states(connection, rows.PLACE)


def without(connection: sqlite3.Connection) -> list[TrialState]:
    """States as the answers alone give them."""
    connection.execute("SAVEPOINT all_of_them")
    connection.execute("DELETE FROM finished")
    found = states(connection)
    connection.execute("ROLLBACK TO all_of_them")
    connection.execute("RELEASE all_of_them")
    return found


@pytest.fixture
def dialogues(connection: sqlite3.Connection) -> sqlite3.Connection:
    """One of twelve turns, one that continues it, one that is not finished, one with a mark and a replaced answer."""
    rows.edition(connection)
    planned = (("long", None, 12), ("more", "long", 1), ("half", None, 2), ("marked", None, 2), ("once", None, 1))
    for key, parent, turns in planned:
        rows.trial(connection, key, parent, turns)
    end = rows.dialogue(connection, "long", *(f"answer {turn}" for turn in range(12)))
    rows.dialogue(connection, "more", "so", parent_after=end)
    rows.dialogue(connection, "half", "one")
    rows.call(connection, "once", 0, "once", rows.reply("yes", thinking="hm", flags=("cleaned",)))
    rows.dialogue(connection, "marked", "first", "second")
    rows.call(
        connection, "marked", 1, context.extend("marked", rows.reply("first")), rows.reply("b", flags=("cleaned",))
    )
    return connection


def test_the_row_is_there_with_the_last_answer(dialogues: sqlite3.Connection) -> None:
    assert [row[0] for row in kept(dialogues)] == ["long", "marked", "more", "once"]
    assert kept(dialogues) == by_calls(dialogues)


def test_states_are_those_of_the_answers(dialogues: sqlite3.Connection) -> None:
    assert states(dialogues) == without(dialogues)
    (marked,) = (state for state in states(dialogues) if state.key == "marked")
    assert (marked.flags, marked.reply_flags) == (("cleaned",), ((), ("cleaned",)))
    assert [reply.words for reply in marked.replies] == [context.words_digest(text) for text in ("first", "b")]


def test_a_replaced_answer_takes_the_row_and_what_continues_it_is_stale(dialogues: sqlite3.Connection) -> None:
    rows.call(dialogues, "long", 3, "elsewhere", rows.reply("other"))
    assert "long" not in [row[0] for row in kept(dialogues)]
    assert kept(dialogues) == by_calls(dialogues)
    assert states(dialogues) == without(dialogues)
    assert {state.key: state.stale for state in states(dialogues)}["more"]


def test_a_dialogue_that_continues_another_end_is_stale(dialogues: sqlite3.Connection) -> None:
    before = context.begin("long")
    for turn in range(11):
        before = context.extend(before, rows.reply(f"answer {turn}"))
    rows.call(dialogues, "long", 11, before, rows.reply("another end"))
    assert [row[0] for row in kept(dialogues)] == ["long", "marked", "more", "once"]
    assert states(dialogues) == without(dialogues)
    assert {state.key: state.stale for state in states(dialogues)}["more"]


def test_a_deleted_answer_takes_the_row(dialogues: sqlite3.Connection) -> None:
    dialogues.execute("DELETE FROM calls WHERE trial = 'long' AND turn = 11")
    assert [row[0] for row in kept(dialogues)] == ["marked", "more", "once"]
    assert states(dialogues) == without(dialogues)


def test_rows_that_are_lost_are_made_again_from_the_answers(dialogues: sqlite3.Connection) -> None:
    before = kept(dialogues)
    dialogues.execute("DELETE FROM finished")
    dialogues.execute("INSERT INTO finished SELECT * FROM finished_by_calls")
    assert kept(dialogues) == before
