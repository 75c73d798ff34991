"""What is written: trials, calls, verdicts, failures. Plain values in, SQL inside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

import msgspec

from independence.store import context, dialogue_rows
from independence.store.file.digests import insert
from independence.types import Answer, Attempt, Grade, Missing, Reply, ReplyFields, Verdict

MADE = '{"made":true}'  # shape of a dialogue of ours, which no subject was asked and no edition plans
WITHOUT_WORDS = "without_words"  # the flag of replies whose words are not known, only the verdict
_AT_ONCE = 1_000  # trials of a plan that are in memory as rows


class EditionRow(msgspec.Struct, frozen=True):
    """One wording of a suite; `document` is the resolved suite as JSON.

    Of an import, `document` has no words, and `read_as` is the suite that it is read and graded by. `wording` is the
    digest of what models and judges read, empty where that is not known.
    """

    suite: str
    edition: str
    document: str
    read_as: str = ""
    wording: str = ""


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
    planned_at: str | None = None  # None: now


class CallRow(msgspec.Struct, frozen=True):
    """One settled call: the answer of one turn, on one history."""

    trial: str
    turn: int
    turn_id: str
    context: str
    after: str
    answer: Answer
    messages: bytes | None = None
    answered_at: str | None = None  # None: now; empty: nobody wrote it down
    version: int = 0  # 0: the current one; of those that were replaced the oldest is 1


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
    judged_at: str | None = None  # likewise


class FailureRow(msgspec.Struct, frozen=True):
    """A call that could not be settled now."""

    trial: str
    what: str
    kind: str
    detail: str
    attempts: tuple[Attempt, ...]
    failed_at: str | None = None  # None: now


class Sidecar(NamedTuple):
    """A further file of an imported run, as it came."""

    config_dir: str
    run: int
    name: str
    content: bytes


def now(timespec: str = "seconds") -> str:
    """UTC time as ISO 8601 with seconds, or finer."""
    return datetime.now(UTC).isoformat(timespec=timespec)


def spent(answer: Answer | Grade) -> dict[str, object]:
    """The columns that say why nothing came, and what it took."""
    usage, attempts = answer.usage, answer.attempts
    return {
        "missing": answer.reason if isinstance(answer, Missing) else None,
        "detail": answer.detail if isinstance(answer, Missing) else "",
        "cost_usd": usage.cost_usd,
        "unknown_usd": sum([attempt.unknown_usd for attempt in attempts]),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "attempts": to_json(attempts),
    }


def add_edition(connection: sqlite3.Connection, row: EditionRow) -> None:
    """Keep the texts of an edition; a known one is marked as used now.

    What is no part of one's own edition, as its known dialogues, may have changed; an import stays as it was read.
    """
    own = msgspec.structs.asdict(row) | {"used_at": now()}
    document = "iif(read_as = '', excluded.document, document)"
    insert(connection, "editions", [own], {"used_at": None, "document": document})


def add_persona(connection: sqlite3.Connection, edition: EditionRow, variant: str, text: str) -> None:
    """Keep a user's system prompt; its name carries its digest, so a known one stays as it is."""
    own = {"suite": edition.suite, "edition": edition.edition, "variant": variant, "text": text}
    insert(connection, "personas", [own])


def add_subjects(connection: sqlite3.Connection, rows: Iterable[SubjectRow]) -> None:
    """Add subjects; a known one takes the newer label and configuration."""
    own = map(msgspec.structs.asdict, rows)
    insert(connection, "subjects", own, {"label": None, "config": None})


def add_trials(connection: sqlite3.Connection, rows: Iterable[TrialRow]) -> int:
    """Write the plan; known trials stay as they are. Returns how many places were new or hold another trial now."""
    at = now("milliseconds")  # finer than seconds: two plans are two looks at the same subjects
    left, count = iter(rows), 0
    changed = dict.fromkeys(("trial", "turns", "parent", "planned_at"))
    while part := list(islice(left, _AT_ONCE)):
        own = [msgspec.structs.asdict(row) for row in part]
        insert(connection, "trials", ({name: row[name] for name in ("key", "parent", "turns", "shape")} for row in own))
        places = (
            {name: value for name, value in row.items() if name not in ("key", "shape")}
            | {"trial": row["key"], "planned_at": row["planned_at"] or at}
            for row in own
        )
        count += insert(connection, "planned", places, changed, "WHERE trial <> excluded.trial")
    return count


def add_made(connection: sqlite3.Connection, trials: Iterable[tuple[str, int]]) -> None:
    """Add dialogues of ours that judges grade: key and generated turns of each. No edition plans them."""
    insert(connection, "trials", ({"key": key, "parent": None, "turns": n, "shape": MADE} for key, n in trials))


def settle(connection: sqlite3.Connection, trial: str, what: str) -> None:
    """Forget what was tried of a call (trial, and turn id or judge): whoever settles it keeps its attempts."""
    connection.execute("DELETE FROM attempts WHERE trial = ? AND what = ?", (trial, what))


def add_call(connection: sqlite3.Connection, row: CallRow) -> None:
    """Store a settled call. An answer already there for the turn is kept under an older version."""
    settle(connection, row.trial, row.turn_id)
    if not add_calls_once(connection, [row]):
        connection.execute(
            "UPDATE calls SET version = (SELECT max(version) + 1 FROM calls AS c WHERE c.trial = calls.trial AND "
            "c.turn = calls.turn) WHERE trial = ? AND turn = ? AND version = 0",
            (row.trial, row.turn),
        )
        add_calls_once(connection, [row])


def add_calls_once(connection: sqlite3.Connection, rows: Iterable[CallRow]) -> int:
    """Store calls that are not there yet (imports). Returns how many were new."""
    own = list(rows)
    count = insert(connection, "calls", map(_call, own))
    if count:
        dialogue_rows.write(connection, (row.trial for row in own))
    return count


def mark_answers(connection: sqlite3.Connection, config_dir: str, since: float, mark: str, served: str) -> int:
    """Mark the current answers of a subject that came since then (seconds since 1970), and say who gave them.

    Returns how many these are.
    """
    whose = "trial IN (SELECT trial FROM planned WHERE config_dir = ?)"
    own = f"version = 0 AND missing IS NULL AND NOT instr(flags, ?) AND answered_at >= ? AND {whose}"
    given = f'"{mark}"', _moment(since), config_dir
    trials = [trial for (trial,) in connection.execute(f"SELECT trial FROM calls WHERE {own}", given)]
    marked = f"UPDATE calls SET flags = json_insert(flags, '$[#]', ?), served_model = ? WHERE {own}"
    connection.execute(marked, (mark, served, *given))
    dialogue_rows.write(connection, trials)
    return len(trials)


def forget_verdicts(connection: sqlite3.Connection, judge: str, since: float) -> int:
    """Take away the verdicts that a judge gave since then (seconds since 1970), and what it wrote for them.

    Returns how many verdicts these are.
    """
    given = judge, _moment(since)
    connection.execute("DELETE FROM artefacts WHERE judge = ? AND written_at >= ?", given)
    return connection.execute("DELETE FROM verdicts WHERE judge = ? AND judged_at >= ?", given).rowcount


def _moment(since: float) -> str:
    return datetime.fromtimestamp(int(since), UTC).isoformat(timespec="seconds")


def forget_wordless(connection: sqlite3.Connection, trials: Iterable[str]) -> None:
    """Take away the answers of some trials that have no words, with the verdicts on them: both come with words now."""
    bare = "SELECT trial FROM calls WHERE trial IN (SELECT value FROM json_each(?)) AND instr(flags, ?)"
    for table in ("verdicts", "calls"):
        connection.execute(f"DELETE FROM {table} WHERE trial IN ({bare})", (to_json(list(trials)), WITHOUT_WORDS))


_OF_CALL = ("trial", "turn", "version", "turn_id", "context", "after", "messages")


def _call(row: CallRow) -> dict[str, object]:
    answer = row.answer
    return {
        **{name: getattr(row, name) for name in _OF_CALL},
        "answered_at": now() if row.answered_at is None else row.answered_at,
        "reasoning_tokens": answer.usage.reasoning_tokens,
        "seconds": sum([attempt.seconds for attempt in answer.attempts]),
        **spent(answer),
        **(_said(answer) if isinstance(answer, Reply) else _NOTHING_SAID | {"raw": answer.raw}),
    }


def _said(reply: Reply) -> dict[str, object]:
    """The columns that hold what came."""
    return {
        **{name: _column(getattr(reply, name)) for name in _OF_REPLY},
        "said": context.reply_digest(reply),
    }


_OF_REPLY = tuple(name for name in ReplyFields.__struct_fields__ if name not in ("usage", "attempts"))  # see `spent`


def _column(value: object) -> object:
    return (to_json(value) if value else "[]") if isinstance(value, tuple) else value


_NOTHING_SAID = {**_said(Reply("", "content")), "channel": None, "said": ""}


def add_verdict(connection: sqlite3.Connection, row: VerdictRow) -> None:
    """Store a verdict; the same key again stays as it is."""
    settle(connection, row.trial, row.judge)
    add_verdicts(connection, [row])


def add_verdicts(connection: sqlite3.Connection, rows: Iterable[VerdictRow]) -> int:
    """Store verdicts that are not there yet. Returns how many were new."""
    return insert(connection, "verdicts", map(_verdict, rows))


def _verdict(row: VerdictRow) -> dict[str, object]:
    grade, same = row.grade, ("key", "trial", "judge", "rubric", "context", "settings")
    given = Verdict({}) if isinstance(grade, Missing) else grade
    return {
        **{name: getattr(row, name) for name in same},
        "pass": row.pass_,
        "fields": to_json(given.values),
        "judged_at": now("microseconds")
        if row.judged_at is None
        else row.judged_at,  # boards tell by it who graded last
        "reasoning": given.reasoning,
        "raw": grade.raw,
        "quote": given.quote,
        "quote_found": given.quote_found,
        **spent(grade),
    }


def add_failure(connection: sqlite3.Connection, row: FailureRow) -> None:
    """Keep what an unsettled call tried and may have cost; one of an import that is there already stays once."""
    cost_usd = sum(attempt.usage.cost_usd for attempt in row.attempts)
    unknown_usd = sum(attempt.unknown_usd for attempt in row.attempts)
    own = msgspec.structs.asdict(row) | {"attempts": to_json(row.attempts), "failed_at": row.failed_at or now()}
    if row.failed_at is not None and connection.execute(_KNOWN_FAILURE, own).fetchone():
        return
    settle(connection, row.trial, row.what)
    insert(connection, "failures", [own | {"cost_usd": cost_usd, "unknown_usd": unknown_usd}])


_KNOWN_FAILURE = (
    "SELECT 1 FROM failures WHERE trial = :trial AND what = :what AND kind = :kind AND detail = :detail "
    "AND failed_at = :failed_at AND attempts = :attempts"
)


def add_sidecar(connection: sqlite3.Connection, subject: SubjectRow, run: int, name: str, content: bytes) -> None:
    """Keep a further file of an imported run as it came."""
    place = {"suite": subject.suite, "edition": subject.edition, "config_dir": subject.config_dir, "run": run}
    insert(connection, "sidecars", [{**place, "name": name, "content": content}])


def to_json(value: object) -> str:
    """As a column holds it."""
    return msgspec.json.encode(value).decode()
