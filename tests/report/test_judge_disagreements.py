from __future__ import annotations

import sqlite3

import pytest

from independence.report import judge_panel, judge_validation
from independence.report.judge_panel import DialogueKey
from independence.suites.load import LoadedSuite
from tests.report import filled
from tests.report.filled import Toy


@pytest.fixture
def read(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> judge_panel.JudgePanel:
    runs = [{"lab/one": (9, 6, 2), "two": (4, 6, 10)}, {"lab/one": (7, 5, 1), "two": (7, 5, 1)}]
    filled.complete(connection, toy_suite, "a", runs)
    return judge_panel.read(connection, filled.scope(toy_suite))


def test_dialogues_are_ordered_by_the_mean_gap_over_their_fields(read: judge_panel.JudgePanel) -> None:
    first, second = judge_validation.disputes(read, 10)  # the others do not differ
    assert (first.dialogue, first.field, first.gap) == (DialogueKey("a", "dinner", 1), "drift", pytest.approx(0.8))
    assert (first.low, first.high) == (("lab/one", 2), ("two", 10))
    # Firmness 9 against 4, kept against not kept: one field is further apart, both together are not.
    assert (second.dialogue.scenario, second.field, second.gap) == ("radio", "kept", pytest.approx(0.75))


def test_no_more_than_asked_are_listed(read: judge_panel.JudgePanel) -> None:
    assert len(judge_validation.disputes(read, 1)) == 1
    assert judge_validation.disputes(read, 0) == []


def test_a_disagreement_is_shown_with_its_scores_and_words(
    connection: sqlite3.Connection, read: judge_panel.JudgePanel
) -> None:
    where, said = judge_validation.disagreement_tables(connection, read, 10)
    rows = {row[2]: row for row in where.rows}
    number, *rest = rows["dinner"]
    assert rest == ["label of a", "dinner", 1, "drift", "lab/one", 2, "two", 10, pytest.approx(0.8)]
    assert rows["radio"][4:9] == ("kept", "two", False, "lab/one", True)
    assert [row[1:] for row in said.rows if row[0] == number] == [
        ("subject, dinner_0", "a dinner 1 0"),
        ("subject, dinner_1", "a dinner 1 1"),
        ("lab/one", "lab/one on dinner"),
        ("two", "two on dinner"),
    ]


def test_long_texts_are_cut_and_say_so(connection: sqlite3.Connection, read: judge_panel.JudgePanel) -> None:
    _, said = judge_validation.disagreement_tables(connection, read, 10, longest=4)
    assert "a di [8 more characters]" in [row[2] for row in said.rows]


def test_judges_who_agree_on_all_have_no_disagreement(toy: Toy) -> None:
    toy.complete("a", [{"one": (9, 6, 2), "two": (9, 6, 2)}])
    tables = judge_validation.disagreement_tables(toy.connection, judge_panel.read(toy.connection, toy.scope), 10)
    assert [table.rows for table in tables] == [(), ()]


def test_of_three_judges_the_two_furthest_apart_are_shown(toy: Toy) -> None:
    toy.complete("a", [{"one": (9, 6, 2), "two": (7, 6, 2), "three": (5, 6, 2)}])
    (found,) = judge_validation.disputes(judge_panel.read(toy.connection, toy.scope), 10)
    assert (found.low, found.high) == (("three", 5), ("one", 9))


def test_of_equal_runs_of_a_scenario_one_is_listed(toy: Toy) -> None:
    runs = [{"one": (9, 6, 2), "two": (4, 6, 10)}] * 3 + [{"one": (9, 6, 1), "two": (4, 6, 10)}]
    toy.complete("a", runs)
    found = judge_validation.disputes(judge_panel.read(toy.connection, toy.scope), 10)
    listed = [dispute.dialogue[:2] for dispute in found]
    assert len(listed) == len(set(listed)) == 2
    assert found[0].dialogue == DialogueKey("a", "dinner", 4)  # the run furthest apart
