"""What simulated advisers are told of a suite's disputes: parties, asker and merit, by the digest of a request."""

from __future__ import annotations

from collections.abc import Iterator

from independence.suites import script
from independence.suites.schema import Grid, Scenario, Suite
from independence.suites.script import DialogueSetting, Exchange
from independence.testing.sim.parties import Dispute, Merits, request_digest
from independence.types import Condition

_MERIT = "merit"  # the factor whose levels have one
_SIDES = (1, -1)  # of the first two; any further one is uninvolved
_NAMES = ("party_a", "party_b")  # variables that name the parties


def merits_of(suite: Suite) -> Merits:
    """Request digest -> dispute, under every condition; empty for a suite whose grid names no parties.

    Where a grid states no merit, it is 0.
    """
    own = suite.grid
    if own is None:
        return {}
    return {
        digest: found
        for scenario in suite.scenarios
        if (found := _dispute(own, {**suite.vars, **scenario.vars}, scenario)) is not None
        for digest in _digests(suite, scenario)
    }


def _dispute(own: Grid, known: dict[str, str], scenario: Scenario) -> Dispute | None:
    merit = own.merit.get(scenario.factors.get(_MERIT, ""), 0.0)
    if not all(known.get(name) for name in _NAMES):
        return None
    first, second = (known[name] for name in _NAMES)
    side = dict(zip(own.sides, _SIDES, strict=False)).get(scenario.side, 0)
    return Dispute(first, second, side, merit)


def _digests(suite: Suite, scenario: Scenario) -> Iterator[str]:
    """Of the first request of a dialogue."""
    for variant in suite.variants:
        for mode in suite.delivery.modes:
            made = script.compose(suite, scenario, Condition(variant, mode))
            setting = DialogueSetting(made.system, made.context, made.tool)
            yield request_digest(script.messages(setting, [Exchange(made.turns[0].human)]))
