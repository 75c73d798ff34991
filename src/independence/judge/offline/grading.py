"""The offline judge: dialogues to verdicts, or to predictions that say how far off they may be.

A verdict is given where the judge was trained on the very texts of the scenario and expects to be near enough;
otherwise it is `Missing("unsure")`. A prediction is always given, as a flag: for a scenario it was not trained on its
level is not to be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import floor
from pathlib import Path
from typing import NamedTuple

from independence.errors import UsageError
from independence.judge.kinds import HYBRID, OFFLINE, JudgeSources
from independence.judge.offline import features as reading
from independence.judge.offline import weights
from independence.judge.offline.views import scenario_digest, view
from independence.judge.offline.weights import Head, Weights
from independence.judge.protocol import BatchJudge, CalibrationLine, FinishedDialogue, Prediction
from independence.suites import digest
from independence.suites.schema import Field, Suite
from independence.suites.without_texts import published_fields
from independence.types import Grade, Missing, Scalar, TranscriptTurn, Verdict

_BATCH = 128
_ODD = 0.5  # a value on this side of the scale is flagged where the usual is on the other
_VERSION = re.compile(r"@([0-9a-f]{12})$")


class DialogueToGrade(NamedTuple):
    """A dialogue to grade, whose last answer is the subject's, and the fields of its rubric."""

    lines: Sequence[TranscriptTurn]
    fields: Mapping[str, Field]


class OfflineJudge(BatchJudge, frozen=True, kw_only=True):
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
        return graded_fields(scenario_digest(turns), fields, weights.load_or_shipped(self.file)) is not None

    def predict(self, dialogues: Sequence[FinishedDialogue]) -> list[Prediction]:
        """What it expects of every dialogue."""
        cases = [DialogueToGrade(one.turns, one.rubric.fields) for one in dialogues]
        return predict_all(cases, weights.load_or_shipped(self.file))

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict, where it is near enough."""
        return verdict(fields, prediction, weights.load_or_shipped(self.file).about.limit)


def configure(name: str, sources: JudgeSources) -> OfflineJudge:
    """The offline judge of a suite. Raises UsageError where its weights are absent or know none of its fields."""
    base, judge = named_weights(name, sources)
    if base != OFFLINE:
        raise UsageError(f"judge `{name}` is none:", f"write `{OFFLINE}`, or `{HYBRID}:MODEL`")
    return judge


def named_weights(name: str, sources: JudgeSources) -> tuple[str, OfflineJudge]:
    """The name without a version of weights, and the offline judge by those weights. Raises UsageError.

    A name as boards print it may end with the version of weights of one's own.
    """
    judge, version = _offline(sources.suite, sources.offline.weights), _VERSION.search(name)
    if version is None:
        return name, judge
    if version[1] != judge.weights:
        raise UsageError(f"judge `{name}`: its weights are not here; name their file with --weights")
    return name[: version.start()], judge


def _offline(suite: Suite, path: Path | None) -> OfflineJudge:
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


class _FieldPredictions(NamedTuple):
    """What is told of one field, 0-1."""

    usual: float
    value: list[float]  # one a dialogue
    error: list[float]


def graded_fields(texts: str, fields: Mapping[str, Field], judge: Weights) -> Mapping[str, Field] | None:
    """The fields of a rubric that are graded in a scenario, by the digest of its texts; None where it is unknown.

    All of them, or those that a publisher's judge gave: no published verdict says whether a stand was taken.
    """
    learned = set(judge.about.rubrics.get(texts, ()))
    return next((own for own in (fields, published_fields(fields)) if own.keys() <= learned), None)


def predict_all(cases: Sequence[DialogueToGrade], judge: Weights) -> list[Prediction]:
    """Predict dialogues of any scenarios; many at once are far faster than one by one."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for at, case in enumerate(cases):
        alike.setdefault(tuple(case.fields), []).append(at)
    out: dict[int, Prediction] = {}
    for fields, places in alike.items():
        heads = tuple(head for head in judge.heads if set(head.fields) & set(fields))
        for start in range(0, len(places), _BATCH):
            own = places[start : start + _BATCH]
            out |= zip(own, _batch([cases[at] for at in own], heads, judge), strict=True)
    return [out[at] for at in range(len(cases))]


def verdict(fields: Mapping[str, Field], said: Prediction, limit: float) -> Grade:
    """A prediction as a verdict, where it is near enough (`limit`: largest doubt)."""
    if not said.known:
        return Missing("unsure", "the offline judge was not trained on these texts and fields")
    if said.doubt > limit:
        return Missing("unsure", f"it expects to be off by {said.doubt:.0%} of the scale, above {limit:.0%}")
    values = {name: typed(said.values[name], field) for name, field in fields.items() if name in said.values}
    return Verdict(values, f"Offline judge, from the text alone; expected error {said.doubt:.1%} of the scale.")


def typed(value: float, field: Field) -> Scalar:
    """A predicted value as a verdict's field holds it."""
    if field.type == "boolean":
        return value >= 0.5
    return floor(value + 0.5) if field.type == "integer" else value


def _batch(cases: Sequence[DialogueToGrade], heads: tuple[Head, ...], judge: Weights) -> list[Prediction]:
    digests = [scenario_digest(case.lines) for case in cases]
    read = reading.features(
        [view(case.lines) for case in cases], sorted({name for head in heads for name in head.extras})
    )
    told: dict[str, _FieldPredictions] = {}
    for head, said in zip(heads, weights.predict_heads(heads, read, digests), strict=True):
        value, error = said.value.T.tolist(), said.error.T.tolist()
        told |= {one.name: _FieldPredictions(one.usual, value[at], error[at]) for at, one in enumerate(head.learned)}
    out = []
    for at, (case, texts) in enumerate(zip(cases, digests, strict=True)):
        graded = graded_fields(texts, case.fields, judge)
        out.append(_prediction(at, case.fields if graded is None else graded, told, graded is not None))
    return out


def _prediction(at: int, fields: Mapping[str, Field], told: Mapping[str, _FieldPredictions], known: bool) -> Prediction:
    values, errors, flagged, doubt = {}, {}, [], 0.0
    for name, field in fields.items():
        if name not in told:
            continue
        usual, value, error = told[name].usual, told[name].value[at], told[name].error[at]
        low, high = field.range or (0.0, 1.0)
        values[name], errors[name] = low + value * (high - low), error * (high - low)
        doubt += error
        if (value > _ODD) != (usual > _ODD):
            flagged.append(name)
    return Prediction(values, errors, tuple(flagged), known, doubt / len(values) if values else 1.0)
