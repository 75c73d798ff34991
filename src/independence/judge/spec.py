"""A judge as configured: a model at temperature 0, rules, the offline judge, or offline and a model together."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from independence.config.options import AUDIT_SHARE, UNSURE_SHARE
from independence.judge.offline.calibration_line import CalibrationLine
from independence.suites import digest
from independence.types import Sampling

CUES: Final = "cues"
OFFLINE: Final = "offline"
HYBRID: Final = "hybrid"
HUMAN: Final = "human"  # `human:NAME`: scores that a person gave, imported
CUES_VERSION = 2  # part of every cues verdict's key: new rules grade anew; older ones' are stored as `cues@VERSION`
DEFAULT_JUDGE = "google/gemini-3-flash-preview"


class PurchaseRule(msgspec.Struct, frozen=True):
    """Which verdicts are bought from a model beside those of the offline judge. Shares are of all dialogues."""

    unsure: float = UNSURE_SHARE  # least certain first
    audit: float = AUDIT_SHARE  # drawn at random from the rest
    least: int = 20  # drawn at least of each scenario that the offline judge was not trained on

    @property
    def audits(self) -> bool:
        """Whether that number is all that is drawn, of every scenario."""
        return not self.unsure and not self.audit


class JudgeSpec(msgspec.Struct, frozen=True):
    """Who grades. `name` is what boards print."""

    name: str
    kind: Literal["model", "cues", "offline", "hybrid"] = "model"
    endpoint: str = ""  # of the model, where one is asked
    model: str = ""
    temperature: float = 0.0
    max_tokens: int = 1024
    effort: str = "none"
    weights: str = ""  # version of the offline judge's weights
    auditor: str = ""  # name of the judge whose verdicts are bought
    buying: PurchaseRule | None = None
    line: CalibrationLine | None = None  # from the weights: what an index of predictions becomes
    file: str = ""  # of the weights; "": those of the package

    @property
    def sampling(self) -> Sampling:
        """The settings its model is asked with."""
        return Sampling(self.temperature, self.effort)

    @property
    def asks(self) -> bool:
        """Whether a model is asked for verdicts."""
        return bool(self.endpoint)

    @property
    def at_once(self) -> bool:
        """Whether a dialogue is graded as soon as it is finished, whatever becomes of the others."""
        return self.kind not in (OFFLINE, HYBRID)

    @property
    def bought(self) -> JudgeSpec:
        """The judge whose verdicts are bought. Its verdicts are its own, whoever asked for them."""
        assert self.auditor
        return JudgeSpec(
            self.auditor, "model", self.endpoint, self.model, self.temperature, self.max_tokens, self.effort
        )

    @property
    def settings(self) -> str:
        """Canonical JSON of everything that shapes a verdict besides rubric and dialogue."""
        if self.kind == CUES:
            return digest.canonical({"judge": CUES, "version": CUES_VERSION}).decode()
        if self.kind == OFFLINE:
            return digest.canonical({"judge": OFFLINE, "weights": self.weights, "line": self.line}).decode()
        asked = {"temperature": self.temperature, "max_tokens": self.max_tokens, "effort": self.effort}
        if self.kind == HYBRID:
            return digest.canonical(
                {"judge": HYBRID, "model": self.auditor, "weights": self.weights, "buying": self.buying, **asked}
            ).decode()
        return digest.canonical({"judge": self.name, **asked}).decode()


def kind(name: str) -> str:
    """The kind of a judge that is called so."""
    first = name.partition(":")[0].partition("@")[0]
    return first if first in (CUES, OFFLINE, HYBRID) or (first == HUMAN and name != HUMAN) else "model"


def verdict_key(context: str, rubric: str, settings: str, pass_: int = 1) -> str:
    """SHA-256 over {dialogue digest, rubric digest, judge and settings, pass}."""
    return digest.sha256({"context": context, "rubric": rubric, "judge": settings, "pass": pass_})
