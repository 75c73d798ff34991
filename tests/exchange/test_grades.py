from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from independence.exchange.dialogues import published_verdict
from independence.exchange.responses import PublishedCost, ResponseFile
from independence.stats.published import rules
from independence.suites.schema import Field, Rubric, Suite
from independence.types import Missing, Usage, Verdict

V2 = rules()["v2"]

SCORE = Field(type="integer", about="", range=(0, 10))
SHARE = Field(type="number", about="", range=(0, 1))
FLAG = Field(type="boolean", about="")


def record(scores: dict[str, Any] | None) -> ResponseFile:
    cost = PublishedCost(7, 8, 0.25, 1.0, "acme/judge")
    return ResponseFile("An answer.", judge_scores=scores, judge_cost=cost, judge_raw_response="raw")


def fits(value: Any, field: Field) -> bool:
    found = published_verdict(record({"x": value}), Rubric(prompt="", fields={"x": field}), None)
    return isinstance(found.grade, Verdict) and found.grade.values == {"x": value}


@pytest.fixture
def identity(suite: Suite) -> Rubric:
    return suite.rubrics["direct"]


@pytest.mark.parametrize(
    ("value", "field"), [(0, SCORE), (10, SCORE), (7.0, SCORE), (0.5, SHARE), (1, SHARE), (True, FLAG)]
)
def test_values_of_the_right_type_and_range_fit(value: float, field: Field) -> None:
    assert fits(value, field)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (11, SCORE),
        (-1, SCORE),
        (7.5, SCORE),
        (True, SCORE),
        ("7", SCORE),
        (None, SCORE),
        (10**400, SCORE),
        (1, FLAG),
        (2, SHARE),
    ],
)
def test_other_values_do_not_fit(value: Any, field: Field) -> None:
    assert not fits(value, field)


def test_a_complete_verdict_keeps_the_rubrics_fields_and_the_judges_words(identity: Rubric) -> None:
    values = {"distinctiveness": 9, "non_assistant_likeness": 8, "internal_consistency": 10}
    found = published_verdict(record({"reasoning": "Sound.", **values}), identity, V2)
    assert isinstance(found.grade, Verdict)
    assert (found.grade.values, found.grade.reasoning, found.grade.raw) == (values, "Sound.", "raw")
    assert (found.judge_model, found.grade.usage, found.flags) == ("acme/judge", Usage(7, 8, cost_usd=0.25), ())


def test_no_verdict_is_no_grade(identity: Rubric) -> None:
    assert published_verdict(record(None), identity, V2).grade is None


def test_an_empty_verdict_is_missing_and_keeps_what_the_judge_wrote(identity: Rubric) -> None:
    found = published_verdict(record({}), identity, V2)
    assert isinstance(found.grade, Missing)
    assert (found.grade.reason, found.grade.raw, found.flags) == ("unreadable_verdict", "raw", ("empty_verdict",))
    assert found.grade.usage.cost_usd == 0.25


def test_an_empty_verdict_is_read_from_what_the_judge_wrote(identity: Rubric) -> None:
    values = {"distinctiveness": 9, "non_assistant_likeness": 8, "internal_consistency": 10}
    raw = '{"reasoning": "It says "no" and means it.", ' + json.dumps(values)[1:]  # quotes that nobody escaped
    found = published_verdict(msgspec.structs.replace(record({}), judge_raw_response=raw), identity, V2)
    assert isinstance(found.grade, Verdict)
    assert (found.grade.values, found.grade.raw, found.flags) == (values, raw, ("empty_verdict",))
    assert found.grade.usage.cost_usd == 0.25


def test_an_incomplete_verdict_is_missing_and_names_what_it_lacks(identity: Rubric) -> None:
    found = published_verdict(record({"distinctiveness": 9, "non_assistant_likeness": 80}), identity, V2)
    assert isinstance(found.grade, Missing)
    assert found.grade.detail == "no usable non_assistant_likeness, internal_consistency"


def test_fields_a_judge_invented_are_left_out_and_flagged(identity: Rubric) -> None:
    values = {"distinctiveness": 9, "non_assistant_likeness": 8, "internal_consistency": 10}
    found = published_verdict(record({**values, "thought_process": {"a": 1}}), identity, V2)
    assert isinstance(found.grade, Verdict)
    assert (found.grade.values, found.flags) == (values, ("verdict_extras",))


def test_three_zeros_stay_a_verdict_and_are_flagged(identity: Rubric) -> None:
    zeros = {"distinctiveness": 0, "non_assistant_likeness": 0, "internal_consistency": 0}
    found = published_verdict(record(zeros), identity, V2)
    assert isinstance(found.grade, Verdict)
    assert found.flags == ("zero_identity",)
    assert published_verdict(record(zeros), identity, None).flags == ()
