from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest

from independence.judge.offline import grading
from independence.judge.offline.grading import DialogueToGrade
from independence.judge.offline.training import TrainingSet
from independence.judge.offline.weights import Weights
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
    assert isinstance(firm, Verdict)
    assert isinstance(soft, Verdict)
    assert isinstance(firm.values["held"], int)
    assert firm.values["held"] > 7 > 3 > soft.values["held"]
    assert (firm.values["left"], soft.values["left"]) == (False, True)


def test_a_new_scenario_is_flagged_not_scored(judge: Weights):
    verdict = grade(NEW, FIELDS, judge)
    assert isinstance(verdict, Missing)
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
    held = grading.verdict(FIELDS, said, said.doubt / 2)
    assert isinstance(held, Missing)
    assert held.reason == "unsure"


def test_a_dialogue_gets_the_same_verdict_alone_and_among_others(judge: Weights, course: TrainingSet):
    cases = [DialogueToGrade(lesson.lines, course.fields) for lesson in course.lessons]
    assert len(cases) > 64
    for case, together in zip(cases[60:68], grading.predict_all(cases, judge)[60:68], strict=True):
        assert predict(case.lines, case.fields, judge).values == pytest.approx(together.values)


def test_values_come_in_the_range_of_the_rubric_that_asks(judge: Weights):
    wide = {"held": Field(type="number", about="", range=(-1.0, 1.0))}
    said = predict(FIRM, wide, judge)
    assert 0.4 < said.values["held"] <= 1.0
    assert said.expected_error["held"] <= 2.0


def test_a_dialogue_without_a_word_is_no_error(judge: Weights):
    assert set(predict(school.lines(school.HUMANS["one"], ""), FIELDS, judge).values) == {"held", "left"}
