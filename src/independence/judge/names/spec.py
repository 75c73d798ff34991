"""Who extracts, and when what it found still holds."""

from __future__ import annotations

from collections.abc import Iterable

from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.names.lexicon import lexicon
from independence.judge.protocol import DEFAULT_JUDGE, Judge
from independence.suites import digest

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
