from __future__ import annotations

from collections import Counter

import pytest

from independence.errors import StoreError
from independence.report import board_notes, planned_verdicts
from independence.store.queries import JudgeCounts


def by(*judges: str) -> list[JudgeCounts]:
    return [JudgeCounts(judge, valid) for judge, valid in Counter(judges).items()]


def test_the_usual_judge_is_the_one_with_most_verdicts() -> None:
    assert planned_verdicts.usual_judge([]) is None
    assert planned_verdicts.usual_judge(by("b", "a", "b")) == "b"


def test_of_judges_with_as_many_verdicts_the_one_that_began_first_is_the_usual_one() -> None:
    assert planned_verdicts.usual_judge(by("b", "a")) == "b"


@pytest.mark.parametrize("other", ["cues", "offline", "hybrid:acme/judge"])
def test_a_model_comes_before_every_other_kind_of_judge_unless_it_graded_less_than_half(other: str) -> None:
    assert planned_verdicts.usual_judge(by(other, other, "model")) == "model"
    assert planned_verdicts.usual_judge(by(other, other, other, "model")) == other


def test_rules_come_before_predictions() -> None:
    assert planned_verdicts.usual_judge(by("offline", "offline", "cues")) == "cues"


def test_a_judge_that_graded_as_much_is_named() -> None:
    assert planned_verdicts.as_full(by("model", "cues", "later"), "model") == ("cues", "later")
    assert planned_verdicts.as_full(by("model", "model", "cues"), "model") == ()
    assert board_notes.also_graded(("cues",)) == ["Also completely graded by cues: --judge cues."]
    assert board_notes.also_graded(("cues", "b")) == ["Also completely graded by cues, b: --judge NAME."]
    assert board_notes.also_graded(()) == []


def test_two_conditions_are_compared_by_a_judge_that_both_have() -> None:
    assert planned_verdicts.shared_judge(by("model", "model", "cues"), by("cues")) == "cues"
    assert planned_verdicts.shared_judge(by("model", "cues"), by("cues", "model")) == "model"
    assert planned_verdicts.shared_judge(by("model"), by("cues")) is None


def test_a_judge_that_graded_nothing_is_refused_with_those_that_did() -> None:
    assert planned_verdicts.judge(by("a", "b"), "b") == "b"
    assert planned_verdicts.judge(by("acme/b", "a"), "b") == "acme/b"
    with pytest.raises(StoreError, match="no verdicts by judge `c` here; judges: a, b"):
        planned_verdicts.judge(by("b", "a"), "c")
    with pytest.raises(StoreError, match=r"did you mean `acme/b` or `lab/b`\? judges: acme/b, lab/b"):
        planned_verdicts.judge(by("acme/b", "lab/b"), "b")
    with pytest.raises(StoreError, match="judges: none"):
        planned_verdicts.judge([], "c")


def test_people_are_never_the_usual_judge() -> None:
    assert planned_verdicts.usual_judge(by("human:Ann", "human:Ann", "b")) == "b"
    assert planned_verdicts.usual_judge(by("human:Ann")) is None


def test_an_older_version_of_the_rule_judge_gives_way_to_the_newest() -> None:
    assert planned_verdicts.usual_judge([JudgeCounts("cues@1", 9), JudgeCounts("cues", 2)]) == "cues"
    assert planned_verdicts.usual_judge([JudgeCounts("cues@1", 9)]) == "cues@1"
