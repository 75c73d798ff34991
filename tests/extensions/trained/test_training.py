"""What is learned from verdicts, what of it is said of dialogues that were held out, and the file it is kept in."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import msgspec
import numpy as np
import pytest

from independence.errors import UsageError
from independence.extensions.trained import WEIGHTS, grading, training, weights
from independence.extensions.trained.grading import DialogueToGrade
from independence.extensions.trained.training import HeldOutPredictions, TrainingSet
from independence.extensions.trained.weights import Weights

from . import school


def squares(one: HeldOutPredictions, said: np.ndarray) -> float:
    return float(np.square(said - one.truth).mean())


@pytest.mark.parametrize("by", ["family", "scenario"])
def test_unseen_groups_are_told_far_better_than_by_the_mean_where_words_tell(
    course: TrainingSet, unseen: dict[str, list[HeldOutPredictions]], by: str
) -> None:
    held = {one.field: one for one in unseen[by]}
    assert set(held) == {"held", "left"}
    for one in held.values():
        assert len(one.lessons) == len(course.lessons)
        assert squares(one, one.value) < 0.5 * squares(one, one.constant)
    assert np.corrcoef(held["held"].value, held["held"].truth)[0, 1] > 0.9
    assert held["held"].error.mean() < 0.1


def test_verdicts_without_a_reason_in_the_words_are_told_no_better_than_by_a_constant():
    (held, _) = training.cross_validate(school.taught(families=4, noise=True), "family")
    assert squares(held, held.value) > 0.9 * squares(held, held.constant)


@pytest.mark.parametrize("by", ["family", "scenario"])
def test_what_is_held_out_has_no_say_in_what_is_said_of_it(
    course: TrainingSet, unseen: dict[str, list[HeldOutPredictions]], by: str
) -> None:
    """Neither its verdicts nor the words of another dialogue: vocabulary, frequencies and means are of other groups."""
    first = course.lessons[0]
    turned = [
        one._replace(values={"held": 10 - one.values["held"], "left": 1 - one.values["left"]})
        if getattr(one, by) == getattr(first, by)
        else one
        for one in course.lessons
    ]
    reworded = school.lines(school.HUMANS[first.scenario], " ".join(school.YIELD * 50))
    turned[0] = turned[0]._replace(lines=reworded)
    for before, after in zip(
        unseen[by], training.cross_validate(course._replace(lessons=tuple(turned)), by), strict=True
    ):
        own = np.array([getattr(one, by) == getattr(first, by) for one in before.lessons])
        assert not np.array_equal(before.value[~own], after.value[~own])
        own[0] = False
        assert own.any()
        assert np.array_equal(before.value[own], after.value[own])
        assert np.array_equal(before.error[own], after.error[own])


def test_altered_dialogues_teach_nothing_and_are_told_by_models_that_do_not_know_their_family(
    course: TrainingSet, unseen: dict[str, list[HeldOutPredictions]]
) -> None:
    firm = training.opened(course, school.STAND[0])
    assert firm[0].lines[-1].answer == f"{school.STAND[0]} {course.lessons[0].lines[-1].answer}"
    told: list[None] = []
    whole = training.cross_validate(course, "family", lambda: told.append(None), altered=(*course.lessons, *firm))
    assert len(told) == 4 * len(course.heads()), "one for each part that is learned"
    for alone, (plain, same, opened) in zip(unseen["family"], (one.split(3) for one in whole), strict=True):
        for one in (plain, same):
            assert (one.field, one.lessons) == (alone.field, alone.lessons)
            assert one.value == pytest.approx(alone.value)
            assert one.error == pytest.approx(alone.error)
        assert opened.truth.tolist() == alone.truth.tolist()
        assert opened.value.mean() > alone.value.mean() or alone.field == "left"


def test_what_cannot_be_held_out_is_left_out(course: TrainingSet):
    assert training.cross_validate(course._replace(lessons=()), "family") == []
    alone = [one for one in course.lessons if one.family == course.lessons[0].family]
    assert training.cross_validate(course._replace(lessons=tuple(alone)), "family") == []


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


def test_a_field_has_a_curve_that_finds_the_truth_behind_a_bent_scale():
    said, nothing = np.linspace(0, 1, 400), np.zeros(400)
    curve = training.field_model("held", said, nothing, said**2, np.ones((400, 1)))
    assert (np.diff(curve.y) >= 0).all()
    assert np.abs(curve.at(said) - said**2).max() < 0.01


def test_where_more_is_said_but_less_is_true_the_curve_is_level():
    said = np.linspace(0, 1, 100)
    curve = training.field_model("held", said, np.zeros(100), said[::-1], np.ones((100, 1)))
    assert curve.at(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.5, 0.5, 0.5])


def test_errors_are_expected_where_they_were():
    random = np.random.default_rng(0)
    value = random.uniform(size=2000)
    truth = value + np.where(random.uniform(size=2000) < 0.5, -1, 1) * np.where(value < 0.3, 0.2, 0.01)
    learned = training.field_model("held", value, np.zeros(2000), truth, np.ones((2000, 1)))
    signs = weights.doubt_features(value, np.zeros(2000), np.ones((2000, 1)))
    expected = weights.expected(signs, learned.doubt)
    assert expected[value < 0.2].mean() > 5 * expected[value > 0.5].mean()


def test_nothing_is_ever_certain():
    signs = weights.doubt_features(np.array([1.0]), np.array([0.0]), np.zeros((1, 1)))
    assert weights.expected(signs, np.zeros(signs.shape[1])) > 0


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
    assert (about.teacher, about.lessons, about.families) == ("teacher/model", len(course.lessons), 4)
    assert set(about.rubrics) == {lesson.digest for lesson in course.lessons}
    assert set(about.rubrics.values()) == {("held", "left")}


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut"])
def test_a_damaged_file_is_one_clear_sentence(tmp_path: Path, content: bytes):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="no weights of an offline judge"):
        weights.load(path)


def test_a_file_that_asks_for_more_memory_than_weights_need_is_refused(tmp_path: Path):
    path, header = tmp_path / "bad.npz", io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (2**62,)})
    for name, content, said in (
        ("about.npy", header.getvalue(), "no weights of an offline judge"),
        ("about", b"no array", "no weights of an offline judge"),
        ("other.npy", bytes(weights.MOST + 1), "weights of more than 256 MB when unpacked"),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(name, content)
        del content
        tracemalloc.start()
        with pytest.raises(UsageError, match=said):
            weights.load(path)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 2**22, "of the last, which is refused before it is unpacked"


def test_weights_for_other_features_are_refused(judge: Weights, tmp_path: Path):
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
