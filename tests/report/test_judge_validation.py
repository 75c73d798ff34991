from __future__ import annotations

import msgspec

from independence.report.judge_validation import ValidationOptions, validate
from tests.report.filled import Toy

RUNS = [{"one": (9, 6, 2), "two": (3, 6, 5)}] * 2


def test_a_validation_holds_every_table(toy: Toy) -> None:
    toy.complete("a", RUNS)
    tables = validate(toy.connection, toy.scope, ValidationOptions(worst=1))
    assert [table.id for table in tables] == [
        "judge-boards", "judge-agreement-dimensions", "judge-agreement", "judge-pairs", "self-preference",
        "judge-costs", "judge-disagreements", "judge-disagreement-texts",
    ]  # fmt: skip
    assert len(tables[-2].rows) == 1


def test_what_needs_an_index_is_left_out_where_a_suite_has_none(toy: Toy) -> None:
    toy.complete("a", RUNS)
    place = toy.scope
    bare = place._replace(suite=msgspec.structs.replace(place.suite, index=None))
    ids = [table.id for table in validate(toy.connection, bare, ValidationOptions())]
    assert ids == [
        "judge-agreement", "judge-pairs", "judge-costs", "judge-disagreements", "judge-disagreement-texts",
    ]  # fmt: skip


def test_judges_and_subjects_can_be_chosen(toy: Toy) -> None:
    for config in ("a", "b"):
        toy.complete(config, [run | {"three": (1, 1, 1)} for run in RUNS])
    wanted = ValidationOptions(judges=("three", "one"), models=("b",))
    boards, *_ = validate(toy.connection, toy.scope, wanted)
    assert [column.head for column in boards.columns][1:3] == ["three", "one"]
    assert [row[0] for row in boards.rows] == ["label of b"]
