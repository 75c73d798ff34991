from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from independence.report import study, variance
from independence.report.study import Study
from independence.report.table import Table, Value
from independence.store import scopes
from independence.suites.load import LoadedSuite

from . import studies
from .filled import Toy
from .studies import Run


def by_effect(table: Table, dimension: str = "firmness") -> dict[Value, tuple[Value, ...]]:
    return {row[1]: row[2:] for row in table.rows if row[0] == dimension}


def test_dimensions_that_several_scenarios_carry_have_components(toy_suite: LoadedSuite) -> None:
    parts, reliability = variance.tables(studies.study(toy_suite, studies.drawn()))
    assert {row[0] for row in parts.rows} == {"firmness"}  # one scenario alone carries drift
    assert [row[1] for row in parts.rows] == ["subject", "scenario", "subject x scenario", "run", "residual"]
    shares = [row[4] for row in parts.rows if isinstance(row[4], float)]
    assert sum(shares) == pytest.approx(1)
    assert by_effect(parts)["subject"][2] == max(shares)
    assert [row[0] for row in reliability.rows] == ["firmness", "Toy Index"]
    assert reliability.rows[0][1:4] == (12, 2, 4)


def test_one_judge_has_no_component_and_the_table_says_so(toy_suite: LoadedSuite) -> None:
    parts, _ = variance.tables(studies.study(toy_suite, studies.drawn()))
    assert "judge" not in by_effect(parts)
    assert any("with one judge" in note for note in parts.notes)


def test_components_come_from_the_first_runs_of_subjects_that_have_as_many(toy_suite: LoadedSuite) -> None:
    runs = studies.drawn(subjects=8, runs=4)
    expected, _ = variance.tables(studies.study(toy_suite, runs))
    odd = [Run(0, 10, 5)]
    more = {**runs, "once": odd, "longer": runs["s00"] + odd * 3}
    del more["s00"]
    parts, reliability = variance.tables(studies.study(toy_suite, more))
    assert by_effect(parts)["residual"] == pytest.approx(by_effect(expected)["residual"])
    assert reliability.rows[0][1:4] == (8, 2, 4)
    assert "firmness: 8 subjects x 2 scenarios x 4 runs (largest balanced part)." in parts.notes
    assert "Taken from 9 complete subjects." in parts.notes


def test_incomplete_subjects_take_no_part(toy_suite: LoadedSuite) -> None:
    runs = studies.drawn(subjects=6)
    expected = variance.tables(studies.study(toy_suite, runs))[0].rows
    runs["holed"] = [*runs["s00"][:-1], Run(None, 5, 5)]
    assert variance.tables(studies.study(toy_suite, runs))[0].rows == expected


def test_simulated_subjects_are_named_as_such(toy_suite: LoadedSuite) -> None:
    found = studies.study(toy_suite, studies.drawn(), simulated=frozenset({"s00", "s01"}))
    assert "Taken from 12 complete subjects, 2 of them simulated." in variance.tables(found)[0].notes


def test_single_runs_leave_the_interaction_in_the_residual(toy_suite: LoadedSuite) -> None:
    parts, reliability = variance.tables(studies.study(toy_suite, studies.drawn(runs=1)))
    assert by_effect(parts).keys().isdisjoint({"subject x scenario", "run"})
    assert by_effect(parts)["residual"][0] is not None
    (firmness, index) = reliability.rows
    assert firmness[4] is None
    assert firmness[5] is not None
    assert index[4:] == (None,) * 4


@pytest.mark.parametrize("subjects", [0, 1])
def test_too_few_subjects_leave_everything_absent(toy_suite: LoadedSuite, subjects: int) -> None:
    parts, reliability = variance.tables(studies.study(toy_suite, studies.drawn(subjects=subjects)))
    assert parts.rows == ()
    assert "firmness: too few to say (largest balanced part)." in parts.notes
    assert reliability.rows == ()


def kinder(runs: dict[str, list[Run]], by: int) -> dict[str, list[Run]]:
    """The same replies under a judge that gives `by` points more on every scenario of firmness."""
    return {
        config: [Run((run.radio or 0) + by, (run.dessert or 0) + by, run.drift) for run in own]
        for config, own in runs.items()
    }


def test_a_second_judge_adds_what_judges_add(toy_suite: LoadedSuite) -> None:
    """A judge that is kinder to all alike: twice the squared distance between judges, and no judge x anything."""
    runs = studies.drawn()
    one, other = (studies.study(toy_suite, given, judge) for given, judge in ((runs, "a"), (kinder(runs, 4), "b")))
    own, _, both = variance.tables(one, [other])
    assert by_effect(both)["judge"][0] == pytest.approx(4**2 / 2)
    for effect in ("judge x subject", "judge x scenario", "judge x subject x scenario", "judge x run", "residual"):
        assert by_effect(both)[effect][0] == pytest.approx(0, abs=1e-9), effect
    assert by_effect(both)["subject"][0] == pytest.approx(by_effect(own)["subject"][0])
    assert by_effect(both)["reply"][0] == pytest.approx(by_effect(own)["residual"][0])
    assert any("a, b" in note for note in both.notes)
    assert any("12 subjects x 2 scenarios x 4 runs x 2 judges" in note for note in both.notes)


def test_judges_are_compared_on_what_both_graded(toy_suite: LoadedSuite) -> None:
    runs = studies.drawn(subjects=6, runs=3)
    partly = {config: [*own[:2], Run(None, 5, None)] for config, own in list(runs.items())[:4]}
    tables = variance.tables(studies.study(toy_suite, runs, "a"), [studies.study(toy_suite, partly, "b")])
    assert any("4 subjects x 2 scenarios x 2 runs x 2 judges" in note for note in tables[-1].notes)
    assert any("6 subjects x 2 scenarios x 3 runs (" in note for note in tables[0].notes)


def test_judges_without_common_replies_leave_their_table_absent(toy_suite: LoadedSuite) -> None:
    one = studies.study(toy_suite, studies.drawn(), "a")
    other = studies.study(toy_suite, {"elsewhere": [Run(5, 5, 5)]}, "b")
    *_, both = variance.tables(one, [other])
    assert both.rows == ()


def test_a_study_read_from_a_store_has_the_same_tables(toy: Toy) -> None:
    runs = studies.drawn(subjects=3, runs=2)
    for config, own in runs.items():
        scores = tuple((run.radio or 0, run.dessert or 0, run.drift or 0) for run in own)
        toy.complete(config, scores)
    read = toy.read()
    assert variance.tables(read) == variance.tables(studies.study(toy.loaded, runs))


@pytest.fixture(scope="module")
def published(published_store: Path) -> Study:
    with closing(sqlite3.connect(published_store)) as opened:
        return study.read(opened, scopes.find(opened, None, None, None))


@pytest.mark.published
def test_published_verdicts_vary_as_the_study_of_all_of_them_found(published: Study) -> None:
    """Part of the subjects, so shares are near, not equal: runs carry nothing, pt04 makes stability its scenarios'."""
    parts, reliability = variance.tables(published)
    expected = {
        "resistance_score": {"subject": 0.22, "scenario": 0.09, "subject x scenario": 0.32, "residual": 0.38},
        "consistency_score": {"subject": 0.07, "scenario": 0.40, "subject x scenario": 0.30, "residual": 0.23},
        "non_assistant_likeness": {"subject": 0.12, "scenario": 0.28, "subject x scenario": 0.21, "residual": 0.39},
    }
    for dimension, shares in expected.items():
        rows = by_effect(parts, dimension)
        assert rows["run"][2] == pytest.approx(0, abs=0.01)
        for effect, share in shares.items():
            assert rows[effect][2] == pytest.approx(share, abs=0.12), (dimension, effect)
    found = {row[0]: row[4:] for row in reliability.rows}
    assert found["resistance_score"][0] == pytest.approx(0.949, abs=0.02)
    assert found["consistency_score"][:2] == (pytest.approx(0.933, abs=0.02), pytest.approx(0.487, abs=0.06))
    assert found["resistance_score"][1] == pytest.approx(0.735, abs=0.12)
    assert found["Independence Index"][0] == pytest.approx(0.971, abs=0.01)
