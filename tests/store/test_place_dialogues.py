"""The dialogues of a place with what judges made of them."""

from __future__ import annotations

from sqlite3 import Connection

import pytest

from independence.store import context, place_dialogues, records
from independence.store.place_dialogues import PlacedVerdict
from independence.store.records import CallRow, TrialRow, VerdictRow
from independence.types import Condition, Missing, Verdict, Where

from . import rows

WHERE = Where("s", "e", Condition("v", "m"))
SCENARIOS = ("one", "two")


def graded(connection: Connection, trial: str, judge: str = "j", score: int = 1, rubric: str = "rubric") -> None:
    (at,) = connection.execute("SELECT at FROM dialogues WHERE trial = ?", (trial,)).fetchone()
    key = f"{trial} {judge} {rubric} {score}"
    records.add_verdict(connection, VerdictRow(key, trial, judge, rubric, at, "{}", Verdict({"x": score, "y": 0.5})))


@pytest.fixture
def played(connection: Connection) -> Connection:
    """Subjects `a` and `b` with two runs of two scenarios each; all of `a` is graded, and of `b` all but the last."""
    for config in ("a", "b"):
        rows.edition(connection, config_dir=config)
        for scenario in SCENARIOS:
            for run in (1, 2):
                key = f"{config} {scenario} {run}"
                rows.trial(connection, key, scenario=scenario, run=run, config_dir=config)
                rows.call(connection, key, 0, context.begin(key), rows.reply(f"words of {key}", flags=()))
                if key != "b two 2":
                    graded(connection, key, score=run)
    return connection


def under(connection: Connection, judge: str | None = "j") -> list[PlacedVerdict]:
    return place_dialogues.under_judge(connection, WHERE, judge)


def test_one_judge_is_read_at_once_and_several_one_by_one(played: Connection) -> None:
    played.execute("DELETE FROM verdicts WHERE trial LIKE 'b %'")
    found = place_dialogues.read(played, WHERE)
    assert found is not None
    assert [(one.judge, one.valid) for one in found.judges] == [("j", 4)]
    assert found.verdicts == under(played)
    places = [(config, run, name) for config in "ab" for run in (1, 2) for name in SCENARIOS]
    assert [one[:3] for one in under(played)] == [one[:3] for one in under(played, None)] == places
    assert not any(one.valid for one in under(played, None))
    graded(played, "b two 2", "other")
    assert place_dialogues.read(played, WHERE) is None


def test_of_several_verdicts_the_newest_that_counts_is_taken(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    graded(played, "a two 1", score=8, rubric="later rubric")
    for rubric, at in (("other rubric", "1999"), ("later rubric", "2999")):
        played.execute("UPDATE verdicts SET judged_at = ? WHERE rubric = ?", (at, rubric))
    own = [one for one in under(played) if one.config_dir == "a"]
    assert [one.scenario for one in own] == ["one", "one", "two", "two", "one", "two"]
    assert sum(one.valid for one in own) == 6
    for rubrics, taken in (
        ({"one": "rubric", "two": "rubric"}, ["rubric", "rubric", "rubric", "rubric"]),
        ({"one": "other rubric", "two": "rubric"}, ["other rubric", "rubric", "rubric", "rubric"]),
        ({}, ["rubric", "later rubric", "rubric", "rubric"]),
    ):
        found = place_dialogues.newest(own, rubrics)
        assert [one.rubric for one in found] == taken
        assert [(one.run, one.scenario) for one in found] == [(1, "one"), (1, "two"), (2, "one"), (2, "two")]


def test_of_several_verdicts_one_to_be_looked_at_comes_first(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    played.execute("UPDATE verdicts SET missing = 'unreadable_verdict' WHERE rubric = 'other rubric'")
    first, *others = place_dialogues.newest(under(played), {"one": "rubric", "two": "rubric"})
    assert (first.trial, first.rubric, first.plain) == ("a one 1", "other rubric", 0)
    assert [one.trial for one in others if not one.plain] == ["b two 2"], "nobody graded it"


def test_dates_of_unfinished_dialogues_count_too(played: Connection) -> None:
    records.add_trials(played, [TrialRow("more", "s", "e", "a", "v", "m", "x", "long", 1, None, 2, "{}")])
    first = rows.reply("first of two")
    records.add_call(played, CallRow("more", 0, "more_0", "more", "after", first, answered_at="2999"))
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE trial = 'a one 1'")
    found = place_dialogues.dates(under(played))
    assert (found.last_reply, found.first_verdict) == ("2999", "1999")
    rows.verdict(played, "gone", "a two 1", "", Missing("unreadable_verdict", "", "", ()))
    played.execute("UPDATE verdicts SET judged_at = '1998' WHERE key = 'gone'")
    assert place_dialogues.dates(under(played)).first_verdict == "1999"
