"""How far planned dialogues are, for whoever decides what is left to do: of finished ones no more than their end."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Set
from typing import NamedTuple

import msgspec

from independence.store import queries
from independence.store.queries import TrialState
from independence.types import Where

_FEW = 4  # of so many planned trials one is wanted: then each is looked for by its key
# Trials of which nothing is known are left out: no answer, and no other dialogue that they continue.
_SQL = (
    "SELECT p.trial, iif(p.parent IS NULL AND d.start_context IS NULL AND d.answered = p.turns AND NOT d.broken, d.at, "
    "NULL), p.turns FROM planned p LEFT JOIN dialogues d ON d.trial = p.trial WHERE {clause} "
    "AND (d.trial IS NOT NULL OR p.parent IS NOT NULL)"
)


class FinishedTrial(msgspec.Struct, frozen=True, gc=False):
    """A trial whose turns are all answered, on the dialogue that it continues as that is now."""

    end: str  # digest of the dialogue
    answered: int  # turns


class Endings(NamedTuple):
    """How far trials are, by key; nothing is known of one that is in neither."""

    finished: Mapping[str, FinishedTrial]
    unfinished: Mapping[str, TrialState]


def read(connection: sqlite3.Connection, where: Where, trials: Set[str]) -> Endings:
    """How far those of these trials are that an edition (and condition) plans. Others may be among them."""
    planned = queries.planned_count(connection, where)
    clause, values = queries.planned_clause(where, trials if len(trials) * _FEW < planned else None)
    finished: dict[str, FinishedTrial] = {}
    others: set[str] = set()
    own = {key: key for key in trials}  # so that no key of the store is kept beside the same one of the plan
    for key, end, turns in connection.execute(_SQL.format(clause=clause), values):
        if end is not None:
            finished[own.get(key, key)] = FinishedTrial(end, turns)
        else:
            others.add(key)
    unfinished: dict[str, TrialState] = {}
    others &= trials
    if others:
        few = len(others) * _FEW < planned
        for state in queries.states(connection, where, others if few else None):
            if state.end is not None and state.missing is None:
                finished[state.key] = FinishedTrial(state.end, state.answered)
            else:
                unfinished[state.key] = state
    return Endings(finished, unfinished)


def answered(connection: sqlite3.Connection, where: Where) -> bool:
    """Whether any dialogue of an edition has an answer."""
    sql = (
        "SELECT 1 FROM planned JOIN dialogues USING (trial) WHERE suite = ? AND edition = ? AND first_at IS NOT NULL "
        "LIMIT 1"
    )
    return connection.execute(sql, (where.suite, where.edition)).fetchone() is not None


def refused(connection: sqlite3.Connection) -> set[str]:
    """Keys of trials of which a request was refused in words that leave open whether it always will be."""
    return {key for (key,) in connection.execute("SELECT DISTINCT trial FROM failures WHERE kind = 'Refused'")}
