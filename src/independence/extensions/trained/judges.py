"""The trained judges: `offline`, and `hybrid:MODEL`, which asks a model or a person about what it is least sure of.

A verdict is given where the judge was trained on the very texts of the scenario and expects to be near enough;
otherwise it is `Missing("unsure")`. A prediction is always given, as a flag: for a scenario it was not trained on its
level is not to be trusted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from independence.engine.batch_judge import BatchGrading, PurchaseForecast
from independence.engine.resolve import ResolvedRun
from independence.engine.resume import PendingTrial
from independence.engine.run import RunOutcome
from independence.errors import UsageError
from independence.extensions.trained import HYBRID, OFFLINE, WEIGHTS, grading, grading_all, routing, weights
from independence.extensions.trained.grading import DialogueToGrade
from independence.extensions.trained.protocol import PredictingJudge, PurchaseRule
from independence.extensions.trained.views import scenario_digest
from independence.extensions.trained.weights import CalibrationLine
from independence.judge import kinds
from independence.judge.kinds import JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue, Prediction, StoredDialogue
from independence.suites import digest
from independence.suites.schema import Field, Suite
from independence.types import Grade, TranscriptTurn

_VERSION = re.compile(r"@([0-9a-f]{12})$")
_WHOLE = 1.0  # a hybrid takes what is predicted however unsure: the least certain were bought


class OfflineJudge(PredictingJudge, frozen=True, kw_only=True):
    """Trained weights. What it buys corrects its estimates alone."""

    weights: str  # their version
    line: CalibrationLine | None = None  # from the weights: what an index of predictions becomes
    file: str = ""  # of the weights; "": those of the package

    @cached_property
    def settings(self) -> str:
        """Its weights, whatever is bought beside them."""
        return digest.canonical({"judge": OFFLINE, "weights": self.weights, "line": self.line}).decode()

    def knows(self, turns: Sequence[TranscriptTurn], fields: Mapping[str, Field]) -> bool:
        """Whether it was trained on the very texts of a scenario, for all these fields but those of ours alone."""
        known = weights.load_or_shipped(self.file)
        return grading.graded_fields(scenario_digest(turns), fields, known) is not None

    def predict(self, dialogues: Sequence[FinishedDialogue]) -> list[Prediction]:
        """What it expects of every dialogue."""
        cases = [DialogueToGrade(one.turns, one.rubric.fields) for one in dialogues]
        return grading.predict_all(cases, weights.load_or_shipped(self.file))

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict, where it is near enough."""
        return grading.verdict(fields, prediction, weights.load_or_shipped(self.file).about.limit)

    async def grade_all(self, task: BatchGrading) -> RunOutcome:
        """Predict every finished dialogue, draw what is bought, and store the verdicts."""
        return await grading_all.grade(self, task)

    def unfinished(self, connection: sqlite3.Connection, dialogues: Sequence[StoredDialogue]) -> list[StoredDialogue]:
        """Those that an audit has still to draw or to buy."""
        return routing.unbought(connection, self, dialogues) if self.rule.audits else []

    def forecast(
        self, connection: sqlite3.Connection, job: ResolvedRun, todo: Sequence[PendingTrial]
    ) -> PurchaseForecast:
        """What will be bought, by what is stored of the plan."""
        return routing.forecast(self, todo, job.suite, routing.stored_purchases(connection, job, self))


class HybridJudge(OfflineJudge, frozen=True, kw_only=True):
    """Trained weights and a model whose verdicts, where they are bought, become its own."""

    takes_bought: ClassVar[bool] = True

    @cached_property
    def settings(self) -> str:
        """Its weights, its shares and its model."""
        assert self.auditor is not None
        requests = self.auditor.request_settings if isinstance(self.auditor, ModelJudge) else {}
        named = {"judge": HYBRID, "model": self.auditor.name, "weights": self.weights, "buying": self.rule}
        return digest.canonical({**named, **requests}).decode()

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict."""
        return grading.verdict(fields, prediction, _WHOLE)


def configure_offline(name: str, sources: JudgeSources) -> OfflineJudge:
    """The offline judge of a suite, audited where `--audit` says so.

    Raises UsageError where its weights are absent or know none of the suite's fields.
    """
    base, judge = _named_weights(name, sources)
    if base != OFFLINE:
        raise UsageError(f"judge `{name}` is none:", f"write `{OFFLINE}`, or `{HYBRID}:MODEL`")
    if sources.auditor is not None:
        judge = judge.buying(sources.auditor, PurchaseRule(0, 0, sources.offline.audit or 0))
    return judge


def configure_hybrid(name: str, sources: JudgeSources) -> HybridJudge:
    """A hybrid of the offline judge and the model or person in its name. Raises UsageError.

    Also where its shares are more than everything, or nothing.
    """
    if name.partition("@")[0] in (HYBRID, f"{HYBRID}:"):
        raise UsageError(f"judge `{name}` names no model to buy verdicts from: write {HYBRID}:MODEL")
    base, offline = _named_weights(name, sources)
    auditor = kinds.auditor(base.removeprefix(f"{HYBRID}:"), sources)
    own = offline.name.replace(OFFLINE, f"{HYBRID}:{auditor.name}", 1)
    unsure, audit = sources.offline.unsure_share, sources.offline.audit_share
    if not 0 < unsure + audit <= 1:
        shares = f"--unsure-share {unsure:g} and --audit-share {audit:g}"
        raise UsageError(f"{shares}: together they are above 0 and at most 1")
    judge = HybridJudge(own, weights=offline.weights, line=offline.line, file=offline.file)
    return judge.buying(auditor, PurchaseRule(unsure, audit))


def _named_weights(name: str, sources: JudgeSources) -> tuple[str, OfflineJudge]:
    """The name without a version of weights, and the offline judge by those weights. Raises UsageError.

    A name as boards print it may end with the version of weights of one's own.
    """
    judge, version = _of_weights(sources.suite, _weights_file(sources)), _VERSION.search(name)
    if version is None:
        return name, judge
    if version[1] != judge.weights:
        raise UsageError(f"judge `{name}`: its weights are not here; name their file with --weights")
    return name[: version.start()], judge


def _weights_file(sources: JudgeSources) -> Path | None:
    """The weights that are named, else those that lie in the suite's folder; None: those of this package."""
    own = sources.folder / WEIGHTS if sources.folder is not None else None
    return sources.offline.weights or (own if own is not None and own.is_file() else None)


def _of_weights(suite: Suite, path: Path | None) -> OfflineJudge:
    file = str(path) if path else ""
    judge = weights.load_or_shipped(file)
    known = {field for fields in judge.about.rubrics.values() for field in fields}
    if not any(known & rubric.fields.keys() for rubric in suite.rubrics.values()):
        raise UsageError(
            f"the offline judge knows none of the fields of suite {suite.suite}; `independence train-judge` learns one "
            "from graded replies, and --weights names it"
        )
    name = OFFLINE if judge.version == weights.shipped().version else f"{OFFLINE}@{judge.version}"
    return OfflineJudge(name, weights=judge.version, line=judge.about.line, file=file)
