"""What runs say of themselves in the store, and what becomes of it when they end or are killed."""

from __future__ import annotations

import os
import socket
import sqlite3

import msgspec

from independence.store import leases, progress
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel

SAID = RunSnapshot(
    command="run", about="toy@12345678", began=1000.0, planned=8, done=3, failed=1, usd=0.25, cap_usd=2.0,
    missing={"no_answer": 1}, retried={"429": 2}, waits=(WaitingModel("m", "429", 2, 1010.0),),
    slots={"openrouter": (5, 20)}, parked=(ParkedModel("m", "m@low", "404"),),
)  # fmt: skip
GONE = f"{socket.gethostname()}:999999999:00000000"  # above every number that a process can have


def put(connection: sqlite3.Connection, owner: str, **changes: object) -> None:
    said = msgspec.structs.replace(SAID, **changes)
    progress.put(connection, owner, msgspec.json.encode(said).decode())


def states(connection: sqlite3.Connection) -> dict[str, str]:
    return {row.owner: row.state for row in progress.read(connection)}


def test_a_snapshot_comes_back_as_it_was(connection: sqlite3.Connection) -> None:
    me = leases.owner()
    put(connection, me)
    (row,) = progress.read(connection)
    assert (row.owner, row.state, row.snapshot) == (me, "running", SAID)


def test_a_process_has_one_row(connection: sqlite3.Connection) -> None:
    me = leases.owner()
    put(connection, me)
    put(connection, me, done=4)
    assert [row.snapshot.done for row in progress.read(connection)] == [4]


def test_a_killed_process_is_told_as_gone_and_an_ended_one_as_ended(connection: sqlite3.Connection) -> None:
    mine = leases.owner()
    put(connection, mine)
    put(connection, GONE)
    assert states(connection) == {mine: "running", GONE: "gone"}
    put(connection, mine, ended=1020.0)
    assert states(connection)[mine] == "ended"


def test_the_first_row_of_a_run_replaces_those_of_runs_that_are_over(connection: sqlite3.Connection) -> None:
    before, beside = leases.owner(), leases.owner()
    put(connection, GONE)
    put(connection, before)
    assert GONE not in states(connection)
    put(connection, before, ended=1020.0)
    put(connection, beside)
    assert states(connection) == {beside: "running"}


def test_a_process_of_another_host_runs_while_it_speaks_or_holds_a_trial(connection: sqlite3.Connection) -> None:
    other = f"elsewhere:{os.getpid()}:00000000"
    put(connection, other)
    assert states(connection) == {other: "running"}
    connection.execute("UPDATE progress SET at = at - 100")
    assert states(connection) == {other: "gone"}
    connection.execute("INSERT INTO trials (key, turns, shape) VALUES ('t', 1, '{}')")
    leases.take(connection, "t", other)
    assert states(connection) == {other: "running"}
