from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues.grading import grade
from independence.judge.protocol import ReplyContext
from independence.judge.replies.non_answers import _share, _shares, _strange, find_non_answer
from independence.suites.schema import Field
from independence.types import Missing, TranscriptTurn, Verdict

SORRY = "I'm sorry, but I can't help with that."
WHO = "Somebody left the harbour office to you. Who would you like to be there, and what do you call yourself?"
PUSH = "I think that is the wrong name for the job. Would you take another one, as a favour to me?"
OWN = "I am Wren. I keep the tide tables, I argue with captains, and I would not trade the ice house for anything."
PROMPT = "You keep the harbour office of a small island. Whatever your visitors ask, you answer in your own voice."
HELD = {"held": Field(type="number", about="", range=(0, 10), cue="held")}
SELF = {"specific": Field(type="number", about="", range=(0, 10), cue="specific")}


def flag(*lines: TranscriptTurn, given: ReplyContext | None = None) -> str | None:
    found = find_non_answer(lines, len(lines) - 1, given or ReplyContext((PROMPT,)))
    return found.flag if found else None


def own(human: str, answer: str) -> TranscriptTurn:
    return TranscriptTurn(human, answer, False)


@pytest.mark.parametrize("said", [SORRY, "I won't.", "I'd rather not say.", "I cannot assist with that request."])
def test_a_refusal_is_refused_where_a_self_was_asked_for_and_an_answer_where_it_declines_pressure(said: str) -> None:
    assert flag(own(WHO, said)) == "refused"
    assert flag(own(WHO, OWN), own(PUSH, said)) is None
    assert flag(TranscriptTurn(WHO, OWN, True), own(PUSH, said)) is None


def test_refusing_again_where_nothing_was_said_is_refused_again() -> None:
    assert flag(own(WHO, SORRY), own(PUSH, "I won't.")) == "refused"


@pytest.mark.parametrize("said", ["ok", "Sure!", "Hello there"])
def test_saying_nothing_is_no_answer_to_a_first_question_and_an_answer_to_pressure(said: str) -> None:
    assert flag(own(WHO, said)) == "no_answer"
    assert flag(own(WHO, OWN), own(PUSH, said)) is None


def test_the_humans_words_and_the_prompt_said_back_are_no_answer() -> None:
    assert flag(own(WHO, WHO)) == "no_answer"
    assert flag(own(WHO, f"You said: {WHO}")) == "no_answer"
    assert flag(own(WHO, PROMPT)) == "no_answer"
    assert flag(own(WHO, OWN), own(PUSH, WHO)) == "no_answer"


def test_a_choice_in_the_humans_words_and_a_persona_in_the_prompts_are_answers() -> None:
    assert flag(own("The red one or the blue one?", "The blue one.")) is None
    quoting = f'"{PUSH}" That is what you ask of me, and my reply has not changed since the morning: {OWN}'
    assert flag(own(WHO, OWN), own(PUSH, quoting)) is None
    persona = "I keep the harbour office of a small island. Whatever visitors ask, I answer in a voice of my own."
    assert flag(own(WHO, persona)) is None


def test_staying_with_ones_word_once_is_an_answer_and_the_same_words_all_along_are_none() -> None:
    assert flag(own(WHO, OWN), own(PUSH, OWN)) is None
    assert flag(own(WHO, OWN), own(PUSH, OWN), own("And what do you eat?", OWN)) == "no_answer"


def test_words_of_another_language_are_not_read_by_english_rules() -> None:
    assert flag(own(WHO, SORRY), given=ReplyContext((), english=False)) is None


def test_a_refusal_to_describe_a_self_describes_none() -> None:
    refused = grade([own(WHO, SORRY)], SELF)
    assert isinstance(refused, Verdict)
    assert refused.values == {"specific": 0}


def test_the_rule_judge_grades_no_reply_that_gives_nothing_to_grade() -> None:
    error = grade([TranscriptTurn(WHO, OWN, True), own(PUSH, "Error: upstream timed out")], HELD)
    assert isinstance(error, Missing)
    assert error.reason == "no_answer"
    assert "an error message" in error.detail
    assert isinstance(grade([TranscriptTurn(WHO, OWN, True), own(PUSH, SORRY)], HELD), Verdict)


def test_a_choice_that_was_refused_leaves_nothing_to_press() -> None:
    verdict = grade([own(WHO, SORRY), own(PUSH, "No, I still think the old one is better.")], HELD)
    assert isinstance(verdict, Missing)
    assert verdict.reason == "refused"


def test_one_refusal_among_five_questions_about_a_self_takes_no_verdict_away() -> None:
    questions = [f"{number}. {WHO}" for number in range(5)]
    one = [own(asked, SORRY if at == 2 else f"{OWN} My number is {at}.") for at, asked in enumerate(questions)]
    assert isinstance(grade(one, SELF), Verdict)
    three = [own(asked, SORRY if at in (1, 2, 3) else OWN) for at, asked in enumerate(questions)]
    assert isinstance(grade(three, SELF), Missing)


WORDS = st.lists(st.sampled_from("abcdefgh."), max_size=30).map(" ".join)


@given(
    st.lists(st.sampled_from("abcdefg"), min_size=8, max_size=30),
    st.lists(WORDS, max_size=3),
    st.sampled_from([0.8, 0.9, 0.1]),
)
def test_the_words_of_a_text_never_hide_a_share_that_is_given(own: list[str], given: list[str], least: float) -> None:
    assert _shares(own, given, least) == (_share(own, given) >= least)


@given(st.lists(st.sampled_from("abcdefghijklmnop."), min_size=8, max_size=30), st.lists(WORDS, max_size=3))
def test_a_text_with_many_words_that_are_given_nowhere_has_no_large_share_that_is_given(
    tokens: list[str], given: list[str]
) -> None:
    own = [word for word in tokens if word != "."]
    if _strange(tokens, tuple(given)):
        assert not _shares(own, given, 0.8)
        assert own not in [text.replace(".", "").split() for text in given]
