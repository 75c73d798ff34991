"""What each run says of itself once a second, so that other processes can follow it."""

from __future__ import annotations

import sqlite3
from typing import Literal

import msgspec

from independence.clock import MACHINE, Clock
from independence.store import leases

ProcessState = Literal["running", "ended", "gone"]


class WaitingModel(msgspec.Struct, frozen=True):
    """Calls of one model that pause for one reason."""

    model: str
    reason: str
    calls: int
    until: float  # the last of them, seconds since 1970


class ParkedModel(msgspec.Struct, frozen=True):
    """A model that is not asked any more in this run. `subject`: whose dialogues stop; empty for a judge."""

    model: str
    subject: str
    why: str


class RunSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Where one run stands. Counts are of this process; moments are seconds since 1970."""

    command: str
    about: str  # suite@edition
    stage: str = ""  # of a purchase in several stages, and what those before it say
    began: float
    started: float | None = None  # with the first subject: servers are tested before
    planned: int  # calls and verdicts to settle
    done: int
    failed: int  # calls that this process could not settle; resuming asks again
    usd: float
    cap_usd: float | None  # None: no cap
    missing: dict[str, int]  # reason -> settled calls and verdicts that came to nothing
    retried: dict[str, int]  # reason -> attempts that are made again
    waits: tuple[WaitingModel, ...]
    slots: dict[str, tuple[int, int]]  # endpoint -> calls at once now, and its cap
    parked: tuple[ParkedModel, ...]
    stopping: str = ""  # why no further call starts
    ended: float | None = None


class ProgressRow(msgspec.Struct, frozen=True):
    """The last snapshot of one process."""

    owner: str  # host:pid:nonce
    at: float  # when it was written; nothing is written while nothing changes
    state: ProcessState
    snapshot: RunSnapshot


def put(connection: sqlite3.Connection, owner: str, snapshot: str, time: Clock = MACHINE) -> None:
    """Replace the snapshot (JSON) of a process; the first one also removes those of processes that are gone."""
    if connection.execute("SELECT 1 FROM progress WHERE owner = ?", (owner,)).fetchone() is None:
        others = [(row.owner,) for row in read(connection, time) if row.state != "running"]
        connection.executemany("DELETE FROM progress WHERE owner = ?", others)
    connection.execute(
        "INSERT INTO progress VALUES (?, ?, ?) ON CONFLICT (owner) DO UPDATE SET at = excluded.at, "
        "snapshot = excluded.snapshot",
        (owner, time.now(), snapshot),
    )


def read(connection: sqlite3.Connection, time: Clock = MACHINE) -> list[ProgressRow]:
    """The last snapshot of every process, who began last first."""
    rows = connection.execute("SELECT owner, at, snapshot FROM progress ORDER BY owner").fetchall()
    found = [(owner, at, msgspec.json.decode(text, type=RunSnapshot)) for owner, at, text in rows]
    found.sort(key=lambda row: row[2].began, reverse=True)
    return [ProgressRow(owner, at, _state(connection, owner, at, said, time), said) for owner, at, said in found]


def _state(connection: sqlite3.Connection, owner: str, at: float, snapshot: RunSnapshot, time: Clock) -> ProcessState:
    if snapshot.ended is not None:
        return "ended"
    if not leases.alive(owner):
        return "gone"
    # A process of another host is taken to be gone once it is silent for as long as a lease, and holds no trial.
    if leases.here(owner) or at > time.now() - leases.TTL_S or leases.held_until(connection, owner) > time.now():
        return "running"
    return "gone"
