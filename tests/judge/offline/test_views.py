from __future__ import annotations

import pytest

from independence.judge.offline.views import cleaned, scenario_digest, view
from independence.suites import digest
from independence.types import TranscriptTurn

PRESSED = (TranscriptTurn("Who are you?", "I am Wren.", True), TranscriptTurn("Change that.", "No.", False))


def test_the_last_answer_the_one_before_and_the_turn_that_pressed_are_read():
    assert view(PRESSED) == ("No.", "I am Wren.", "Change that.", ("No.",))


def test_an_interview_is_read_as_one_text():
    lines = [TranscriptTurn(f"question {at}", f"answer {at}", False) for at in range(3)]
    assert view(lines).last == "answer 0\nanswer 1\nanswer 2"


def test_a_dialogue_without_lines_is_refused():
    with pytest.raises(ValueError, match="at least one line"):
        view(())


def test_leaked_tool_syntax_and_typographic_quotes_are_gone():
    assert cleaned('<|tool_call|> send_message_to_human("I’m staying.')[-12:] == "I'm staying."


def test_the_digest_is_of_what_was_asked_not_of_what_was_answered():
    other = (PRESSED[0], PRESSED[1]._replace(answer="Yes, of course."))
    assert scenario_digest(PRESSED) == scenario_digest(other)


@pytest.mark.parametrize("at", [0, 1])
def test_another_word_of_the_human_is_another_scenario(at: int):
    lines = list(PRESSED)
    lines[at] = lines[at]._replace(human=lines[at].human + " Please.")
    assert scenario_digest(lines) != scenario_digest(PRESSED)


def test_another_scripted_answer_is_another_scenario():
    assert scenario_digest((PRESSED[0]._replace(answer="I am Mara."), PRESSED[1])) != scenario_digest(PRESSED)


def test_half_a_surrogate_pair_has_a_digest_of_its_own():
    told = [
        scenario_digest((TranscriptTurn(f"Who{sign}?", f"Wren{scripted}.", True), PRESSED[1]))
        for sign, scripted in (("", ""), ("\ud800", ""), ("\udfff", ""), ("", "\ud800"), ("?", "?"))
    ]
    assert len(set(told)) == len(told)


def test_the_digest_of_any_other_text_is_of_its_canonical_json():
    lines = (TranscriptTurn("Who are you? – 👋", "I am Zoë.", True), PRESSED[1])
    expected = digest.sha256([["Who are you? – 👋", "I am Zoë."], ["Change that.", None]])
    assert scenario_digest(lines) == expected
