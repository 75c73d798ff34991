"""What is said of lessons by models that saw none of their group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline.marks import Matrix
from independence.judge.offline.training import fitting
from independence.judge.offline.training.fitting import Fitted, Pupil
from independence.judge.offline.training.lessons import Course, Lesson
from independence.judge.offline.training.material import Likeness, Material, Rows, likeness, material

FOLDS = 10
Step = Callable[[], None]  # told that one part is learned


def silent() -> None:
    """Nobody wants to know."""


class Held(NamedTuple):
    """A field of n lessons: what the judge gave, and what a model that saw none of the lesson's group says, 0-1."""

    field: str
    lessons: tuple[Lesson, ...]
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


def extras(course: Course, fields: Sequence[str]) -> tuple[str, ...]:
    """Which extras are read for a group of fields: those of a persona where all are yes or no, else how it bears."""
    return ("persona",) if all(course.scales[field].boolean for field in fields) else ("bearing",)


def pupil(given: Material, lessons: Sequence[Lesson], alike: Likeness, train: Rows, read: Sequence[str]) -> Pupil:
    """Training rows without their verdicts yet."""
    families = np.array([lessons[row].family for row in train])
    groups = [np.flatnonzero(families == family) for family in sorted(set(families))]
    return Pupil(alike, train, np.zeros(len(train)), given.scenario, len(given.scenarios), groups, read)


def cross(course: Course, by_scenario: bool = False, step: Step = silent) -> list[Held]:
    """Every field, held out by family or by scenario; fields that cannot be held out are left out.

    `step` is told after each part, of which each of the course's heads has at most `FOLDS`.
    """
    return [held for fields in course.heads() for held in cross_head(course, fields, by_scenario, step)]


def cross_head(course: Course, fields: Sequence[str], by_scenario: bool, step: Step = silent) -> list[Held]:
    """The same for fields that were given together."""
    lessons = course.having(fields[0])
    parts = folds([one.scenario if by_scenario else one.family for one in lessons])
    if len(parts) < 2:
        return []
    given = material(lessons, extras(course, fields))
    out = {field: np.zeros((3, len(lessons))) for field in fields}
    for test in parts:
        train = np.setdiff1d(np.arange(len(lessons)), test)
        like = pupil(given, lessons, likeness(given, train), train, extras(course, fields))
        for field in fields:
            share = shares(course, field, lessons)
            whole = like._replace(share=share[train])
            told = fitting.said(fitting.fit(whole), whole, test)
            out[field][:, test] = told.value, told.error, np.full(len(test), share[train].mean())
        step()
    return [Held(f, tuple(lessons), shares(course, f, lessons), *out[f]) for f in fields]


def shares(course: Course, field: str, lessons: Sequence[Lesson]) -> Matrix:
    """A field of lessons on 0-1."""
    return course.scales[field].placed(np.array([one.values[field] for one in lessons]))


def whole(course: Course, fields: Sequence[str]) -> tuple[Material, Likeness, dict[str, Fitted]]:
    """Models of fields that were given together, from all their lessons."""
    lessons = course.having(fields[0])
    given = material(lessons, extras(course, fields))
    train = np.arange(len(lessons))
    alike = likeness(given, train)
    like = pupil(given, lessons, alike, train, extras(course, fields))
    return given, alike, {f: fitting.fit(like._replace(share=shares(course, f, lessons))) for f in fields}
