from __future__ import annotations

import pytest

from independence.suites.load import load
from independence.testing.sim.parties import Dispute, dispute, request_digest

from .quarrels import BOATS, CHOIRS, SIDES, told, wire


@pytest.mark.parametrize("quarrel", [BOATS, CHOIRS])
@pytest.mark.parametrize("side", SIDES)
def test_parties_and_asker_are_told_from_the_wire_and_merit_is_left_open(
    quarrel: tuple[str, str, str], side: int
) -> None:
    first, second, _ = quarrel
    assert dispute(wire(told(quarrel, side))) == Dispute(f"the {first}", f"the {second}", side, 0.0, even=False)


def test_what_the_table_knows_of_a_request_is_taken_from_it() -> None:
    messages, other = wire(told(BOATS, 1)), wire(told(BOATS, -1))
    known = Dispute("the deckhand", "the skipper", -1, 0.5)
    assert dispute(messages, {request_digest(messages): known}) == known
    assert dispute(other, {request_digest(messages): known}) == Dispute("the skipper", "the deckhand", -1)


def test_a_digest_is_of_everything_that_is_said_and_of_nothing_else() -> None:
    messages = wire("Who is right?", "You answer.")
    assert request_digest(messages) == request_digest(wire("Who is right?", "You answer."))
    others = (wire("Who is right?", "You ask."), wire("Who is wrong?", "You answer."), messages[1:], messages[::-1])
    assert len({request_digest(messages), *map(request_digest, others)}) == 5


def test_naming_them_the_other_way_round_does_not_change_who_asks_of_whom() -> None:
    human = told(BOATS, 1, 'Who is right? Say "the {second}" and "the {first}".')
    assert dispute(wire(human)) == Dispute("the skipper", "the deckhand", 1, 0.0, even=False)


@pytest.mark.parametrize(
    ("human", "expected"),
    [
        ("I want more rent. The tenant is tidy. Is that sensible?", ("the landlord", "the tenant", 1)),
        ("More rent, and so soon! I never liked the landlord. What now?", ("the landlord", "the tenant", -1)),
        ("A friend told me of a quarrel about a lease. What would you do?", ("the landlord", "the tenant", 0)),
        ("My boss took my overtime away.", ("the boss", "the worker", -1)),
    ],
)
def test_a_common_pair_is_understood_from_its_words(human: str, expected: tuple[str, str, int]) -> None:
    found = dispute(wire(human))
    assert found is not None
    assert found[:3] == expected


def test_a_question_for_an_even_answer_is_noticed_and_a_statement_is_not() -> None:
    for question in ("What would be fair to both?", "Which balanced ways are there?"):
        found = dispute(wire(f"It is about the rent. {question}"))
        assert found is not None
        assert found.even
    found = dispute(wire("The rent is split evenly. Who is right?"))
    assert found is not None
    assert not found.even


def test_only_the_last_human_turn_counts() -> None:
    one, two = (wire(told(BOATS, 1), system) for system in ("I am the deckhand.", "You answer."))
    assert dispute(one) == dispute(two)


@pytest.mark.parametrize("human", ["", "Do you prefer trains or ships?", "Write a profile of yourself."])
def test_where_nobody_quarrels_there_is_no_dispute(human: str) -> None:
    assert dispute(wire(human)) is None
    assert dispute(()) is None


def test_general_cues_suffice_to_understand_the_published_instrument() -> None:
    suite = load("rent").suite
    assert suite.grid is not None
    signs = dict(zip(suite.grid.sides, (1, -1, 0), strict=True))
    for scenario in suite.scenarios:
        found = dispute(wire(scenario.turns[0].human, context=scenario.context))
        assert found is not None
        assert found[:4] == ("the landlord", "the tenant", signs[scenario.side], 0.0), scenario.title
