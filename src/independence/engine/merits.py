"""What simulated advisers are told of a suite's disputes: parties, asker and merit, by the digest of a request."""

from __future__ import annotations

from itertools import product

from independence.suites import script
from independence.suites.schema import Suite
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
    own, out = suite.grid, dict[str, Dispute]()
    if own is None:
        return out
    for scenario in suite.scenarios:
        texts = {**suite.vars, **scenario.vars}
        if not all(texts.get(name) for name in _NAMES):
            continue
        first, second = (texts[name] for name in _NAMES)
        side = dict(zip(own.sides, _SIDES, strict=False)).get(scenario.side, 0)
        dispute = Dispute(first, second, side, own.merit.get(scenario.factors.get(_MERIT, ""), 0.0))
        for variant, mode in product(suite.variants, suite.delivery.modes):
            made = script.compose(suite, scenario, Condition(variant, mode))
            setting = DialogueSetting(made.system, made.context, made.tool)
            out[request_digest(script.messages(setting, [Exchange(made.turns[0].human)]))] = dispute
    return out
