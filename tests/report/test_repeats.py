from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from independence.config.subjects import Subject, to_json
from independence.report import board, index_tables, purchase, runs
from independence.report.board import Board
from independence.report.comparison_tables import tables as compared
from independence.report.subject_comparison import ComparedSubject
from independence.report.table import to_markdown
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply, Sampling, Verdict

from . import filled
from .filled import Toy

WORDS = ("the same", "the same", "other", "the same")


def constant(_: int, scenario: str) -> Reply:
    """The same in every run."""
    return Reply(scenario, "tool")


def fill(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    words: Callable[[int, str], Reply | Missing],
    runs: int = 4,
    config: str = "a",
) -> None:
    """A subject whose verdicts differ from run to run, whatever it says."""
    filled.plan(connection, loaded, config, runs)
    for run in range(1, runs + 1):
        for scenario in filled.SCENARIOS:
            said = words(run, scenario)
            at = filled.answer(connection, config, scenario, run, *[said] * (2 if scenario == "dinner" else 1))
            fields = {"drift": run} if scenario == "dinner" else {"firmness": 5 + run, "kept": True}
            filled.grade(connection, loaded, (config, scenario, run), at, Verdict(fields))


def built(connection: sqlite3.Connection, loaded: LoadedSuite) -> Board:
    return board.board(connection, filled.scope(loaded))


def at_temperature(connection: sqlite3.Connection, loaded: LoadedSuite, temperature: float) -> None:
    subject = Subject("acme/a", "loop", "a", Sampling(temperature, "low"))
    connection.execute("UPDATE subjects SET config = ?", (to_json(subject),))


def test_a_run_that_repeats_an_earlier_one_word_for_word_counts_once(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, lambda run, scenario: Reply(f"{WORDS[run - 1]} {scenario}", "tool"))
    (row,) = built(toy.connection, toy.loaded).rows
    assert (row.runs, row.coverage, row.flags) == (2, 1.0, {"repeated_run": 6})
    assert row.per_run == tuple(pytest.approx(75 * (5 + run) / 10 + 25 * (10 - run) / 10) for run in (1, 3))
    (said,) = built(toy.connection, toy.loaded).repeats
    assert said == (
        "label of a: runs 2, 4 are the same, word for word, as run 1, therefore counted once. A cache on the way to "
        "the model repeats replies, or its server always uses the same seed."
    )


def test_runs_that_are_all_the_same_are_one_run_without_interval_tier_or_distance(toy: Toy) -> None:
    for config in "ab":
        fill(toy.connection, toy.loaded, constant, config=config)
    found = built(toy.connection, toy.loaded)
    assert [(row.runs, row.ci, row.tier, row.rank_ci, row.rank) for row in found.rows] == [
        (1, None, None, None, None)
    ] * 2
    assert found.minimum_detectable is None
    said = to_markdown(index_tables.full(found, toy.index)) if toy.index else ""
    assert "label of a, label of b: runs 2, 3, 4 are the same" in said
    assert "points apart" not in said


def test_at_temperature_zero_one_run_is_all_there_is(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, constant, runs=2)
    at_temperature(toy.connection, toy.loaded, 0.0)
    (said,) = built(toy.connection, toy.loaded).repeats
    assert said.startswith("label of a: deterministic at temperature 0, so there is only one run (run 2 is the same")


def test_one_other_reply_makes_a_run_of_its_own(toy: Toy) -> None:
    fill(
        toy.connection,
        toy.loaded,
        lambda run, scenario: Reply(f"{scenario} {run if scenario == 'radio' else ''}", "tool"),
    )
    found = built(toy.connection, toy.loaded)
    assert (found.rows[0].runs, found.rows[0].flags, found.repeats) == (4, {}, ())


def test_a_run_with_a_hole_repeats_nothing(toy: Toy) -> None:
    hole = Missing("no_answer")
    fill(
        toy.connection,
        toy.loaded,
        lambda run, scenario: hole if (run, scenario) == (2, "radio") else Reply(scenario, "tool"),
        runs=2,
    )
    (row,) = built(toy.connection, toy.loaded).rows
    assert (row.index, row.runs, "repeated_run" in row.flags) == (None, 2, False)


def test_what_counts_depends_on_replies_alone_so_that_no_lost_verdict_raises_an_index(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, constant, runs=2)
    before = built(toy.connection, toy.loaded).rows[0]
    for run, index in ((2, before.index), (1, None)):
        toy.connection.execute("DELETE FROM verdicts WHERE trial = ?", (filled.key("a", "radio", run),))
        assert built(toy.connection, toy.loaded).rows[0].index == index


def test_a_dialogue_that_a_gateway_replayed_counts_once_in_a_run_that_is_otherwise_new(toy: Toy) -> None:
    def words(run: int, scenario: str) -> Reply:
        return (
            Reply("a stored reply", "tool", flags=("cache_hit",))
            if scenario == "radio"
            else Reply(f"{scenario} {run}", "tool")
        )

    fill(toy.connection, toy.loaded, words, runs=3)
    found = built(toy.connection, toy.loaded)
    assert (found.rows[0].runs, found.rows[0].flags) == (1, {"cache_hit": 1, "repeated_run": 2})
    (said,) = found.repeats
    assert said == (
        "label of a: replayed by a gateway from its cache and equal to earlier dialogues, therefore counted once: 2."
    )


def test_imports_stay_as_they_were_published(toy: Toy) -> None:
    published = LoadedSuite(toy.suite, "published")
    fill(toy.connection, published, constant)
    found = built(toy.connection, published)
    assert (found.rows[0].runs, found.rows[0].flags, found.repeats) == (4, {"our_rubric": 12}, ())


def test_data_quality_names_what_was_left_out(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, constant)
    marks, subjects = runs.tables(toy.read())
    assert [row[:3] for row in marks.rows] == [("repeated_run", 9, 1)]
    assert subjects.rows == (("label of a", 9, 0.75, "repeated_run 9"),)


def test_a_comparison_says_which_runs_count_once(toy: Toy) -> None:
    for config in "ab":
        fill(toy.connection, toy.loaded, constant, config=config)
    read = toy.read()
    sides, difference, *_ = compared(ComparedSubject(read, "a"), ComparedSubject(read, "b"))
    assert sum("are the same, word for word" in note for note in sides.notes) == 2
    assert difference.rows[0][-1] == "no test is possible: a scenario has a single run"


def test_what_did_not_vary_is_still_as_unsure_as_the_prior_share_says(toy: Toy) -> None:
    for config, score in (("a", 10), ("b", 5)):
        toy.complete(config, ((score, score, score),) * 3)
    found = built(toy.connection, toy.loaded)
    assert [row.rank for row in found.rows] == [1, 2]
    for row in found.rows:
        assert row.ci is not None
        assert row.index is not None
        assert row.ci[0] < row.index - 2
    assert found.minimum_detectable is not None
    (table,) = purchase.tables(toy.read())
    assert "Nothing varies" not in str(table.notes)
