from __future__ import annotations

import pytest

from independence.report import comparison_tables
from independence.report.table import Table, Value
from independence.stats.comparison import Difference

from .filled import Asked, Scores, Toy
from .test_subject_comparison import HIGH, LOW


def rows(tables: list[Table], name: str) -> list[dict[str, Value]]:
    (table,) = (table for table in tables if table.id == name)
    return [dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rows]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Difference(5, 1, 20), "A is higher"),
        (Difference(-5, 1, 20), "B is higher"),
        (Difference(1, 0.2, 20), "A is higher, by less than 2 points"),
        (Difference(0.1, 0.5, 20), "equivalent within 2 points"),
        (Difference(0.5, 1.7, 20), "undecided: the difference could be -3.0 to +4.0"),
        (Difference(0, 0, 1), "no test is possible: nothing varies between runs"),
    ],
)
def test_a_difference_is_said_in_words(found: Difference, says: str) -> None:
    assert comparison_tables.outcome(found, 2.0) == says


def test_a_wider_margin_can_only_move_towards_equivalence() -> None:
    found = Difference(0.5, 1.7, 20)
    assert comparison_tables.outcome(found, 10.0) == "equivalent within 10 points"
    assert comparison_tables.outcome(Difference(0, 0.1, 20), 1.0) == "equivalent within 1 point"


def test_what_holds_for_one_test_alone_is_not_called_certain_among_many() -> None:
    found = Difference(5, 2, 20)
    assert comparison_tables.outcome(found, 2.0) == "A is higher"
    assert "not significant after correction" in comparison_tables.outcome(found, 2.0, p=0.2)


def test_the_headline_has_both_sides_and_both_readings(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete(Asked("b", simulated=True), LOW)
    tables = comparison_tables.tables(toy.side("a"), toy.side("b"))
    assert [table.id for table in tables] == ["sides", "difference", "scenarios", "dimensions"]
    assert tables[0].title == "label of a against label of b (simulated)"
    own, other = rows(tables, "sides")
    these, like_these = rows(tables, "difference")
    assert isinstance(own["index"], float)
    assert isinstance(other["index"], float)
    assert these["difference"] == pytest.approx(own["index"] - other["index"])
    assert (these["reading"], like_these["reading"]) == ("these scenarios", "scenarios like these")
    assert these["outcome"] == "A is higher"
    assert own["bounds"] is None


def test_an_incomplete_side_leaves_bounds_and_says_what_is_missing(toy: Toy) -> None:
    holed: list[Scores] = [(5, None, 4), (7, 3, 5)]
    toy.complete("a", HIGH)
    toy.complete("holed", holed)
    first, second = toy.side("a"), toy.side("holed")
    tables = comparison_tables.tables(first, second)
    assert [table.id for table in tables] == ["sides", "bounds", "scenarios", "dimensions"]
    assert any("1 of 6 verdicts missing (1 unreadable_verdict)" in note for note in tables[0].notes)
    (row,) = rows(tables, "bounds")
    low, high = second.bounds
    assert first.index is not None
    assert row["bounds"] == (pytest.approx(first.index - high), pytest.approx(first.index - low))
    (_, sided) = rows(tables, "sides")
    assert (sided["index"], sided["these_scenarios"], sided["bounds"]) == (None, None, second.bounds)
    firmness, drift = rows(tables, "dimensions")
    assert (firmness["second"], firmness["difference"]) == (None, None)
    assert drift["second"] == 4.5


def test_one_run_gives_a_difference_without_a_test(toy: Toy) -> None:
    toy.complete("a", HIGH[:1])
    toy.complete("b", LOW[:1])
    tables = comparison_tables.tables(toy.side("a"), toy.side("b"))
    for row in rows(tables, "difference"):
        assert isinstance(row["difference"], float)
        assert (row["ci"], row["p"], row["p_equivalent"]) == (None, None, None)
        assert "a single run" in str(row["outcome"])


def test_p_values_of_scenarios_allow_for_how_many_there_are(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    found = rows(comparison_tables.tables(toy.side("a"), toy.side("b")), "scenarios")
    p = sorted(float(row["p"]) for row in found if isinstance(row["p"], float))
    holm = sorted(float(row["p_holm"]) for row in found if isinstance(row["p_holm"], float))
    assert holm[0] == pytest.approx(3 * p[0])
    assert all(after >= before for before, after in zip(p, holm, strict=True))


def test_sides_are_called_by_what_differs(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("a", LOW, judge="strict")
    toy.complete(Asked("a", ("plain", "user_role")), LOW)
    first = toy.side("a")
    judged = comparison_tables.side_labels(first, toy.side("a", "strict"))
    assert judged == ("Judge", "cues", "strict")
    asked = comparison_tables.side_labels(first, toy.side("a", condition=("plain", "user_role")))
    assert asked == ("Condition", "firm/tool_role", "plain/user_role")


def test_dimensions_say_which_end_is_better(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    firmness, drift = rows(comparison_tables.tables(toy.side("a"), toy.side("b")), "dimensions")
    assert (firmness["better"], drift["better"]) == ("higher", "lower")
    assert drift["difference"] == pytest.approx(1 - 4.5)
