"""Who works on a trial. A lease names a process; a dead process or a silent one loses it."""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import time

TTL_S = 60.0
HEARTBEAT_S = 10.0


def owner() -> str:
    """A name for this process, unique on any host: `host:pid:nonce`."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def take(connection: sqlite3.Connection, trial: str, me: str) -> str | None:
    """Lease a trial. Returns None when it is ours, else the owner that lives."""
    row = connection.execute("SELECT lease_owner, lease_until FROM trials WHERE key = ?", (trial,)).fetchone()
    holder, until = row or (None, 0.0)
    if holder and holder != me and until > time.time() and alive(holder):
        return str(holder)
    connection.execute(
        "UPDATE trials SET lease_owner = ?, lease_until = ? WHERE key = ?", (me, time.time() + TTL_S, trial)
    )
    return None


def renew(connection: sqlite3.Connection, me: str) -> None:
    """Extend every lease of this process."""
    connection.execute("UPDATE trials SET lease_until = ? WHERE lease_owner = ?", (time.time() + TTL_S, me))


def release(connection: sqlite3.Connection, trial: str, me: str) -> None:
    """Give a trial back."""
    connection.execute(
        "UPDATE trials SET lease_owner = NULL, lease_until = NULL WHERE key = ? AND lease_owner = ?", (trial, me)
    )


def release_all(connection: sqlite3.Connection, me: str) -> None:
    """Give back every trial of this process."""
    connection.execute("UPDATE trials SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?", (me,))


def holders(connection: sqlite3.Connection) -> list[str]:
    """Processes that live and hold a trial now, as `host:pid:nonce`."""
    held = "SELECT DISTINCT lease_owner FROM trials WHERE lease_owner IS NOT NULL AND lease_until > ?"
    rows = connection.execute(held, (time.time(),))
    return sorted(holder for (holder,) in rows if holder and alive(holder))


def count(connection: sqlite3.Connection, now: float) -> tuple[int, int]:
    """Trials held by a process that lives, and by one that is dead or silent."""
    held = silent = 0
    for holder, until, trials in connection.execute(
        "SELECT lease_owner, max(lease_until), count(*) FROM trials WHERE lease_owner IS NOT NULL "
        "GROUP BY lease_owner, lease_until > ?", (now,)
    ):  # fmt: skip
        if until > now and alive(holder):
            held += trials
        else:
            silent += trials
    return held, silent


def alive(holder: str) -> bool:
    """False only when the holder ran on this host and its process is gone."""
    if not here(holder):
        return True
    try:
        os.kill(int(holder.rsplit(":", 2)[1]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def here(holder: str) -> bool:
    """Whether the holder runs, or ran, on this host."""
    return holder.rsplit(":", 2)[0] == socket.gethostname()
