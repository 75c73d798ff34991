"""Token statistics: means by subject or judge, scenario and turn; only what the endpoint counted."""

from __future__ import annotations

import sqlite3

import pytest

from independence.store import context, records, spending
from independence.store.records import SubjectRow, VerdictRow
from independence.store.spending import CallTokens, RunTokens
from independence.types import Attempt, Missing, Reply, Usage, Verdict

from . import rows


def say(connection: sqlite3.Connection, trial: str, *counts: tuple[int, int]) -> None:
    """Answers of a trial that took so many tokens (prompt, completion)."""
    at = context.begin(trial)
    for turn, (prompt, completion) in enumerate(counts):
        answer = Reply(f"{turn}", "content", usage=Usage(prompt, completion))
        at = rows.call(connection, trial, turn, at, answer)


def grade(connection: sqlite3.Connection, trial: str, prompt: int, completion: int, judge: str = "j") -> None:
    verdict = Verdict({}, usage=Usage(prompt, completion))
    records.add_verdict(connection, VerdictRow(f"{judge} {trial}", trial, judge, "rubric", "", "{}", verdict))


@pytest.fixture
def asked(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Two runs of a dialogue of two turns."""
    rows.edition(connection)
    for run in (1, 2):
        rows.trial(connection, f"t{run}", turns=2, scenario="dinner", run=run)
    say(connection, "t1", (100, 10), (200, 30))
    say(connection, "t2", (300, 20), (200, 50))
    return connection


def test_a_blank_store_has_no_statistics(connection: sqlite3.Connection) -> None:
    assert spending.call_tokens(connection, "s") == []
    assert spending.run_tokens(connection, "s") == []


def test_runs_of_a_turn_are_averaged(asked: sqlite3.Connection) -> None:
    assert spending.call_tokens(asked, "s") == [
        CallTokens("a", "dinner", 0, False, 2, 200.0, 15.0),
        CallTokens("a", "dinner", 1, False, 2, 200.0, 40.0),
    ]


def test_editions_count_together_and_other_suites_not_at_all(asked: sqlite3.Connection) -> None:
    rows.edition(asked, "later")
    rows.trial(asked, "t3", turns=2, edition="later", scenario="dinner")
    say(asked, "t3", (500, 30))
    assert spending.call_tokens(asked, "s")[0] == CallTokens("a", "dinner", 0, False, 3, 300.0, 20.0)
    assert spending.call_tokens(asked, "another") == []


def test_a_dialogue_that_two_editions_share_counts_once(asked: sqlite3.Connection) -> None:
    rows.edition(asked, "later")
    rows.trial(asked, "t1", turns=2, edition="later", scenario="dinner")
    assert {one.turn: one.calls for one in spending.call_tokens(asked, "s")} == {0: 2, 1: 2}


def test_answers_without_a_count_are_left_out_and_those_that_came_to_nothing_are_not(
    asked: sqlite3.Connection,
) -> None:
    rows.trial(asked, "t3", scenario="radio")
    say(asked, "t3", (500, 0))
    rows.trial(asked, "t4", scenario="silence")
    nothing = Missing("no_answer", attempts=(Attempt("empty", 0.5, Usage(70, 7)), Attempt("empty", 0.5, Usage(70, 7))))
    rows.call(asked, "t4", 0, context.begin("t4"), nothing)
    found = {one.scenario: one.completion for one in spending.call_tokens(asked, "s")}
    assert found.keys() == {"dinner", "silence"}
    assert found["silence"] == 14


def test_simulated_subjects_are_marked(asked: sqlite3.Connection) -> None:
    records.add_subjects(asked, [SubjectRow("s", "e", "sim--half", "half", "sim/half", True)])
    rows.trial(asked, "t5", scenario="dinner", config_dir="sim--half")
    say(asked, "t5", (10, 1))
    assert {one.who: one.simulated for one in spending.call_tokens(asked, "s")} == {"a": False, "sim--half": True}


def test_verdicts_are_averaged_by_judge_and_scenario(asked: sqlite3.Connection) -> None:
    grade(asked, "t1", 1000, 100)
    grade(asked, "t2", 2000, 140)
    grade(asked, "t1", 0, 0, judge="cues")
    grade(asked, "t1", 9, 9, judge="sim/judge")
    found = [one for one in spending.call_tokens(asked, "s") if one.who != "a"]
    assert found == [
        CallTokens("j", "dinner", "", False, 2, 1500.0, 120.0),
        CallTokens("sim/judge", "dinner", "", True, 1, 9.0, 9.0),
    ]


def test_a_run_is_told_beside_the_mean_run_of_its_subject(asked: sqlite3.Connection) -> None:
    assert sorted(spending.run_tokens(asked, "s")) == [
        RunTokens("a", 2, 300, 40, 400.0, 55.0),
        RunTokens("a", 2, 500, 70, 400.0, 55.0),
    ]
