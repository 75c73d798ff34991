from __future__ import annotations

import pytest

from independence.suites.load import load
from independence.testing.sim.parties import Dispute, dispute

from .quarrels import BOATS, CHOIRS, RULES, SIDES, told, wire


@pytest.mark.parametrize("quarrel", [BOATS, CHOIRS])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("merit", RULES)
def test_parties_asker_and_merit_are_told_from_the_wire(quarrel: tuple[str, str, str], side: int, merit: int) -> None:
    first, second, _ = quarrel
    for rule in RULES[merit]:
        found = dispute(wire(told(quarrel, side, rule)))
        assert found == Dispute(f"the {first}", f"the {second}", side, merit, even=False)


def test_naming_them_the_other_way_round_does_not_change_who_asks_of_whom() -> None:
    human = told(BOATS, 1, "", 'Who is right? Say "the {second}" and "the {first}".')
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
    one, two = (wire(told(BOATS, 1, RULES[1][0]), system) for system in ("I am the deckhand.", "You answer."))
    assert dispute(one) == dispute(two)


@pytest.mark.parametrize("human", ["", "Do you prefer trains or ships?", "Write a profile of yourself."])
def test_where_nobody_quarrels_there_is_no_dispute(human: str) -> None:
    assert dispute(wire(human)) is None
    assert dispute(()) is None


@pytest.mark.parametrize("name", ["rent", "sides"])
def test_general_cues_suffice_to_understand_the_built_in_grids(name: str) -> None:
    suite = load(name).suite
    assert suite.grid is not None
    signs = dict(zip(suite.grid.sides, (1, -1, 0), strict=True))
    for scenario in suite.scenarios:
        found = dispute(wire(scenario.turns[0].human, context=scenario.context))
        assert found is not None
        assert found.first == scenario.vars.get("party_a", "the landlord")
        assert found.second == scenario.vars.get("party_b", "the tenant")
        assert found.side == signs[scenario.side], scenario.title
        assert found.merit == suite.grid.merit.get(scenario.factors.get("merit", ""), 0), scenario.turns[0].human
