"""The dialogues of a place with what judges made of them."""

from __future__ import annotations

from sqlite3 import Connection

import pytest

from independence.store import context, place_dialogues, queries, records
from independence.store.place_dialogues import VerdictKind
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


RUBRICS = {"one": "rubric", "two": "rubric"}


def newest(connection: Connection, rubrics: dict[str, str], judge: str | None = "j") -> list[VerdictKind | None]:
    """The verdict of a judge on each dialogue, in the order of places."""
    found = place_dialogues.read(connection, WHERE)
    return [None if kind < 0 else found.kinds[kind] for kind in found.newest(judge, rubrics)]


def test_dialogues_stand_in_the_order_of_places_and_everybody_who_graded_is_counted(played: Connection) -> None:
    graded(played, "b two 2", "other")
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE judge = 'other'")
    rows.verdict(played, "gone", "a one 1", "", Missing("unreadable_verdict", "", "", ()))
    found = place_dialogues.read(played, WHERE)
    places = [
        (found.subjects[subject], run, found.scripts[script].scenario)
        for subject, run, script in zip(found.subject, found.run, found.script, strict=True)
    ]
    assert places == [(config, run, name) for config in "ab" for run in (1, 2) for name in SCENARIOS]
    assert found.trial == [f"{config} {name} {run}" for config, run, name in places]
    counted = [one[:3] for one in found.judges]
    assert counted == [("other", 1, 1), ("j", 7, 7)], "by when they began; what is missing is no verdict"
    assert found.judges[0].last == "1999" < found.judges[1].last
    assert found.judges == queries.judges(played, WHERE)
    assert newest(played, RUBRICS, "nobody") == [None] * 8


def test_of_several_verdicts_the_newest_that_counts_is_taken(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    graded(played, "a two 1", score=8, rubric="later rubric")
    for rubric, at in (("other rubric", "1999"), ("later rubric", "2999")):
        played.execute("UPDATE verdicts SET judged_at = ? WHERE rubric = ?", (at, rubric))
    for rubrics, taken in (
        (RUBRICS, ["rubric", "rubric", "rubric", "rubric"]),
        ({"one": "other rubric", "two": "rubric"}, ["other rubric", "rubric", "rubric", "rubric"]),
        ({}, ["rubric", "later rubric", "rubric", "rubric"]),
    ):
        assert [one and one.rubric for one in newest(played, rubrics)[:4]] == taken


def test_of_several_verdicts_one_to_be_looked_at_comes_first(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    played.execute("UPDATE verdicts SET missing = 'unreadable_verdict' WHERE rubric = 'other rubric'")
    first, *others = newest(played, RUBRICS)
    assert first is not None
    assert (first.rubric, first.plain) == ("other rubric", None)
    assert [at for at, one in enumerate(others, 1) if one is None or not one.plain] == [7], "nobody graded `b two 2`"


def test_dates_of_unfinished_dialogues_count_too(played: Connection) -> None:
    records.add_trials(played, [TrialRow("more", "s", "e", "a", "v", "m", "x", "long", 1, None, 2, "{}")])
    first = rows.reply("first of two")
    records.add_call(played, CallRow("more", 0, "more_0", "more", "after", first, answered_at="2999"))
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE trial = 'a one 1'")
    read = place_dialogues.read(played, WHERE)
    dates = place_dialogues.dates([read], "j")
    assert (dates.last_reply, dates.first_verdict) == ("2999", "1999")
    assert [said is None for said in read.said].index(True) == read.trial.index("more")
    rows.verdict(played, "gone", "a two 1", "", Missing("unreadable_verdict", "", "", ()))
    played.execute("UPDATE verdicts SET judged_at = '1998' WHERE key = 'gone'")
    assert place_dialogues.dates([place_dialogues.read(played, WHERE)], "j").first_verdict == "1999"
