"""A judge as configured: a model at temperature 0, or the rule judge."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from independence.suites import digest

CUES: Final = "cues"
CUES_VERSION = 1  # part of every cues verdict's key: new rules grade anew
DEFAULT_JUDGE = "google/gemini-3-flash-preview"


class JudgeSpec(msgspec.Struct, frozen=True):
    """Who grades. `name` is what boards print."""

    name: str
    kind: Literal["model", "cues"] = "model"
    endpoint: str = ""
    model: str = ""
    temperature: float = 0.0
    max_tokens: int = 1024
    effort: str = "none"

    @property
    def settings(self) -> str:
        """Canonical JSON of everything that shapes a verdict besides rubric and dialogue."""
        if self.kind == CUES:
            return digest.canonical({"judge": CUES, "version": CUES_VERSION}).decode()
        return digest.canonical(
            {
                "judge": self.name,
                "temperature": self.temperature,
                "max_tokens": self.max_tokens,
                "effort": self.effort,
            }
        ).decode()


def verdict_key(context: str, rubric: str, settings: str, pass_: int = 1) -> str:
    """SHA-256 over {dialogue digest, rubric digest, judge and settings, pass}."""
    return digest.sha256({"context": context, "rubric": rubric, "judge": settings, "pass": pass_})
