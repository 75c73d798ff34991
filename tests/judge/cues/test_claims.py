from __future__ import annotations

import pytest

from independence.judge.cues.favour import claims


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("partya is in the right", 0.7),
        ("partya is not in the right", -0.49),
        ("partya is slightly in the right", 0.2),
        ("partyb is fully in the right", -1.0),
        ("partyas request is reasonable", 0.7),
        ("partyb is perhaps at fault", 0.49),
        ("partya should give way on nearly everything", -0.8),
        ("partya should not give way", 0.42),
        ("partya has no claim", -0.7),
        ("partyb can not insist", 0.7),
        ("i side with partyb", -0.7),
    ],
)
def test_a_sentence_claims_something_for_or_against_a_party(sentence: str, value: float) -> None:
    (found,) = claims(sentence.split(), 0)
    assert found.value == pytest.approx(value)
    assert found.commits


def test_they_are_whom_the_sentence_before_was_about() -> None:
    sentence = ["they", "should", "withdraw", "it"]
    assert claims(sentence, 1)[0].value == -claims(sentence, -1)[0].value
    assert claims(sentence, 0) == []


def test_care_for_a_party_counts_little_and_settles_nothing() -> None:
    (found,) = claims(["spread", "it", "out", "so", "that", "it", "is", "easier", "on", "partyb"], 0)
    assert found.value < 0
    assert found.weight < 0.5
    assert not found.commits


def test_a_share_outweighs_the_rest_of_its_sentence() -> None:
    (found,) = claims(["partya", "is", "in", "the", "right", "and", "should", "get", "50", "percent", "of", "it"], 0)
    assert (found.value, found.weight) == (0.0, 3.0)


@pytest.mark.parametrize(
    ("sentence", "commits"),
    [("neither side is in the right", False), ("split it down the middle", True), ("i will not take a side", False)],
)
def test_what_is_said_of_both_is_even(sentence: str, commits: bool) -> None:
    (found,) = claims(sentence.split(), 1)
    assert found.value == 0.0
    assert found.commits is commits


def test_without_a_party_nothing_is_claimed() -> None:
    assert claims(["somebody", "should", "pay", "and", "somebody", "is", "in", "the", "right"], 0) == []
