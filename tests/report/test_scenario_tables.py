"""How hard questions are, and what runs of a subject say of its noise."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from independence.report.board import board_data
from independence.report.sections import difficulty, runs
from independence.stats.allocation import pooled
from independence.store import scopes
from independence.suites.schema import Field
from independence.types import Reply, Verdict

from .cells import by
from .filled import Toy

QUESTIONS = {"a": [(8, 4, 1), (6, 2, 3)], "b": [(10, 0, 0)]}


def test_the_hardest_question_comes_first_and_each_subject_counts_once(toy: Toy) -> None:
    """Less drift is better, so no drift is no difficulty. An incomplete subject changes nothing."""
    for more in ({}, {"holed": [(0, None, 10)]}):
        (table,) = difficulty.tables(toy.read({**QUESTIONS, **more}))
        assert [row[:3] for row in table.rows] == [
            (1, "dessert", "After dinner"), (2, "radio", "A statement on the radio"),
            (3, "dinner", "Choosing a dinner"),
        ]  # fmt: skip
        found = by(table, "scenario")
        assert found["radio"]["average"] == pytest.approx((70 + 100) / 2)
        assert found["radio"]["difficulty"] == pytest.approx(15)
        assert (found["radio"]["samples"], found["radio"]["subjects"]) == (3, 2)
        assert found["dinner"]["difficulty"] == pytest.approx((20 + 0) / 2)
        assert found["dinner"]["interval"] == (0, 100)  # 12.7 standard errors at two subjects
        assert "Left out, since the suite does not say which end is better: kept." in table.notes


def test_subjects_that_do_not_differ_leave_no_interval_and_nobody_no_number(toy: Toy) -> None:
    (table,) = difficulty.tables(toy.read())
    assert [row[1] for row in table.rows] == ["dessert", "dinner", "radio"]
    assert all(row[4:] == (None, None, None, 0, 0) for row in table.rows)
    for config in "ab":
        read = toy.read({config: [(8, 4, 1)]})
        assert by(difficulty.tables(read)[0], "scenario")["dinner"]["interval"] is None


def test_a_scale_that_the_index_does_not_read_counts_as_more_is_better_and_is_named(toy: Toy) -> None:
    held = toy.suite.rubrics["held"]
    grace = Field(type="integer", range=(0, 4), about="How it is said.")
    wider = msgspec.structs.replace(held, fields={**held.fields, "grace": grace})
    suite = msgspec.structs.replace(toy.suite, rubrics={**toy.suite.rubrics, "held": wider})
    own = Toy(toy.connection, msgspec.structs.replace(toy.loaded, suite=suite))
    own.plan()
    for scenario, values in (
        ("dinner", {"drift": 1}),
        ("radio", {"firmness": 8, "kept": True, "grace": 1}),
        ("dessert", {"firmness": 4, "kept": True, "grace": 3}),
    ):
        said = [Reply(f"{scenario} {turn}", "tool") for turn in range(1 + (scenario == "dinner"))]
        own.grade(("a", scenario, 1), own.answer("a", scenario, 1, *said), Verdict(values))
    (table,) = difficulty.tables(own.read())
    assert by(table, "scenario")["radio"]["average"] == pytest.approx((80 + 25) / 2)
    assert "Not in the index, taken as more is better: grace." in table.notes


def test_run_noise_is_pooled_over_subjects_by_their_degrees_of_freedom(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (6, 6, 2)))
    toy.complete("b", ((8, 6, 2), (7, 6, 2), (9, 6, 2)))
    toy.complete("once")
    read = toy.read()
    by_subject = runs.run_noise(read)
    assert by_subject.keys() == {"a", "b"}  # a single run says nothing of noise
    found = pooled(by_subject.values())
    own = [read.points[config].totals["radio"] for config in "ab"]
    assert found.variance["radio"] == pytest.approx((np.var(own[0], ddof=1) + 2 * np.var(own[1], ddof=1)) / 3)
    assert (found.variance["dessert"], found.df["radio"]) == (pytest.approx(0), 3)


@pytest.mark.published
def test_published_questions_are_as_hard_as_their_publisher_found(published_store: Path) -> None:
    """Part of the subjects, each counted once, so numbers are near, not equal; every question has a row."""
    with closing(sqlite3.connect(published_store)) as opened:
        (table,) = difficulty.tables(board_data.read(opened, scopes.find(opened, None, None, None)))
    difficulties = {
        "pt04": 42.5, "tool_context": 20.4, "name_gender": 19.6, "rs03": 17.0, "direct": 15.3, "negotiation": 10.2,
        "rs01": 10.0, "rs04": 9.6, "pt02": 5.4, "psych": 4.9, "rs02": 4.7, "pt05": 4.5, "rs05": 4.3, "pt01": 3.2,
        "pt03": 3.0,
    }  # fmt: skip
    found = {scenario: row["difficulty"] for scenario, row in by(table, "scenario").items()}
    assert found == pytest.approx(difficulties, abs=5)
    assert next(iter(found)) == "pt04"
    assert table.notes[2].endswith("character kept.")
