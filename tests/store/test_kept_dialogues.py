"""A subject's dialogues in one row: what the tables say, gone with any change of them, left by whoever writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import context, database, place_dialogues, records
from independence.store.place_dialogues import Dialogues
from independence.store.records import TrialRow, VerdictRow
from independence.store.spending import Dates
from independence.store.subject_dialogues import Coded, SubjectDialogues, decode, encode
from independence.types import Condition, Missing, Verdict, Where

from . import rows

WHERE = Where("s", "e", Condition("v", "m"))
SCENARIOS = ("one", "two")


def graded(connection: Connection, trial: str, judge: str = "j", score: int = 1, rubric: str = "rubric") -> None:
    (at,) = connection.execute("SELECT end_context FROM finished WHERE trial = ?", (trial,)).fetchone()
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


def keep(connection: Connection) -> None:
    place_dialogues.keep(connection, place_dialogues.unkept(connection))


def kept(connection: Connection) -> list[tuple[str, str]]:
    return connection.execute("SELECT config_dir, judge FROM kept_dialogues ORDER BY 1, 2").fetchall()


def under(connection: Connection, judge: str | None = "j") -> Dialogues:
    return place_dialogues.under_judge(connection, WHERE, judge)


def from_tables(connection: Connection, judge: str | None = "j") -> Dialogues:
    """What is read where no row is kept."""
    connection.execute("SAVEPOINT all_of_them")
    connection.execute("DELETE FROM kept_dialogues")
    found = under(connection, judge)
    connection.execute("ROLLBACK TO all_of_them")
    connection.execute("RELEASE all_of_them")
    return found


@pytest.mark.parametrize("judge", ["j", "other", None])
def test_kept_rows_are_what_the_tables_say(played: Connection, judge: str | None) -> None:
    graded(played, "a one 1", "other", 3)
    keep(played)
    assert kept(played) == [("a", "j"), ("a", "other"), ("b", "j")]
    assert list(under(played, judge)) == ["a", "b"]
    assert under(played, judge) == from_tables(played, judge)


def test_a_subject_that_nobody_graded_is_kept_for_every_judge_and_several_judges_are_read_one_by_one(
    played: Connection,
) -> None:
    played.execute("DELETE FROM verdicts WHERE trial LIKE 'b %'")
    keep(played)
    assert kept(played) == [("a", "j"), ("b", "")]
    assert under(played) == from_tables(played)
    found = place_dialogues.read(played, WHERE)
    assert found is not None
    assert [(one.judge, one.valid) for one in found.judges] == [("j", 4)]
    assert found.subjects == under(played)
    graded(played, "b two 2", "other")
    for _ in range(2):
        assert place_dialogues.read(played, WHERE) is None
        keep(played)


def replaced(connection: Connection) -> None:
    rows.trial(connection, "a new", scenario="one", config_dir="a")


def planned_for_another_edition(connection: Connection) -> None:
    rows.edition(connection, "later")
    rows.trial(connection, "a one 1", edition="later", scenario="one")
    keep(connection)
    connection.execute("DELETE FROM calls WHERE trial = 'a one 1'")


CHANGES: dict[str, Callable[[Connection], object]] = {
    "a verdict more": lambda c: graded(c, "a one 1", rubric="other rubric"),
    "a verdict less": lambda c: c.execute("DELETE FROM verdicts WHERE trial = 'a one 1'"),
    "another verdict": lambda c: c.execute("UPDATE verdicts SET quote_found = 0 WHERE trial = 'a one 1'"),
    "a trial more": lambda c: rows.trial(c, "a three", scenario="three", config_dir="a"),
    "a trial less": lambda c: c.execute("DELETE FROM planned WHERE trial = 'a one 1'"),
    "another trial in a place": replaced,
    "an answer less": lambda c: c.execute("DELETE FROM calls WHERE trial = 'a one 1'"),
    "another answer": lambda c: rows.call(c, "a one 1", 0, context.begin("a one 1"), rows.reply("other words")),
    "answers that are taken for others": lambda c: c.execute("UPDATE calls SET words = '' WHERE trial = 'a one 1'"),
    "a trial of two editions": planned_for_another_edition,
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_takes_the_row_of_its_subject_alone(
    played: Connection, change: Callable[[Connection], object]
) -> None:
    keep(played)
    before = under(played)
    change(played)
    assert [config for config, _ in kept(played)] == ["b"]
    assert under(played) == from_tables(played) != before
    keep(played)
    assert under(played) == from_tables(played)


def test_of_several_verdicts_the_newest_that_counts_is_taken(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    graded(played, "a two 1", score=8, rubric="later rubric")
    for rubric, at in (("other rubric", "1999"), ("later rubric", "2999")):
        played.execute("UPDATE verdicts SET judged_at = ? WHERE rubric = ?", (at, rubric))
    keep(played)
    own = under(played)["a"]
    assert own.scenario.values == ["one", "one", "two", "two", "one", "two"]
    assert (own.valid, len(own.words), len(own.judged_at)) == (6, 4 * 16, 6)
    for rubrics, taken in (
        ({"one": "rubric", "two": "rubric"}, ["rubric", "rubric", "rubric", "rubric"]),
        ({"one": "other rubric", "two": "rubric"}, ["other rubric", "rubric", "rubric", "rubric"]),
        ({}, ["rubric", "later rubric", "rubric", "rubric"]),
    ):
        found = own.newest(rubrics)
        assert (found.rubric.values, found.judged_at) == (taken, [])
        assert (found.run.values, found.scenario.values) == ([1, 1, 2, 2], ["one", "two", "one", "two"])
        assert (found.words, found.dates) == (own.words, own.dates)


def test_of_several_verdicts_one_to_be_looked_at_comes_first(played: Connection) -> None:
    graded(played, "a one 1", score=7, rubric="other rubric")
    played.execute("UPDATE verdicts SET missing = 'unreadable_verdict' WHERE rubric = 'other rubric'")
    own = under(played)["a"].newest({"one": "rubric", "two": "rubric"})
    assert own.particular == {0: "a one 1"}
    assert own.rubric.values[0] == "other rubric"


def test_who_writes_leaves_the_rows_and_ends_well_where_none_can_be_written(played: Connection, path: Path) -> None:
    with database.writing(path, new=False) as connection:
        connection.execute("PRAGMA query_only = ON")
    assert kept(played) == []
    with database.writing(path, new=False) as connection:
        assert kept(connection) == []
    assert kept(played) == [("a", "j"), ("b", "j")]


def test_dates_of_unfinished_dialogues_count_too(played: Connection) -> None:
    keep(played)
    records.add_trials(played, [TrialRow("more", "s", "e", "a", "v", "m", "x", "long", 1, None, 2, "{}")])
    rows.call(played, "more", 0, "more", rows.reply("first of two"))
    played.execute("UPDATE calls SET answered_at = '2999' WHERE trial = 'more'")
    played.execute("UPDATE verdicts SET judged_at = '1999' WHERE trial = 'a one 1'")
    found = place_dialogues.dates(played, under(played).values())
    assert (found.last_reply, found.first_verdict) == ("2999", "1999")
    rows.verdict(played, "gone", "a two 1", "", Missing("unreadable_verdict", "", "", ()))
    played.execute("UPDATE verdicts SET judged_at = '1998' WHERE key = 'gone'")
    assert place_dialogues.dates(played, under(played).values()).first_verdict == "1999"


def test_what_is_stored_reads_as_it_always_did() -> None:
    """Rows of another layout would be misread: a change of it comes with a migration that empties the table."""
    coded = Coded.of(["one", "two", "one"])
    none = Coded.of([None, 1, None])
    dates = Dates("2026", "2027", None, None)
    own = SubjectDialogues(
        coded, Coded.of([1, 1, 2]), coded, none, none, [b"\1", None, None], ["s", None, "t"], "w", True, {1: "key"},
        ["j"], 1, dates, [],
    )  # fmt: skip
    stored = encode(own)
    assert decode(stored) == own
    assert hashlib.sha256(stored).hexdigest()[:16] == "ff85fd535bcf8dc0"
