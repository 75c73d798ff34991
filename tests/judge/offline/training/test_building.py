from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline.training import building, crossing, fitting
from independence.judge.offline.training.lessons import Course
from independence.judge.offline.weights import Weights


def test_weights_in_bytes_say_what_the_fit_says(course: Course, judge: Weights):
    for held in building.examined(course, judge):
        given, alike, fits = crossing.whole(course, ("held", "left") if held.field == "none" else (held.field,))
        rows = np.arange(len(held.lessons))
        pupil = crossing.pupil(given, held.lessons, alike, rows, crossing.extras(course, (held.field,)))
        exact = fitting.said(fits[held.field], pupil, rows)
        assert np.abs(exact.value - held.value).max() < 0.15
        assert np.abs(exact.value - held.value).mean() < 0.02


def test_every_configuration_is_kept_back_once(course: Course):
    parts = building.held_back(course, 0.25, 1)
    assert len(parts) == 4
    assert sum(map(len, parts)) == len(frozenset.union(*parts)) == 12
    assert parts == building.held_back(course, 0.25, 1)
    assert parts != building.held_back(course, 0.25, 2)


def test_configurations_kept_back_are_told_well(course: Course):
    held = building.kept_back(course, ("held",), building.held_back(course, 0.5, 1))
    assert [one.field for one in held] == ["held"]
    assert len(held[0].lessons) == len(course.lessons)
    assert np.corrcoef(held[0].value, held[0].truth)[0, 1] > 0.8


def test_fields_that_are_not_wanted_are_not_in_the_weights(course: Course, judge: Weights):
    built = building.build(course, ("left",), building.Told(0.1), building.Origin("s", "e", "t"))
    assert [head.fields for head in built.heads] == [("left",)]
    assert set(built.about.rubrics.values()) == {("left",)}
    assert built.about.limit == pytest.approx(0.1)
