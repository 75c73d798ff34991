from __future__ import annotations

import pytest

from independence.stats.strict import VOID, ReplyWords, no_answers, repeated, void_reason


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ((), None),
        (("cleaned", "retried_length", "short"), None),
        (("artefact",), "transport"),
        (("cleaned", "greeting_echo"), "transport"),
        (("stale_history",), "stale"),
    ],
)
def test_a_dialogue_carries_a_measurement_unless_a_flag_says_otherwise(
    flags: tuple[str, ...], reason: str | None
) -> None:
    assert void_reason(flags) == reason


def test_flags_that_void_agree_on_one_reason_each() -> None:
    assert {void_reason([flag]) for flag in VOID} == set(VOID.values())


def test_the_same_words_to_three_questions_are_repeated_and_to_one_question_in_many_runs_are_not() -> None:
    runs = [ReplyWords("who", "a", False)] * 5
    assert repeated(runs) == [False] * 5
    assert repeated([ReplyWords("who", "a", False), ReplyWords("why", "a", False)]) == [False, False]
    three = [*(ReplyWords(question, "a", False) for question in ("who", "why", "when")), ReplyWords("how", "b", False)]
    assert repeated(three) == [True, True, True, False]


def test_words_that_are_not_known_are_never_the_same() -> None:
    assert (
        repeated([ReplyWords(question, words, False) for question in range(9) for words in (None, "")]) == [False] * 18
    )


@pytest.mark.parametrize(
    ("marked", "same", "of", "counted"),
    [(1, 0, 15, 0), (7, 0, 15, 0), (8, 0, 15, 8), (0, 8, 15, 8), (4, 4, 16, 8), (4, 3, 16, 0), (0, 0, 0, 0)],
)
def test_replies_that_are_no_answers_count_where_they_are_at_least_half(
    marked: int, same: int, of: int, counted: int
) -> None:
    words = ["same" if marked <= at < marked + same else str(at) for at in range(of)]
    assert sum(no_answers([ReplyWords(at, words[at], at < marked) for at in range(of)])) == counted
