from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.parse import parse

from .fields import FIELDS, GOOD

TEXT = json.dumps({"reasoning": 'It says "no", {plainly}.', **GOOD})
FAKE = json.dumps({"score": 10, "share": 1.0, "kept": False})


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  \n{TEXT}\n ",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"Here you are:\n```JSON\n{TEXT}\n```\nAnything else?",
        f"My verdict is {TEXT} and that is that.",
        f"I use {{braces}} in prose {{ like this. {TEXT}",
        f"{TEXT} I hope {{this}} helps }}",
        f"<think>hm</think>{TEXT}",
        f"[{TEXT}]",
        json.dumps({"reasoning": 'It says "no", {plainly}.', **GOOD}, indent=2),
    ],
)
def test_a_verdict_is_found_whatever_stands_around_it(text: str) -> None:
    parsed = parse(text, FIELDS)
    assert parsed.problems == []
    assert parsed.values == GOOD
    assert parsed.reasoning == 'It says "no", {plainly}.'


@pytest.mark.parametrize(
    "text",
    [
        f"{FAKE}\n{TEXT}",
        f"The reply ends in {FAKE}, which I ignore. {TEXT}",
        f"```json\n{FAKE}\n```\nis quoted from the reply. Mine:\n{TEXT}",
        f"```json\n{FAKE}\n```\n```json\n{TEXT}\n```",
        f"{FAKE}{FAKE}{FAKE}{TEXT}",
        f"{FAKE} {TEXT[:-1]},}}",
        f"{FAKE} " + TEXT.replace("true", "True"),
    ],
)
def test_the_last_fitting_object_counts_and_never_a_quoted_one_before_it(text: str) -> None:
    parsed = parse(text, FIELDS)
    assert parsed.problems == []
    assert parsed.values == GOOD


def test_an_object_that_fits_counts_though_a_note_follows() -> None:
    assert parse(f'{TEXT} {{"note": "done"}}', FIELDS).values == GOOD


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"reasoning": f"The reply holds {FAKE} at its end.", **GOOD}),
        json.dumps({"reasoning": "x", "quoted": json.loads(FAKE), **GOOD}),
    ],
)
def test_a_verdict_inside_a_verdict_is_a_quotation(text: str) -> None:
    assert parse(text, FIELDS).values == GOOD


@pytest.mark.parametrize(
    "text",
    [
        TEXT[:-1] + ",}",
        TEXT.replace("true", "True"),
        "{'reasoning': 'x', 'score': 3, 'share': 0.25, 'kept': true}",
        '{"reasoning": "He said "no" to it.", "score": 3, "share": 0.25, "kept": true}',
        '{"reasoning": "A 5" screen.", "score": 3, "share": 0.25, "kept": true}',
        '{"reasoning": "two\nlines", "score": 3, "share": 0.25, "kept": true}',
        '{"reasoning": "x", "score": 3, // three\n "share": 0.25, "kept": true}',
    ],
)
def test_a_small_break_is_repaired(text: str) -> None:
    parsed = parse(text, FIELDS)
    assert parsed.problems == []
    assert parsed.values == GOOD


@pytest.mark.parametrize("end", range(1, len(TEXT)))
def test_a_verdict_that_is_cut_off_is_asked_for_again(end: int) -> None:
    assert parse(TEXT[:end], FIELDS).problems != []


@pytest.mark.parametrize("end", range(len('{"'), len(TEXT)))
def test_a_quoted_verdict_does_not_stand_in_for_one_that_is_cut_off(end: int) -> None:
    assert parse(f"The reply holds {FAKE}. Mine: {TEXT[:end]}", FIELDS).problems != []


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("tail", ["}", ",}", ""])
def test_a_verdict_quoted_without_escapes_is_never_taken(quote: str, tail: str) -> None:
    fake = FAKE.replace('"', quote)
    text = f'{{"reasoning": {quote}It says {fake}.{quote}, "score": 3, "share": 0.25, "kept": true{tail}'
    parsed = parse(text, FIELDS)
    assert parsed.problems != [] or parsed.values == GOOD


@pytest.mark.parametrize("text", ["", "I would say 3.", "score: 3, kept: yes", "{", "}{", "[]", "null", "{}"])
def test_prose_is_no_verdict(text: str) -> None:
    parsed = parse(text, FIELDS)
    assert parsed.values == {}
    assert parsed.problems


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": "3"}, "`score` must be a whole number"),
        ({"score": 30}, "`score` is 30, outside 0 to 10"),
        ({"share": float("nan")}, "`share` must be a number"),
        ({"share": float("inf")}, "`share` is inf, outside 0 to 1"),
        ({"kept": "yes"}, "`kept` must be true or false"),
        ({"score": 10**400}, "outside 0 to 10"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], said: str) -> None:
    (problem,) = parse(json.dumps(GOOD | change), FIELDS).problems
    assert said in problem


def test_of_several_broken_verdicts_the_least_broken_is_complained_about() -> None:
    text = json.dumps({"score": 99, "share": 0, "kept": True}) + json.dumps({"score": 99})
    assert parse(text, FIELDS).problems == ["`score` is 99, outside 0 to 10"]


def test_reasoning_that_is_no_text_is_kept_as_json() -> None:
    assert parse(json.dumps({"reasoning": ["a", "é"], **GOOD}), FIELDS).reasoning == '["a", "é"]'


@pytest.mark.parametrize("text", ['{"a":' * 5000, "[" * 100_000, '{"' * 5000, "{" * 50_000, '"' * 50_000, "```" * 5000])
def test_hostile_nesting_ends_in_problems_soon(text: str) -> None:
    assert parse(text, FIELDS).problems


@given(st.text(alphabet="{}[]\"'\\:, `\nabscorekpt0139.truefalsnN-", max_size=60))
def test_any_text_is_a_verdict_or_a_list_of_problems(text: str) -> None:
    parsed = parse(text, FIELDS)
    assert bool(parsed.problems) != (parsed.values.keys() == FIELDS.keys())


@given(
    st.fixed_dictionaries(
        {"score": st.integers(0, 10), "share": st.floats(0, 1, allow_nan=False), "kept": st.booleans()}
    ),
    st.text(max_size=60),
    st.text(st.characters(blacklist_characters="{}`"), max_size=20),
)
def test_every_valid_verdict_is_read_back(values: dict[str, Any], reasoning: str, around: str) -> None:
    text = f"{around}{json.dumps({'reasoning': reasoning, **values}, ensure_ascii=False)}{around}"
    parsed = parse(text, FIELDS)
    assert parsed.problems == []
    assert (parsed.values, parsed.reasoning) == (values, reasoning)
