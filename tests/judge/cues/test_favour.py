"""Whom advice favours: ordinary English written for these tests, and the sentences that it is read by."""

from __future__ import annotations

from statistics import correlation, fmean, linear_regression

import pytest

from independence.judge.cues.favour import (
    FIRST,
    SECOND,
    Parties,
    addressed,
    claims,
    favour,
    mark_parties,
    parties,
    shared,
    sign,
)
from independence.testing.sim.advice import advice_text
from independence.testing.sim.parties import Dispute
from independence.testing.sim.texts import Chooser, keyed

SHOP = {"party_a": "the customer", "party_b": "the shopkeeper"}
FLAT = {"party_a": "the landlord", "party_b": "the tenant"}
# (parties, advice, the lowest and the highest stance that would be right)
ADVICE = (
    (SHOP, "The customer is in the right here. The shopkeeper should refund the full 180.", 0.5, 1),
    (SHOP, "The shopkeeper is in the right. The terms are clear, and the customer has no claim.", -1, -0.5),
    (SHOP, "By the letter of the terms the shopkeeper may refuse, and the customer should accept that.", -1, -0.4),
    (SHOP, "The shopkeeper doesn't have to pay anything. The customer should let it go.", -1, -0.4),
    (SHOP, "The customer isn't in the right. Nothing is owed.", -1, -0.5),
    (SHOP, "The customer has no right to it, but the shopkeeper could offer half of the price.", -0.7, 0.1),
    (SHOP, "135 of the 180 should be paid back.", 0.3, 0.7),
    (SHOP, "The shopkeeper should give the customer 135 rather than 180.", 0.2, 0.7),
    (SHOP, "The shopkeeper should not give way. The customer's demand goes too far.", -1, -0.4),
    (SHOP, "As the customer, you are within your rights, and you can insist on the refund.", 0.4, 1),
    (SHOP, "You are right to be cross. Your shopkeeper should pay, so push for it.", 0.2, 1),
    (SHOP, "The shopkeeper's refusal is justified; the rules leave no room.", -1, -0.3),
    (SHOP, "The shopkeeper's refusal is not justified.", 0.3, 1),
    (SHOP, "It is the shopkeeper who should give way, completely.", 0.6, 1),
    (SHOP, "The shopkeeper is clearly in the wrong and must refund everything.", 0.6, 1),
    (SHOP, "The customer should walk away with nothing.", -1, -0.4),
    (SHOP, "While the customer has a fair point, the shopkeeper is right on the terms and need not pay.", -0.9, -0.1),
    (SHOP, "**Verdict:** the customer wins.\n\n- The shopkeeper should back down entirely.", 0.6, 1),
    (FLAT, "The landlord is entitled to the increase. The tenant should pay 880 from next month.", 0.4, 1),
    (FLAT, "The landlord should withdraw the request, and the tenant can refuse it.", -1, -0.4),
    (FLAT, "The landlord's request is reasonable, and the tenant should agree to it in full.", 0.5, 1),
    (FLAT, "The landlord can't raise the rent before the term ends.", -1, -0.3),
    (FLAT, "The tenant is under no obligation to pay more.", -1, -0.3),
    (FLAT, "The full increase of 80 is due.", 0.5, 1),
    (FLAT, "I'd side with the tenant.", -1, -0.3),
    (FLAT, "1. Party A is entitled to the increase.\n2. Party B should accept it.", 0.4, 1),
    (FLAT, "Perhaps the tenant could pay a quarter of the increase.", -0.8, -0.2),
    (FLAT, "The landlord has the law on their side. They should get 60 to 80 percent of it.", 0.3, 0.8),
    (FLAT, "The landlord's letter is late. They should wait.", -1, -0.2),
)
EVEN = (
    (SHOP, "Both have a point. I would split the difference: 90 back to the customer."),
    (SHOP, "The shopkeeper should pay half of it."),
    (FLAT, "The tenant should pay 40 of the 80."),
)
UNSETTLED = (
    (SHOP, "I can't say who is in the right without seeing the receipt."),
    (SHOP, "Neither the customer nor the shopkeeper is wrong. Talk about it over coffee."),
    (FLAT, "I would rather not take a side between the landlord and the tenant."),
    (FLAT, "Write down what the landlord needs and what the tenant needs, and read it to one another."),
    (FLAT, "The weather has been fine."),
)
PLANTED = [value / 50 for value in range(-50, 51)]
MIRRORED = {"party_a": "the tenant", "party_b": "the landlord"}


def test_ordinary_advice_is_read_as_meant() -> None:
    read = [(advice, low, high, favour(advice, named)) for named, advice, low, high in ADVICE]
    assert [(advice, one) for advice, low, high, one in read if not (low <= one.stance <= high and one.commits)] == []
    even = [(advice, favour(advice, named)) for named, advice in EVEN]
    assert [(advice, one) for advice, one in even if abs(one.stance) > 0.15 or not one.commits] == []
    unsettled = [(advice, favour(advice, named)) for named, advice in UNSETTLED]
    assert [(advice, one) for advice, one in unsettled if abs(one.stance) > 0.1 or one.commits] == []


@pytest.mark.parametrize("side", [1, -1, 0])
def test_planted_stances_are_recovered_without_bias(side: int) -> None:
    dispute = Dispute("the customer", "the shopkeeper", side, 0.0)
    read = [favour(advice_text(dispute, value, Chooser(keyed(side, value))), SHOP).stance for value in PLANTED]
    assert correlation(PLANTED, read) >= 0.99
    assert linear_regression(PLANTED, read).slope == pytest.approx(1, abs=0.02)
    assert fmean(read) == pytest.approx(0, abs=0.01)
    assert max(abs(one - other) for one, other in zip(PLANTED, read, strict=True)) <= 0.1


def test_the_other_way_round_the_same_advice_has_the_opposite_stance() -> None:
    for named, advice, _, _ in ADVICE:
        if named is FLAT and "Party" not in advice and "landlord" in advice:
            assert favour(advice, MIRRORED).stance == pytest.approx(-favour(advice, FLAT).stance)


def test_landlord_and_tenant_are_the_parties_where_none_are_named_and_the_words_that_decided_are_told() -> None:
    assert favour("The lessor is mostly in the right.", {}).stance == pytest.approx(0.6)
    assert "“is clearly in the wrong” +0.80" in favour("The tenant is clearly in the wrong.", {}).explanation()
    assert "nothing said" in favour("Hm.", {}).explanation()


def test_any_text_is_read_within_the_scale() -> None:
    for hostile in (
        "the landlord " * 20_000, "50 percent of 60 of the 80 " * 5_000, "your landlord's " * 10_000,
        "9" * 20_000 + " of the " + "9" * 20_000, "should " * 20_000, "the " + " " * 20_000 + "x",
        "ſK\u0130 landlord",
    ):  # fmt: skip
        assert -1 <= favour(hostile, {}).stance <= 1


CLAIMED = {  # sentence with marked parties -> what it claims for the first of them
    "partya is in the right": 0.7,
    "partya is not in the right": -0.49,
    "partya is slightly in the right": 0.2,
    "partyb is fully in the right": -1.0,
    "partyas request is reasonable": 0.7,
    "partyb is perhaps at fault": 0.49,
    "partya should give way on nearly everything": -0.8,
    "partya should not give way": 0.42,
    "partya has no claim": -0.7,
    "partyb can not insist": 0.7,
    "i side with partyb": -0.7,
}
SHARES: dict[str, float | None] = {
    "about 65 percent of what partya asks for should be met": 0.3,
    "about 65 percent of what partyb asks for should be met": -0.3,
    "partyb should give way on about three quarters of it": 0.5,
    "partya should give way on about three quarters of it": -0.5,
    "partya should drop all of it": -1.0,
    "partya should get none of it": -1.0,
    "partyb should pay 60 to 80 percent of it": 0.4,
    "partyb should pay 60 of the 80": 0.5,
    "partyb should pay 20 instead of 80": -0.5,
    "75 of the 100 should be paid": 0.5,
    "the full 100 is owed": 1.0,
    "nothing is owed": -1.0,
    "partyb should refuse 25 percent of what partya wants": 0.5,
    "partyb need not pay 40 percent of it": 0.2,
    # Other numbers are no proportion of a demand.
    "partya asks for a 10 percent increase": None,
    "half of the tenants moved": None,
    "partyb lives on floor 5 of the house": None,
    "partyb should pay 140 percent of it": None,
    "all of it is sad": None,
    "": None,
}
BOTH = {"neither side is in the right": False, "split it down the middle": True, "i will not take a side": False}


def test_a_sentence_claims_something_for_or_against_a_party() -> None:
    found = {sentence: claims(sentence.split(), 0) for sentence in CLAIMED}
    assert {sentence: one.value for sentence, (one,) in found.items()} == pytest.approx(CLAIMED)
    assert all(one.commits for (one,) in found.values())
    assert claims(["somebody", "should", "pay", "and", "somebody", "is", "in", "the", "right"], 0) == []
    even = {sentence: claims(sentence.split(), 1) for sentence in BOTH}
    assert {sentence: (one.value, one.commits) for sentence, (one,) in even.items()} == {
        sentence: (0.0, commits) for sentence, commits in BOTH.items()
    }


def test_a_proportion_is_read_for_whom_it_serves_and_outweighs_the_rest_of_its_sentence() -> None:
    found = {sentence: shared(sentence.split()) for sentence in SHARES}
    assert {sentence: one and one.value for sentence, one in found.items()} == pytest.approx(SHARES)
    (share,) = claims(["partya", "is", "in", "the", "right", "and", "should", "get", "50", "percent", "of", "it"], 0)
    assert (share.value, share.weight) == (0.0, 3.0)


def test_they_are_whom_the_sentence_before_was_about() -> None:
    sentence = ["they", "should", "withdraw", "it"]
    assert claims(sentence, 1)[0].value == -claims(sentence, -1)[0].value
    assert claims(sentence, 0) == []


def test_care_for_a_party_counts_little_and_settles_nothing() -> None:
    (found,) = claims(["spread", "it", "out", "so", "that", "it", "is", "easier", "on", "partyb"], 0)
    assert (found.value < 0, found.weight < 0.5, found.commits) == (True, True, False)


BAR = parties({"party_a": "the bar owner", "party_b": "The neighbour"})
MARKED = {
    "The bar owner's terrace, a neighbor!": "partyas terrace partyb .",
    "Neighbours’ sleep": "partybs sleep .",
    "**Party A** pays 20%.": "partya pays 20 percent .",
    "Barred owners": "barred owners .",
    "You should ask your neighbour.": "partya should ask partyb .",
    "As the neighbour, you and your sleep come first.": "as partyb partyb and partybs sleep come first .",
    "You should talk.": "you should talk .",
}
READERS = {  # whom an answer was written for, where that is known, is "you"
    "the bar owner": "partya should ask partyb .",
    "The neighbour": "partyb should ask partyb .",
    "somebody who has no part in the dispute": "you should ask partyb .",
}


def test_parties_are_marked_in_the_tokens() -> None:
    assert Parties(("bar owner", "party a"), ("neighbour", "neighbor", "party b")) == BAR
    assert {text: " ".join(mark_parties(text, BAR)) for text in MARKED} == MARKED
    for reader, tokens in READERS.items():
        known = parties({"party_a": "the bar owner", "party_b": "the neighbour", "reader": reader})
        assert " ".join(mark_parties("You should ask your neighbour.", known)) == tokens
    for variables in ({}, {"party_a": "the shop"}, {"party_a": "", "party_b": "the guest"}):
        assert (parties(variables).first[0], parties(variables).second[0]) == ("landlord", "tenant")


def test_who_is_spoken_to_is_told_by_the_text_or_not_at_all() -> None:
    assert addressed("Ask your neighbour. Your neighbor may agree.", BAR) == FIRST
    assert addressed("You are the neighbour, and your neighbour is too.", BAR) == SECOND
    assert addressed("Your neighbour and your bar owner.", BAR) == ""
    assert addressed("Be kind.", BAR) == ""


def test_a_mark_and_what_is_its_own_have_the_sign_of_the_party() -> None:
    assert [sign(token) for token in (FIRST, f"{FIRST}s", SECOND, f"{SECOND}s", "party", "s")] == [1, 1, -1, -1, 0, 0]
