"""The one reader of whole dialogues: planned places with their answers, verdicts and all that is stored beside them.

What is shown, exported or copied of a dialogue is an encoding of `Dialogue`. Boards, which need no texts, read
`planned_dialogues`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from independence.store import queries
from independence.store.artefacts import ArtefactRow
from independence.store.queries import UNDER, TrialState, keys_json, read_values, truth
from independence.store.records import CallRow, FailureRow, SubjectRow, TrialRow, VerdictRow
from independence.types import Answer, Attempt, Condition, Missing, Reply, ToolCall, Usage, Verdict, Where

_AT_ONCE: Final = 100  # dialogues in memory
_ATTEMPTS = msgspec.json.Decoder(tuple[Attempt, ...])
_FLAGS = msgspec.json.Decoder(tuple[str, ...])
_CALLS = msgspec.json.Decoder(tuple[ToolCall, ...])
Row = Mapping[str, Any]


class Dialogue(NamedTuple):
    """One planned dialogue with everything that is stored of it."""

    trial: TrialRow
    state: TrialState
    calls: Sequence[CallRow]  # current answers, by turn
    replaced: Sequence[CallRow]  # older answers, by version and turn
    verdicts: Sequence[VerdictRow]  # of every judge, by judge and time
    steps: Sequence[ArtefactRow]  # what judges wrote before they graded, by judge and position
    failures: Sequence[FailureRow]  # calls that could not be settled
    before: Mapping[str, Sequence[CallRow]]  # trial -> current answers, of those that it continues, the first one first

    @property
    def condition(self) -> Condition:
        """Under which it is planned."""
        return Condition(self.trial.variant, self.trial.mode)

    @property
    def end(self) -> str:
        """The digest of the dialogue as far as it is stored; empty where nothing is."""
        return self.calls[-1].after if self.calls else ""

    @property
    def current_steps(self) -> list[ArtefactRow]:
        """The steps on the dialogue as it is now, the newest of each last."""
        ends = {call.after for call in self.calls}
        return [step for step in self.steps if step.context in ends]

    @property
    def newest_steps(self) -> list[ArtefactRow]:
        """Of those the newest of each wording: editions that ask the same thing share a dialogue, not their steps."""
        return list({(step.judge, step.step, step.wording): step for step in self.current_steps}.values())


def read(
    connection: sqlite3.Connection,
    where: Where,
    config_dirs: Collection[str] | None = None,
    scenarios: Collection[str] | None = None,
    runs: range | None = None,
) -> Iterator[Dialogue]:
    """The dialogues of an edition under a condition, by subject, run and scenario; None: all. Some are in memory at
    a time.
    """
    chosen = {"p.config_dir": config_dirs, "p.scenario": scenarios, "p.run": runs}
    given = {column: values for column, values in chosen.items() if values is not None}
    sql = (
        "SELECT t.key, p.suite, p.edition, p.config_dir, p.variant, p.mode, p.experiment, p.scenario, p.run, t.parent, "
        f"t.turns, t.shape, p.planned_at FROM planned p JOIN trials t ON t.key = p.trial WHERE {UNDER} "
        + "".join(f"AND {column} IN (SELECT value FROM json_each(?)) " for column in given)
        + "ORDER BY p.config_dir, p.run, p.scenario"
    )
    values = (*where.columns, *(msgspec.json.encode(list(own)).decode() for own in given.values()))
    planned = (TrialRow(*row) for row in connection.execute(sql, values))
    while part := list(islice(planned, _AT_ONCE)):
        yield from _part(connection, where, part)


def _part(connection: sqlite3.Connection, where: Where, planned: Sequence[TrialRow]) -> Iterator[Dialogue]:
    keys = [row.key for row in planned]
    states = {state.key: state for state in queries.states(connection, where, keys)}
    answered = calls(connection, states)
    older = _by_trial(connection, "calls", "version > 0", "version, turn", keys)
    verdicts = _by_trial(connection, "verdicts", "1", "judge, judged_at, key", keys)
    steps = _by_trial(connection, "artefacts", "1", "judge, position, written_at, key", keys)
    failures = _by_trial(connection, "failures", "1", "failed_at, what", keys)
    for row in planned:
        key, above = row.key, list[str]()
        while (parent := states[above[-1] if above else key].parent) and parent in states:
            above.append(parent)
        yield Dialogue(
            trial=row,
            # Two places may ask the same thing.
            state=states[key]._replace(config_dir=row.config_dir, scenario=row.scenario, run=row.run),
            calls=answered.get(key, ()),
            replaced=[_call(own) for own in older.get(key, ())],
            verdicts=[_verdict(own) for own in verdicts.get(key, ())],
            steps=[_step(own) for own in steps.get(key, ())],
            failures=[_failure(own) for own in failures.get(key, ())],
            before={parent: answered.get(parent, ()) for parent in reversed(above)},
        )


def calls(connection: sqlite3.Connection, trials: Iterable[str]) -> dict[str, list[CallRow]]:
    """Trial -> its current answers, by turn."""
    found = _by_trial(connection, "calls", "version = 0", "turn", list(trials))
    return {trial: [_call(row) for row in own] for trial, own in found.items()}


def _by_trial(
    connection: sqlite3.Connection, table: str, clause: str, order: str, trials: Sequence[str]
) -> dict[str, list[Row]]:
    sql = f"SELECT * FROM {table} WHERE {clause} AND trial IN (SELECT value FROM json_each(?)) ORDER BY trial, {order}"
    return {trial: list(own) for trial, own in groupby(_rows(connection, sql, keys_json(trials)), itemgetter("trial"))}


def _rows(connection: sqlite3.Connection, sql: str, *values: object) -> Iterator[Row]:
    found = connection.execute(sql, values)
    names = [column[0] for column in found.description]
    return (dict(zip(names, row, strict=True)) for row in found)


def subjects(connection: sqlite3.Connection, where: Where) -> list[SubjectRow]:
    """The subjects of an edition, by directory."""
    columns = ", ".join(SubjectRow.__struct_fields__)
    sql = f"SELECT {columns} FROM subjects WHERE suite = ? AND edition = ? ORDER BY config_dir"
    found = _rows(connection, sql, *where[:2])
    return [SubjectRow(**{**row, "simulated": bool(row["simulated"])}) for row in found]


def _call(row: Row) -> CallRow:
    answer: Answer = _missing(row) or Reply(
        row["text"], row["channel"], row["raw"], row["thinking"], row["reasoning"], _CALLS.decode(row["tool_calls"]),
        row["finish_reason"], _FLAGS.decode(row["flags"]), _usage(row), row["served_model"], row["served_provider"],
        row["response_id"], _ATTEMPTS.decode(row["attempts"]),
    )  # fmt: skip
    return CallRow(
        row["trial"], row["turn"], row["turn_id"], row["context"], row["after"], answer, row["messages"],
        row["answered_at"],
    )  # fmt: skip


def _verdict(row: Row) -> VerdictRow:
    grade = _missing(row) or Verdict(
        read_values(row["fields"]), row["reasoning"], row["raw"], _usage(row), _ATTEMPTS.decode(row["attempts"]),
        row["quote"], truth(row["quote_found"]),
    )  # fmt: skip
    return VerdictRow(
        row["key"], row["trial"], row["judge"], row["rubric"], row["context"], row["settings"], grade, row["pass"],
        row["judged_at"],
    )  # fmt: skip


def _step(row: Row) -> ArtefactRow:
    output: Answer = _missing(row) or Reply(
        row["text"], "content", row["raw"], usage=_usage(row), attempts=_ATTEMPTS.decode(row["attempts"])
    )
    return ArtefactRow(**{name: row[name] for name in ArtefactRow.__struct_fields__ if name != "output"}, output=output)


def _failure(row: Row) -> FailureRow:
    attempts = _ATTEMPTS.decode(row["attempts"])
    return FailureRow(row["trial"], row["what"], row["kind"], row["detail"], attempts, row["failed_at"])


def _missing(row: Row) -> Missing | None:
    if row["missing"] is None:
        return None
    return Missing(row["missing"], row["detail"], row["raw"], _ATTEMPTS.decode(row["attempts"]))


def _usage(row: Row) -> Usage:
    return Usage(
        row["prompt_tokens"], row["completion_tokens"], row.get("reasoning_tokens", 0), cost_usd=row["cost_usd"]
    )


def answer_fields(row: CallRow) -> dict[str, Any]:
    """An answer as one flat record, of which encodings take what they show; where none came its texts are empty."""
    answer = row.answer
    missing = answer if isinstance(answer, Missing) else None
    reply = (
        answer
        if isinstance(answer, Reply)
        else Reply("", "content", answer.raw, usage=answer.usage, attempts=answer.attempts)
    )
    texts = ("text", "raw", "thinking", "reasoning", "flags", "finish_reason", "served_model", "served_provider",
             "response_id", "attempts")  # fmt: skip
    return {
        "turn": row.turn, "turn_id": row.turn_id, "answered_at": row.answered_at,
        "missing": missing and missing.reason, "detail": missing.detail if missing else "",
        "channel": None if missing else reply.channel, "seconds": float(reply.seconds),
        **{name: getattr(reply, name) for name in texts}, **msgspec.structs.asdict(reply.usage),
    }  # fmt: skip


def verdict_fields(row: VerdictRow) -> dict[str, Any]:
    """A verdict as one flat record."""
    grade = row.grade
    missing = grade if isinstance(grade, Missing) else None
    given = grade if isinstance(grade, Verdict) else Verdict({})
    return {
        "judge": row.judge, "pass_": row.pass_, "rubric": row.rubric, "judged_at": row.judged_at,
        "missing": missing and missing.reason, "detail": missing.detail if missing else "",
        "values": given.values, "reasoning": given.reasoning, "quote": given.quote, "quote_found": given.quote_found,
        "raw": grade.raw, "attempts": grade.attempts,
        **msgspec.structs.asdict(grade.usage),
    }  # fmt: skip
