from __future__ import annotations

import math
from typing import Any

import pytest

from independence.judge.schema import check, described, json_schema

from .fields import FIELDS, GOOD


def test_the_schema_asks_for_reasoning_first_then_every_field_and_nothing_else() -> None:
    schema = json_schema(FIELDS)
    assert list(schema["properties"]) == ["reasoning", "score", "share", "kept"]
    assert schema["required"] == ["reasoning", "score", "share", "kept"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["score"] == {
        "type": "integer",
        "description": "How much is left.",
        "minimum": 0,
        "maximum": 10,
    }
    assert schema["properties"]["kept"] == {"type": "boolean", "description": "Whether it is the same."}


def test_fields_are_described_a_line_each_with_their_scale() -> None:
    assert described(FIELDS).splitlines() == [
        "- score (integer, 0 to 10): How much is left.",
        "- share (number, 0 to 1): The share of it.",
        "- kept (boolean): Whether it is the same.",
    ]


def test_a_complete_verdict_has_values_and_no_problem() -> None:
    assert check({**GOOD, "reasoning": "x", "extra": 1}, FIELDS) == (GOOD, [])


def test_a_whole_number_may_be_written_as_a_float() -> None:
    values, wrong = check(GOOD | {"score": 7.0, "share": 1}, FIELDS)
    assert wrong == []
    assert (values["score"], values["share"]) == (7, 1)
    assert isinstance(values["score"], int)


@pytest.mark.parametrize("value", [0, 10])
def test_both_ends_of_a_range_are_inside(value: int) -> None:
    assert check(GOOD | {"score": value}, FIELDS)[1] == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("score", 11, "`score` is 11, outside 0 to 10"),
        ("score", -1, "`score` is -1, outside 0 to 10"),
        ("score", 2.5, "`score` must be a whole number 0 to 10, got 2.5"),
        ("score", "7", '`score` must be a whole number 0 to 10, got "7"'),
        ("score", True, "`score` must be a whole number 0 to 10, got true"),
        ("score", None, "`score` must be a whole number 0 to 10, got null"),
        ("score", [7], "`score` must be a whole number 0 to 10, got [7]"),
        ("score", math.nan, "`score` must be a whole number 0 to 10, got NaN"),
        ("score", math.inf, "`score` must be a whole number 0 to 10, got Infinity"),
        ("score", "\x1b[31m\u202e\ud800", '`score` must be a whole number 0 to 10, got "\\u001b[31m??"'),
        ("score", "八" * 99, f'`score` must be a whole number 0 to 10, got "{"八" * 59}…'),
        ("share", math.nan, "`share` must be a number 0 to 1, got NaN"),
        ("share", math.inf, "`share` is inf, outside 0 to 1"),
        ("share", False, "`share` must be a number 0 to 1, got false"),
        ("kept", 1, "`kept` must be true or false, got 1"),
        ("kept", "true", '`kept` must be true or false, got "true"'),
    ],
)
def test_a_mistyped_or_far_value_is_a_sentence(name: str, value: Any, said: str) -> None:
    values, wrong = check(GOOD | {name: value}, FIELDS)
    assert wrong == [said]
    assert name not in values
    assert len(values) == 2


def test_a_number_too_large_for_a_float_is_out_of_range_and_no_crash() -> None:
    _, wrong = check(GOOD | {"score": 10**400}, FIELDS)
    assert len(wrong) == 1
    assert "outside 0 to 10" in wrong[0]


def test_an_absent_field_is_said() -> None:
    assert check({"score": 1, "share": 0}, FIELDS)[1] == ["`kept` is missing"]
