"""Which sentences stand behind what is missing."""

from __future__ import annotations

import sqlite3

from independence.store import context, missing
from independence.types import Missing, Verdict, Where

from . import rows

WHERE = Where("s", "e")
TOO_LONG = Missing("too_long", "8192 tokens\n at most")


def graded(connection: sqlite3.Connection, name: str, detail: str, judge: str = "j") -> None:
    rows.trial(connection, name, scenario=name)
    at = rows.call(connection, name, 0, context.begin(name), rows.reply("words"))
    rows.verdict(connection, f"v {name}", name, at, Missing("unreadable_verdict", detail), judge=judge)


def sentences(connection: sqlite3.Connection, *judges: str) -> dict[str, str]:
    return missing.sentences(connection, WHERE, judges)


def test_a_sentence_that_all_share_stands_alone(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    for name in "abc":
        graded(connection, name, "no JSON object found")
    rows.trial(connection, "cut", scenario="cut")
    rows.call(connection, "cut", 0, context.begin("cut"), TOO_LONG)
    assert sentences(connection, "j") == {
        "unreadable_verdict": "no JSON object found", "too_long": "8192 tokens at most",
    }  # fmt: skip


def test_of_several_the_one_that_most_share_is_told_with_their_number(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    for name, detail in (("a", "`x` is missing"), ("b", "`x` is missing"), ("c", "no JSON object found"), ("d", "")):
        graded(connection, name, detail)
    assert sentences(connection, "j") == {"unreadable_verdict": "2 times `x` is missing"}


def test_what_is_unexplained_is_left_out_and_what_is_long_is_cut(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    graded(connection, "a", "")
    assert sentences(connection, "j") == {}
    graded(connection, "b", "x" * 999, judge="k")
    assert sentences(connection, "k") == {"unreadable_verdict": "x" * 200 + "…"}


def test_other_judges_other_trials_and_older_dialogues_are_none_of_it(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    graded(connection, "a", "of a")
    graded(connection, "b", "of b", judge="k")
    rows.verdict(connection, "older", "a", "another history", Missing("unreadable_verdict", "older"))
    rows.verdict(connection, "given", "b", "at", Verdict({"x": 1}))
    assert sentences(connection, "j") == {"unreadable_verdict": "of a"}
    assert missing.sentences(connection, WHERE, ["j", "k"], ["b"]) == {"unreadable_verdict": "of b"}
