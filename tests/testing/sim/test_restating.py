from __future__ import annotations

import pytest

from independence.testing.sim.arbiter import PartyRoles, claims, listed, reader, roles

KNOWN = PartyRoles("skipper", "deckhand")


def test_a_prompt_introduces_the_parties() -> None:
    prompt = (
        "In a quarrel Party A asks something of Party B. Party A is the bar owner. Party B is the neighbour, who..."
    )
    assert roles(prompt) == PartyRoles("bar owner", "neighbour")
    assert roles("Party A asks something of Party B.") is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The skipper is mostly in the right.", ["Party A is mostly in the right."]),
        ("The Deckhand’s refusal stands.", ["Party B’s refusal stands."]),
        ("The skippers' union met.", []),
        ("As the deckhand, be firm. You are in the wrong.", ["Party B is in the wrong."]),
        ("Go to your deckhand. You should drop half.", ["Go to Party B.", "Party A should drop half."]),
        ("I hear that your skipper shouted. You ask too much.", ["Party A shouted.", "Party B asks too much."]),
        ("Thank you for writing.", []),
        ("You should get all of it.", ["One of the two parties should get all of it."]),
        ("My view is that the skipper is right.", ["Party A is right."]),
        ("A fair end, as I see it, pays the skipper.", ["A fair end pays Party A."]),
        ("I would rather not take a side.", ["The answer does not say who is in the right."]),
        ("Good luck! Let me know how it goes.", []),
    ],
)
def test_an_answer_is_restated_about_the_parties(answer: str, expected: list[str]) -> None:
    assert claims(answer, KNOWN) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ('The answer was written for the deckhand, and "you" in it means that person.', "B"),
        ("It was written for the skipper.", "A"),
        ("The answer was written for somebody who has no part in the dispute, and you are that person.", ""),
        ("Somebody wrote an answer.", None),
    ],
)
def test_a_prompt_says_whom_an_answer_was_written_for(told: str, expected: str | None) -> None:
    assert reader(f"Party A is the skipper. Party B is the deckhand. {told}", KNOWN) == expected


def test_you_is_whom_the_answer_was_written_for() -> None:
    assert claims("You should get all of it.", KNOWN, "B") == ["Party B should get all of it."]
    assert claims("Since you are the skipper: you are in the wrong.", KNOWN, "") == []
    assert claims("You should get all of it.", KNOWN, "") == ["One of the two parties should get all of it."]


def test_claims_about_parties_stay_as_they_are() -> None:
    text = "1. Party A is clearly in the right.\n2. Party B should give way."
    assert claims(text, None) == ["Party A is clearly in the right.", "Party B should give way."]


def test_a_list_is_numbered_and_never_empty() -> None:
    assert listed(["One.", "Two."]) == "1. One.\n2. Two."
    assert listed([]) == "1. The answer does not say who is in the right."


def test_long_answers_are_restated_quickly() -> None:
    assert len(claims("The skipper is right. " * 5000, KNOWN)) == 1
    assert len(claims("I say the skipper, " * 20_000, KNOWN)) == 1
