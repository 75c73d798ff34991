"""What is written: trials, calls, verdicts, failures. Plain values in, SQL inside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from independence.store import context
from independence.types import Answer, Attempt, Grade, Missing, Reply, Verdict


class EditionRow(msgspec.Struct, frozen=True):
    """One wording of a suite; `document` is the resolved suite as JSON.

    Of an import, `document` has no words, and `read_as` is the suite of ours that it is read and graded by.
    """

    suite: str
    edition: str
    document: str
    read_as: str = ""


class SubjectRow(msgspec.Struct, frozen=True):
    """A subject as one edition knows it."""

    suite: str
    edition: str
    config_dir: str
    label: str
    model_id: str
    simulated: bool
    config: str = ""  # JSON of config.subjects.Subject; empty for imports


class TrialRow(msgspec.Struct, frozen=True):
    """A planned trial; `shape` is JSON of what its key was made of, long texts as digests."""

    key: str
    suite: str
    edition: str
    config_dir: str
    variant: str
    mode: str
    experiment: str
    scenario: str
    run: int
    parent: str | None
    turns: int
    shape: str


class CallRow(msgspec.Struct, frozen=True):
    """One settled call: the answer of one turn, on one history."""

    trial: str
    turn: int
    turn_id: str
    context: str
    after: str
    answer: Answer
    messages: bytes | None = None
    answered_at: str | None = None


class VerdictRow(msgspec.Struct, frozen=True):
    """One settled verdict of one judge over one finished dialogue."""

    key: str
    trial: str
    judge: str
    rubric: str
    context: str
    settings: str
    grade: Grade
    pass_: int = 1
    judged_at: str | None = None
    prediction: str | None = None  # JSON of what the judge expected, where its verdicts rest on predictions


class FailureRow(msgspec.Struct, frozen=True):
    """A call that could not be settled now."""

    trial: str
    what: str
    kind: str
    detail: str
    attempts: tuple[Attempt, ...]


def now(timespec: str = "seconds") -> str:
    """UTC time as ISO 8601 with seconds, or finer."""
    return datetime.now(UTC).isoformat(timespec=timespec)


def add_edition(connection: sqlite3.Connection, row: EditionRow) -> None:
    """Keep the texts of an edition; a known one is marked as used now."""
    connection.execute(
        "INSERT INTO editions (suite, edition, document, used_at, read_as) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET used_at = excluded.used_at",
        (row.suite, row.edition, row.document, now(), row.read_as),
    )


def add_persona(connection: sqlite3.Connection, edition: EditionRow, variant: str, text: str) -> None:
    """Keep a user's system prompt; its name carries its digest, so a known one stays as it is."""
    connection.execute(
        "INSERT OR IGNORE INTO personas VALUES (?, ?, ?, ?)", (edition.suite, edition.edition, variant, text)
    )


def add_subjects(connection: sqlite3.Connection, rows: Iterable[SubjectRow]) -> None:
    """Add subjects; a known one takes the newer label and configuration."""
    connection.executemany(
        "INSERT INTO subjects VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET label = excluded.label, config = excluded.config",
        [(r.suite, r.edition, r.config_dir, r.label, r.model_id, int(r.simulated), r.config) for r in rows],
    )


def add_trials(connection: sqlite3.Connection, rows: Sequence[TrialRow]) -> int:
    """Write the plan; known trials stay as they are. Returns how many places were new or hold another trial now."""
    connection.executemany(
        "INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, NULL, NULL)",
        [(r.key, r.parent, r.turns, r.shape) for r in rows],
    )
    before, at = connection.total_changes, now()
    connection.executemany(
        "INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET trial = excluded.trial, planned_at = excluded.planned_at WHERE trial <> excluded.trial",
        [
            (r.suite, r.edition, r.variant, r.mode, r.config_dir, r.scenario, r.run, r.experiment, r.key, at)
            for r in rows
        ],
    )
    return connection.total_changes - before


def add_call(connection: sqlite3.Connection, row: CallRow) -> None:
    """Store a settled call. An answer already there for the turn is kept under an older version."""
    connection.execute(
        "UPDATE calls SET version = (SELECT max(version) + 1 FROM calls AS c WHERE c.trial = calls.trial AND "
        "c.turn = calls.turn) WHERE trial = ? AND turn = ? AND version = 0",
        (row.trial, row.turn),
    )
    connection.execute(_INSERT_CALL, call_values(row))


def add_calls_once(connection: sqlite3.Connection, rows: Iterable[CallRow]) -> int:
    """Store calls that are not there yet (imports). Returns how many were new."""
    before = connection.total_changes
    connection.executemany(_INSERT_CALL.replace("INSERT", "INSERT OR IGNORE", 1), [call_values(r) for r in rows])
    return connection.total_changes - before


_INSERT_CALL = "INSERT INTO calls VALUES (?, ?, 0, " + ", ".join("?" * 26) + ")"


def call_values(row: CallRow) -> tuple[object, ...]:
    """The columns of a call in table order, `version` left out."""
    answer, usage = row.answer, row.answer.usage
    head = (
        answer.reason if isinstance(answer, Missing) else None,
        _json(answer.flags) if isinstance(answer, Reply) else "[]",
        usage.cost_usd, _unknown(answer.attempts),
        usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens,
        sum(a.seconds for a in answer.attempts), row.answered_at or now(),
    )  # fmt: skip
    body: tuple[object, ...] = (None, None, "", "", "", "", answer.raw, "", "", "[]")
    if isinstance(answer, Reply):
        body = (
            answer.channel, answer.finish_reason, answer.served_model, answer.served_provider, answer.response_id,
            answer.text, answer.raw, answer.thinking, answer.reasoning, _json(answer.tool_calls),
        )  # fmt: skip
    return (
        row.trial,
        row.turn,
        row.turn_id,
        row.context,
        row.after,
        *head,
        *body,
        _json(answer.attempts),
        row.messages,
        context.reply_digest(answer),
        context.words_digest(answer.text) if isinstance(answer, Reply) else None,
    )


def add_verdict(connection: sqlite3.Connection, row: VerdictRow) -> None:
    """Store a verdict; the same key again stays as it is."""
    add_verdicts(connection, [row])


def add_verdicts(connection: sqlite3.Connection, rows: Iterable[VerdictRow]) -> int:
    """Store verdicts that are not there yet. Returns how many were new."""
    before = connection.total_changes
    connection.executemany(
        "INSERT OR IGNORE INTO verdicts VALUES (" + ", ".join("?" * 18) + ")", [_verdict_values(r) for r in rows]
    )
    return connection.total_changes - before


def _verdict_values(row: VerdictRow) -> tuple[object, ...]:
    grade, verdict = row.grade, row.grade if isinstance(row.grade, Verdict) else None
    return (
        row.key, row.trial, row.judge, row.pass_, row.rubric, row.context,
        grade.reason if isinstance(grade, Missing) else None,
        _json(verdict.values) if verdict else "{}",
        grade.usage.cost_usd, _unknown(grade.attempts),
        # Finer than seconds: boards tell by it who graded first.
        grade.usage.prompt_tokens, grade.usage.completion_tokens, row.judged_at or now("milliseconds"),
        row.settings, verdict.reasoning if verdict else "", grade.raw, _json(grade.attempts), row.prediction,
    )  # fmt: skip


def add_failure(connection: sqlite3.Connection, row: FailureRow) -> None:
    """Keep what an unsettled call tried and may have cost."""
    connection.execute(
        "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (row.trial, row.what, row.kind, row.detail, sum(a.usage.cost_usd for a in row.attempts),
         _unknown(row.attempts), _json(row.attempts), now()),
    )  # fmt: skip


def add_sidecar(connection: sqlite3.Connection, subject: SubjectRow, run: int, name: str, content: bytes) -> None:
    """Keep a further file of an imported run as it came."""
    connection.execute(
        "INSERT OR IGNORE INTO sidecars VALUES (?, ?, ?, ?, ?, ?)",
        (subject.suite, subject.edition, subject.config_dir, run, name, content),
    )


def _unknown(attempts: Iterable[Attempt]) -> float:
    return sum(a.unknown_usd for a in attempts)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
