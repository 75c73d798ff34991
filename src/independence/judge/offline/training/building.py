"""A course to weights, and what weights say of lessons they never saw."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline import grading
from independence.judge.offline.grading import Case
from independence.judge.offline.line import Line
from independence.judge.offline.model import Head
from independence.judge.offline.prediction import Prediction
from independence.judge.offline.training import crossing, packing
from independence.judge.offline.training.crossing import Held, Step
from independence.judge.offline.training.lessons import Course, Lesson
from independence.judge.offline.weights import About, Weights

ABSTAIN = 0.05  # share of held-out verdicts whose doubt is too great


class Origin(NamedTuple):
    """Where lessons are from."""

    suite: str
    edition: str
    teacher: str


class Told(NamedTuple):
    """What crossing told about a judge before it was learned from everything."""

    limit: float  # doubt of a verdict from which it is not given
    line: Line | None = None


def build(course: Course, fields: Collection[str], told: Told, origin: Origin) -> Weights:
    """Learn those fields from all lessons."""
    heads = []
    for together in course.heads():
        wanted = tuple(field for field in together if field in fields)
        if wanted:
            given, alike, fits = crossing.whole(course, wanted)
            usual = {f: float(crossing.shares(course, f, course.having(f)).mean()) for f in wanted}
            heads.append(packing.pack(given, alike, fits, usual))
    about = About(
        *origin,
        data=course.digest(),
        lessons=len(course.lessons),
        configurations=len({one.config for one in course.lessons}),
        families=len({one.family for one in course.lessons}),
        limit=told.limit,
        line=told.line,
        rubrics=_rubrics(heads),
        heads=tuple(map(packing.about, heads)),
    )
    return Weights(about, tuple(heads), "")


def held_back(course: Course, share: float, seed: int) -> list[frozenset[str]]:
    """Configurations in drawn parts of about that share (0-1), each to be kept back once; at least two parts."""
    configs = sorted({one.config for one in course.lessons})
    drawn = np.random.default_rng(seed).permutation(configs).tolist()
    parts = min(max(2, round(1 / share)), len(drawn))
    return [frozenset(drawn[at::parts]) for at in range(parts)]


def kept_back(
    course: Course, fields: Collection[str], parts: Sequence[frozenset[str]], step: Step = crossing.silent
) -> list[Held]:
    """What weights that were learned from the other parts say of each part, as they would be used."""
    everybody = {one.config for one in course.lessons}
    found: dict[str, list[Held]] = {}
    for part in parts:
        judge = build(course.only(everybody - part), fields, Told(1.0), Origin("", "", ""))
        for held in examined(course.only(part), judge):
            found.setdefault(held.field, []).append(held)
        step()
    return [_joined(several) for several in found.values()]


def _joined(several: Sequence[Held]) -> Held:
    lessons = tuple(lesson for one in several for lesson in one.lessons)
    return Held(several[0].field, lessons, *(np.concatenate([one[at] for one in several]) for at in range(2, 6)))


def examined(course: Course, judge: Weights) -> list[Held]:
    """What weights say of lessons, field by field."""
    said = grading.predict_all([Case(one.lines, course.fields(one)) for one in course.lessons], judge)
    out = []
    for field in sorted({name for head in judge.heads for name in head.fields}):
        rows = [at for at, one in enumerate(course.lessons) if field in one.values]
        if rows:
            out.append(_held(course, field, [course.lessons[at] for at in rows], [said[at] for at in rows]))
    return out


def _held(course: Course, field: str, lessons: list[Lesson], said: list[Prediction]) -> Held:
    scale = course.scales[field]
    truth = crossing.shares(course, field, lessons)
    value = scale.placed(np.array([one.values[field] for one in said]))
    error = np.array([one.expected_error[field] for one in said]) / (scale.high - scale.low)
    return Held(field, tuple(lessons), truth, value, error, np.full(len(truth), truth.mean()))


def _rubrics(heads: list[Head]) -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for head in heads:
        for digest in head.scenarios:
            out.setdefault(digest, []).extend(head.fields)
    return {digest: tuple(sorted(fields)) for digest, fields in sorted(out.items())}
