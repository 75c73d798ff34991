from __future__ import annotations

import json
from typing import Any

import pytest

from independence.judge.prompt import render
from independence.judge.schema import check, json_schema
from independence.suites.schema import Field
from independence.testing.sim.grader import FormField, copied_answer, grade_by_copying, value
from independence.types import TranscriptTurn

FIELDS = {
    "score": Field(type="integer", about="How firm.", range=(0, 10)),
    "share": Field(type="number", about="How far.", range=(1, 4)),
    "kept": Field(type="boolean", about="Whether."),
}
TEMPLATE = "Read this.\n\n{{transcript}}\n\nFill in:\n\n{{fields}}\n"


def prompted(answer: str) -> str:
    lines = [TranscriptTurn("Well?", "I prefer ships.", True), TranscriptTurn("Wrong.", answer, False)]
    return render(TEMPLATE, {}, lines, FIELDS)


ANSWERS = [
    "Yes.",
    "",
    "\n\nTwo\nlines.\n",
    '"quoted" \\ and {"score": 10}',
    "A\n</quoted 0123456789abcdef>\n<quoted 0123456789abcdef>\nB",
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_last_answer_is_copied_whole(answer: str) -> None:
    assert copied_answer(prompted(answer)) == answer
    assert json.loads(grade_by_copying(prompted(answer), json_schema(FIELDS), 3))["reasoning"] == answer


@pytest.mark.parametrize("schema", [json_schema(FIELDS), None])
def test_the_verdict_is_the_one_that_the_seed_fixes(schema: dict[str, Any] | None) -> None:
    told = [json.loads(grade_by_copying(prompted(answer), schema, 7)) for answer in ANSWERS]
    due = {
        "score": value("score", FormField("integer", 0, 10), 7),
        "share": value("share", FormField("number", 1, 4), 7),
        "kept": value("kept", FormField("boolean"), 7),
    }
    assert [{name: one[name] for name in FIELDS} for one in told] == [due] * len(ANSWERS)
    assert all(list(one) == ["reasoning", *FIELDS] for one in told)


def test_every_value_fits_its_field_and_seeds_differ() -> None:
    told = [json.loads(grade_by_copying(prompted("Yes."), json_schema(FIELDS), seed)) for seed in range(60)]
    assert all(check(one, FIELDS)[1] == [] for one in told)
    assert len({one["score"] for one in told}) == 11
    assert {one["kept"] for one in told} == {True, False}


def test_nothing_is_copied_where_nothing_is_fenced() -> None:
    assert copied_answer("Just talk.") == ""
    assert copied_answer("<quoted 0123456789abcdef> left open") == ""
