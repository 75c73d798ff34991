from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

from independence.store import leases

from . import rows


@pytest.fixture
def trial(connection: sqlite3.Connection) -> str:
    rows.trial(connection, "t")
    return "t"


def state(connection: sqlite3.Connection) -> tuple[str | None, float | None]:
    owner, until = connection.execute("SELECT owner, until FROM leases WHERE trial = 't'").fetchone() or (None, None)
    return owner, until


def name(host: str, pid: int) -> str:
    return f"{host}:{pid}:ab12"


def dead_pid() -> int:
    """A process id that belonged to a process which is gone."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def test_owners_are_unique_and_name_host_and_process() -> None:
    one, other = leases.owner(), leases.owner()
    assert one != other
    assert one.rsplit(":", 1)[0] == f"{socket.gethostname()}:{os.getpid()}"


def test_a_free_trial_is_taken_until_its_time_is_up(connection: sqlite3.Connection, trial: str) -> None:
    assert leases.take(connection, trial, "me") is None
    owner, until = state(connection)
    assert owner == "me"
    assert until == pytest.approx(time.time() + leases.TTL_S, abs=5)


def test_taking_ones_own_again_is_fine(connection: sqlite3.Connection, trial: str) -> None:
    me = leases.owner()
    assert leases.take(connection, trial, me) is None
    assert leases.take(connection, trial, me) is None


def test_a_living_process_of_this_host_keeps_its_trial(connection: sqlite3.Connection, trial: str) -> None:
    other = name(socket.gethostname(), os.getppid())
    leases.take(connection, trial, other)
    assert leases.take(connection, trial, leases.owner()) == other
    assert state(connection)[0] == other


def test_a_dead_process_of_this_host_loses_it_at_once(connection: sqlite3.Connection, trial: str) -> None:
    leases.take(connection, trial, name(socket.gethostname(), dead_pid()))
    assert leases.take(connection, trial, "me") is None
    assert state(connection)[0] == "me"


def test_another_host_keeps_it_until_its_time_is_up(connection: sqlite3.Connection, trial: str) -> None:
    other = name("elsewhere", dead_pid())
    leases.take(connection, trial, other)
    assert leases.take(connection, trial, "me") == other
    connection.execute("UPDATE leases SET until = ?", (time.time() - 1,))
    assert leases.take(connection, trial, "me") is None


def test_a_host_name_may_hold_colons(connection: sqlite3.Connection, trial: str) -> None:
    other = name("fe80::1", dead_pid())
    leases.take(connection, trial, other)
    assert leases.take(connection, trial, "me") == other


def test_renewing_extends_ones_own_leases_only(connection: sqlite3.Connection, trial: str) -> None:
    rows.trial(connection, "u")
    leases.take(connection, "t", "me")
    leases.take(connection, "u", name("elsewhere", 1))
    connection.execute("UPDATE leases SET until = 5.0")
    leases.renew(connection, "me")
    untils = dict(connection.execute("SELECT trial, until FROM leases"))
    assert untils["t"] > time.time()
    assert untils["u"] == 5.0


def test_a_released_trial_is_free(connection: sqlite3.Connection, trial: str) -> None:
    leases.take(connection, trial, name("elsewhere", 1))
    leases.release(connection, [trial], "me")
    assert state(connection)[0] == name("elsewhere", 1)
    leases.release(connection, [trial], name("elsewhere", 1))
    assert state(connection) == (None, None)
    assert leases.take(connection, trial, "me") is None


def test_the_heartbeat_beats_well_within_the_time() -> None:
    assert leases.HEARTBEAT_S * 3 < leases.TTL_S


def test_only_living_processes_with_time_left_hold_trials(connection: sqlite3.Connection) -> None:
    here = socket.gethostname()
    living, dead, late = name(here, os.getppid()), name(here, dead_pid()), name("another-host", 1)
    for key, owner in (("t1", living), ("t2", living), ("t3", dead), ("t4", late)):
        rows.trial(connection, key)
        leases.take(connection, key, owner)
    assert leases.holders(connection) == sorted([living, late])
    connection.execute("UPDATE leases SET until = ? WHERE trial = 't4'", (time.time() - 1,))
    assert leases.holders(connection) == [living]
