from __future__ import annotations

import numpy as np

from independence.judge.offline.training import cross_validation
from independence.judge.offline.training.training_set import TrainingSet
from tests.judge.offline import school


def test_a_family_is_never_in_two_folds():
    groups = ["a"] * 7 + ["b"] * 3 + ["c"] * 2 + ["d"]
    parts = cross_validation.folds(groups, 3)
    assert sorted(np.concatenate(parts).tolist()) == list(range(13))
    assert len(parts) == 3
    assert all(len({groups[row] for row in part} & {groups[row] for row in other}) == 0
               for part in parts for other in parts if part is not other)  # fmt: skip


def test_there_are_no_more_folds_than_groups():
    assert len(cross_validation.folds(["a", "b", "a"])) == 2


def test_unseen_families_are_told_well_where_words_tell(course: TrainingSet):
    held = {one.field: one for one in cross_validation.cross_validate(course)}
    assert set(held) == {"held", "left"}
    assert np.corrcoef(held["held"].value, held["held"].truth)[0, 1] > 0.8
    assert held["held"].error.mean() < 0.3


def test_verdicts_without_a_reason_in_the_words_are_told_no_better_than_by_a_constant():
    (held, _) = cross_validation.cross_validate(school.taught(noise=True))
    assert np.square(held.value - held.truth).mean() > 0.9 * np.square(held.constant - held.truth).mean()


def test_a_held_out_family_has_no_say_in_what_is_said_of_it(course: TrainingSet):
    """Other verdicts on a family change what is said of others, never what is said of itself."""
    family = course.lessons[0].family
    turned = tuple(
        one._replace(values={"held": 10 - one.values["held"], "left": 1 - one.values["left"]})
        if one.family == family
        else one
        for one in course.lessons
    )
    before, after = (
        next(one for one in cross_validation.cross_validate(given) if one.field == "held")
        for given in (course, course._replace(lessons=turned))
    )
    own = np.array([lesson.family == family for lesson in before.lessons])
    assert np.array_equal(before.value[own], after.value[own])
    assert not np.array_equal(before.value[~own], after.value[~own])


def test_scenarios_are_held_out_whole(course: TrainingSet):
    held = cross_validation.cross_validate(course, by_scenario=True)
    assert {one.field for one in held} == {"held", "left"}
    assert cross_validation.cross_validate(course._replace(lessons=course.lessons[:0])) == []


def test_every_part_that_is_learned_is_told() -> None:
    told: list[None] = []
    course = school.taught()
    cross_validation.cross_validate(course, step=lambda: told.append(None))
    assert 0 < len(told) <= cross_validation.FOLDS * len(course.heads())
    assert len(told) == sum(
        len(cross_validation.folds([one.family for one in course.having(fields[0])])) for fields in course.heads()
    )
