from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.exchange.requests import Requests
from independence.store import database, export_rows, records, scopes
from independence.store.records import EditionRow
from independence.suites.load import LoadedSuite
from independence.types import Missing, Where
from tests.engine import planned


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = database.connect(tmp_path / "store.db")
    yield opened
    opened.close()


@pytest.mark.parametrize("mode", ["tool_role", "user_role"])
def test_a_rebuilt_request_is_the_one_that_was_sent(
    mode: str, connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    """Turn after turn, in a dialogue that continues another one too."""
    made = planned.trials(toy_suite.suite, modes=[mode])
    planned.store(connection, toy_suite, list(made.values()))
    sent = {}
    for scenario, said in (("dinner", ("Soup.", "Lentils.")), ("dessert", ("No.",)), ("radio", ("I would not.",))):
        trial = made[scenario, 1]
        for turn in range(len(said)):
            planned.answer(connection, trial, *said[:turn])
            progress = dialogue.load(connection, trial)
            assert isinstance(progress, TrialProgress)
            sent[scenario, turn] = msgspec.json.encode(dialogue.request(trial, progress).messages)
        planned.answer(connection, trial, *said)
    requests = Requests(connection, scopes.find(connection, None, None, mode))
    rebuilt = {
        (spot.scenario, row.turn): requests.messages(spot, row)
        for spot, row in export_rows.answers(connection, Where("toy", toy_suite.edition))
    }
    assert rebuilt == sent
    assert b"Lentils." in rebuilt["dessert", 0]


def test_the_request_of_an_answer_that_never_came_is_there_too(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["dinner", 1], "Soup.", Missing("blocked"))
    requests = Requests(connection, scopes.find(connection, None, None, None))
    _, (spot, row) = export_rows.answers(connection, Where("toy", toy_suite.edition))
    assert row.missing == "blocked"
    assert b"Choose again, please." in requests.messages(spot, row)
    assert b"Soup." in requests.messages(spot, row)


def test_a_persona_of_ones_own_is_in_the_request(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    suite = msgspec.structs.replace(toy_suite.suite, variants={**toy_suite.suite.variants, "mine-1": "You keep bees."})
    made = planned.trials(suite, variants=["mine-1"])
    planned.store(connection, toy_suite, list(made.values()))
    records.add_persona(connection, EditionRow("toy", toy_suite.edition, ""), "mine-1", "You keep bees.")
    planned.answer(connection, made["radio", 1], "No.")
    requests = Requests(connection, scopes.find(connection, None, "mine-1", None))
    ((spot, row),) = export_rows.answers(connection, Where("toy", toy_suite.edition))
    assert b"You keep bees." in requests.messages(spot, row)


def test_a_published_request_stays_byte_for_byte(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["radio", 1], "No.")
    connection.execute("UPDATE calls SET messages = ?", (b'[ {"role":  "user"} ]',))
    ((spot, row),) = export_rows.answers(connection, Where("toy", toy_suite.edition))
    assert (
        Requests(connection, scopes.find(connection, None, None, None)).messages(spot, row) == b'[ {"role":  "user"} ]'
    )
