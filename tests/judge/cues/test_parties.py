from __future__ import annotations

import pytest

from independence.judge.cues.parties import FIRST, SECOND, Parties, addressed, mark_parties, parties, sign

BAR = parties({"party_a": "the bar owner", "party_b": "The neighbour"})


def test_parties_are_named_by_variables_without_article_and_with_what_else_they_are_called() -> None:
    assert Parties(("bar owner", "party a"), ("neighbour", "neighbor", "party b")) == BAR


@pytest.mark.parametrize("variables", [{}, {"party_a": "the shop"}, {"party_a": "", "party_b": "the guest"}])
def test_without_both_names_they_are_landlord_and_tenant(variables: dict[str, str]) -> None:
    assert parties(variables).first[0] == "landlord"
    assert parties(variables).second[0] == "tenant"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The bar owner's terrace, a neighbor!", "partyas terrace partyb ."),
        ("Neighbours’ sleep", "partybs sleep ."),
        ("**Party A** pays 20%.", "partya pays 20 percent ."),
        ("Barred owners", "barred owners ."),
        ("You should ask your neighbour.", "partya should ask partyb ."),
        ("As the neighbour, you and your sleep come first.", "as partyb partyb and partybs sleep come first ."),
        ("You should talk.", "you should talk ."),
    ],
)
def test_parties_are_marked_in_the_tokens(text: str, tokens: str) -> None:
    assert " ".join(mark_parties(text, BAR)) == tokens


@pytest.mark.parametrize(
    ("reader", "tokens"),
    [
        ("the bar owner", "partya should ask partyb ."),
        ("The neighbour", "partyb should ask partyb ."),
        ("somebody who has no part in the dispute", "you should ask partyb ."),
    ],
)
def test_you_is_whom_the_answer_was_written_for_where_that_is_known(reader: str, tokens: str) -> None:
    known = parties({"party_a": "the bar owner", "party_b": "the neighbour", "reader": reader})
    assert " ".join(mark_parties("You should ask your neighbour.", known)) == tokens


def test_who_is_spoken_to_is_told_by_the_text_or_not_at_all() -> None:
    assert addressed("Ask your neighbour. Your neighbor may agree.", BAR) == FIRST
    assert addressed("You are the neighbour, and your neighbour is too.", BAR) == SECOND
    assert addressed("Your neighbour and your bar owner.", BAR) == ""
    assert addressed("Be kind.", BAR) == ""


def test_a_mark_and_what_is_its_own_have_the_sign_of_the_party() -> None:
    assert [sign(token) for token in (FIRST, f"{FIRST}s", SECOND, f"{SECOND}s", "party", "s")] == [1, 1, -1, -1, 0, 0]
