"""Whole dialogues of some scenarios and subjects: answers, verdicts and what judges wrote, with how far each is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from independence.errors import StoreError
from independence.store import context, digests, queries
from independence.store.dialogue_rows import DIGITS
from independence.store.export_rows import ROUTED, VERDICT_COLUMNS, ExportedAnswer, ExportedTrial, ExportedVerdict
from independence.store.queries import UNDER, TrialState, keys_json
from independence.types import Where

_ANSWER = ", ".join(ExportedAnswer._fields)


class DialogueFilter(NamedTuple):
    """Which dialogues of a condition: of all of these, with a run from `first` to `last`."""

    scenarios: Sequence[str]
    config_dirs: Sequence[str]
    first: int = 1
    last: int = 2**31


class WrittenStep(NamedTuple):
    """What a judge wrote before it graded the dialogue as it is now."""

    judge: str
    step: str
    text: str


class FailedCall(NamedTuple):
    """A call that could not be settled."""

    what: str  # the id of a turn, or a judge
    kind: str
    detail: str
    cost_usd: float
    failed_at: str


class StoredDialogue(NamedTuple):
    """One dialogue. `state` is that of its trial, `before` what the subject said in those it continues, by turn id."""

    planned: ExportedTrial
    state: TrialState
    answers: Sequence[ExportedAnswer]
    replaced: Mapping[int, int]  # turn -> older answers that were stored and are not shown
    verdicts: Sequence[ExportedVerdict]
    steps: Sequence[WrittenStep]
    failures: Sequence[FailedCall]
    before: Mapping[str, str]

    @property
    def said(self) -> list[str]:
        """The words of its own answers."""
        return [answer.text for answer in self.answers]

    @property
    def end(self) -> str:
        """The digest of the dialogue as far as it is stored; empty where nothing is."""
        return self.answers[-1].after if self.answers else ""


def dialogues(connection: sqlite3.Connection, where: Where, wanted: DialogueFilter) -> Iterator[StoredDialogue]:
    """The dialogues of an edition under a condition, by subject, scenario and run."""
    columns = ", ".join(ExportedTrial._fields)
    planned = queries.rows(
        connection,
        ExportedTrial,
        f"SELECT {columns} FROM planned WHERE {UNDER} AND config_dir IN (SELECT value FROM json_each(?)) "
        "AND scenario IN (SELECT value FROM json_each(?)) AND run BETWEEN ? AND ? ORDER BY config_dir, scenario, run",
        (*where.columns, keys_json(wanted.config_dirs), keys_json(wanted.scenarios), wanted.first, wanted.last),
    )
    keys = [one.trial for one in planned]
    states = {state.key: state for state in queries.states(connection, where, keys)}
    answers = _grouped(connection, f"SELECT trial, {_ANSWER} FROM calls WHERE version = 0", "turn", keys)
    sql = f"SELECT v.trial, {VERDICT_COLUMNS} FROM verdicts v {ROUTED} WHERE 1"
    verdicts = _grouped(connection, sql, "v.judge, v.judged_at, v.key", keys, table="v")
    older = _grouped(connection, "SELECT trial, turn, version FROM calls WHERE version > 0", "turn, version", keys)
    sql = f"SELECT trial, {', '.join(FailedCall._fields)} FROM failures WHERE 1"
    failures = _grouped(connection, sql, "failed_at, what", keys, table="failures")
    steps = _steps(connection, keys)
    earlier = _earlier(connection, states)
    for one in planned:
        yield StoredDialogue(
            planned=one,
            state=states[one.trial],
            answers=[ExportedAnswer._make(row) for row in answers.get(one.trial, ())],
            replaced=dict(older.get(one.trial, ())),
            verdicts=[ExportedVerdict._make(row) for row in verdicts.get(one.trial, ())],
            steps=steps.get(one.trial, ()),
            failures=[FailedCall._make(row) for row in failures.get(one.trial, ())],
            before=_before(states, earlier, one.trial),
        )


def _grouped(
    connection: sqlite3.Connection, sql: str, order: str, trials: Sequence[str], table: str = "calls"
) -> dict[str, list[tuple[Any, ...]]]:
    """Rows by the trial in their first column, which is taken off."""
    out: dict[str, list[tuple[Any, ...]]] = {}
    whole = f"{sql} AND {table}.trial IN (SELECT value FROM json_each(?)) ORDER BY {table}.trial, {order}"
    for trial, *row in connection.execute(whole, (keys_json(trials),)):
        out.setdefault(trial, []).append(tuple(row))
    return out


def _steps(connection: sqlite3.Connection, trials: Sequence[str]) -> dict[str, list[WrittenStep]]:
    """On each dialogue as it is now, the newest of each step, in their order."""
    sql = (
        "SELECT a.trial, a.judge, a.step, a.text FROM artefacts a WHERE a.missing IS NULL AND EXISTS "
        "(SELECT 1 FROM calls c WHERE c.trial = a.trial AND c.version = 0 AND c.after = a.context)"
    )
    found = _grouped(connection, sql, "a.judge, a.position, a.written_at, a.key", trials, table="a")
    return {
        trial: list({(row[0], row[1]): WrittenStep._make(row) for row in own}.values()) for trial, own in found.items()
    }


def _earlier(connection: sqlite3.Connection, states: Mapping[str, TrialState]) -> dict[str, dict[str, str]]:
    """What was said in every dialogue that another one continues, by turn id."""
    parents = {state.parent for state in states.values() if state.parent}
    sql = "SELECT trial, turn_id, text FROM calls WHERE version = 0"
    found = _grouped(connection, sql, "turn", sorted(parents))
    return {trial: dict(own) for trial, own in found.items()}


def _before(states: Mapping[str, TrialState], earlier: Mapping[str, Mapping[str, str]], trial: str) -> dict[str, str]:
    parent = states[trial].parent if trial in states else None
    return {**_before(states, earlier, parent), **earlier.get(parent, {})} if parent else {}


def reply_texts(connection: sqlite3.Connection, trials: Iterable[str]) -> dict[str, list[str]]:
    """The replies of trials that are in line, by turn. Raises StoreError for those that are not as they were given.

    Boards read them, and their table has no digests: `dialogues` has.
    """
    found = connection.execute(
        "SELECT d.trial, d.said, c.text, c.thinking FROM json_each(?) k JOIN dialogues d ON d.trial = k.value "
        "LEFT JOIN calls c ON c.trial = d.trial AND c.version = 0 AND c.missing IS NULL ORDER BY d.trial, c.turn",
        (keys_json(trials),),
    )
    out: dict[str, list[str]] = {}
    for (trial, said), calls in groupby(found, itemgetter(0, 1)):
        own = [(str(text), str(thinking)) for *_, text, thinking in calls][: len(said) // DIGITS]
        if "".join(context.digest(*words)[:DIGITS] for words in own) != said:
            what = f"the store is damaged (calls: the answers of {trial} are not as they were given)"
            raise StoreError(what, digests.REMEDY)
        out[trial] = [text for text, _ in own]
    return out
