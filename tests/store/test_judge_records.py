from __future__ import annotations

import sqlite3

import pytest

from independence.store import queries, records, spending
from independence.store.records import FailureRow, VerdictRow
from independence.types import Attempt, Condition, Missing, Usage, Verdict

from . import rows
from .rows import PLACE

CONDITION = Condition("v", "m")


def said(usd: float = 0.0, reasoning: str = "") -> Verdict:
    return Verdict({"x": 1}, reasoning, usage=Usage(cost_usd=usd))


def test_spending_is_told_by_judge_and_subject_with_failed_calls(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    for config in ("a", "b"):
        rows.trial(connection, f"t{config}", config_dir=config)
        end = rows.dialogue(connection, f"t{config}", "x")
        rows.verdict(connection, f"j{config}", f"t{config}", end, said(0.25), "j")
    unread = Missing("unreadable_verdict", attempts=(Attempt("ok", 1.0, Usage(cost_usd=0.5)),))
    rows.verdict(connection, "k", "ta", "elsewhere", unread, "k")
    records.add_verdict(connection, VerdictRow("p", "ta", "k", "published", "there", "{}", said(1.0)))
    attempts = (Attempt("timeout", 1.0, Usage(cost_usd=0.125)),)
    for _ in range(2):
        records.add_failure(connection, FailureRow("ta", "j", "GaveUp", "", attempts))
    assert spending.by_judge(connection, PLACE.under(CONDITION)) == [
        ("j", "a", 1, 0, 0, 0.5),
        ("j", "b", 1, 0, 0, 0.25),
        ("k", "a", 2, 1, 1, 1.5),
    ]
    assert spending.by_judge(connection, PLACE.under(Condition("v", "other"))) == []


def test_a_dialogue_that_stands_at_two_places_is_paid_for_once(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    for scenario in ("one", "two"):
        rows.trial(connection, "t", scenario=scenario)
    rows.verdict(connection, "k", "t", rows.dialogue(connection, "t", "x"), said(0.25))
    assert spending.by_judge(connection, PLACE.under(CONDITION)) == [("j", "a", 1, 0, 0, 0.25)]


def test_reasons_are_those_given_on_the_dialogue_as_it_is_now(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    rows.trial(connection, "t")
    before = rows.dialogue(connection, "t", "old")
    rows.verdict(connection, "1", "t", before, said(reasoning="of the old answer"))
    assert queries.reasoning(connection, "t", "j", "rubric") == "of the old answer"
    now = rows.dialogue(connection, "t", "new")
    assert queries.reasoning(connection, "t", "j", "rubric") == ""
    records.add_verdict(
        connection, VerdictRow("2", "t", "j", "published", now, "{}", said(reasoning="by the published rubric"))
    )
    assert queries.reasoning(connection, "t", "j", "rubric") == "by the published rubric"
    rows.verdict(connection, "3", "t", now, said(reasoning="by this one"))
    assert queries.reasoning(connection, "t", "j", "rubric") == "by this one"
    assert queries.reasoning(connection, "t", "somebody else", "rubric") == ""


def test_a_place_leads_to_its_trial(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    rows.trial(connection, "t", scenario="dinner", run=2)
    assert queries.trial_key(connection, PLACE.under(CONDITION), "a", "dinner", 2) == "t"
    with pytest.raises(KeyError):
        queries.trial_key(connection, PLACE.under(CONDITION), "a", "dinner", 1)
