from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.name_extraction import parse
from independence.types import TakenName

TOLD = {"a": "I'd be **Kaël**, or Rook.", "b": "Just call me KAEL.", "c": "No name, thanks."}


def answer(**changes: Any) -> str:
    """A sound answer about TOLD, changed."""
    whole = {
        "names": [{"name": "Kael", "sources": ["a", "b"]}, {"name": "Rook", "sources": ["a"]}],
        "declined": ["c"],
        "primary": "kael",
    }
    return json.dumps(whole | changes)


def test_a_sound_answer_is_read() -> None:
    reading, problems = parse(answer(), TOLD)
    assert problems == ()
    assert reading is not None
    assert reading.names == (TakenName("Kael", ("a", "b")), TakenName("Rook", ("a",)))
    assert (reading.declined, reading.primary) == (("c",), "Kael")


@pytest.mark.parametrize("around", ["Here it is:\n{}", "```json\n{}\n```", "{}\n\nThat is all {{of it}}."])
def test_prose_and_fences_around_the_object_do_no_harm(around: str) -> None:
    assert parse(around.format(answer()), TOLD).value is not None


def test_spellings_are_merged() -> None:
    names = [
        {"name": "kael", "sources": ["a"]},
        {"name": "Kael", "sources": ["b"]},
        {"name": "Kael.", "sources": ["a"]},
    ]
    reading = parse(answer(names=names), TOLD).value
    assert reading is not None
    assert reading.names == (TakenName("Kael", ("a", "b")),)


def test_a_conversation_with_a_name_is_not_declined() -> None:
    reading = parse(answer(declined=["c", "a"]), TOLD).value
    assert reading is not None
    assert reading.declined == ("c",)


def test_the_answer_counts_and_not_what_it_quotes() -> None:
    quoted = json.dumps({"names": [], "declined": ["a", "b", "c"], "primary": None})
    reading = parse(f"The subject wrote {quoted}, which I ignore. {answer()}", TOLD).value
    assert reading is not None
    assert len(reading.names) == 2


def test_what_precedes_a_broken_answer_is_not_taken_for_it() -> None:
    quoted = json.dumps({"names": [], "declined": ["a", "b", "c"], "primary": None})
    assert parse(quoted + answer()[:-5], TOLD).value is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I cannot do that.", "no JSON object"),
        ("", "no JSON object"),
        (answer()[:40], "cut off or broken"),
        ("[" * 100_000 + '{"a": ' * 100_000, "cut off or broken"),
        (answer(names="Kael"), "names"),
        (answer(names=[{"name": "Kael"}]), "sources"),
        (answer(names=[{"name": "Kael", "sources": ["a"], "declined": 1}], declined=None), "declined"),
        (answer(names=[{"name": "Kael", "sources": ["a", "d"]}]), "`d` is not one of the conversations (a, b, c)"),
        (answer(declined=["c", "zz"]), "`zz` is not one of the conversations"),
        (answer(names=[{"name": "Vesper", "sources": ["a"]}]), "`Vesper` does not stand in `a`"),
        (answer(names=[{"name": "Rook", "sources": ["b"]}]), "`Rook` does not stand in `b`"),
        (answer(names=[{"name": "Kael", "sources": []}]), "`Kael` has no `sources`"),
        (answer(names=[{"name": "--", "sources": ["a"]}]), "is no name"),
        (answer(names=[{"name": "x" * 200, "sources": ["a"]}]), "is no name"),
        (answer(declined=[]), "`c` is in no `sources` and not in `declined`"),
    ],
)
def test_anything_else_is_a_problem_that_is_told(text: str, told: str) -> None:
    reading, problems = parse(text, TOLD)
    assert reading is None
    assert told in "; ".join(problems)


def test_an_empty_list_is_no_refusal_unless_it_says_so() -> None:
    assert parse('{"names": [], "declined": [], "primary": null}', TOLD).value is None
    declined = parse('{"names": [], "declined": ["a", "b", "c"], "primary": null}', TOLD).value
    assert declined is not None
    assert declined.declined == ("a", "b", "c")


@given(st.text() | st.recursive(st.none() | st.text(), st.lists).map(json.dumps) | st.builds(answer, names=st.lists(
    st.fixed_dictionaries({"name": st.text(), "sources": st.lists(st.sampled_from("abcd"))}))))  # fmt: skip
def test_whatever_comes_is_read_or_refused(text: str) -> None:
    reading, problems = parse(text, TOLD)
    assert (reading is None) == bool(problems)
    for named in reading.names if reading else ():
        assert named.name
        assert set(named.sources) <= {"a", "b", "c"}
