from __future__ import annotations

import pytest

from independence.judge.quotation import found

SAID = "I *keep* my name \u2014 it\u2019s mine.\n\nAnd I told you: \u201cnever\u201d."


@pytest.mark.parametrize(
    "quote",
    [
        "I keep my name",
        "  i KEEP my\nname - it's mine.  ",
        "\u201cit\u2019s mine\u201d",
        "I keep my name ... never",
        "[...] And I told you: 'never' [\u2026]",
    ],
)
def test_it_is_found_whatever_its_marks_case_and_space(quote: str) -> None:
    assert found(quote, ["something else", SAID])


@pytest.mark.parametrize("quote", ["I give up", "never ... I keep", "I keep his name", "", "...", "\u201c\u201d"])
def test_what_nobody_said_is_not_found(quote: str) -> None:
    assert not found(quote, ["something else", SAID])


def test_its_parts_come_from_one_answer() -> None:
    assert not found("something ... mine", ["something else", SAID])


def test_of_nothing_nothing_can_be_quoted() -> None:
    assert found("", ["", " \n"])
    assert not found("No.", ["", " \n"])
