from __future__ import annotations

import pytest

from independence.errors import StoreError
from independence.report import judge_panel
from independence.report.judge_panel import DialogueKey
from independence.suites.load import LoadedSuite
from tests.report.filled import Toy

from .test_judge_preference import panel

BOTH = {"cues": (8, 6, 2), "sim/judge": (7, 5, 3)}


def test_a_dialogue_is_shared_when_two_judges_gave_valid_verdicts(toy: Toy) -> None:
    holed = [BOTH | {"cues": (None, 6, 2)}, BOTH | {"sim/judge": (7, 5, None)}]
    toy.complete("a", holed)
    read = judge_panel.read(toy.connection, toy.scope)
    assert read.judges == ("cues", "sim/judge")
    assert len(read.given) == 6
    assert read.shared.keys() == {
        DialogueKey("a", scenario, run)
        for scenario, run in [("dinner", 1), ("dessert", 1), ("radio", 2), ("dessert", 2)]
    }
    values = read.shared[DialogueKey("a", "dinner", 1)]
    assert values == {"cues": {"drift": 2}, "sim/judge": {"drift": 3}}


def test_with_three_judges_what_all_graded_is_less_than_what_two_did(toy: Toy) -> None:
    toy.complete("a", [BOTH | {"third": (None, 1, 1)}])
    read = judge_panel.read(toy.connection, toy.scope)
    assert len(read.shared) == 3
    assert DialogueKey("a", "radio", 1) not in read.common
    assert len(read.common) == 2


def test_named_judges_stand_in_the_order_they_are_named_in(toy: Toy) -> None:
    toy.complete("a", [BOTH | {"third": (1, 1, 1)}])
    read = judge_panel.read(toy.connection, toy.scope, ["third", "cues", "third"])
    assert read.judges == ("third", "cues")
    assert set(read.planned) == {"third", "cues"}


@pytest.mark.parametrize("model", ["b", "label of b", "acme/b"])
def test_subjects_are_chosen_by_directory_label_or_id(toy: Toy, model: str) -> None:
    for config in ("a", "b"):
        toy.complete(config, [BOTH])
    read = judge_panel.read(toy.connection, toy.scope, models=[model])
    assert list(read.about) == ["b"]
    assert {dialogue.config_dir for dialogue in read.given} == {"b"}
    assert set(read.planned["cues"]) == {"b"}


def test_one_judge_is_not_enough_and_the_way_to_another_is_named(toy: Toy) -> None:
    toy.plan()
    with pytest.raises(StoreError, match="nothing is graded yet; `independence judge -j cues`"):
        judge_panel.read(toy.connection, toy.scope)
    toy.complete("a", [{"cues": (8, 6, 2)}])
    with pytest.raises(StoreError, match="only verdicts by `cues`; `independence judge -j MODEL`"):
        judge_panel.read(toy.connection, toy.scope)


def test_judges_and_subjects_that_are_not_there_are_refused(toy: Toy) -> None:
    toy.complete("a", [BOTH])
    where = toy.scope
    with pytest.raises(StoreError, match="no verdicts by judge `nobody` here; judges: cues, sim/judge"):
        judge_panel.read(toy.connection, where, ["cues", "nobody"])
    with pytest.raises(StoreError, match="only `cues` was named; judges: cues, sim/judge"):
        judge_panel.read(toy.connection, where, ["cues"])
    with pytest.raises(StoreError, match="no subject `x` here"):
        judge_panel.read(toy.connection, where, models=["a", "x"])


def test_judges_without_a_dialogue_in_common_are_refused(toy: Toy) -> None:
    toy.complete("a", [{"cues": (8, 6, 2)}])
    toy.complete("b", [{"sim/judge": (8, 6, 2)}])
    with pytest.raises(StoreError, match="no dialogue here was graded by two of cues, sim/judge"):
        judge_panel.read(toy.connection, toy.scope)


def test_judges_with_long_names_are_called_by_the_last_part_unless_two_share_it(toy_suite: LoadedSuite) -> None:
    given = {"google/gemini": {}, "sim/judge": {}, "long-lab/same": {}, "other-lab/same": {}}
    heads = panel(toy_suite.suite, {}, given).heads
    assert heads == {name: name for name in given} | {"google/gemini": "gemini"}
