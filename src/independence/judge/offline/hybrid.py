"""The hybrid judge: the offline judge, and a model or person for what it is least sure of and for a random audit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from independence.config.options import OfflineOptions
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.kinds import HYBRID, OFFLINE, JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.offline import grading
from independence.judge.offline.grading import OfflineJudge
from independence.judge.protocol import Prediction, PurchaseRule
from independence.suites import digest
from independence.suites.schema import Field
from independence.types import Grade

_WHOLE = 1.0  # it takes what is predicted however unsure: the least certain were bought


class HybridJudge(OfflineJudge, frozen=True, kw_only=True):
    """Trained weights and a model whose verdicts, where they are bought, become its own."""

    takes_bought: ClassVar[bool] = True

    @cached_property
    def settings(self) -> str:
        """Its weights, its shares and its model."""
        assert self.purchase is not None
        auditor, rule = self.purchase.auditor, self.purchase.rule
        requests = auditor.request_settings if isinstance(auditor, ModelJudge) else {}
        named = {"judge": HYBRID, "model": auditor.name, "weights": self.weights, "buying": rule}
        return digest.canonical({**named, **requests}).decode()

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict."""
        return grading.verdict(fields, prediction, _WHOLE)


def configure(name: str, sources: JudgeSources) -> HybridJudge:
    """A hybrid of the offline judge and the model or person in its name. Raises UsageError."""
    if name.partition("@")[0] in (HYBRID, f"{HYBRID}:"):
        raise UsageError(f"judge `{name}` names no model to buy verdicts from: write {HYBRID}:MODEL")
    base, offline = grading.named_weights(name, sources)
    auditor = kinds.auditor(base.removeprefix(f"{HYBRID}:"), sources)
    own = offline.name.replace(OFFLINE, f"{HYBRID}:{auditor.name}", 1)
    judge = HybridJudge(own, weights=offline.weights, line=offline.line, file=offline.file)
    return judge.buying(auditor, _rule(sources.offline))


def _rule(options: OfflineOptions) -> PurchaseRule:
    """What a hybrid buys. Raises UsageError where it is more than everything, or nothing."""
    if not 0 < options.unsure_share + options.audit_share <= 1:
        shares = f"--unsure-share {options.unsure_share:g} and --audit-share {options.audit_share:g}"
        raise UsageError(f"{shares}: together they are above 0 and at most 1")
    return PurchaseRule(options.unsure_share, options.audit_share)
