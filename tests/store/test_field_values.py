"""Values of verdicts as they are stored beside their JSON."""

from __future__ import annotations

import json
from sqlite3 import Connection

import pytest

from independence.report import board
from independence.store import field_values, queries
from independence.suites.load import LoadedSuite
from independence.types import Missing, Verdict
from tests.e2e import command
from tests.report import filled

from . import rows


def stored(connection: Connection, *given: dict[str, object]) -> list[dict[str, object]]:
    """What is read of verdicts with these values."""
    packed = [field_values.pack(values) for values in given]
    pairs = [(field_values.layout_id(connection, one.layout), one.values) for one in packed]
    return field_values.unpack(connection, pairs)  # type: ignore[return-value]


def test_values_come_back_exactly_as_json_holds_them(connection: Connection) -> None:
    for values in (
        {},
        {"score": 7, "kept": True, "drift": 0.1},
        {"zero": 0, "none": 0.0, "no": False, "minus": -0.0},
        {"least": -(2**63), "most": 2**63 - 1, "beyond": 2**63, "vast": 10**40},
        {"big": 1.7976931348623157e308, "small": 5e-324, "third": 1 / 3},
        {"words": "held", "list": [1, "a", None], "nothing": None, "score": 3},
        {"only": "words"},
        {'näme with "quotes"': 1},
    ):
        (found,) = stored(connection, values)
        assert json.dumps(found) == json.dumps(json.loads(json.dumps(values)))  # types and order too


def test_verdicts_of_several_kinds_come_back_in_their_order(connection: Connection) -> None:
    given: list[dict[str, object]] = [{"a": 1}, {"b": True}, {}, {"a": 2}, {"a": 2.5}, {"b": False}, {"a": 1}]
    assert [json.dumps(one) for one in stored(connection, *given)] == [json.dumps(one) for one in given]
    assert connection.execute("SELECT count(*) FROM field_sets").fetchone() == (3,)
    first, second, *_ = stored(connection, {"a": 1}, {"a": 1})
    first["a"] = 2  # they share nothing
    assert second == {"a": 1}


def test_a_verdict_is_written_with_its_values_and_one_that_came_to_nothing_with_none(connection: Connection) -> None:
    rows.verdict(connection, "k", "t", "at", Verdict({"a": 3, "b": True}))
    rows.verdict(connection, "l", "t", "at", Missing("unreadable_verdict"))
    written = connection.execute("SELECT field_set, field_values FROM verdicts ORDER BY key").fetchall()
    assert written == [(1, b"\x03" + b"\x00" * 7 + b"\x01"), (None, None)]


def test_a_board_reads_no_json_and_values_built_anew_give_the_same_board(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 5, 3)))
    filled.complete(connection, toy_suite, "b", ((1, 2, 9), (3, 3, 8)))
    scope = filled.scope(toy_suite)
    before = board.board(connection, scope)
    texts = connection.execute("SELECT key, fields FROM verdicts").fetchall()
    connection.execute("UPDATE verdicts SET fields = 'no JSON'")
    assert board.board(connection, scope) == before
    connection.executemany("UPDATE verdicts SET fields = ?2 WHERE key = ?1", texts)
    connection.execute("UPDATE verdicts SET field_set = NULL, field_values = NULL")
    connection.execute("DELETE FROM field_sets")
    with pytest.raises(KeyError):
        board.board(connection, scope)
    command.rebuild_values(connection)
    assert board.board(connection, scope) == before
    assert len(queries.verdicts(connection, scope.where, "cues")) == 12


def test_json_that_no_verdict_ever_held_has_no_values(connection: Connection) -> None:
    rows.verdict(connection, "k", "t", "at", Verdict({"a": 3}))
    for text in ("", "0", "[1]", "{"):
        connection.execute("UPDATE verdicts SET fields = ?", (text,))
        command.rebuild_values(connection)
        assert connection.execute("SELECT field_set, field_values FROM verdicts").fetchone() == (None, None)
