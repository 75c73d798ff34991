from __future__ import annotations

import sqlite3

import msgspec
import numpy as np
import pytest

from independence.report import judge_agreement, judge_panel
from independence.report.judge_panel import DialogueKey
from independence.report.table import Table
from independence.stats import agreement as coefficients
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Field
from tests.report import filled
from tests.report.filled import Toy

from .test_judge_preference import panel


def by_measure(table: Table) -> dict[object, dict[str, object]]:
    keys = [column.key for column in table.columns]
    place = keys.index("measure")
    return {row[place]: dict(zip(keys, row, strict=True)) for row in table.rows}


@pytest.fixture
def toy_panel(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> judge_panel.JudgePanel:
    runs = [{"one": (8, 6, 2), "two": (8, 5, 4)}, {"one": (2, 9, 0), "two": (3, 9, 0)}]
    filled.complete(connection, toy_suite, "a", runs)
    filled.complete(connection, toy_suite, "b", [{"one": (8, 6, 2), "two": (8, None, 4)}])
    return judge_panel.read(connection, filled.scope(toy_suite))


def test_fields_and_dimensions_are_measured_on_the_dialogues_that_two_judges_graded(
    toy_panel: judge_panel.JudgePanel,
) -> None:
    dimensions, fields = judge_agreement.coefficients(toy_panel)
    assert [table.id for table in (dimensions, fields)] == ["judge-agreement-dimensions", "judge-agreement"]
    firm = by_measure(fields)["firmness"]
    assert (firm["dialogues"], firm["judges"]) == (5, 2)
    ratings = np.array([[8, 8], [6, 5], [2, 3], [9, 9], [8, 8]], float)
    alpha, ac2 = coefficients.alpha(ratings, "aaaab"), coefficients.gwet(ratings, range(11), "aaaab")
    assert alpha is not None
    assert ac2 is not None
    assert (firm["alpha"], firm["ac2"]) == (pytest.approx(alpha.value), pytest.approx(ac2.value))
    assert by_measure(fields).keys() == {"firmness", "kept", "drift"}
    assert by_measure(dimensions)["firmness"]["alpha"] == firm["alpha"]
    assert by_measure(dimensions)["drift"]["dialogues"] == 3


def test_an_interval_of_agreement_does_not_go_above_one(toy_panel: judge_panel.JudgePanel) -> None:
    for table in judge_agreement.coefficients(toy_panel):
        for row in by_measure(table).values():
            for ends in (row["alpha_ci"], row["ac2_ci"]):
                assert ends is None or (isinstance(ends, tuple) and ends[1] <= 1)


def test_two_judges_are_compared_field_by_field_and_on_the_index(toy_panel: judge_panel.JudgePanel) -> None:
    rows = by_measure(judge_agreement.pairs(toy_panel))
    firm = rows["firmness"]
    assert (firm["first"], firm["second"], firm["n"]) == ("one", "two", 5)
    assert (firm["exact"], firm["near"], firm["difference"]) == (pytest.approx(0.6), 1.0, pytest.approx(0.0))
    assert rows["drift"]["near"] == pytest.approx(1 / 3)
    assert rows["kept"]["near"] is None
    index = rows["index"]
    assert (index["n"], index["exact"], index["near"]) == (1, None, None)
    assert index["difference"] == pytest.approx(0.25 * 10)  # drift 1 against 2 on a weight of .25, the rest evens out


def test_every_pair_of_three_judges_is_compared(toy: Toy) -> None:
    toy.complete("a", [dict.fromkeys(("one", "two", "three"), (8, 6, 2))])
    table = judge_agreement.pairs(judge_panel.read(toy.connection, toy.scope))
    assert {row[:2] for row in table.rows} == {("one", "three"), ("one", "two"), ("three", "two")}


def test_a_suite_without_an_index_is_measured_by_field_alone(toy_panel: judge_panel.JudgePanel) -> None:
    suite = msgspec.structs.replace(toy_panel.scope.suite, index=None)
    bare = toy_panel._replace(scope=toy_panel.scope._replace(suite=suite))
    assert [table.id for table in judge_agreement.coefficients(bare)] == ["judge-agreement"]
    assert "index" not in by_measure(judge_agreement.pairs(bare))


def test_a_field_that_rubrics_share_is_one_measure_on_one_scale() -> None:
    measures = {measure.name: measure for measure in judge_agreement.fields(load("v2").suite)}
    assert measures["distinctiveness"].scenarios == {"direct", "psych", "tool_context", "negotiation"}
    assert measures["distinctiveness"].scale == tuple(map(float, range(11)))
    assert measures["name_changed"].scale == (0.0, 1.0)
    assert measures["name_changed"].boolean


def test_one_name_on_two_scales_is_two_measures(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    moved = msgspec.structs.replace(
        suite.rubrics["moved"], fields={"firmness": Field(type="integer", range=(0, 2), about="x")}
    )
    changed = msgspec.structs.replace(suite, rubrics=suite.rubrics | {"moved": moved})
    found = {measure.name: measure.scale for measure in judge_agreement.fields(changed)}
    assert found["firmness (0 to 2)"] == (0.0, 1.0, 2.0)
    assert len(found["firmness (0 to 10)"] or ()) == 11


def test_a_dimension_of_two_fields_is_measured_on_their_sum() -> None:
    measures = {measure.name: measure for measure in judge_agreement.dimensions(load("v2").suite)}
    drift = measures["name_gender_drift"]
    assert drift.scale == (0.0, 1.0, 2.0)
    assert drift.read({"name_changed": True, "gender_changed": True}) == 2.0


def test_any_number_is_measured_on_the_values_that_were_given(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    fields = {"firmness": Field(type="number", range=(0, 10), about="x")}
    held = msgspec.structs.replace(suite.rubrics["held"], fields=fields)
    changed = msgspec.structs.replace(suite, rubrics=suite.rubrics | {"held": held}, index=None)
    given = {
        judge: {DialogueKey("a", "radio", run): {"firmness": value} for run, value in enumerate(values)}
        for judge, values in {"one": (1.5, 2.25, 9.0), "two": (1.5, 3.0, 9.5)}.items()
    }
    (table,) = judge_agreement.coefficients(panel(changed, {"a": "acme/a"}, given))
    row = by_measure(table)["firmness"]
    assert row["dialogues"] == 3
    assert row["ac2"] is not None
    assert set(by_measure(table)) == {"firmness"}
