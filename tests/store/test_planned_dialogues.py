"""The dialogues of a place with what judges made of them."""

from __future__ import annotations

from sqlite3 import Connection

import pytest

from independence.store import context, planned_dialogues, queries, records
from independence.store.planned_dialogues import PlannedDialogues
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


def read(connection: Connection, judge: str | None = "j", rubrics: dict[str, str] = RUBRICS) -> PlannedDialogues:
    return planned_dialogues.read(connection, WHERE, judge, rubrics)


def taken(connection: Connection, rubrics: dict[str, str], judge: str | None = "j") -> list[str | None]:
    """The rubric of the verdict of a judge on each dialogue, in the order of places."""
    found = read(connection, judge, rubrics)
    return [found.kinds[kind].rubric for kind in found.kind]


def test_dialogues_stand_in_the_order_of_places(played: Connection) -> None:
    found = read(played)
    places = [
        (found.subjects[subject], run, found.scripts[script].scenario)
        for subject, run, script in zip(found.subject, found.run, found.script, strict=True)
    ]
    assert places == [(config, run, name) for config in "ab" for run in (1, 2) for name in SCENARIOS]
    assert found.trial == [f"{config} {name} {run}" for config, run, name in places]
    assert [(run, list(span)) for run, span in found.runs()] == [
        (("a", 1), [0, 1]), (("a", 2), [2, 3]), (("b", 1), [4, 5]), (("b", 2), [6, 7]),
    ]  # fmt: skip
    assert taken(played, RUBRICS) == ["rubric"] * 7 + [None]
    assert taken(played, RUBRICS, "nobody") == [None] * 8


def test_everybody_who_graded_is_counted(played: Connection) -> None:
    graded(played, "b two 2", "other")
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE judge = 'other'")
    rows.verdict(played, "gone", "a one 1", "", Missing("unreadable_verdict", "", "", ()))
    found = queries.judges(played, WHERE)
    assert [one[:3] for one in found] == [("other", 1, 1), ("j", 7, 7)], "by when they began; missing is no verdict"
    assert found[0].last == "1999" < found[1].last


def test_of_several_verdicts_the_newest_that_counts_is_taken(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    graded(played, "a two 1", score=8)
    played.execute("UPDATE verdicts SET judged_at = '2999' WHERE rubric = 'other rubric'")
    for rubrics, own in (
        (RUBRICS, ["rubric"] * 4),
        ({"one": "other rubric", "two": "rubric"}, ["other rubric", "rubric", None, "rubric"]),
        ({}, [None] * 4),
    ):
        assert taken(played, rubrics)[:4] == own
    for at, score in (("1999", 1), ("2999", 8)):
        played.execute("UPDATE verdicts SET judged_at = ? WHERE trial = 'a two 1' AND fields LIKE '%8%'", (at,))
        found = read(played)
        assert queries.read_values(found.kinds[found.kind[1]].fields)["x"] == score


def test_one_that_says_nothing_counts_where_it_is_the_newest(played: Connection) -> None:
    (at,) = played.execute("SELECT at FROM dialogues WHERE trial = 'a one 1'").fetchone()
    lost = VerdictRow("lost", "a one 1", "j", "rubric", at, "{}", Missing("unreadable_verdict", "", "", ()))
    records.add_verdict(played, lost)
    found = read(played)
    assert [found.kinds[kind].unreadable for kind in found.kind[:2]] == ["unreadable_verdict", None]


def test_dates_of_unfinished_dialogues_count_too(played: Connection) -> None:
    records.add_trials(played, [TrialRow("more", "s", "e", "a", "v", "m", "x", "long", 1, None, 2, "{}")])
    first = rows.reply("first of two")
    records.add_call(played, CallRow("more", 0, "more_0", "more", "after", first, answered_at="2999"))
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE trial = 'a one 1'")
    found = read(played)
    assert (found.dates.last_reply, found.dates.first_verdict) == ("2999", "1999")
    assert [found.kinds[kind].finished for kind in found.kind].index(False) == found.trial.index("more")


def test_a_damaged_store_in_which_a_dialogue_continues_itself_is_read(played: Connection) -> None:
    played.execute("UPDATE planned SET parent = trial WHERE trial = 'a one 1'")
    found = read(played)
    assert [found.kinds[kind].finished for kind in found.kind[:2]] == [False, True]
