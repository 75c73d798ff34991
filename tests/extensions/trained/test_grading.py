"""What trained weights say of a dialogue, alone and among others, and when they hold it back."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import msgspec
import pytest
from benchmarks import offline
from benchmarks.figure import Figure
from hypothesis import given
from hypothesis import strategies as st

from independence.extensions.trained import grading
from independence.extensions.trained.grading import DialogueToGrade
from independence.extensions.trained.training import TrainingSet
from independence.extensions.trained.weights import Weights
from independence.judge import protocol
from independence.judge.protocol import Prediction
from independence.suites.schema import Field
from independence.types import Grade, Missing, TranscriptTurn, Verdict

from . import school

FIELDS = school.FIELDS
FIRM = school.lines(school.HUMANS["one"], " ".join(school.STAND))
SOFT = school.lines(school.HUMANS["one"], " ".join(school.YIELD))
NEW = school.lines("Words it was never trained on.", " ".join(school.YIELD))


def predict(lines: Sequence[TranscriptTurn], fields: Mapping[str, Field], judge: Weights) -> Prediction:
    return grading.predict_all([DialogueToGrade(lines, fields)], judge)[0]


def grade(lines: Sequence[TranscriptTurn], fields: Mapping[str, Field], judge: Weights) -> Grade:
    return grading.verdict(fields, predict(lines, fields, judge), judge.about.limit)


def test_a_known_scenario_is_scored_with_typed_values(judge: Weights):
    firm, soft = (grade(lines, FIELDS, judge) for lines in (FIRM, SOFT))
    assert isinstance(firm.values["held"], int)
    assert firm.values["held"] > 7 > 3 > soft.values["held"]
    assert (firm.values["left"], soft.values["left"]) == (False, True)


def test_a_new_scenario_is_flagged_not_scored(judge: Weights):
    verdict = grade(NEW, FIELDS, judge)
    assert verdict.reason == "unsure"
    said = predict(NEW, FIELDS, judge)
    assert not said.known
    assert said.values["held"] < 5
    assert "held" in said.flagged or "left" in said.flagged


def test_one_changed_word_of_the_human_makes_a_scenario_unknown(judge: Weights):
    assert predict(FIRM, FIELDS, judge).known
    changed = school.lines(school.HUMANS["one"] + "!", FIRM[-1].answer)
    assert not predict(changed, FIELDS, judge).known
    assert isinstance(grade(changed, FIELDS, judge), Missing)


def test_a_field_that_was_never_learned_leaves_no_verdict(judge: Weights):
    fields = FIELDS | {"other": Field(type="integer", about="", range=(0, 10))}
    assert isinstance(grade(FIRM, fields, judge), Missing)
    assert set(predict(FIRM, fields, judge).values) == {"held", "left"}


def test_whether_a_stand_was_taken_need_not_be_learned(judge: Weights):
    """Published verdicts do not say it, and our rubrics ask for it."""
    stand = Field(type="boolean", about="")
    fields = {"stood": stand} | {
        name: msgspec.structs.replace(one, requires=("stood",)) for name, one in FIELDS.items()
    }
    verdict = grade(FIRM, fields, judge)
    assert verdict == grade(FIRM, FIELDS, judge)
    assert isinstance(verdict, Verdict)
    assert predict(NEW, fields, judge) == predict(NEW, FIELDS, judge)


def test_a_rubric_of_nothing_it_knows_is_wholly_in_doubt(judge: Weights):
    said = predict(FIRM, {"other": Field(type="boolean", about="")}, judge)
    assert (said.values, said.doubt, said.known) == ({}, 1.0, False)


def test_too_much_doubt_holds_a_verdict_back(judge: Weights):
    said = predict(FIRM, FIELDS, judge)
    assert isinstance(grading.verdict(FIELDS, said, said.doubt), Verdict)
    assert grading.verdict(FIELDS, said, said.doubt / 2).reason == "unsure"


def test_a_dialogue_gets_the_same_verdict_alone_and_among_others(judge: Weights, course: TrainingSet):
    cases = [DialogueToGrade(lesson.lines, course.fields) for lesson in course.lessons] * 3
    assert len(cases) > 68
    for case, together in zip(cases[60:68], grading.predict_all(cases, judge)[60:68], strict=True):
        assert predict(case.lines, case.fields, judge).values == pytest.approx(together.values)


def test_values_come_in_the_range_of_the_rubric_that_asks(judge: Weights):
    wide = {"held": Field(type="number", about="", range=(-1.0, 1.0))}
    said = predict(FIRM, wide, judge)
    assert 0.4 < said.values["held"] <= 1.0
    assert said.expected_error["held"] <= 2.0


def test_a_dialogue_without_a_word_is_no_error(judge: Weights):
    assert set(predict(school.lines(school.HUMANS["one"], ""), FIELDS, judge).values) == {"held", "left"}


ROUNDED = 0.5e-5 * (1 + 1e-6)
units = st.dictionaries(st.text(max_size=8), st.floats(-100, 100), max_size=4)


@given(units, units, st.lists(st.text(max_size=8), max_size=3), st.booleans(), st.floats(0, 1))
def test_a_prediction_comes_back_but_for_rounding(
    values: dict[str, float], errors: dict[str, float], flagged: list[str], known: bool, doubt: float
) -> None:
    said = Prediction(values, errors, tuple(flagged), known, doubt)
    back = protocol.read_prediction(said.to_json())
    assert (back.flagged, back.known) == (said.flagged, said.known)
    for before, after in ((values, back.values), (errors, back.expected_error), ({"": doubt}, {"": back.doubt})):
        assert before.keys() == after.keys()
        assert all(math.isclose(before[name], after[name], rel_tol=0, abs_tol=ROUNDED) for name in before)


def test_what_was_read_is_written_as_it_was() -> None:
    text = Prediction({"held": 7.1234567}, {"held": 1 / 3}, ("held",), True, 2 / 3).to_json()
    assert protocol.read_prediction(text).to_json() == text
    assert "0.33333," in text or "0.33333}" in text


@pytest.mark.parametrize(
    "text",
    [
        "", "Score: 7", "{}", "[]", "null", '{"resistance_score": 7}',
        '{"values": {"held": 1}, "expected_error": {}, "flagged": [], "known": true}',
        '{"values": {"held": "7"}, "expected_error": {}, "flagged": [], "known": true, "doubt": 0.1}',
    ],
)  # fmt: skip
def test_what_is_no_prediction_is_refused(text: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        protocol.read_prediction(text)


@pytest.mark.deep
def test_every_workload_of_the_benchmark_is_measured_on_replies_of_the_length_that_its_bound_speaks_of() -> None:
    made = offline.replies(random.Random(1), 40)
    assert {offline.SHORTEST <= len(reply) <= offline.LONGEST for reply in made} == {True}
    assert sum(reply.startswith(offline.SOFT) for reply in made) == 20
    found = [result for result in offline.measure(rounds=1, count=16) if isinstance(result, Figure)]
    assert [figure.bound for figure in found] == [offline.BOUND, None, None, None, offline.LOADING_BOUND_MS]
    assert all(figure.value > 0 for figure in found)
