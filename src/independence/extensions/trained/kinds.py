"""The kinds of trained judges: `offline`, and `hybrid:MODEL`. What they are made of is imported when one is made."""

from __future__ import annotations

from typing import Final

from independence.extensions.trained import HYBRID, OFFLINE
from independence.judge.kinds import JudgeKind, JudgeSources
from independence.judge.protocol import Judge


def _offline(name: str, sources: JudgeSources) -> Judge:
    from independence.extensions.trained import judges

    return judges.configure_offline(name, sources)


def _hybrid(name: str, sources: JudgeSources) -> Judge:
    from independence.extensions.trained import judges

    return judges.configure_hybrid(name, sources)


OFFLINE_KIND: Final = JudgeKind(word=OFFLINE, configure=_offline, predicts=True)
HYBRID_KIND: Final = JudgeKind(word=HYBRID, configure=_hybrid, needs_model=True, predicts=True, repeats_bought=True)
