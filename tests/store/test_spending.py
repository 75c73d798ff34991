"""What replies, verdicts and failed calls took: tokens, dollars, dates, by subject and judge, and the ledger."""

from __future__ import annotations

import sqlite3

import pytest

from independence.store import context, dialogue_rows, planned_dialogues, records, spending
from independence.store.records import FailureRow, SubjectRow, VerdictRow
from independence.store.spending import CallTokens, Dates, RunTokens, SessionLedger
from independence.types import Attempt, Condition, Missing, Reply, Usage, Verdict

from . import rows
from .rows import PLACE

CONDITION = Condition("v", "m")
HERE, THERE = PLACE.under(CONDITION), PLACE.under(Condition("v", "other"))


def say(connection: sqlite3.Connection, trial: str, *counts: tuple[int, int]) -> None:
    """Answers of a trial that took so many tokens (prompt, completion)."""
    at = context.begin(trial)
    for turn, (prompt, completion) in enumerate(counts):
        answer = Reply(f"{turn}", "content", usage=Usage(prompt, completion))
        at = rows.call(connection, trial, turn, at, answer)


def grade(connection: sqlite3.Connection, trial: str, usage: Usage, judge: str = "j", rubric: str = "rubric") -> None:
    verdict = Verdict({}, usage=usage)
    row = VerdictRow(f"{judge} {trial} {rubric}", trial, judge, rubric, "", "{}", verdict)
    records.add_verdict(connection, row)


@pytest.fixture
def asked(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Two runs of a dialogue of two turns."""
    rows.edition(connection)
    for run in (1, 2):
        rows.trial(connection, f"t{run}", turns=2, scenario="dinner", run=run)
    say(connection, "t1", (100, 10), (200, 30))
    say(connection, "t2", (300, 20), (200, 50))
    return connection


def test_runs_of_a_turn_are_averaged_over_editions_and_a_run_stands_beside_the_mean_run(
    asked: sqlite3.Connection,
) -> None:
    assert spending.call_tokens(asked, "s") == [
        CallTokens("a", "dinner", 0, False, 2, 200.0, 15.0),
        CallTokens("a", "dinner", 1, False, 2, 200.0, 40.0),
    ]
    assert sorted(spending.run_tokens(asked, "s")) == [
        RunTokens("a", 2, 300, 40, 400.0, 55.0),
        RunTokens("a", 2, 500, 70, 400.0, 55.0),
    ]
    assert spending.call_tokens(asked, "another") == spending.run_tokens(asked, "another") == []
    rows.edition(asked, "later")
    rows.trial(asked, "t1", turns=2, edition="later", scenario="dinner")  # a dialogue that both share counts once
    assert {one.turn: one.calls for one in spending.call_tokens(asked, "s")} == {0: 2, 1: 2}
    rows.trial(asked, "t3", turns=2, edition="later", scenario="dinner", run=3)
    say(asked, "t3", (500, 30))
    assert spending.call_tokens(asked, "s")[0] == CallTokens("a", "dinner", 0, False, 3, 300.0, 20.0)


def test_answers_without_a_count_are_left_out_and_those_that_came_to_nothing_are_not(asked: sqlite3.Connection) -> None:
    rows.trial(asked, "t3", scenario="radio")
    say(asked, "t3", (500, 0))
    rows.trial(asked, "t4", scenario="silence")
    nothing = Missing("no_answer", attempts=(Attempt("empty", 0.5, Usage(70, 7)), Attempt("empty", 0.5, Usage(70, 7))))
    rows.call(asked, "t4", 0, context.begin("t4"), nothing)
    found = {one.scenario: one.completion for one in spending.call_tokens(asked, "s")}
    assert found.keys() == {"dinner", "silence"}
    assert found["silence"] == 14


def test_verdicts_are_averaged_by_judge_and_scenario_and_simulations_are_marked(asked: sqlite3.Connection) -> None:
    for trial, prompt, completion, judge in (
        ("t1", 1000, 100, "j"), ("t2", 2000, 140, "j"), ("t1", 0, 0, "cues"), ("t1", 9, 9, "sim/judge"),
    ):  # fmt: skip
        grade(asked, trial, Usage(prompt, completion), judge)
    records.add_subjects(asked, [SubjectRow("s", "e", "sim--half", "half", "sim/half", True)])
    rows.trial(asked, "t5", scenario="dinner", config_dir="sim--half")
    say(asked, "t5", (10, 1))
    assert sorted(one for one in spending.call_tokens(asked, "s") if one.who != "a") == [
        CallTokens("j", "dinner", "", False, 2, 1500.0, 120.0),
        CallTokens("sim--half", "dinner", 0, True, 1, 10.0, 1.0),
        CallTokens("sim/judge", "dinner", "", True, 1, 9.0, 9.0),
    ]


def test_spending_is_told_by_judge_and_subject_with_failed_calls_and_each_dialogue_once(
    connection: sqlite3.Connection,
) -> None:
    for config in ("a", "b"):
        rows.edition(connection, config_dir=config)
        rows.trial(connection, f"t{config}", config_dir=config)
        rows.trial(connection, f"t{config}", config_dir=config, scenario="twin")  # it stands at two places
        grade(connection, f"t{config}", Usage(cost_usd=0.25))
    unread = Missing("unreadable_verdict", attempts=(Attempt("ok", 1.0, Usage(cost_usd=0.5)),))
    rows.verdict(connection, "k", "ta", "elsewhere", unread, "k")
    grade(connection, "ta", Usage(cost_usd=1.0), "k", "published")
    attempts = (Attempt("timeout", 1.0, Usage(cost_usd=0.125)),)
    for _ in range(2):
        records.add_failure(connection, FailureRow("ta", "j", "GaveUp", "", attempts))
    assert spending.by_judge(connection, HERE) == [
        ("j", "a", 1, 0, 0, 0.5), ("j", "b", 1, 0, 0, 0.25), ("k", "a", 2, 1, 1, 1.5),
    ]  # fmt: skip
    assert spending.by_judge(connection, THERE) == []


def test_dates_are_those_of_current_replies_and_of_one_judge(asked: sqlite3.Connection) -> None:
    grade(asked, "t1", Usage())
    grade(asked, "t2", Usage(), "other")
    asked.execute("UPDATE calls SET answered_at = '2026-03-05' || trial || turn")
    asked.execute("UPDATE calls SET answered_at = '' WHERE trial = 't1' AND turn = 0")  # nobody wrote it down
    asked.execute("UPDATE verdicts SET judged_at = '2026-04 ' || judge")
    dialogue_rows.write(asked)
    replies = ("2026-03-05t11", "2026-03-05t21")
    for judge, verdict in (("j", "2026-04 j"), ("other", "2026-04 other"), (None, None)):
        assert planned_dialogues.read(asked, HERE, judge, {}).dates == Dates(*replies, verdict, verdict)
    rows.call(asked, "t2", 1, "elsewhere", rows.reply("anew"))
    later, elsewhere = (planned_dialogues.read(asked, where, "j", {}).dates for where in (HERE, THERE))
    assert (later.last_reply or "") > "2026-03-05t21"
    assert elsewhere == Dates()
    assert spending.together([later, elsewhere]) == later


def test_a_session_is_stored_with_its_first_dollar_and_kept_up_to_date(connection: sqlite3.Connection) -> None:
    assert spending.session_total(connection) == 0.0
    idle, busy, later = (SessionLedger("run", f"toy@{name}") for name in ("idle", "busy", "later"))
    idle.note(connection, 0.0, 0.0)
    busy.note(connection, 0.25, 0.0)
    later.note(connection, 1.0, 0.5)
    busy.note(connection, 0.75, 0.25)
    assert [(one.about, one.spent_usd, one.unknown_usd) for one in spending.sessions(connection)] == [
        ("toy@later", 1.0, 0.5), ("toy@busy", 0.75, 0.25),
    ]  # fmt: skip
    assert spending.session_total(connection) == 1.75
