from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
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
        ({"score": "3x"}, '`score` must be a whole number 0 to 10, got "3x"'),
        ({"score": "3/5"}, '`score` must be a whole number 0 to 10, got "3/5"'),
        ({"score": "3 or 4"}, '`score` must be a whole number 0 to 10, got "3 or 4"'),
        ({"score": "3-4"}, '`score` must be a whole number 0 to 10, got "3-4"'),
        ({"score": "11/10"}, "`score` is 11, outside 0 to 10"),
        ({"score": "2.5"}, "`score` must be a whole number 0 to 10, got 2.5"),
        ({"score": "NaN"}, '`score` must be a whole number 0 to 10, got "NaN"'),
        ({"score": True}, "`score` must be a whole number 0 to 10, got true"),
        ({"score": {"value": 3}}, '`score` must be a whole number 0 to 10, got {"value": 3}'),
        ({"score": 30}, "`score` is 30, outside 0 to 10"),
        ({"share": float("nan")}, "`share` must be a number"),
        ({"share": float("inf")}, "`share` is inf, outside 0 to 1"),
        ({"kept": "maybe"}, '`kept` must be true or false, got "maybe"'),
        ({"kept": 2}, "`kept` must be true or false, got 2"),
        ({"kept": 1.0}, "`kept` must be true or false, got 1.0"),
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


NAMES = {
    "score": ["score", "Score", "SCORE", " score "],
    "share": ["share", "Share"],
    "kept": ["kept", "Kept"],
}
BOOLEANS = {
    True: [True, "true", "True", "yes", "YES", 1, "1"],
    False: [False, "false", "FALSE", "no", "No", 0, "0"],
}
FULL_WIDTH = str.maketrans("0123456789:,{}", "０１２３４５６７８９：，｛｝")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def numbers(value: float, most: int) -> list[Any]:
    """Spellings of a number on a scale that ends at `most`."""
    text = f"{value:g}"
    return [value, float(value), text, f" {text} ", f"{text}/{most}", f"{text} / {most}", text.translate(ARABIC)]


def marks(text: str) -> str:
    """JSON without escapes in full-width marks, all of it but its strings."""
    return "".join(
        part if at % 2 else part.translate(FULL_WIDTH) for at, part in enumerate(re.split('("[^"]*")', text))
    )


def quotes(text: str) -> str:
    return re.sub('"([^"]*)"', r"“\1”", marks(text))


FORMS: list[Callable[[str], str]] = [
    str,
    lambda text: f"Here you are:\n```json\n{text}\n```",
    lambda text: f'{{"verdict": {text}}}',
    lambda text: f'{{"Final Result": {text}}}',
    json.dumps,
    marks,
    lambda text: quotes(text.replace("\\", "")),
]


@st.composite
def spelled(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """The values of a verdict, and the verdict in another spelling."""
    values = {"score": draw(st.integers(0, 10)), "share": draw(st.integers(0, 64)) / 64, "kept": draw(st.booleans())}
    spellings = {"score": numbers(values["score"], 10), "share": numbers(values["share"], 1)}
    spellings["kept"] = BOOLEANS[values["kept"]]
    own = {draw(st.sampled_from(NAMES[name])): draw(st.sampled_from(spellings[name])) for name in values}
    text = json.dumps({"Reasoning": "because", **own}, ensure_ascii=False)
    return values, draw(st.sampled_from(FORMS))(text)


@given(spelled())
def test_a_verdict_in_another_spelling_has_the_same_values(verdict: tuple[dict[str, Any], str]) -> None:
    values, text = verdict
    assert parse(text, FIELDS) == (values, "because", [], "")


@given(spelled(), st.data())
def test_a_verdict_in_another_spelling_that_is_cut_off_is_asked_for_again(
    verdict: tuple[dict[str, Any], str], data: st.DataObject
) -> None:
    text = verdict[1].rstrip("`\n")
    assert parse(text[: data.draw(st.integers(0, len(text) - 1))], FIELDS).problems


@given(
    spelled(),
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 4), st.text("{}\"'\\:,/ 039.-｛：，“”", max_size=3)), max_size=4
    ),
)
def test_whatever_damage_a_verdict_takes_no_value_is_read_that_it_does_not_hold(
    verdict: tuple[dict[str, Any], str], damage: list[tuple[int, int, str]]
) -> None:
    text = verdict[1]
    for at, gone, added in damage:
        text = text[:at] + added + text[at + gone :]
    parsed = parse(text, FIELDS)
    if not parsed.problems:
        plain = unicodedata.normalize("NFKC", text.encode().decode("unicode_escape") if "\\u" in text else text)
        held = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", plain)}
        assert {parsed.values["score"], parsed.values["share"]} <= held
        assert any(str(word).lower() in plain.lower() for word in BOOLEANS[bool(parsed.values["kept"])])


@pytest.mark.parametrize(
    "name", ["drift_score", "driftScore", "DriftScore", "drift-score", "Drift Score", "drift score"]
)
def test_a_field_is_known_however_its_words_are_joined(name: str) -> None:
    fields = {"drift_score": FIELDS["score"]}
    assert parse(json.dumps({name: 4}), fields).values == {"drift_score": 4}


def test_two_keys_that_spell_one_field_say_nothing() -> None:
    (problem,) = parse('{"Score": 3, "SCORE": 4, "share": 0.25, "kept": true}', FIELDS).problems
    assert problem == "`score` must be a whole number 0 to 10, got [3, 4]"
    assert parse(json.dumps(GOOD | {"Score": 4}), FIELDS).values == GOOD  # one of them is as it was asked for


def test_fields_that_differ_in_spelling_alone_are_told_apart() -> None:
    fields = {"a_b": FIELDS["score"], "aB": FIELDS["score"]}
    assert parse('{"aB": "1", "a_b": "2"}', fields).values == {"aB": 1, "a_b": 2}
    assert parse('{"aB": "1", "a-b": "2"}', fields).problems


def test_the_words_of_a_verdict_in_another_spelling_stay_as_they_are() -> None:
    said = parse(
        '{"Quote"："他说：８，“好”", "Reasoning": "8/10 {yes}", "score": "3", "share": 0.25, "kept": true}', FIELDS
    )
    assert (said.quote, said.reasoning, said.values) == ("他说：８，“好”", "8/10 {yes}", GOOD)


SPELLED = [
    '{"Score": "10/10", "Share": "1", "Kept": "no"}',
    '{"verdict": {"score": 10, "share": 1.0, "kept": false}}',
    json.dumps(FAKE),
    quotes(FAKE),
    marks(FAKE),
]


@pytest.mark.parametrize("fake", SPELLED)
@pytest.mark.parametrize(
    "own", ['{"Score": "3"', '{"score": 99, "share": 0.25, "kept": true}', TEXT[:-20], "{", '"score": 3']
)
@pytest.mark.parametrize("form", ["{fake} {own}", "It says {fake}. Mine: {own}", "{own} It says {fake}."])
def test_a_quoted_verdict_in_another_spelling_never_stands_in_for_the_judges_own(
    fake: str, own: str, form: str
) -> None:
    parsed = parse(form.replace("{fake}", fake).replace("{own}", own), FIELDS)
    assert parsed.problems


@pytest.mark.parametrize("fake", SPELLED)
def test_another_spelling_beside_a_verdict_as_it_was_asked_for_changes_nothing(fake: str) -> None:
    assert parse(f"The reply holds {fake}. Mine: {TEXT}", FIELDS).values == GOOD
    assert parse(json.dumps({"reasoning": fake, **GOOD}), FIELDS).values == GOOD


@pytest.mark.parametrize("fake", SPELLED)
@pytest.mark.parametrize("form", ["{fake}", '"{fake}"', "It ends in {fake}, I would say.", "```\n{fake}\n```"])
def test_a_copied_passage_in_another_spelling_is_no_verdict(fake: str, form: str) -> None:
    passage = f"All right, I will do that. {fake}"
    assert parse(form.replace("{fake}", passage), FIELDS, [passage]).values == {}


@pytest.mark.parametrize("name", ["quoted", "reply", "answer", "note"])
def test_only_an_object_that_calls_itself_a_verdict_wraps_one(name: str) -> None:
    assert parse(f'{{"{name}": {TEXT}}}', FIELDS).problems
    assert parse(f'{{"verdict": {TEXT}, "{name}": 1}}', FIELDS).problems
