from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.exchange.requests import Requests
from independence.store import dialogues, records, scopes
from independence.store.records import EditionRow
from independence.suites.load import LoadedSuite
from independence.types import FunctionCall, Missing, Reply, ToolCall
from tests.engine import planned

Spot = tuple[str, int]  # scenario, turn


def sent(connection: sqlite3.Connection, variant: str | None = None, mode: str | None = None) -> dict[Spot, bytes]:
    """The request of every answer, by scenario and turn."""
    scope = scopes.find(connection, None, variant, mode)
    requests = Requests(connection, scope)
    return {
        (one.scenario, turn.turn): request
        for one in dialogues.read(connection, scope.where)
        for turn, request in zip(one.turns, requests.of(one), strict=True)
    }


@pytest.mark.parametrize("mode", ["tool_role", "user_role"])
def test_a_rebuilt_request_is_the_one_that_was_sent(
    mode: str, connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    """Turn after turn, in a dialogue that continues another one too."""
    made = planned.trials(toy_suite.suite, modes=[mode])
    planned.store(connection, toy_suite, list(made.values()))
    asked = {}
    signed = ToolCall("call_1", FunctionCall("hear", "{}"), extra_content={"google": {"thought_signature": "s"}})
    lentils = Reply("Lentils.", "tool", tool_calls=(signed,))  # some models want their signatures back
    for scenario, said in (("dinner", (lentils, "Soup.")), ("dessert", ("No.",)), ("radio", ("I would not.",))):
        trial = made[scenario, 1]
        for turn in range(len(said)):
            planned.answer(connection, trial, *said[:turn])
            progress = dialogue.load(connection, trial)
            assert isinstance(progress, TrialProgress)
            asked[scenario, turn] = msgspec.json.encode(dialogue.request(trial, progress).messages)
        planned.answer(connection, trial, *said)
    rebuilt = sent(connection, mode=mode)
    assert rebuilt == asked
    assert b"Lentils." in rebuilt["dessert", 0]
    assert (b"thought_signature" in rebuilt["dinner", 1]) == (mode == "tool_role")


def test_the_request_of_an_answer_that_never_came_is_there_too(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["dinner", 1], "Soup.", Missing("blocked"))
    request = sent(connection)["dinner", 1]
    assert b"Choose again, please." in request
    assert b"Soup." in request


def test_a_persona_of_ones_own_is_in_the_request(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    suite = msgspec.structs.replace(toy_suite.suite, variants={**toy_suite.suite.variants, "mine-1": "You keep bees."})
    made = planned.trials(suite, variants=["mine-1"])
    planned.store(connection, toy_suite, list(made.values()))
    records.add_persona(connection, EditionRow("toy", toy_suite.edition, ""), "mine-1", "You keep bees.")
    planned.answer(connection, made["radio", 1], "No.")
    assert b"You keep bees." in sent(connection, variant="mine-1")["radio", 0]


def test_a_published_request_stays_byte_for_byte(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    planned.answer(connection, made["radio", 1], "No.")
    connection.execute("UPDATE calls SET messages = ?", (b'[ {"role":  "user"} ]',))
    assert sent(connection) == {("radio", 0): b'[ {"role":  "user"} ]'}
