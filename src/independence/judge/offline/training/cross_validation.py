"""What is said of lessons by models that saw none of their group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline.marks import Matrix
from independence.judge.offline.training import fitting
from independence.judge.offline.training.feature_matrices import (
    Kernels,
    Rows,
    TrainingFeatures,
    kernels_of,
    training_features,
)
from independence.judge.offline.training.fitting import FittedField, TrainingRows
from independence.judge.offline.training.training_set import TrainingExample, TrainingSet

FOLDS = 10
ProgressCallback = Callable[[], None]  # told that one part is learned


def no_progress() -> None:
    """Nobody wants to know."""


class HeldOutPredictions(NamedTuple):
    """A field of n lessons: what the judge gave, and what a model that saw none of the lesson's group says, 0-1."""

    field: str
    lessons: tuple[TrainingExample, ...]
    truth: Matrix
    value: Matrix
    error: Matrix  # expected absolute error
    constant: Matrix  # what the mean of the training rows says


def folds(groups: Sequence[str], count: int = FOLDS) -> list[Rows]:
    """Rows of each fold: groups stay whole, folds become alike in size. Fewer where there are fewer groups."""
    sizes = Counter(groups)
    load = [0] * min(count, len(sizes))
    place = {}
    for group in sorted(sizes, key=lambda name: (-sizes[name], name)):
        place[group] = load.index(min(load))
        load[place[group]] += sizes[group]
    at = np.array([place[group] for group in groups])
    return [np.flatnonzero(at == fold) for fold in range(len(load))]


def extras(course: TrainingSet, fields: Sequence[str]) -> tuple[str, ...]:
    """Which extras are read for a group of fields: those of a persona where all are yes or no, else how it bears."""
    return ("persona",) if all(course.scales[field].boolean for field in fields) else ("bearing",)


def training_rows(
    given: TrainingFeatures, lessons: Sequence[TrainingExample], alike: Kernels, train: Rows, read: Sequence[str]
) -> TrainingRows:
    """Training rows without their verdicts yet."""
    families = np.array([lessons[row].family for row in train])
    groups = [np.flatnonzero(families == family) for family in sorted(set(families))]
    return TrainingRows(
        kernels=alike,
        train=train,
        share=np.zeros(len(train)),
        scenario=given.scenario,
        scenarios=len(given.scenarios),
        groups=groups,
        extras=read,
    )


def cross_validate(
    course: TrainingSet, by_scenario: bool = False, step: ProgressCallback = no_progress
) -> list[HeldOutPredictions]:
    """Every field, held out by family or by scenario; fields that cannot be held out are left out.

    `step` is told after each part, of which each of the course's heads has at most `FOLDS`.
    """
    return [held for fields in course.heads() for held in cross_validate_head(course, fields, by_scenario, step)]


def cross_validate_head(
    course: TrainingSet, fields: Sequence[str], by_scenario: bool, step: ProgressCallback = no_progress
) -> list[HeldOutPredictions]:
    """The same for fields that were given together."""
    lessons = course.having(fields[0])
    parts = folds([one.scenario if by_scenario else one.family for one in lessons])
    if len(parts) < 2:
        return []
    given = training_features(lessons, extras(course, fields))
    out = {field: np.zeros((3, len(lessons))) for field in fields}
    for test in parts:
        train = np.setdiff1d(np.arange(len(lessons)), test)
        like = training_rows(given, lessons, kernels_of(given, train), train, extras(course, fields))
        for field in fields:
            share = shares(course, field, lessons)
            whole = like._replace(share=share[train])
            told = fitting.predict_rows(fitting.fit(whole), whole, test)
            out[field][:, test] = told.value, told.error, np.full(len(test), share[train].mean())
        step()
    return [
        HeldOutPredictions(
            field=field,
            lessons=tuple(lessons),
            truth=shares(course, field, lessons),
            value=value,
            error=error,
            constant=constant,
        )
        for field, (value, error, constant) in out.items()
    ]


def shares(course: TrainingSet, field: str, lessons: Sequence[TrainingExample]) -> Matrix:
    """A field of lessons on 0-1."""
    return course.scales[field].placed(np.array([one.values[field] for one in lessons]))


def fit_all(course: TrainingSet, fields: Sequence[str]) -> tuple[TrainingFeatures, Kernels, dict[str, FittedField]]:
    """Models of fields that were given together, from all their lessons."""
    lessons = course.having(fields[0])
    given = training_features(lessons, extras(course, fields))
    train = np.arange(len(lessons))
    alike = kernels_of(given, train)
    like = training_rows(given, lessons, alike, train, extras(course, fields))
    return given, alike, {f: fitting.fit(like._replace(share=shares(course, f, lessons))) for f in fields}
