"""Who works on a trial. A lease names a process; a dead process or a silent one loses it."""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
from collections.abc import Iterable

from independence.clock import MACHINE, Clock
from independence.errors import refuse_windows

TTL_S = 60.0
HEARTBEAT_S = 10.0


def owner() -> str:
    """A name for this process, unique on any host: `host:pid:nonce`."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def take(connection: sqlite3.Connection, trial: str, me: str, time: Clock = MACHINE) -> str | None:
    """Lease a trial. Returns None when it is ours, else the owner that lives."""
    sql = "SELECT owner FROM leases WHERE trial = ? AND owner <> ? AND until > ?"
    for (holder,) in connection.execute(sql, (trial, me, time.now())).fetchall():
        if alive(holder):
            return str(holder)
    connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?)", (trial, me, time.now() + TTL_S))
    return None


def renew(connection: sqlite3.Connection, me: str, time: Clock = MACHINE) -> None:
    """Extend every lease of this process."""
    connection.execute("UPDATE leases SET until = ? WHERE owner = ?", (time.now() + TTL_S, me))


def release(connection: sqlite3.Connection, trials: Iterable[str], me: str) -> None:
    """Give trials back."""
    connection.executemany("DELETE FROM leases WHERE trial = ? AND owner = ?", [(trial, me) for trial in trials])


def release_all(connection: sqlite3.Connection, me: str) -> None:
    """Give back every trial of this process."""
    connection.execute("DELETE FROM leases WHERE owner = ?", (me,))


def held_until(connection: sqlite3.Connection, owner: str) -> float:
    """When the last lease of a process ends, in seconds since 1970; 0 where it has none."""
    (until,) = connection.execute("SELECT max(until) FROM leases WHERE owner = ?", (owner,)).fetchone()
    return float(until or 0.0)


def holders(connection: sqlite3.Connection, time: Clock = MACHINE) -> list[str]:
    """Processes that live and hold a trial now, as `host:pid:nonce`."""
    rows = connection.execute("SELECT DISTINCT owner FROM leases WHERE until > ?", (time.now(),))
    return sorted(holder for (holder,) in rows if alive(holder))


def count(connection: sqlite3.Connection, now: float) -> tuple[int, int]:
    """Trials held by a process that lives, and by one that is dead or silent."""
    held = silent = 0
    sql = "SELECT owner, max(until), count(*) FROM leases GROUP BY owner, until > ?"
    for holder, until, trials in connection.execute(sql, (now,)):
        if until > now and alive(holder):
            held += trials
        else:
            silent += trials
    return held, silent


def alive(holder: str) -> bool:
    """False only when the holder ran on this host and its process is gone."""
    if not here(holder):
        return True
    refuse_windows()  # where signal 0 is Ctrl-C, to a whole group of processes
    try:
        os.kill(int(holder.rsplit(":", 2)[1]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        pass
    return True


def here(holder: str) -> bool:
    """Whether the holder runs, or ran, on this host."""
    return holder.rsplit(":", 2)[0] == socket.gethostname()
