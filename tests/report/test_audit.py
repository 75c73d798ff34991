from __future__ import annotations

import sqlite3

import pytest

from independence.report import board, runs, study
from independence.report.table import Table
from independence.store import artefacts, records, spending
from independence.store.artefacts import ArtefactRow
from independence.store.records import FailureRow
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Missing, Reply, Usage

from . import filled
from .filled import Toy


def tables(connection: sqlite3.Connection, loaded: LoadedSuite) -> list[Table]:
    where = filled.scope(loaded)
    return runs.cost_tables(
        study.read(connection, where), board.board(connection, where), spending.by_subject(connection, where.where)
    )


def row(table: Table, at: int = 0) -> dict[str, object]:
    return dict(zip((column.key for column in table.columns), table.rows[at], strict=True))


def test_every_dollar_is_in_the_audit(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    lost = (Attempt("429", 1.0, Usage(cost_usd=0.25)), Attempt("timeout", 1.0, unknown_usd=0.125))
    records.add_failure(toy.connection, FailureRow(filled.key("a", "radio", 1), "x", "429", "", lost))
    cost = row(tables(toy.connection, toy.loaded)[0])
    assert (cost["calls"], cost["answers_usd"], cost["verdicts"]) == (8, 4.0, 6)
    assert (cost["failed_usd"], cost["unknown_usd"], cost["extra_attempts"]) == (0.25, 0.125, 2)
    assert cost["total_usd"] == 4.25
    assert cost["per_run_usd"] == 2.125


def test_what_a_judge_wrote_before_it_graded_counts_as_judging(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2),))
    before = row(tables(toy.connection, toy.loaded)[0])
    key = filled.key("a", "radio", 1)
    usage = Usage(prompt_tokens=30, completion_tokens=12, cost_usd=0.5)
    tries = (Attempt("429", 1.0, unknown_usd=0.25), Attempt("ok", 1.0, usage))
    claims = Reply("claims", "content", usage=usage, attempts=tries)
    artefacts.add(toy.connection, ArtefactRow("k", key, "judge", "claims", 0, "w", "at", "{}", claims))
    after = row(tables(toy.connection, toy.loaded)[0])
    assert after["verdicts_usd"] == float(str(before["verdicts_usd"])) + 0.5
    assert after["tokens"] == int(str(before["tokens"])) + 42
    assert after["unknown_usd"] == 0.25


def test_a_subject_that_cost_nothing_has_no_index_per_dollar(toy: Toy) -> None:
    toy.complete("paid")
    toy.plan("free")
    for scenario, turns in (("dinner", 2), ("radio", 1), ("dessert", 1)):
        said = [filled.Reply(f"{scenario} {turn}", "tool") for turn in range(turns)]
        at = toy.answer("free", scenario, 1, *said)
        fields = {"drift": 1} if scenario == "dinner" else {"firmness": 5, "kept": True}
        toy.grade(("free", scenario, 1), at, filled.Verdict(fields))
    value = tables(toy.connection, toy.loaded)[1]
    assert [cells[0] for cells in value.rows] == ["label of paid"]
    assert row(value)["index_per_usd"] == pytest.approx(float(str(row(value)["index"])) / 2)
    assert "1 subjects" in value.notes[0]


def test_the_cost_of_a_run_is_the_mean_over_the_runs_that_were_asked(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    toy.answer("a", "radio", 1, Missing("no_answer"))  # its run stays paid for, though incomplete
    costs, value = tables(toy.connection, toy.loaded)
    assert value.rows == ()
    cost = row(costs)
    assert cost["per_run_usd"] == float(str(cost["total_usd"])) / 2


def test_runs_that_were_planned_and_never_asked_lower_no_price(toy: Toy) -> None:
    toy.plan(runs=3)
    lost = (Attempt("429", 1.0, Usage(cost_usd=0.25)),)
    assert tables(toy.connection, toy.loaded)[0].rows == ()
    records.add_failure(toy.connection, FailureRow(filled.key("a", "radio", 1), "x", "429", "", lost))
    assert row(tables(toy.connection, toy.loaded)[0])["per_run_usd"] == 0.25
