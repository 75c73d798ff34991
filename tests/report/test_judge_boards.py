from __future__ import annotations

import pytest

from independence.report import judge_panel
from independence.report.table import Table
from independence.store import records
from independence.store.records import FailureRow
from independence.types import Attempt, Usage
from tests.report import filled
from tests.report.filled import Toy


def column(table: Table, key: str) -> list[object]:
    place = [one.key for one in table.columns].index(key)
    return [row[place] for row in table.rows]


def test_every_judge_has_a_board_and_subjects_stand_by_their_mean(toy: Toy) -> None:
    toy.complete("a", [{"x/kind": (4, 4, 10), "y/stern": (5, 5, 10)}])
    toy.complete("b", [{"x/kind": (10, 8, 2), "y/stern": (4, 4, 10)}])
    table = judge_panel.boards(judge_panel.read(toy.connection, toy.scope))
    assert table.id == "judge-boards"
    assert column(table, "subject") == ["label of b", "label of a"]
    assert column(table, "index:x/kind") == [pytest.approx(87.5), pytest.approx(30)]
    assert column(table, "index:y/stern") == [pytest.approx(30), pytest.approx(37.5)]
    assert column(table, "spread") == [pytest.approx(57.5), pytest.approx(7.5)]
    assert column(table, "mean") == [pytest.approx(58.75), pytest.approx(33.75)]
    assert (column(table, "rank:x/kind"), column(table, "rank:y/stern")) == ([1, 2], [2, 1])


def test_a_missing_verdict_leaves_no_index_no_rank_and_no_spread(toy: Toy) -> None:
    both = {"kind": (8, 8, 2), "stern": (4, 4, 5)}
    toy.complete("a", [both | {"stern": (None, 4, 5)}])
    toy.complete("b", [both])
    table = judge_panel.boards(judge_panel.read(toy.connection, toy.scope))
    assert column(table, "subject") == ["label of b", "label of a"]
    assert table.rows[1][2:] == (None, None, None, 1, None)
    assert column(table, "index:kind")[1] is not None
    assert any("missing" in note for note in table.notes)


def test_equal_subjects_share_a_rank(toy: Toy) -> None:
    for config, firm in (("a", 8), ("b", 8), ("c", 2)):
        toy.complete(config, [{"kind": (firm, firm, 2), "stern": (firm, firm, 2)}])
    table = judge_panel.boards(judge_panel.read(toy.connection, toy.scope))
    assert column(table, "rank:kind") == [1, 1, 3]


def test_judges_with_long_names_stand_under_letters_that_a_note_explains(toy: Toy) -> None:
    long = "google/gemini-3-flash-preview"
    toy.complete("a", [{"cues": (8, 8, 2), long: (8, 8, 2)}])
    table = judge_panel.boards(judge_panel.read(toy.connection, toy.scope))
    assert [one.head for one in table.columns] == ["Subject", "A", "B", "Spread", "Mean", "# A", "# B"]
    assert f"A: cues, B: {long}." in table.notes


def test_costs_are_told_by_judge_with_failed_calls_and_missing_verdicts(toy: Toy) -> None:
    both = {"kind": (8, 8, 2), "stern": (4, 4, 5)}
    toy.complete("a", [both | {"stern": (None, 4, 5)}])
    toy.complete("b", [both])
    attempts = (Attempt("timeout", 1.0, Usage(cost_usd=0.5)),)
    records.add_failure(toy.connection, FailureRow(filled.key("a", "radio", 1), "kind", "GaveUp", "", attempts))
    where = toy.scope
    table = judge_panel.costs(toy.connection, judge_panel.read(toy.connection, where))
    assert table.rows == (
        ("kind", 6, 0, pytest.approx(2.0), pytest.approx(1000 * 2.0 / 6)),
        ("stern", 6, 1, pytest.approx(1.25), pytest.approx(1000 * 1.25 / 5)),
    )
    assert judge_panel.costs(toy.connection, judge_panel.read(toy.connection, where, models=["b"])).rows[1][1:4] == (
        3,
        0,
        0.75,
    )


def test_a_judge_that_graded_by_the_published_texts_is_named(toy: Toy) -> None:
    toy.complete("a", [{"cues": (8, 8, 2)}])
    at = toy.connection.execute("SELECT after FROM calls WHERE trial = ?", (filled.key("a", "radio", 1),)).fetchone()[0]
    given = filled.verdicts((5, 5, 5))["radio"]
    toy.grade(("a", "radio", 1), at, given, "old", rubric="published")
    table = judge_panel.costs(toy.connection, judge_panel.read(toy.connection, toy.scope))
    assert any(note.startswith("old graded by the published rubric") for note in table.notes)
