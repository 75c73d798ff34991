"""From training examples to weights as they are packed, and what weights predict of examples they never saw."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline import grading
from independence.judge.offline.features import BLOCKS, EXTRAS
from independence.judge.offline.grading import DialogueToGrade
from independence.judge.offline.marks import Matrix
from independence.judge.offline.model import FieldModel, Head
from independence.judge.offline.prediction import CalibrationLine, Prediction
from independence.judge.offline.training import cross_validation
from independence.judge.offline.training.cross_validation import HeldOutPredictions, ProgressCallback
from independence.judge.offline.training.feature_matrices import DENSE, PIECES, Kernels, TrainingFeatures, normed
from independence.judge.offline.training.fitting import FittedField
from independence.judge.offline.training.training_set import TrainingExample, TrainingSet
from independence.judge.offline.weights import HeadInfo, Weights, WeightsInfo

ABSTAIN = 0.05  # share of held-out verdicts whose doubt is too great


class TrainingOrigin(NamedTuple):
    """Where lessons are from."""

    suite: str
    edition: str
    teacher: str


class JudgeCalibration(NamedTuple):
    """What crossing told about a judge before it was learned from everything."""

    limit: float  # doubt of a verdict from which it is not given
    line: CalibrationLine | None = None


def build(course: TrainingSet, fields: Collection[str], told: JudgeCalibration, origin: TrainingOrigin) -> Weights:
    """Learn those fields from all lessons."""
    heads = []
    for together in course.heads():
        wanted = tuple(field for field in together if field in fields)
        if wanted:
            given, alike, fits = cross_validation.fit_all(course, wanted)
            usual = {f: float(cross_validation.shares(course, f, course.having(f)).mean()) for f in wanted}
            heads.append(pack(given, alike, fits, usual))
    about = WeightsInfo(
        suite=origin.suite,
        edition=origin.edition,
        teacher=origin.teacher,
        data=course.digest(),
        lessons=len(course.lessons),
        configurations=len({one.config for one in course.lessons}),
        families=len({one.family for one in course.lessons}),
        limit=told.limit,
        line=told.line,
        rubrics=_rubrics(heads),
        heads=tuple(map(head_info, heads)),
    )
    return Weights(about, tuple(heads), "")


def held_out_parts(course: TrainingSet, share: float, seed: int) -> list[frozenset[str]]:
    """Configurations in drawn parts of about that share (0-1), each to be kept back once; at least two parts."""
    configs = sorted({one.config for one in course.lessons})
    drawn = np.random.default_rng(seed).permutation(configs).tolist()
    parts = min(max(2, round(1 / share)), len(drawn))
    return [frozenset(drawn[at::parts]) for at in range(parts)]


def predict_held_out_parts(
    course: TrainingSet,
    fields: Collection[str],
    parts: Sequence[frozenset[str]],
    step: ProgressCallback = cross_validation.no_progress,
) -> list[HeldOutPredictions]:
    """What weights that were learned from the other parts say of each part, as they would be used."""
    everybody = {one.config for one in course.lessons}
    found: dict[str, list[HeldOutPredictions]] = {}
    for part in parts:
        judge = build(course.only(everybody - part), fields, JudgeCalibration(1.0), TrainingOrigin("", "", ""))
        for held in predict_examples(course.only(part), judge):
            found.setdefault(held.field, []).append(held)
        step()
    return [_joined(several) for several in found.values()]


def _joined(several: Sequence[HeldOutPredictions]) -> HeldOutPredictions:
    lessons = tuple(lesson for one in several for lesson in one.lessons)
    return HeldOutPredictions(
        field=several[0].field,
        lessons=lessons,
        truth=np.concatenate([one.truth for one in several]),
        value=np.concatenate([one.value for one in several]),
        error=np.concatenate([one.error for one in several]),
        constant=np.concatenate([one.constant for one in several]),
    )


def predict_examples(course: TrainingSet, judge: Weights) -> list[HeldOutPredictions]:
    """What weights say of lessons, field by field."""
    said = grading.predict_all([DialogueToGrade(one.lines, course.fields(one)) for one in course.lessons], judge)
    out = []
    for field in sorted({name for head in judge.heads for name in head.fields}):
        rows = [at for at, one in enumerate(course.lessons) if field in one.values]
        if rows:
            out.append(
                _field_predictions(course, field, [course.lessons[at] for at in rows], [said[at] for at in rows])
            )
    return out


def _field_predictions(
    course: TrainingSet, field: str, lessons: list[TrainingExample], said: list[Prediction]
) -> HeldOutPredictions:
    scale = course.scales[field]
    truth = cross_validation.shares(course, field, lessons)
    value = scale.placed(np.array([one.values[field] for one in said]))
    error = np.array([one.expected_error[field] for one in said]) / (scale.high - scale.low)
    return HeldOutPredictions(
        field=field,
        lessons=tuple(lessons),
        truth=truth,
        value=value,
        error=error,
        constant=np.full(len(truth), truth.mean()),
    )


def _rubrics(heads: list[Head]) -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for head in heads:
        for digest in head.scenarios:
            out.setdefault(digest, []).extend(head.fields)
    return {digest: tuple(sorted(fields)) for digest, fields in sorted(out.items())}


_STEPS = 127


def pack(given: TrainingFeatures, alike: Kernels, fits: dict[str, FittedField], usual: dict[str, float]) -> Head:
    """The head of fields that were learned from the same lessons."""
    by = alike.norms
    blocks, dense = normed(given, by)
    columns = np.array([column for one in fits.values() for column in (one.ridge, one.logit)]).T
    pieces = np.array([one.weights for one in fits.values() for _ in range(2)]).T  # (pieces, columns)
    extras = tuple(name for name in EXTRAS if pieces[PIECES.index(name)].any())
    parts = [DENSE.index(name) for name in ("marks", "style", *extras)]
    packed, scales = [], []
    for at in range(len(BLOCKS)):
        exact: Matrix = np.asarray(blocks[at].T @ (columns * pieces[at]))
        scale = np.abs(exact).max(axis=0) / _STEPS
        packed.append(np.round(exact / np.where(scale > 0, scale, 1)).astype(np.int8))
        scales.append(scale)
    marks = [dense[at].T @ (columns * pieces[PIECES.index(DENSE[at])]) for at in parts]
    return Head(
        learned=tuple(FieldModel(name, usual[name], one.curve, one.doubt) for name, one in fits.items()),
        extras=extras,
        scenarios=given.scenarios,
        known=np.concatenate(by.known),
        weights=np.concatenate(packed),
        scales=np.array(scales, dtype=np.float32),
        mean=np.concatenate([by.mean[at] for at in parts]),
        deviation=np.concatenate([by.deviation[at] for at in parts]),
        dense=np.vstack(marks),
        offsets=_offsets(given, fits, columns, pieces[PIECES.index("scenario")]),
    )


def head_info(head: Head) -> HeadInfo:
    """What the file tells of a head."""
    return HeadInfo(head.fields, tuple(one.usual for one in head.learned), head.extras, head.scenarios)


def _offsets(given: TrainingFeatures, fits: dict[str, FittedField], columns: Matrix, weights: Matrix) -> Matrix:
    count = len(given.scenarios)
    inside = np.array([columns[given.scenario == code].sum(axis=0) for code in range(count)]) * weights
    offsets = np.vstack([inside, inside.mean(axis=0)])
    offsets[:, 0::2] += np.array([one.base for one in fits.values()]).T
    offsets[:, 1::2] += columns[:, 1::2].sum(axis=0)
    return offsets
