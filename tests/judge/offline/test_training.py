from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline import grading, training
from independence.judge.offline.grading import DialogueToGrade
from independence.judge.offline.training import HeldOutPredictions, TrainingSet
from independence.judge.offline.weights import Weights

from . import school


def squares(one: HeldOutPredictions, said: np.ndarray) -> float:
    return float(np.square(said - one.truth).mean())


@pytest.mark.parametrize("by", ["family", "scenario"])
def test_unseen_groups_are_told_far_better_than_by_the_mean_where_words_tell(course: TrainingSet, by: str):
    held = {one.field: one for one in training.cross_validate(course, by)}
    assert set(held) == {"held", "left"}
    for one in held.values():
        assert len(one.lessons) == len(course.lessons)
        assert squares(one, one.value) < 0.5 * squares(one, one.constant)
    assert np.corrcoef(held["held"].value, held["held"].truth)[0, 1] > 0.8
    assert held["held"].error.mean() < 0.3


def test_verdicts_without_a_reason_in_the_words_are_told_no_better_than_by_a_constant():
    (held, _) = training.cross_validate(school.taught(noise=True), "family")
    assert squares(held, held.value) > 0.9 * squares(held, held.constant)


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
        next(one for one in training.cross_validate(given, "family") if one.field == "held")
        for given in (course, course._replace(lessons=turned))
    )
    part = {one.family for one in before.lessons if one.family == family}
    own = np.array([lesson.family in part for lesson in before.lessons])
    assert not np.array_equal(before.value[~own], after.value[~own])
    assert np.array_equal(before.value[own], after.value[own])


@pytest.mark.parametrize("by", ["family", "scenario"])
def test_words_of_one_held_out_dialogue_have_no_say_in_what_is_said_of_another(course: TrainingSet, by: str):
    """Vocabulary, document frequencies, means and deviations are those of the training rows."""
    first = course.lessons[0]
    reworded = first._replace(lines=school.lines(school.HUMANS[first.scenario], " ".join(school.YIELD * 50)))
    other = course._replace(lessons=(reworded, *course.lessons[1:]))
    for before, after in zip(*(training.cross_validate(given, by) for given in (course, other)), strict=True):
        own = np.array([getattr(one, by) == getattr(first, by) for one in before.lessons])
        own[0] = False
        assert own.any()
        assert np.array_equal(before.value[own], after.value[own])
        assert np.array_equal(before.error[own], after.error[own])


def test_altered_dialogues_teach_nothing_and_are_told_by_models_that_do_not_know_their_family(course: TrainingSet):
    firm = training.opened(course, school.STAND[0])
    assert firm[0].lines[-1].answer == f"{school.STAND[0]} {course.lessons[0].lines[-1].answer}"
    before = training.cross_validate(course, "family")
    whole = training.cross_validate(course, "family", altered=(*course.lessons, *firm))
    for alone, (plain, same, opened) in zip(before, (one.split(3) for one in whole), strict=True):
        for one in (plain, same):
            assert one.field == alone.field
            assert one.lessons == alone.lessons
            assert one.value == pytest.approx(alone.value)
            assert one.error == pytest.approx(alone.error)
        assert opened.truth.tolist() == alone.truth.tolist()
        if alone.field == "held":
            assert opened.value.mean() > alone.value.mean()


def test_what_cannot_be_held_out_is_left_out(course: TrainingSet):
    assert training.cross_validate(course._replace(lessons=()), "family") == []
    alone = [one for one in course.lessons if one.family == course.lessons[0].family]
    assert training.cross_validate(course._replace(lessons=tuple(alone)), "family") == []


def test_every_part_that_is_learned_is_told(course: TrainingSet) -> None:
    told: list[None] = []
    training.cross_validate(course, "family", lambda: told.append(None))
    assert len(told) == training.FOLDS * len(course.heads())


def test_weights_in_bytes_say_what_was_learned(course: TrainingSet, judge: Weights):
    cases = [DialogueToGrade(one.lines, course.fields) for one in course.lessons]
    said = np.array([one.values["held"] for one in grading.predict_all(cases, judge)])
    truth = np.array([one.values["held"] for one in course.lessons])
    assert np.corrcoef(said, truth)[0, 1] > 0.95


def test_fields_that_are_not_wanted_are_not_in_the_weights(course: TrainingSet):
    built = training.build(course, ("left",), school.ABOUT)
    assert [head.fields for head in built.heads] == [("left",)]
    assert set(built.about.rubrics.values()) == {("left",)}


def test_fields_that_were_given_to_different_dialogues_are_learned_apart(course: TrainingSet):
    without = course.lessons[0]._replace(values={"held": 5.0})
    mixed = course._replace(lessons=(without, *course.lessons[1:]))
    assert sorted(mixed.heads()) == [("held",), ("left",)]
