from __future__ import annotations

from typing import get_args

import pytest

from independence.clients import client
from independence.report import runs
from independence.store import spending
from independence.types import Attempt, Reply

from .filled import Toy


def test_whole_runs_are_counted_and_not_listed(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    table = runs.table(toy.connection, toy.read())
    assert table.rows == ()
    assert table.notes[0].startswith("2 of 2 runs are whole")


def test_a_run_says_what_is_amiss(toy: Toy) -> None:
    toy.complete("a")
    toy.plan("b", 2)
    toy.answer("b", "radio", 2, Reply("}", "tool", flags=("artefact", "short")))
    table = runs.table(toy.connection, toy.read())
    first, second = table.rows
    assert first == ("label of b", 1, 0, 3, "not_run 3", None, None, None)
    assert second == ("label of b", 2, 0, 3, "not_run 2, unjudged 1", "artefact 1", None, None)
    assert table.notes[0].startswith("1 of 3 runs")


def test_parts_of_a_run_that_lie_days_apart_are_told(toy: Toy) -> None:
    toy.complete("a")
    toy.connection.execute("UPDATE calls SET answered_at = '2026-01-01T00:00:00+00:00'")
    toy.connection.execute("UPDATE calls SET answered_at = '2026-01-03T12:00:00+00:00' WHERE trial = 'a radio 1'")
    (row,) = runs.table(toy.connection, toy.read()).rows
    assert row[-1] == pytest.approx(60)


def test_answers_that_came_only_when_asked_again_are_counted(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))

    def came_after(scenario: str, run: int, *outcomes: str) -> None:
        attempts = tuple(Attempt(outcome, 1.0) for outcome in (*outcomes, "ok"))
        toy.answer("a", scenario, run, Reply(f"a {scenario} {run} 0", "tool", attempts=attempts))

    came_after("radio", 1, "429")
    came_after("dessert", 1, "length")
    assert runs.table(toy.connection, toy.read()).rows == ()
    came_after("radio", 2, "empty", "reasoning_only")
    came_after("dessert", 2, "429", "punctuation")
    (row,) = runs.table(toy.connection, toy.read()).rows
    assert row == ("label of a", 2, 3, 3, None, None, 2, None)


def test_all_kinds_of_no_answer_are_told_but_the_cut_one() -> None:
    assert {*spending.NO_ANSWER} == {*get_args(client.Kind)} - {"ok", "length"}
