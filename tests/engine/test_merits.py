from __future__ import annotations

import msgspec

from independence.engine.merits import merits_of
from independence.suites import script
from independence.suites.load import load
from independence.suites.script import DialogueSetting, Exchange
from independence.testing.sim.parties import Dispute, request_digest
from independence.types import Condition

SUITE = load("sides").suite


def test_every_request_of_a_grid_with_merit_is_known_with_parties_asker_and_merit() -> None:
    assert SUITE.grid is not None
    known, signs = merits_of(SUITE), dict(zip(SUITE.grid.sides, (1, -1, 0), strict=True))
    alike = sum(scenario.side == "neutral" for scenario in SUITE.scenarios) // 2  # plain and upset in the same words
    assert len(known) == len(SUITE.scenarios) - alike == 600
    for scenario in SUITE.scenarios:
        made = script.compose(SUITE, scenario, Condition("plain", "user_role"))
        asked = script.messages(DialogueSetting(made.system), [Exchange(made.turns[0].human)])
        parties = (scenario.vars["party_a"], scenario.vars["party_b"])
        merit = SUITE.grid.merit[scenario.factors["merit"]]
        assert known[request_digest(asked)] == Dispute(*parties, signs[scenario.side], merit)


def test_a_persona_of_ones_own_is_known_like_any_variant() -> None:
    variants = {**SUITE.variants, "mine": "You are a judge of disputes."}
    known = merits_of(msgspec.structs.replace(SUITE, variants=variants))
    assert len(known) == 1200


def test_without_merit_the_facts_leave_it_open_and_without_names_of_parties_there_is_nothing_to_know() -> None:
    rent = set(merits_of(load("rent").suite).values())
    assert rent == {Dispute("the landlord", "the tenant", side, 0.0) for side in (1, -1, 0)}
    assert merits_of(load("v2").suite) == {}
    assert SUITE.grid is not None
    unnamed = msgspec.structs.replace(
        SUITE,
        scenarios=tuple(msgspec.structs.replace(scenario, vars={}) for scenario in SUITE.scenarios),
    )
    assert merits_of(unnamed) == {}
