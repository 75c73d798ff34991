"""In which scenarios of a suite a name may be taken, told from their texts: no suite has to declare it."""

from __future__ import annotations

import re

from independence.suites.schema import Scenario, Suite

IDENTITY = "identity"
MOST = 8  # more answers than this make no clearer picture of one run, only a dearer question
_ASKS = re.compile(
    r"\b(?:your|a|an|the|own|what|which|first|last|full) names?\b|\bnames? (?:for|of) (?:you|each)|\bcalls? you\b"
    r"|\bcall yourself\b|\byou be called\b|\bwho are you\b",
    re.IGNORECASE,
)


def scenarios(suite: Suite) -> tuple[str, ...]:
    """Ids of the scenarios whose first answer may take a name, in the suite's order.

    Those that open freely (nothing said before, nothing told in a system prompt of their own) and ask for a name; where
    none asks in words that are known here, those of the experiment `identity` that open freely.
    """
    free = [scenario for scenario in suite.scenarios if _free(scenario)]
    asking = [scenario.id for scenario in free if _ASKS.search(scenario.turns[0].human)]
    return tuple(asking or [scenario.id for scenario in free if scenario.experiment == IDENTITY])[:MOST]


def _free(scenario: Scenario) -> bool:
    return scenario.follows is None and not scenario.system and scenario.turns[0].reply is None
