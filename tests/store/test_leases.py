"""Who works on a trial, and what each run says of itself, until its process ends, dies or falls silent."""

from __future__ import annotations

import os
import socket
from sqlite3 import Connection

import msgspec
import pytest

from independence.errors import UsageError
from independence.store import leases, progress
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel
from tests.virtual_time import HandClock

from . import rows

GONE = 999_999_999  # above every number that a process can have
HERE = socket.gethostname()
LIVING, DEAD, ELSEWHERE = f"{HERE}:{os.getppid()}:ab12", f"{HERE}:{GONE}:ab12", f"elsewhere:{GONE}:ab12"


@pytest.fixture
def held(connection: Connection) -> Connection:
    """A store with four trials."""
    for key in ("t", "u", "v", "w"):
        rows.trial(connection, key)
    return connection


def holder(connection: Connection, trial: str = "t") -> str | None:
    found = connection.execute("SELECT owner FROM leases WHERE trial = ?", (trial,)).fetchone()
    return found[0] if found else None


def test_no_process_is_asked_whether_it_lives_where_that_would_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(UsageError, match="Windows is not supported yet"):
        leases.alive(DEAD)
    assert leases.alive(ELSEWHERE)


def test_owners_are_unique_and_name_host_and_process() -> None:
    one, other = leases.owner(), leases.owner()
    assert one != other
    assert one.rsplit(":", 1)[0] == f"{HERE}:{os.getpid()}"


@pytest.mark.parametrize(
    ("other", "keeps"),
    [(LIVING, True), (DEAD, False), (ELSEWHERE, True), (f"fe80::1:{GONE}:ab12", True), ("me", False)],
)
def test_a_process_keeps_its_trial_until_it_is_known_to_be_dead_or_its_time_is_up(
    held: Connection, other: str, keeps: bool
) -> None:
    time = HandClock()
    assert leases.take(held, "t", other, time) is None
    time.forward(leases.TTL_S - 1)
    assert leases.take(held, "t", "me", time) == (other if keeps else None)
    assert holder(held) == (other if keeps else "me")
    time.forward(1)
    assert leases.take(held, "t", "me", time) is None
    assert leases.held_until(held, "me") == time.now() + leases.TTL_S
    assert leases.held_until(held, "nobody") == 0


def test_renewing_extends_ones_own_leases_only_and_well_within_the_time(held: Connection) -> None:
    time = HandClock()
    leases.take(held, "t", "host:1:me", time)
    leases.take(held, "u", ELSEWHERE, time)
    assert leases.HEARTBEAT_S * 3 < leases.TTL_S
    time.forward(leases.TTL_S - 1)
    leases.renew(held, "host:1:me", time)
    time.forward(1)
    assert leases.holders(held, time) == ["host:1:me"]


def test_a_clock_that_is_set_within_a_run_costs_a_process_no_trial_that_it_goes_on_to_renew(held: Connection) -> None:
    for step in (3 * 86_400, -3_600, -10 * 86_400):
        time = HandClock()
        assert leases.take(held, "t", ELSEWHERE, time) is None
        time.forward(step)
        leases.renew(held, ELSEWHERE, time)
        assert leases.take(held, "t", "me", time) == ELSEWHERE
        time.forward(leases.TTL_S)  # it has fallen silent
        assert leases.take(held, "t", "me", time) is None
        leases.release(held, ["t"], "me")


def test_a_released_trial_is_free(held: Connection) -> None:
    for trial in ("t", "u", "v"):
        leases.take(held, trial, ELSEWHERE)
    leases.release(held, ["t"], "me")
    assert holder(held) == ELSEWHERE
    leases.release(held, ["t"], ELSEWHERE)
    assert (holder(held), holder(held, "u")) == (None, ELSEWHERE)
    leases.release_all(held, "me")
    assert holder(held, "u") == ELSEWHERE
    leases.release_all(held, ELSEWHERE)
    assert (holder(held, "u"), holder(held, "v")) == (None, None)


def test_only_living_processes_with_time_left_hold_trials(held: Connection) -> None:
    time = HandClock()
    leases.take(held, "w", ELSEWHERE, time)
    time.forward(1)
    for key, owner in (("t", LIVING), ("u", LIVING), ("v", DEAD)):
        leases.take(held, key, owner, time)
    assert leases.holders(held, time) == sorted([LIVING, ELSEWHERE])
    assert leases.count(held, time.now()) == (3, 1)
    time.forward(leases.TTL_S - 1)
    assert leases.holders(held, time) == [LIVING]
    assert leases.count(held, time.now()) == (2, 2)


SAID = RunSnapshot(
    command="run", about="toy@12345678", began=1000.0, planned=8, done=3, failed=1, usd=0.25, cap_usd=2.0,
    missing={"no_answer": 1}, retried={"429": 2}, waits=(WaitingModel("m", "429", 2, 1010.0),),
    slots={"openrouter": (5, 20)}, parked=(ParkedModel("m", "m@low", "404"),),
)  # fmt: skip
RUNNING = f"elsewhere:{os.getpid()}:00000000"


def put(connection: Connection, owner: str, time: HandClock, **changes: object) -> None:
    said = msgspec.structs.replace(SAID, **changes)
    progress.put(connection, owner, msgspec.json.encode(said).decode(), time)


def states(connection: Connection, time: HandClock) -> dict[str, str]:
    return {row.owner: row.state for row in progress.read(connection, time)}


def test_a_process_has_one_snapshot_that_comes_back_as_it_was(connection: Connection) -> None:
    time, me = HandClock(), leases.owner()
    put(connection, me, time, done=2)
    time.forward(1)
    put(connection, me, time)
    (row,) = progress.read(connection, time)
    assert (row.owner, row.at, row.state, row.snapshot) == (me, time.now(), "running", SAID)


def test_who_began_last_is_first_whoever_spoke_last(connection: Connection) -> None:
    time = HandClock()
    put(connection, "a", time, began=20.0)
    put(connection, "b", time, began=10.0)
    for speaker in "abab":
        time.forward(1)
        put(connection, speaker, time, began={"a": 20.0, "b": 10.0}[speaker])
        assert list(states(connection, time)) == ["a", "b"]


def test_a_killed_process_is_gone_an_ended_one_has_ended_and_the_next_run_takes_their_rows(
    connection: Connection,
) -> None:
    time, mine, beside = HandClock(), leases.owner(), leases.owner()
    put(connection, mine, time)
    put(connection, DEAD, time)
    assert states(connection, time) == {mine: "running", DEAD: "gone"}
    put(connection, mine, time, ended=1020.0)
    assert states(connection, time) == {mine: "ended", DEAD: "gone"}
    put(connection, beside, time)
    assert states(connection, time) == {beside: "running"}


def test_a_process_of_another_host_runs_while_it_speaks_or_holds_a_trial(held: Connection) -> None:
    time = HandClock()
    put(held, RUNNING, time)
    put(held, LIVING, time)
    time.forward(leases.TTL_S - 1)
    assert states(held, time) == {RUNNING: "running", LIVING: "running"}
    time.forward(1)
    assert states(held, time) == {RUNNING: "gone", LIVING: "running"}
    leases.take(held, "t", RUNNING, time)
    assert states(held, time)[RUNNING] == "running"
    time.forward(leases.TTL_S)
    assert states(held, time)[RUNNING] == "gone"
