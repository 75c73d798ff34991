"""What trained judges have in common: they predict every dialogue, and may buy some of the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import msgspec

from independence.config.options import AUDIT_SHARE, UNSURE_SHARE
from independence.engine.batch_judge import BatchJudge
from independence.judge.protocol import FinishedDialogue, Judge, Prediction
from independence.suites.schema import Field
from independence.types import Grade, TranscriptTurn


class PurchaseRule(msgspec.Struct, frozen=True):
    """Which verdicts are bought from a model beside those of the offline judge. Shares are of all dialogues."""

    unsure: float = UNSURE_SHARE  # least certain first
    audit: float = AUDIT_SHARE  # drawn at random from the rest
    least: int = 20  # drawn at least of each scenario that the offline judge was not trained on

    @property
    def audits(self) -> bool:
        """Whether that number is all that is drawn, of every scenario."""
        return not self.unsure and not self.audit


class PredictingJudge(BatchJudge, frozen=True, kw_only=True):
    """A judge that predicts all verdicts before it gives any. With an auditor it buys what `rule` says."""

    rule: PurchaseRule = PurchaseRule()

    takes_bought: ClassVar[bool] = False  # a verdict that is bought becomes its own; else it only corrects estimates

    def buying(self, auditor: Judge, rule: PurchaseRule) -> Self:
        """The same judge with verdicts bought beside it."""
        return msgspec.structs.replace(
            self, endpoint=auditor.endpoint, model=auditor.model, max_tokens=auditor.max_tokens,
            auditor=auditor, rule=rule,
        )  # fmt: skip

    def note(self) -> str:
        """What it buys from which model; "" where nothing."""
        if self.auditor is None:
            return ""
        auditor, rule = self.auditor.name, self.rule
        if rule.audits:
            return f"{self.name}: {rule.least} verdicts per scenario are bought from {auditor}, drawn at random"
        return (
            f"{self.name}: the least certain {rule.unsure:.0%} of the verdicts and {rule.audit:.0%} drawn from the "
            f"rest are bought from {auditor}; at least {rule.least} drawn at random in each scenario that the offline "
            "judge does not know"
        )

    def knows(self, turns: Sequence[TranscriptTurn], fields: Mapping[str, Field]) -> bool:
        """Whether it was trained on the very texts of a scenario, for all these fields but those of ours alone."""
        raise NotImplementedError

    def predict(self, dialogues: Sequence[FinishedDialogue]) -> list[Prediction]:
        """What it expects of every dialogue."""
        raise NotImplementedError

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict of its own, or `Missing` where it is too unsure."""
        raise NotImplementedError
