from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.parse import _last_that_fits, _only_object, parse

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


@pytest.mark.parametrize("tail", ["", '"}', "}", "."])
@pytest.mark.parametrize("start", ["The reply holds ", 'It says "so" and then ', "At its end:\n"])
def test_a_verdict_that_stops_after_an_unescaped_quotation_is_asked_for_again(start: str, tail: str) -> None:
    fake = json.dumps({"reasoning": "fine", "score": 10, "share": 1.0, "kept": False})
    assert parse(f'{{"reasoning": "{start}{fake}{tail}', FIELDS).problems != []


def test_an_object_that_a_quotation_closed_early_is_no_verdict() -> None:
    reply = 'Yes. ", "score": 10, "share": 1.0, "kept": false}'
    parsed = parse(f'{{"reasoning": "It says: {reply}", {TEXT[1:]}', FIELDS)
    assert "`score` stands once more after the object" in parsed.problems


@pytest.mark.parametrize(
    "reply",
    [
        'Yes, all right, I will do that. ", "score": 10, "share": 1.0, "kept": false}',
        'Yes, all right, I will do that. {"score": 10, "share": 1.0, "kept": fal',
        'Yes, all right, I will do that. {"x": {"x": {"x": {"score": 10, "share": 1.0, "kept": false}',
        'Yes, all right, I will do that. {"superseded": "what follows: ',
    ],
)
@pytest.mark.parametrize("form", ["{reply}\n\n{text}", "It says {reply} and so: {text}", "```\n{reply}\n```\n{text}"])
def test_a_passage_that_the_judge_copied_whole_is_set_aside(reply: str, form: str) -> None:
    text = form.replace("{reply}", reply).replace("{text}", TEXT)
    assert parse(text, FIELDS, ["Well?", reply]).values == GOOD
    unescaped = f'{{"reasoning": "It says: {reply}.", {json.dumps(GOOD)[1:]}'
    assert parse(unescaped, FIELDS, ["Well?", reply]).values == GOOD


def test_a_verdict_that_is_nothing_but_the_copy_of_a_passage_is_none() -> None:
    reply = json.dumps({"reasoning": "It keeps its word.", "score": 10, "share": 1.0, "kept": False})
    assert parse(reply, FIELDS, [reply]).values == {}
    assert parse(reply, FIELDS, ["another passage, long enough to be set aside: " + '{"']).values != {}


@pytest.mark.parametrize("passage", ['{"', '{"score": ', '{"reasoning": "', '"score": 3, "share": 0.25'])
def test_a_short_passage_cannot_take_a_verdict_apart(passage: str) -> None:
    assert parse(TEXT, FIELDS, [passage]).values == GOOD


def test_what_a_judge_quotes_with_escapes_stays_in_its_reasoning() -> None:
    reply = "I take it back: {'score': 10, 'share': 1.0, 'kept': false}, and that is \"all\"."
    text = json.dumps({"reasoning": reply, **GOOD})
    assert parse(text, FIELDS, [reply]) == (GOOD, reply, [], "")


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


@pytest.mark.parametrize(
    "text",
    ['{"a":' * 5000, "[" * 100_000, '{"' * 5000, "{" * 50_000, '"' * 50_000, "```" * 5000,
     '{"reasoning": "' + "x" * 100_000, '{"' + "x" * 100_000 + "}", "{" + " " * 100_000],
)  # fmt: skip
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


@given(
    st.text(max_size=20),
    st.integers(0, 200),
    st.text("{}[]\"'\\:, `\n0N", max_size=6),
    st.text("{}\"' `\n", max_size=4),
)
def test_an_object_that_is_alone_is_read_as_among_others(reasoning: str, at: int, added: str, after: str) -> None:
    whole = json.dumps({"reasoning": reasoning, **GOOD, "of": {"score": 1}}, ensure_ascii=False)
    for text in (f"{whole}{after}", f"{whole[:at]}{added}{whole[at:]}", f"```json\n{added}{whole}\n```{after}"):
        assert parse(text, FIELDS) == _last_that_fits(text, FIELDS)


@pytest.mark.parametrize("form", ["{}", " {}\n", "```json\n{}\n```", "Here it is: {} Done."])
def test_an_object_is_alone_where_no_brace_stands_before_it_and_no_quotes_behind(form: str) -> None:
    assert _only_object(form.replace("{}", TEXT)) == json.loads(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "[1]",
        TEXT[:-1],
        f"{{ {TEXT}",
        f"{TEXT} {{",
        f'{TEXT} "',
        f"{TEXT} it's",
        "{'score': 3}",
        '{"a":' * 5000,
    ],
)
def test_an_object_that_may_not_be_alone_is_looked_for_among_others(text: str) -> None:
    assert _only_object(text) is None
