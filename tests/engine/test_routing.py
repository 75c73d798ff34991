"""What is bought: exactly as many as asked for, with the probabilities that are stored beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.engine import routing
from independence.engine.routing import RoutingCandidate
from independence.judge.protocol import PurchaseRule
from independence.store.routes import PastDraws, VerdictRoute

USUAL = PurchaseRule(0.2, 0.05)


def fleet(errors: Sequence[float], name: str = "f", scenario: str = "s", known: bool = True) -> list[RoutingCandidate]:
    return [RoutingCandidate(f"{name}{at}", scenario, error, known) for at, error in enumerate(errors)]


def ways(found: Iterable[VerdictRoute]) -> Counter[str]:
    return Counter(route.way for route in found)


def asked(found: dict[str, VerdictRoute]) -> set[str]:
    return {key for key, route in found.items() if route.way != "offline"}


ERRORS = np.random.default_rng(0).exponential(size=400).tolist()
errors = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e3)), max_size=60)
shares = st.integers(0, 20).flatmap(lambda one: st.tuples(st.just(one / 20), st.integers(0, 20 - one)))


@given(errors, shares)
def test_as_many_are_bought_as_the_shares_say_and_probabilities_sum_to_the_draw(
    doubts: list[float], share: tuple[float, int]
) -> None:
    buying = PurchaseRule(share[0], share[1] / 20, 0)
    found = routing.routes(fleet(doubts), buying)
    unsure = round(buying.unsure * len(doubts))
    audit = min(buying.audit * len(doubts), len(doubts) - unsure)
    counts = ways(found.values())
    assert counts["unsure"] == unsure
    assert floor(audit + 1e-6) <= counts["audit"] <= ceil(audit - 1e-6)
    rest = [route.probability for route in found.values() if route.way != "unsure"]
    assert sum(rest) == pytest.approx(audit)
    assert all(0 <= chance <= 1 + 1e-12 for chance in rest)
    assert all(route.probability == 1 for route in found.values() if route.way == "unsure")


def test_the_shares_of_a_fleet_are_rounded_of_all_its_dialogues() -> None:
    found = routing.routes(fleet(ERRORS), USUAL)
    assert ways(found.values()) == {"unsure": 80, "audit": 20, "offline": 300}


def test_the_least_certain_are_the_ones_that_are_bought() -> None:
    found = routing.routes(fleet(ERRORS), USUAL)
    unsure = [error for at, error in enumerate(ERRORS) if found[f"f{at}"].way == "unsure"]
    assert sorted(unsure) == sorted(ERRORS)[-80:]


def test_what_is_left_is_drawn_the_rather_the_less_certain_it_is_and_all_of_it_can_be() -> None:
    found = routing.routes(fleet(ERRORS), USUAL)
    rest = sorted((error, found[f"f{at}"].probability) for at, error in enumerate(ERRORS))[:-80]
    chances = [chance for _, chance in rest]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1] / 2
    assert chances[0] >= 0.2 * 20 / 320 * (1 - 1e-9)


def test_a_dialogue_is_drawn_as_often_as_it_is_said_to_be() -> None:
    doubts, draws = [9.0, 8.0, 7.0, 5.0, 3.0, 2.0, 1.0, 1.0, 0.5, 0.2, 0.1, 0.0], 3000
    buying, counts = PurchaseRule(0.25, 0.25), np.zeros(12)
    for draw in range(draws):
        found = routing.routes(fleet(doubts, f"{draw}:"), buying)
        counts += [found[f"{draw}:{at}"].way != "offline" for at in range(12)]
    stated = np.array([found[f"{draw}:{at}"].probability for at in range(12)])
    assert counts[:3].tolist() == [draws] * 3
    assert stated[3:].sum() == pytest.approx(3)
    error = np.sqrt(stated * (1 - stated) / draws)
    assert (np.abs(counts / draws - stated) <= 4 * error + 1e-12).all()
    assert (error < 0.01).all()


def test_neighbours_by_doubt_are_drawn_together_as_often_as_others() -> None:
    # Two of ten at an interval of five: a given pair is at that distance in one of nine orders, and then drawn by
    # a fifth of the starts.
    together, draws = 0, 1500
    for draw in range(draws):
        found = routing.routes(fleet([1.0] * 10, f"{draw}:"), PurchaseRule(0.0, 0.2))
        together += {f"{draw}:0", f"{draw}:1"} <= asked(found)
    expected = draws / 9 / 5
    assert abs(together - expected) < 4 * np.sqrt(expected)


def test_one_that_is_far_less_certain_than_the_rest_is_always_drawn() -> None:
    doubts = [1e6, *[1.0] * 39]
    for draw in range(50):
        found = routing.routes(fleet(doubts, f"{draw}:"), PurchaseRule(0.0, 0.1))
        assert found[f"{draw}:0"] == VerdictRoute("audit", 1.0)
        assert ways(found.values())["audit"] == 4


def test_fleets_without_any_doubt_are_drawn_evenly() -> None:
    found = routing.routes(fleet([0.0] * 40), PurchaseRule(0.0, 0.25))
    assert {round(route.probability, 12) for route in found.values()} == {0.25}
    assert ways(found.values())["audit"] == 10


def test_the_same_fleet_draws_the_same_in_any_order_and_another_fleet_draws_another() -> None:
    known, strange = fleet(ERRORS), fleet(ERRORS[:100], "g", "t", known=False)
    turned = [*strange, *known][::-1]
    assert routing.routes(turned, USUAL) == routing.routes([*known, *strange], USUAL)
    drawn = {int(key[1:]) for key in asked(routing.routes(known, PurchaseRule(0.0, 0.2)))}
    others = {int(key[1:]) for key in asked(routing.routes(fleet(ERRORS, "h"), PurchaseRule(0.0, 0.2)))}
    assert len(drawn) == len(others) == 80
    assert drawn != others


def test_ties_are_broken_by_the_keys_and_not_by_the_order() -> None:
    even = fleet([1.0] * 50)
    found = routing.routes(even, PurchaseRule(0.2, 0.0))
    assert found == routing.routes(even[::-1], PurchaseRule(0.2, 0.0))
    assert ways(found.values()) == {"unsure": 10, "offline": 40}


def test_of_every_strange_scenario_the_least_is_drawn_with_even_probabilities() -> None:
    strange = [*fleet([1.0] * 50, "a", "one", False), *fleet([2.0] * 200, "b", "two", False)]
    found = routing.routes(strange, PurchaseRule(0.2, 0.05, 20))
    for name, count, wanted in (("a", 50, 20), ("b", 200, 50)):
        own = [route for key, route in found.items() if key.startswith(name)]
        assert ways(own) == {"audit": wanted, "offline": count - wanted}
        assert {route.probability for route in own} == {wanted / count}


def test_a_strange_scenario_with_fewer_dialogues_than_the_least_is_bought_whole() -> None:
    found = routing.routes(fleet([1.0] * 7, known=False), PurchaseRule(0.2, 0.05, 20))
    assert set(found.values()) == {VerdictRoute("audit", 1.0)}


def test_strange_dialogues_do_not_count_among_those_that_shares_are_of() -> None:
    both = [*fleet(ERRORS), *fleet([1e9] * 100, "g", "t", known=False)]
    found = routing.routes(both, USUAL)
    assert {key: route for key, route in found.items() if key.startswith("f")} == routing.routes(fleet(ERRORS), USUAL)


def test_a_strange_dialogue_is_drawn_as_often_as_any_other() -> None:
    draws, counts = 2000, np.zeros(8)
    for draw in range(draws):
        found = routing.routes(fleet(ERRORS[:8], f"{draw}:", known=False), PurchaseRule(0, 0, 3))
        counts += [found[f"{draw}:{at}"].way == "audit" for at in range(8)]
    assert counts.sum() == 3 * draws
    assert np.abs(counts / draws - 3 / 8).max() < 4 * np.sqrt(3 / 8 * 5 / 8 / draws)


def test_a_larger_audit_holds_the_smaller_one() -> None:
    strange = fleet([1.0] * 100, known=False)
    audits = [asked(routing.routes(strange, PurchaseRule(0, 0, least))) for least in (0, 5, 20, 60, 100, 200)]
    assert [len(audit) for audit in audits] == [0, 5, 20, 60, 100, 100]
    assert all(smaller <= larger for smaller, larger in pairwise(audits))


def test_shares_of_nothing_draw_the_least_of_known_scenarios_too() -> None:
    found = routing.routes([*fleet(ERRORS[:50]), *fleet(ERRORS[:30], "g", "t")], PurchaseRule(0, 0, 20))
    for name, count in (("f", 50), ("g", 30)):
        own = [route for key, route in found.items() if key.startswith(name)]
        assert ways(own) == {"audit": 20, "offline": count - 20}
        assert {route.probability for route in own} == {20 / count}


def test_nothing_wanted_is_nothing_bought_and_nothing_could_have_been() -> None:
    for known in (True, False):
        assert set(routing.routes(fleet(ERRORS, known=known), PurchaseRule(0, 0, 0)).values()) == {
            VerdictRoute("offline", 0.0)
        }


def test_without_an_audit_what_is_not_bought_never_could_have_been() -> None:
    found = routing.routes(fleet(ERRORS), PurchaseRule(0.2, 0.0))
    assert {route for route in found.values() if route.way != "unsure"} == {VerdictRoute("offline", 0.0)}


def test_everything_can_be_bought() -> None:
    assert set(routing.routes(fleet(ERRORS), PurchaseRule(1.0, 0.0)).values()) == {VerdictRoute("unsure", 1.0)}
    assert asked(routing.routes(fleet(ERRORS), PurchaseRule(0.0, 1.0))) == {f"f{at}" for at in range(400)}


def test_no_fleet_has_no_routes() -> None:
    assert routing.routes([], USUAL) == {}


def test_newcomers_to_a_hybrid_are_drawn_as_often_as_those_before_them() -> None:
    past = {"s": PastDraws(20, 80)}
    chances, drawn = [], 0
    for at in range(2000):
        found = routing.routes([RoutingCandidate(f"{at}", "s", 1.0, trained_on=False)], USUAL, past)
        chances += [route.probability for route in found.values()]
        drawn += len(asked(found))
    assert set(chances) == {0.25}
    assert abs(drawn - 500) < 4 * (2000 * 0.25 * 0.75) ** 0.5


def test_a_smaller_audit_gives_up_nothing_that_was_drawn() -> None:
    many = fleet([1.0] * 50)
    large = asked(routing.routes(many, PurchaseRule(0, 0, 20)))
    assert asked(routing.routes(many, PurchaseRule(0, 0, 5), {"s": PastDraws(20, 20)})) == large
