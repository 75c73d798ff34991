"""The document of a dialogue, and its one reader: what was sent, every answer, every verdict and what is beside them.

What is shown, exported or copied of a dialogue is an encoding of `Dialogue`, under the names that its fields have.
Boards, which need no texts, read `planned_dialogues`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, TypeVar

import msgspec

from independence.store import queries
from independence.store.queries import TrialState, keys_json, truth
from independence.store.records import FailureRow, SubjectRow, TrialRow
from independence.types import (
    Answer,
    Attempt,
    Grade,
    Missing,
    MissingReason,
    Reply,
    ReplyFields,
    Scalar,
    ToolCall,
    Usage,
    Verdict,
    VerdictFields,
    Where,
    brief,
)

_AT_ONCE: Final = 100  # dialogues in memory
_JSON: Final[Mapping[str, msgspec.json.Decoder[Any]]] = {
    "attempts": msgspec.json.Decoder(tuple[Attempt, ...]), "flags": msgspec.json.Decoder(tuple[str, ...]),
    "tool_calls": msgspec.json.Decoder(tuple[ToolCall, ...]), "values": msgspec.json.Decoder(dict[str, Scalar]),
}  # fmt: skip
NAMES: Final = {"config_dir": "config", "config": "configuration", "key": "trial", "turns": "generated"}
"""Columns of subjects and trials, and names of older files -> what `Dialogue` calls them."""
R = TypeVar("R", SubjectRow, TrialRow)
Row = dict[str, Any]
NOT_KEPT: Final = msgspec.Raw(b"null")


class StoredReply(ReplyFields, frozen=True, kw_only=True):
    """One answer as it is stored: what came, or in `missing` why nothing usable did."""

    missing: MissingReason | None = None
    detail: str = ""  # why, in a sentence
    stale: bool = False  # given on a history that has been replaced since
    seconds: float = 0.0  # in attempts, without waiting between them
    answered_at: str = ""  # ISO 8601, UTC; empty: nobody wrote it down
    context: str = ""  # digest of everything before it
    after: str = ""  # digest of everything up to and with it

    @property
    def answer(self) -> Answer:
        """As a run has it."""
        if self.missing is not None:
            return Missing(self.missing, self.detail, self.raw, self.attempts)
        return Reply(**{name: getattr(self, name) for name in Reply.__struct_fields__})


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn that the subject answers."""

    turn: int  # from 0 among those
    turn_id: str
    messages: msgspec.Raw = NOT_KEPT  # JSON as it was sent; as it is stored, only that of an import is there
    replies: tuple[StoredReply, ...]  # the current one last, before it those that it replaced

    @property
    def sent(self) -> bytes | None:
        """The messages, where they are there."""
        return None if self.messages == NOT_KEPT else bytes(self.messages)

    @property
    def reply(self) -> StoredReply:
        """The current one."""
        return self.replies[-1]

    @property
    def answer(self) -> Answer:
        """The current one as a run has it."""
        return self.reply.answer


class StoredVerdict(VerdictFields, frozen=True, kw_only=True, rename={"pass_": "pass"}):
    """One judge's verdict as it is stored: values, or in `missing` why there are none."""

    judge: str
    pass_: int = 1  # number of the grading pass
    current: bool = False  # on the dialogue and the rubric as they are now
    missing: MissingReason | None = None
    detail: str = ""  # why, in a sentence
    rubric: str = ""  # digest, or a word for a published one
    context: str = ""  # digest of the dialogue that was graded
    settings: str = ""  # JSON of what shapes verdicts of the judge
    judged_at: str = ""

    @property
    def grade(self) -> Grade:
        """As a run has it."""
        if self.missing is not None:
            return Missing(self.missing, self.detail, self.raw, self.attempts)
        return Verdict(**{name: getattr(self, name) for name in Verdict.__struct_fields__})


class JudgeStep(StoredReply, frozen=True, kw_only=True, omit_defaults=True):
    """What a judge wrote before it graded. Without defaults, as most of a reply does not apply."""

    key: str = ""
    judge: str
    step: str
    position: int = 0  # of the step in its rubric, from 0
    wording: str = ""  # digest of the step's prompt and the variables that it quotes
    settings: str = ""


class Dialogue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One planned dialogue with everything that is stored of it; what a reader adds to that is left out where empty."""

    suite: str
    edition: str
    config: str  # the subject's directory in the published layout
    label: str
    model_id: str
    simulated: bool
    variant: str
    mode: str
    experiment: str
    scenario: str
    side: str = ""  # of a paired suite
    cell: str = ""  # of a grid
    factors: dict[str, str] = {}  # of a grid
    run: int  # from 1
    trial: str  # its key
    parent: str | None = None  # key of the dialogue that it continues
    generated: int  # turns that the subject is to answer
    missing: MissingReason | None = None  # why it is not finished
    imported: bool = False
    title: str = ""
    continues: str = ""  # the scenario whose dialogue comes first
    tool: dict[str, str] = {}  # as offered with every request; imports do not say
    scales: dict[str, tuple[float, float]] = {}  # field of a verdict -> the ends of its scale; not of a yes or no
    delivery: str = ""  # what the delivery probe found before it was asked, in a sentence
    planned_at: str | None = None
    shape: str = ""  # JSON of what its key was made of, long texts as digests
    configuration: str = ""  # JSON of the subject; an import has none
    turns: tuple[Turn, ...] = ()
    verdicts: tuple[StoredVerdict, ...] = ()  # of every judge, by judge and time
    steps: tuple[JudgeStep, ...] = ()  # by judge and position
    failures: tuple[FailureRow, ...] = ()  # calls that could not be settled
    before: dict[str, tuple[Turn, ...]] = {}  # trial -> turns, of those that it continues, the first one first

    __repr__ = brief

    def row(self, kind: type[R]) -> R:
        """Its row in the plan, or that of its subject."""
        return kind(**{name: getattr(self, NAMES.get(name, name)) for name in kind.__struct_fields__})

    @property
    def end(self) -> str:
        """The digest of the dialogue as far as it is stored; empty where nothing is."""
        return self.turns[-1].reply.after if self.turns else ""

    @property
    def current_steps(self) -> list[JudgeStep]:
        """The steps on the dialogue as it is now, the newest of each last."""
        ends = {turn.reply.after for turn in self.turns}
        return [step for step in self.steps if step.context in ends]

    @property
    def newest_steps(self) -> list[JudgeStep]:
        """Of those the newest of each wording: editions that ask the same thing share a dialogue, not their steps."""
        return list({(step.judge, step.step, step.wording): step for step in self.current_steps}.values())

    def counts(self, verdict: StoredVerdict, rubrics: Collection[str]) -> bool:
        """Whether a verdict is on the finished dialogue as it is now and by one of these rubrics."""
        return self.missing is None and verdict.context == self.end and verdict.rubric in rubrics


def came(one: Answer | Grade) -> dict[str, Any]:
    """What of an answer or a verdict its stored form has: its fields, or why there is none."""
    if isinstance(one, Missing):
        return {"missing": one.reason, "detail": one.detail, "raw": one.raw, "attempts": one.attempts,
                "usage": one.usage}  # fmt: skip
    return {name: getattr(one, name) for name in one.__struct_fields__}


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
        "SELECT p.suite, p.edition, p.config_dir config, s.label, s.model_id, s.simulated, s.config configuration, "
        "p.variant, p.mode, p.experiment, p.scenario, p.run, p.trial, t.parent, t.turns generated, t.shape, "
        "p.planned_at FROM planned p JOIN trials t ON t.key = p.trial LEFT JOIN subjects s "
        "USING (suite, edition, config_dir) WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? "
        + "".join(f"AND {column} IN (SELECT value FROM json_each(?)) " for column in given)
        + "ORDER BY p.config_dir, p.run, p.scenario"
    )
    values = (*where.columns, *(msgspec.json.encode(list(own)).decode() for own in given.values()))
    planned = _rows(connection, sql, *values)
    while part := list(islice(planned, _AT_ONCE)):
        yield from _part(connection, where, part)


def _part(connection: sqlite3.Connection, where: Where, planned: Sequence[Row]) -> Iterator[Dialogue]:
    keys = [row["trial"] for row in planned]
    states = {state.key: state for state in queries.states(connection, where, keys)}
    answered = turns(connection, states, states)
    verdicts = _by_trial(connection, "verdicts", "judge, judged_at, key", keys)
    steps = _by_trial(connection, "artefacts", "judge, position, written_at, key", keys)
    failures = _by_trial(connection, "failures", "failed_at, what", keys)
    for row in planned:
        key, above = row["trial"], list[str]()
        while (parent := states[above[-1] if above else key].parent) and parent in states:
            above.append(parent)
        yield Dialogue(
            **row | {"simulated": bool(row["simulated"])},
            missing=_missing(states[key]),
            turns=answered.get(key, ()),
            verdicts=tuple(_verdict(own) for own in verdicts.get(key, ())),
            steps=tuple(_kept(JudgeStep, own | {"answered_at": own["written_at"]}) for own in steps.get(key, ())),
            failures=tuple(_kept(FailureRow, own) for own in failures.get(key, ())),
            before={parent: answered.get(parent, ()) for parent in reversed(above)},
        )


def _missing(state: TrialState) -> Any:
    """Why a dialogue is not finished; None where it is."""
    return None if state.end is not None else state.missing or ("stale" if state.stale else "not_run")


def turns(
    connection: sqlite3.Connection, trials: Iterable[str], states: Mapping[str, TrialState] | None = None
) -> dict[str, tuple[Turn, ...]]:
    """Trial -> its turns with an answer. `states`: without them none is called stale."""
    out = {}
    for trial, rows in _by_trial(connection, "calls", "turn, version = 0, version", list(trials)).items():
        state, own = (states or {}).get(trial), list[Turn]()
        for number, versions in groupby(rows, itemgetter("turn")):
            every = list(versions)
            stale = state is not None and state.stale and number >= state.answered
            replies = [_kept(StoredReply, row) for row in every]
            replies[-1] = msgspec.structs.replace(replies[-1], stale=stale)
            sent = every[-1]["messages"]
            own.append(
                Turn(
                    turn=number, turn_id=every[-1]["turn_id"], replies=tuple(replies),
                    messages=NOT_KEPT if sent is None else msgspec.Raw(sent),
                )
            )  # fmt: skip
        out[trial] = tuple(own)
    return out


def _by_trial(connection: sqlite3.Connection, table: str, order: str, trials: Sequence[str]) -> dict[str, list[Row]]:
    sql = f"SELECT * FROM {table} WHERE trial IN (SELECT value FROM json_each(?)) ORDER BY trial, {order}"
    return {trial: list(own) for trial, own in groupby(_rows(connection, sql, keys_json(trials)), itemgetter("trial"))}


def _rows(connection: sqlite3.Connection, sql: str, *values: object) -> Iterator[Row]:
    found = connection.execute(sql, values)
    names = [column[0] for column in found.description]
    return (dict(zip(names, row, strict=True)) for row in found)


def _kept(kind: type[Any], row: Row) -> Any:
    """A row of a table as a part of a document: the columns that both have, and what they took."""
    fields = {name: row[name] for name in kind.__struct_fields__ if name in row}
    fields |= {name: read.decode(fields[name]) for name, read in _JSON.items() if name in fields}
    if "usage" in kind.__struct_fields__:
        # What has no column of its own is known of every attempt.
        spent = sum((attempt.usage for attempt in fields["attempts"]), Usage())
        usage = msgspec.structs.asdict(spent)
        fields["usage"] = Usage(**{name: row.get(name, sum_) for name, sum_ in usage.items()})
    return kind(**fields)


def _verdict(row: Row) -> StoredVerdict:
    own: StoredVerdict = _kept(
        StoredVerdict,
        row | {"values": row["fields"], "pass_": row["pass"], "quote_found": truth(row["quote_found"])},
    )
    return own
