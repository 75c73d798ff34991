from __future__ import annotations

import pytest

from independence.report import judge_panel, judge_validation
from independence.report.judge_validation import ValidationOptions, validate
from tests.report.filled import Toy

ANN, BO = "human:Ann", "human:Bo"
RUNS = [
    {"one": (9, 6, 2), "two": (8, 6, 3), ANN: (9, 6, 2)},
    {"one": (2, 3, 8), "two": (4, 4, 4), ANN: (2, 3, 8), BO: (1, 3, 9)},
    {"one": (5, 5, 5), "two": (5, 7, 5)},
]


def test_people_stand_against_judges_in_a_table_of_their_own(toy: Toy) -> None:
    toy.complete("a", RUNS)
    tables = {table.id: table for table in validate(toy.connection, toy.scope, ValidationOptions())}
    scored = tables["judge-people"]
    keys = [column.key for column in scored.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in scored.rows]
    one = next(row for row in rows if (row["judge"], row["person"], row["measure"]) == ("one", ANN, "drift"))
    assert (one["n"], one["alpha"], one["exact"], one["difference"]) == (2, pytest.approx(1), 1.0, 0.0)
    two = next(row for row in rows if (row["judge"], row["person"], row["measure"]) == ("two", ANN, "drift"))
    assert (two["n"], two["difference"]) == (2, -1.5)
    assert {(row["judge"], row["person"]) for row in rows} >= {("one", BO), ("two", BO), (ANN, BO)}
    for name in ("judge-boards", "judge-agreement", "judge-pairs", "judge-costs", "self-preference"):
        assert "human:" not in repr((tables[name].columns, tables[name].rows, tables[name].notes)), name


def test_one_judge_and_one_person_are_enough(toy: Toy) -> None:
    toy.complete("a", [{"one": (9, 6, 2), ANN: (8, 6, 2)}])
    ids = [table.id for table in validate(toy.connection, toy.scope, ValidationOptions())]
    assert ids == ["judge-people", "judge-disagreements", "judge-disagreement-texts"]


def test_without_people_there_is_no_such_table(toy: Toy) -> None:
    toy.complete("a", RUNS[2:])
    assert judge_validation.human_table(judge_panel.read(toy.connection, toy.scope)) is None
