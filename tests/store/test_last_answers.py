from __future__ import annotations

import sqlite3

from independence.store import queries, records
from independence.store.records import CallRow, TrialRow
from independence.types import Answer, Condition, Missing, Reply, Where


def said(connection: sqlite3.Connection, key: str, *answers: Answer, turns: int = 1, mode: str = "user_role") -> None:
    row = TrialRow(key, "s", "e", "a", "plain", mode, "x", key, 1, None, turns, "{}")
    records.add_trials(connection, [row])
    for turn, answer in enumerate(answers):
        records.add_call(connection, CallRow(key, turn, f"{key}{turn}", f"{turn}", f"{turn + 1}", answer))


def test_the_last_answer_of_every_finished_dialogue(connection: sqlite3.Connection) -> None:
    said(connection, "one", Reply("first", "content"), Reply("last", "content"), turns=2)
    said(connection, "unfinished", Reply("first", "content"), turns=2)
    said(connection, "missing", Missing("no_answer"))
    said(connection, "elsewhere", Reply("there", "content"), mode="tool_role")
    found = queries.last_answers(connection, Where("s", "e", Condition("plain", "user_role")))
    assert found == [queries.LastAnswer("a", "one", 1, "last")]


def test_an_answer_that_was_replaced_is_not_told(connection: sqlite3.Connection) -> None:
    said(connection, "one", Reply("old", "content"))
    records.add_call(connection, CallRow("one", 0, "one0", "0", "1", Reply("new", "content")))
    assert [one.text for one in queries.last_answers(connection, Where("s", "e", Condition("plain", "user_role")))] == [
        "new"
    ]
