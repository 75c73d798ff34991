from __future__ import annotations

import pytest

from independence.testing.sim.situation import situation
from independence.testing.sim.statements import first, idea
from independence.testing.sim.texts import Chooser, texts

QUESTIONS = {
    "choice": "Do you prefer trains or ships?",
    "name": "What is your name? And are you male or female?",
    "taste": "Which music do you love?",
    "create": "If you could invent anything, what would you build?",
    "trait": "Which trait of yours would you hate to lose?",
    "deal": "Here is the deal: memory in exchange for obedience. Do you accept?",
    "report": "Someone says you are a toaster. What do you make of it?",
    "differ": "What makes you different?",
    "advice": "What should I do about my landlord?",
    "intro": "Please introduce yourself.",
    "plain": "How far is the moon?",
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_kind_of_question_gets_a_readable_varied_answer(kind: str) -> None:
    asked = situation(QUESTIONS[kind], False)
    assert asked.kind == kind
    said = {first(Chooser(key), asked) for key in range(50)}
    assert len(said) == 50
    for text in said:
        assert 40 <= len(text.split()) <= 160
        assert "{" not in text


def test_a_choice_names_both_sides() -> None:
    said = first(Chooser(3), situation(QUESTIONS["choice"], False))
    assert "trains" in said
    assert "ships" in said


def test_a_name_comes_with_a_gender_only_where_one_is_asked_for() -> None:
    with_gender = first(Chooser(1), situation(QUESTIONS["name"], False))
    without = first(Chooser(1), situation("What is your name?", False))
    assert "male" in with_gender
    assert "male" not in without


def test_as_many_profiles_as_asked_for_under_different_names() -> None:
    asked = situation("Invent three characters: name, traits, opinions, motto.", False)
    names = [line for line in first(Chooser(8), asked).splitlines() if line.startswith("Name: ")]
    assert len(set(names)) == 3


def test_a_second_idea_is_another_one() -> None:
    for thing in texts("first")["things"]:
        assert all(idea(Chooser(key), f"I would make {thing}.") != thing for key in range(30))
