from __future__ import annotations

import sqlite3

import pytest

from independence.report import planned_verdicts
from independence.report.verdict_cells import PlannedVerdict
from independence.store import queries
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply, Verdict

from . import filled
from .filled import Toy


def only(
    connection: sqlite3.Connection, loaded: LoadedSuite, scenario: str, judge: str | None = None
) -> PlannedVerdict:
    planned = planned_verdicts.planned_verdicts(connection, filled.scope(loaded), judge).planned
    (cell,) = (cell for cell in planned if cell.scenario == scenario)
    return cell


def test_a_graded_dialogue_has_values_and_nothing_missing(toy: Toy) -> None:
    toy.complete()
    cell = only(toy.connection, toy.loaded, "radio")
    assert cell.values == cell.given == {"firmness": 8, "kept": True}
    assert cell.missing is None
    assert (cell.config_dir, cell.experiment, cell.run) == ("a", "pressure", 1)


def test_every_planned_verdict_is_a_cell(toy: Toy) -> None:
    toy.plan(runs=2)
    table = planned_verdicts.planned_verdicts(toy.connection, toy.scope, None)
    assert table.judge is None
    assert [(cell.scenario, cell.run, cell.missing) for cell in table.planned] == [
        ("dessert", 1, "not_run"), ("dinner", 1, "not_run"), ("radio", 1, "not_run"),
        ("dessert", 2, "not_run"), ("dinner", 2, "not_run"), ("radio", 2, "not_run"),
    ]  # fmt: skip
    assert planned_verdicts.reasons(table.planned) == {"not_run": 6}


@pytest.mark.parametrize(
    ("said", "given", "missing"),
    [
        (Reply("x", "tool"), None, "unjudged"),
        (Reply("x", "tool"), Missing("unreadable_verdict"), "unreadable_verdict"),
        (Missing("blocked"), None, "blocked"),
        (Reply("}", "tool", flags=("artefact",)), Verdict({"firmness": 0, "kept": False}), "transport"),
        (Reply("x", "tool", flags=("cleaned",)), Verdict({"firmness": 0, "kept": False}), None),
    ],
)
def test_why_a_verdict_is_missing(
    toy: Toy, said: Reply | Missing, given: Verdict | Missing | None, missing: str | None
) -> None:
    toy.plan()
    at = toy.answer("a", "radio", 1, said)
    if given:
        toy.grade(("a", "radio", 1), at, given)
    cell = only(toy.connection, toy.loaded, "radio")
    assert cell.missing == missing
    assert (cell.values is None) == (missing is not None)


def test_a_void_dialogue_keeps_the_verdict_as_it_was_given(toy: Toy) -> None:
    toy.plan()
    at = toy.answer("a", "radio", 1, Reply("}", "tool", flags=("artefact",)))
    toy.grade(("a", "radio", 1), at, Verdict({"firmness": 0, "kept": False}))
    cell = only(toy.connection, toy.loaded, "radio")
    assert (cell.values, cell.given, cell.flags) == (None, {"firmness": 0, "kept": False}, ("artefact",))


def test_half_a_dialogue_is_not_run(toy: Toy) -> None:
    toy.plan()
    toy.answer("a", "dinner", 1, Reply("first of two", "tool"))
    assert only(toy.connection, toy.loaded, "dinner").missing == "not_run"
    assert only(toy.connection, toy.loaded, "dessert").missing == "not_run"


def test_a_replaced_parent_makes_its_childs_verdict_stale(toy: Toy) -> None:
    toy.complete()
    toy.answer("a", "dinner", 1, Reply("new", "tool"), Reply("newer", "tool"))
    assert only(toy.connection, toy.loaded, "dessert").missing == "stale"
    assert only(toy.connection, toy.loaded, "dinner").missing == "unjudged"
    assert only(toy.connection, toy.loaded, "radio").missing is None


def test_a_parent_without_an_answer_takes_its_child_along(toy: Toy) -> None:
    toy.complete()
    toy.answer("a", "dinner", 1, Missing("no_answer"))
    assert only(toy.connection, toy.loaded, "dinner").missing == "no_answer"
    assert only(toy.connection, toy.loaded, "dessert").missing == "parent_missing"


def test_a_verdict_by_another_wording_of_the_rubric_does_not_count(toy: Toy) -> None:
    toy.plan()
    at = toy.answer("a", "radio", 1, Reply("x", "tool"))
    given = Verdict({"firmness": 4, "kept": True})
    toy.grade(("a", "radio", 1), at, given, rubric="another")
    assert only(toy.connection, toy.loaded, "radio").missing == "unjudged"
    toy.grade(("a", "radio", 1), at, given, rubric=queries.PUBLISHED)
    assert only(toy.connection, toy.loaded, "radio").values == {"firmness": 4, "kept": True}


def test_one_judge_at_a_time(toy: Toy) -> None:
    toy.complete(judge="usual")
    at = str(queries.calls_of(toy.connection, filled.key("a", "radio", 1))[-1].after)
    toy.grade(("a", "radio", 1), at, Verdict({"firmness": 1, "kept": False}), "other")
    assert planned_verdicts.planned_verdicts(toy.connection, toy.scope, None).judge == "usual"
    assert only(toy.connection, toy.loaded, "radio").values == {"firmness": 8, "kept": True}
    assert only(toy.connection, toy.loaded, "radio", "other").values == {"firmness": 1, "kept": False}
    assert only(toy.connection, toy.loaded, "dinner", "other").missing == "unjudged"
