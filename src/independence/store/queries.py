"""What is read: plain rows for the engine's resume and for boards. No opinions, no scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from independence.store import context
from independence.types import Scalar

PUBLISHED = "published"


class StoredCall(NamedTuple):
    """The current answer of one turn."""

    turn: int
    context: str
    after: str
    missing: str | None
    text: str
    thinking: str
    flags: str


class TrialState(NamedTuple):
    """How far a stored trial is."""

    key: str
    config_dir: str
    experiment: str
    scenario: str
    run: int
    answered: int  # turns with an answer given on the history that is stored now
    turns: int
    missing: str | None  # reason of the first turn that came to nothing
    stale: bool  # an answer exists that was given on a replaced history
    end: str | None  # digest of the finished dialogue; None while unfinished
    flags: frozenset[str]

    @property
    def settled(self) -> bool:
        """True when no call is left to make: finished, or ended in a missing answer."""
        return self.end is not None or (self.missing is not None and not self.stale)


class StoredVerdict(NamedTuple):
    """A verdict as stored."""

    trial: str
    judge: str
    context: str
    missing: str | None
    fields: dict[str, Scalar]


class EditionInfo(NamedTuple):
    """An edition the store holds."""

    suite: str
    edition: str
    added_at: str
    trials: int


def editions(connection: sqlite3.Connection) -> list[EditionInfo]:
    """Every edition with trials, newest plan first."""
    rows = connection.execute(
        "SELECT e.suite, e.edition, max(t.planned_at), count(*) FROM editions e JOIN trials t USING (suite, edition) "
        "GROUP BY e.suite, e.edition ORDER BY max(t.planned_at) DESC, max(e.added_at) DESC, e.edition"
    )
    return [EditionInfo(*row) for row in rows]


def document(connection: sqlite3.Connection, suite: str, edition: str) -> str | None:
    """The resolved suite of an edition as JSON."""
    row = connection.execute(
        "SELECT document FROM editions WHERE suite = ? AND edition = ?", (suite, edition)
    ).fetchone()
    return str(row[0]) if row else None


def personas(connection: sqlite3.Connection, suite: str, edition: str) -> dict[str, str]:
    """System prompts brought by users: variant -> text."""
    rows = connection.execute("SELECT variant, text FROM personas WHERE suite = ? AND edition = ?", (suite, edition))
    return dict(rows.fetchall())


def conditions(connection: sqlite3.Connection, suite: str, edition: str) -> list[tuple[str, str]]:
    """(variant, mode) pairs that have trials."""
    rows = connection.execute(
        "SELECT DISTINCT variant, mode FROM trials WHERE suite = ? AND edition = ? ORDER BY 1, 2", (suite, edition)
    )
    return [(str(variant), str(mode)) for variant, mode in rows]


def subjects(connection: sqlite3.Connection, suite: str, edition: str) -> dict[str, tuple[str, str, bool]]:
    """config_dir -> (label, model id, simulated)."""
    rows = connection.execute(
        "SELECT config_dir, label, model_id, simulated FROM subjects WHERE suite = ? AND edition = ?", (suite, edition)
    )
    return {row[0]: (row[1], row[2], bool(row[3])) for row in rows}


def calls_of(connection: sqlite3.Connection, trial: str) -> list[StoredCall]:
    """Current answers of a trial in turn order."""
    rows = connection.execute(
        "SELECT turn, context, after, missing, text, thinking, flags FROM calls WHERE trial = ? AND version = 0 "
        "ORDER BY turn",
        (trial,),
    )
    return [StoredCall(*row) for row in rows]


def end_of(connection: sqlite3.Connection, trial: str) -> str | None:
    """Digest of a finished dialogue, taken from its last answer; None when it has none."""
    row = connection.execute(
        "SELECT c.after FROM calls c JOIN trials t ON t.key = c.trial WHERE c.trial = ? AND c.version = 0 "
        "AND c.missing IS NULL AND c.turn = t.turns - 1",
        (trial,),
    ).fetchone()
    return str(row[0]) if row else None


def states(
    connection: sqlite3.Connection, suite: str, edition: str, condition: tuple[str, str] | None = None
) -> dict[str, TrialState]:
    """State of every planned trial of an edition (and condition), by key, parents before children."""
    where, values = "suite = ? AND edition = ?", [suite, edition]
    if condition:
        where, values = f"{where} AND variant = ? AND mode = ?", [suite, edition, *condition]
    trials = connection.execute(
        "SELECT key, config_dir, experiment, scenario, run, turns, parent FROM trials "
        f"WHERE {where} ORDER BY parent IS NOT NULL, config_dir, run",
        values,
    ).fetchall()
    calls: dict[str, list[tuple[str, str, str | None, str]]] = {}
    for trial, at, after, missing, flags in connection.execute(
        "SELECT c.trial, c.context, c.after, c.missing, c.flags FROM calls c JOIN trials t ON t.key = c.trial "
        f"WHERE c.version = 0 AND {where} ORDER BY c.trial, c.turn",
        values,
    ):
        calls.setdefault(trial, []).append((at, after, missing, flags))
    out: dict[str, TrialState] = {}
    for key, config_dir, experiment, scenario, run, turns, parent in trials:
        parent_end = out[parent].end if parent in out else None
        head = (key, config_dir, experiment, scenario, run)
        out[key] = _state(
            head, turns, calls.get(key, []), None if parent and not parent_end else context.begin(key, parent_end)
        )
    return out


def _state(
    head: tuple[str, str, str, str, int], turns: int, calls: list[tuple[str, str, str | None, str]], start: str | None
) -> TrialState:
    answered, missing, flags, at = 0, None, set[str](), start
    stale = bool(calls) and (start is None or calls[0][0] != start)
    for expected, after, reason, raw in calls:
        if expected != at:
            stale = True
            break
        flags.update(msgspec.json.decode(raw, type=list[str]))
        if reason is not None:
            missing = reason
            break
        answered, at = answered + 1, after
    end = at if answered == turns and not stale else None
    return TrialState(*head, answered, turns, missing, stale, end, frozenset(flags))


def verdicts(
    connection: sqlite3.Connection, suite: str, edition: str, condition: tuple[str, str] | None = None
) -> list[StoredVerdict]:
    """Every stored verdict of an edition (and condition), oldest first."""
    where, values = "t.suite = ? AND t.edition = ?", [suite, edition]
    if condition:
        where, values = f"{where} AND t.variant = ? AND t.mode = ?", [suite, edition, *condition]
    rows = connection.execute(
        "SELECT v.trial, v.judge, v.context, v.missing, v.fields FROM verdicts v JOIN trials t ON t.key = v.trial "
        f"WHERE {where} ORDER BY v.judged_at",
        values,
    )
    return [StoredVerdict(a, b, c, d, msgspec.json.decode(e)) for a, b, c, d, e in rows]


def known_verdicts(connection: sqlite3.Connection, keys: Iterable[str]) -> set[str]:
    """Those of the keys that are stored."""
    find = "SELECT 1 FROM verdicts WHERE key = ?"
    return {key for key in keys if connection.execute(find, (key,)).fetchone()}


def costs(connection: sqlite3.Connection, suite: str, edition: str, condition: tuple[str, str]) -> dict[str, float]:
    """Dollars spent per config_dir in a condition: answers, verdicts and failed calls."""
    out: dict[str, float] = {}
    for table in ("calls", "verdicts", "failures"):
        rows = connection.execute(
            f"SELECT t.config_dir, sum(x.cost_usd) FROM {table} x JOIN trials t ON t.key = x.trial "
            "WHERE t.suite = ? AND t.edition = ? AND t.variant = ? AND t.mode = ? GROUP BY 1",
            (suite, edition, *condition),
        )
        for config_dir, cost in rows:
            out[config_dir] = out.get(config_dir, 0.0) + float(cost)
    return out


def shapes(
    connection: sqlite3.Connection, suite: str, config_dir: str
) -> list[tuple[str, str, str, int, str, str, str]]:
    """(key, edition, scenario, run, variant, mode, shape) of a subject's trials in every edition but imports."""
    rows = connection.execute(
        "SELECT key, edition, scenario, run, variant, mode, shape FROM trials "
        "WHERE suite = ? AND config_dir = ? AND edition <> ?",
        (suite, config_dir, PUBLISHED),
    )
    return rows.fetchall()
