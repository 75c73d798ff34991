from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline.training import cross_validation, fitting, weights_building
from independence.judge.offline.training.training_set import TrainingSet
from independence.judge.offline.weights import Weights


def test_weights_in_bytes_say_what_the_fit_says(course: TrainingSet, judge: Weights):
    for held in weights_building.predict_examples(course, judge):
        given, alike, fits = cross_validation.fit_all(
            course, ("held", "left") if held.field == "none" else (held.field,)
        )
        rows = np.arange(len(held.lessons))
        pupil = cross_validation.training_rows(
            given, held.lessons, alike, rows, cross_validation.extras(course, (held.field,))
        )
        exact = fitting.predict_rows(fits[held.field], pupil, rows)
        assert np.abs(exact.value - held.value).max() < 0.15
        assert np.abs(exact.value - held.value).mean() < 0.02


def test_every_configuration_is_kept_back_once(course: TrainingSet):
    parts = weights_building.held_out_parts(course, 0.25, 1)
    assert len(parts) == 4
    assert sum(map(len, parts)) == len(frozenset.union(*parts)) == 12
    assert parts == weights_building.held_out_parts(course, 0.25, 1)
    assert parts != weights_building.held_out_parts(course, 0.25, 2)


def test_configurations_kept_back_are_told_well(course: TrainingSet):
    held = weights_building.predict_held_out_parts(course, ("held",), weights_building.held_out_parts(course, 0.5, 1))
    assert [one.field for one in held] == ["held"]
    assert len(held[0].lessons) == len(course.lessons)
    assert np.corrcoef(held[0].value, held[0].truth)[0, 1] > 0.8


def test_fields_that_are_not_wanted_are_not_in_the_weights(course: TrainingSet, judge: Weights):
    built = weights_building.build(
        course, ("left",), weights_building.JudgeCalibration(0.1), weights_building.TrainingOrigin("s", "e", "t")
    )
    assert [head.fields for head in built.heads] == [("left",)]
    assert set(built.about.rubrics.values()) == {("left",)}
    assert built.about.limit == pytest.approx(0.1)
