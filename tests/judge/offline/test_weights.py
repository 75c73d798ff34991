from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from independence.errors import UsageError
from independence.judge.kinds import WEIGHTS
from independence.judge.offline import training, weights
from independence.judge.offline.training import TrainingSet
from independence.judge.offline.weights import Weights

from . import school


def saved(lessons: TrainingSet, path: Path) -> bytes:
    built = training.build(lessons, ("held", "left"), school.ABOUT)
    weights.save(path, built.about, built.heads)
    return path.read_bytes()


def test_the_same_lessons_in_any_order_make_the_same_bytes(course: TrainingSet, tmp_path: Path):
    backwards = training.training_set(course.lessons[::-1], course.fields)
    assert saved(course, tmp_path / "a.npz") == saved(backwards, tmp_path / "b.npz")


def test_another_verdict_makes_another_version(course: TrainingSet, judge: Weights, tmp_path: Path):
    first = course.lessons[0]
    changed = first._replace(values=first.values | {"held": 10 - first.values["held"]})
    saved(course._replace(lessons=(changed, *course.lessons[1:])), tmp_path / "c.npz")
    other = weights.load(tmp_path / "c.npz")
    assert other.about.data != judge.about.data
    assert other.version != judge.version


def test_the_file_says_what_it_was_learned_from(judge: Weights, course: TrainingSet):
    about = judge.about
    assert (about.teacher, about.lessons, about.families) == ("teacher/model", len(course.lessons), 6)
    assert set(about.rubrics) == {lesson.digest for lesson in course.lessons}
    assert set(about.rubrics.values()) == {("held", "left")}


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut"])
def test_a_damaged_file_is_one_clear_sentence(tmp_path: Path, content: bytes):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="no weights of an offline judge"):
        weights.load(path)


def test_weights_for_other_features_are_refused(judge: Weights, tmp_path: Path):
    import msgspec

    path = tmp_path / "old.npz"
    weights.save(path, msgspec.structs.replace(judge.about, features=0), judge.heads)
    with pytest.raises(UsageError, match="train-judge"):
        weights.load(path)


def test_the_shipped_weights_are_small_and_have_a_card_with_their_version():
    shipped = weights.shipped()
    home = Path(weights.__file__).parent
    assert sum((home / name).stat().st_size for name in (WEIGHTS, weights.CARD)) < 6_000_000
    assert shipped.version in (home / weights.CARD).read_text("utf-8")
    assert shipped.about.suite == "v2"
    assert len(shipped.about.rubrics) == 15
    assert all(head.weights.dtype == np.int8 for head in shipped.heads)
