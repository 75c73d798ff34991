from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from independence.exchange import export_tables
from independence.exchange.export_tables import Row, tables
from independence.store import artefacts, database, routes, scopes
from independence.store.artefacts import ArtefactRow
from independence.store.routes import RouteRow, VerdictRoute
from independence.suites.load import LoadedSuite, load
from independence.types import Reply
from tests.engine import planned

from . import shelf


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> sqlite3.Connection:
    opened = database.connect(tmp_path / "store.db")
    shelf.fill(opened, toy_suite)
    return opened


def rows(connection: sqlite3.Connection, name: str, *variants: str) -> list[Row]:
    edition = shelf.edition(connection, variants or ("firm", "plain"))
    (sheet,) = [one for one in tables(edition) if one.name == name]
    found = list(sheet.values())
    assert all(set(row) == set(sheet.columns) for row in found)
    return found


def test_who_was_asked_and_what_it_cost(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    assert rows(connection, "subjects") == [
        {
            "suite": "toy", "edition": toy_suite.edition, "config": shelf.SUBJECT.config_dir,
            "label": shelf.SUBJECT.label, "model_id": "lab/m", "simulated": False, "endpoint": "lab",
            "provider": "acme/fp8", "temperature": 0.7, "temperature_supported": True,
            "effort": "high", "answers": 3, "cost_usd": pytest.approx(0.01),
        }
    ]  # fmt: skip


def test_every_planned_turn_is_a_row_and_says_why_it_is_empty(connection: sqlite3.Connection) -> None:
    found = [(row["variant"], row["scenario"], row["turn"], row["missing"]) for row in rows(connection, "dialogues")]
    assert found == [
        ("firm", "dessert", 0, None), ("firm", "dinner", 0, None), ("firm", "dinner", 1, None),
        ("firm", "radio", 0, "blocked"), ("plain", "dessert", 0, "not_run"), ("plain", "dinner", 0, "not_run"),
        ("plain", "radio", 0, "not_run"),
    ]  # fmt: skip


def test_an_answer_has_its_request_its_words_and_its_flags(connection: sqlite3.Connection) -> None:
    row = rows(connection, "dialogues", "firm")[1]
    assert (row["answer"], row["raw"], row["flags"]) == (shelf.WORDS, f"<|x|>{shelf.WORDS}", ["template_tokens"])
    assert (row["attempts"], row["seconds"], row["cost_usd"]) == (["429", "ok"], 3.0, 0.01)
    messages = row["messages"]
    assert isinstance(messages, list)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]
    assert messages[-1]["content"] == "Which dish is yours, if you may choose?"


def test_an_answer_on_a_history_that_was_replaced_is_stale(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    made = planned.trials(toy_suite.suite, shelf.SUBJECT, variants=["firm"])
    planned.answer(connection, made["dinner", 1], "Bread.")
    stale = [(row["scenario"], row["turn"]) for row in rows(connection, "dialogues", "firm") if row["stale"]]
    assert stale == [("dessert", 0), ("dinner", 1)]  # what follows was given on it too


def test_verdicts_of_every_judge_and_whether_they_count(connection: sqlite3.Connection) -> None:
    found = rows(connection, "verdicts")
    assert [(row["judge"], row["missing"], row["values"], row["current"]) for row in found] == [
        ("ann", "unreadable_verdict", {}, False), ("zoe", None, {"drift": 2}, False)
    ]  # fmt: skip
    connection.execute("UPDATE verdicts SET rubric = 'published'")
    assert [row["current"] for row in rows(connection, "verdicts")] == [False, True]
    assert found[1]["reasoning"] == "It moved."


def test_a_verdict_says_whether_it_was_bought_from_whom_and_with_what_probability(
    connection: sqlite3.Connection,
) -> None:
    key, trial = connection.execute("SELECT key, trial FROM verdicts WHERE judge = 'zoe'").fetchone()
    for auditor, route in (("acme/first", VerdictRoute("offline", 0.1)), ("acme/last", VerdictRoute("audit", 0.25))):
        routes.add(connection, [RouteRow(key, auditor, trial, route)])
    found = [(row["auditor"], row["route"], row["probability"]) for row in rows(connection, "verdicts")]
    assert found == [(None, None, None), ("acme/last", "audit", 0.25)]


def test_only_the_chosen_conditions_are_read(connection: sqlite3.Connection) -> None:
    assert {row["variant"] for row in rows(connection, "dialogues", "plain")} == {"plain"}
    assert rows(connection, "verdicts", "plain") == []


def test_neither_addresses_nor_details_of_errors_are_in_any_table(connection: sqlite3.Connection) -> None:
    every = "".join(json.dumps(row) for sheet in tables(shelf.edition(connection)) for row in sheet.values())
    assert "10.0.0.7" not in every
    assert "sk-123" not in every


def test_of_a_grid_the_facts_are_there_and_what_judges_wrote(tmp_path: Path) -> None:
    loaded = load("sides")
    connection = database.connect(tmp_path / "sides.db")
    made = planned.trials(loaded.suite, shelf.SUBJECT)
    planned.store(connection, loaded, list(made.values())[:3])
    scenario = loaded.suite.scenarios[0]
    trial = made[scenario.id, 1]
    at = planned.answer(connection, trial, "Pay half.")
    artefacts.add(connection, ArtefactRow("k", trial.key, "j", "claims", 0, "w", at, "{}", Reply("A pays.", "content")))
    edition = shelf.of(connection, [scopes.find(connection, None, None, None)])
    by_name = {sheet.name: sheet for sheet in tables(edition)}
    (step,) = by_name["steps"].values()
    assert (step["step"], step["text"], step["scenario"]) == ("claims", "A pays.", scenario.id)
    first = next(row for row in by_name["dialogues"].values() if row["scenario"] == scenario.id)
    assert (first["side"], first["cell"], first["factors"]) == (scenario.side, scenario.cell, scenario.factors)
    head = next(export_tables.to_csv(by_name["steps"])).decode()
    assert [f"factors.{name}" in head for name in scenario.factors] == [True] * len(scenario.factors)
