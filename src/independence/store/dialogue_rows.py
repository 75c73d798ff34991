"""How far each dialogue is, in one row that is written with its answers: what plans and boards read of the answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from independence.store import context
from independence.store.file import digests

PARENT_MISSING = "parent_missing"  # of a dialogue: that the one it continues came to nothing
DIGITS = 16  # of a digest of a reply, where it is kept for comparing alone


class DialogueRow(NamedTuple):
    """The current answers of a trial, in line: each was given on the one before it."""

    trial: str
    start_context: str | None  # `context` of the first; None: the key of the trial
    at: str | None  # digest of the dialogue up to and with the last that is there; None: no answer is current
    answered: int  # that are there
    missing: str | None  # reason of the first that is not
    broken: int  # whether there are others, given on a history that was replaced
    flags: str | None  # `flags` of those in line, joined by commas; None: none has any
    said: str  # the first DIGITS of each one's `said`
    thought: int  # whether any took reasoning tokens, or came with the reasoning itself
    first_at: str | None  # when the first answer that is there came, in line or not; None where nobody wrote it down
    last_at: str | None
    cost_usd: float  # of all calls, those included whose answers were replaced


class Progress(NamedTuple):
    """How far a dialogue is, on the history that it is planned on."""

    missing: str | None  # reason of the first turn that came to nothing, or `parent_missing`
    stale: bool  # an answer exists that was given on a replaced history
    end: str | None  # digest of the finished dialogue; None while unfinished
    start: str | None  # digest of that history; None while the dialogue that it continues is unfinished
    follows: bool  # whether its answers were given on it


def progress(
    trial: str, turns: int, parent: str | None, before: tuple[str | None, str | None], stored: Sequence[Any]
) -> Progress:
    """`before`: `end` and `missing` of the dialogue that it continues; `stored`: `start_context`, `at`, `answered`,
    `missing` and `broken` of its row, all None where it has none.
    """
    parent_end, parent_missing = before
    begun, at, answered, missing, broken = stored
    start = None if parent is not None and parent_end is None else context.begin(trial, parent_end)
    follows = at is not None and (begun or trial) == start  # or it was begun on another history
    end = at if follows and answered == turns and not broken else None
    stale = bool(broken) if follows else at is not None
    if parent_missing is not None:
        return Progress(PARENT_MISSING, False, end, start, follows)
    return Progress(missing if follows else None, stale, end, start, follows)


def write(connection: sqlite3.Connection, trials: Iterable[str] | None = None) -> None:
    """Write the rows of these trials, or of all, anew from their calls, inside the caller's transaction.

    Of a trial without calls there is none: a trigger deletes it with them.
    """
    keys = None if trials is None else msgspec.json.encode(list(dict.fromkeys(trials))).decode()
    changed = dict.fromkeys(DialogueRow._fields[1:])
    digests.insert(connection, "dialogues", map(DialogueRow._asdict, list(read(connection, keys))), changed)


def read(connection: sqlite3.Connection, keys: str | None = None) -> Iterator[DialogueRow]:
    """The rows that calls make, by trial; `keys`: of these trials (a JSON array) alone."""
    chosen = "" if keys is None else "WHERE trial IN (SELECT value FROM json_each(?)) "
    found = connection.execute(
        "SELECT trial, version, context, after, missing, flags, said, reasoning_tokens > 0 OR reasoning <> '', "
        f"answered_at, cost_usd FROM calls {chosen}ORDER BY trial, turn, version",
        () if keys is None else (keys,),
    )
    for trial, calls in groupby(found, itemgetter(0)):
        yield _row(trial, list(calls))


def _row(trial: str, calls: list[tuple[Any, ...]]) -> DialogueRow:
    current = [row[2:] for row in calls if not row[1]]
    start = at = current[0][0] if current else None
    missing, broken, thought = None, False, False
    flags: list[str] = []
    said: list[str] = []
    for before, after, reason, marks, own_said, reasoned, _, _ in current:
        broken = before != at
        if broken:
            break
        flags.append(marks)
        if reason is not None:
            missing = reason
            break
        said.append(own_said[:DIGITS])
        thought = thought or bool(reasoned)
        at = after
    times = [row[6] for row in current if row[2] is None and row[6]]
    return DialogueRow(
        trial=trial,
        start_context=None if start == trial else start,
        at=at,
        answered=len(said),
        missing=missing,
        broken=int(broken),
        flags=",".join(flags) if any(marks != "[]" for marks in flags) else None,
        said="".join(said),
        thought=int(thought),
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        cost_usd=float(sum(row[-1] or 0 for row in calls)),
    )


def differing(connection: sqlite3.Connection) -> Iterator[str]:
    """Trials whose row is not what their calls make."""
    columns = ", ".join(DialogueRow._fields)
    stored: Mapping[str, DialogueRow] = {
        row[0]: DialogueRow._make(row) for row in connection.execute(f"SELECT {columns} FROM dialogues")
    }
    made = {row.trial: row for row in read(connection)}
    return (trial for trial in stored.keys() | made.keys() if stored.get(trial) != made.get(trial))
