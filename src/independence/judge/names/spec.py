"""Who extracts names from which scenarios, and when what was found still holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.names.lexicon import lexicon
from independence.judge.protocol import DEFAULT_JUDGE, Judge
from independence.suites import digest
from independence.suites.schema import Scenario, Suite

DEFAULT_EXTRACTOR = DEFAULT_JUDGE
MAX_TOKENS = 512
CUES_VERSION = 1  # new rules read anew


def extractor(name: str, endpoint: str = "", model: str = "") -> Judge:
    """An extractor: the rules (`cues`), or a model at temperature 0."""
    if name == CUES:
        return Judge(name)  # by its rules: it grades nothing
    return ModelJudge(name, endpoint=endpoint, model=model, max_tokens=MAX_TOKENS)


def source(extractor: str, answers: Iterable[tuple[str, str]]) -> str:
    """Digest of what an extraction rests on: the answers, as (scenario, digest of it), and how they are read.

    An extraction stored under another digest is stale: an answer was replaced or added since, or the prompt or the
    rules are others.
    """
    how = {"rules": CUES_VERSION} if extractor == CUES else {"prompt": digest.sha256(lexicon().prompt)}
    return digest.sha256({"extractor": extractor, "answers": sorted(answers), **how})


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
