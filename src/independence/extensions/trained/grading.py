"""Dialogues to predictions, and predictions to verdicts, by trained weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import NamedTuple

from independence.extensions.trained import features as reading
from independence.extensions.trained import weights
from independence.extensions.trained.views import scenario_digest, view
from independence.extensions.trained.weights import Head, Weights
from independence.judge.protocol import Prediction
from independence.suites.schema import Field
from independence.suites.without_texts import published_fields
from independence.types import Grade, Missing, Scalar, TranscriptTurn, Verdict

_BATCH = 128
_ODD = 0.5  # a value on this side of the scale is flagged where the usual is on the other


class DialogueToGrade(NamedTuple):
    """A dialogue to grade, whose last answer is the subject's, and the fields of its rubric."""

    lines: Sequence[TranscriptTurn]
    fields: Mapping[str, Field]


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
