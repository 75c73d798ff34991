"""What is read: plain rows for the engine's resume and for boards. No opinions, no scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from independence.store import context
from independence.types import Condition, Scalar, Where

PUBLISHED = "published"  # the edition of imports, and the rubric of their verdicts
REREAD = "published, read again"  # the rubric of a verdict that its publisher could not read and the import could


def imported(edition: str) -> bool:
    """Whether an edition holds imports: results of the published words, or of other words that came with them."""
    return edition == PUBLISHED or edition.startswith(f"{PUBLISHED}-")


class StoredCall(NamedTuple):
    """The current answer of one turn."""

    turn: int
    context: str
    after: str
    missing: str | None
    text: str
    thinking: str
    flags: str


class ReplyMarks(NamedTuple):
    """What boards read of one reply."""

    words: str | None  # digest of its words; None or empty: not known
    flags: tuple[str, ...]


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
    at: str | None  # digest of the dialogue as far as it goes; None while the one it continues is unfinished
    flags: tuple[str, ...]
    parent: str | None = None  # trial whose transcript it continues
    said: tuple[str, ...] = ()  # digest of each answer's words
    thought: bool = False  # an answer took reasoning tokens
    replies: tuple[ReplyMarks, ...] = ()  # those behind `answered`

    @property
    def end(self) -> str | None:
        """Digest of the finished dialogue; None while unfinished."""
        return self.at if self.answered == self.turns and not self.stale else None

    @property
    def settled(self) -> bool:
        """True when no call is left to make: finished, or ended in a missing answer."""
        return self.end is not None or (self.missing is not None and not self.stale)


class StoredVerdict(NamedTuple):
    """A verdict as stored."""

    trial: str
    judge: str
    rubric: str
    context: str
    missing: str | None
    fields: dict[str, Scalar]


class EditionInfo(NamedTuple):
    """An edition the store holds."""

    suite: str
    edition: str
    used_at: str
    trials: int

    @property
    def where(self) -> Where:
        """The edition under all of its conditions."""
        return Where(self.suite, self.edition)


def editions(connection: sqlite3.Connection) -> list[EditionInfo]:
    """Every edition with trials, last used first."""
    rows = connection.execute(
        "SELECT e.suite, e.edition, e.used_at, count(*) FROM editions e JOIN planned p USING (suite, edition) "
        "GROUP BY e.suite, e.edition ORDER BY e.used_at DESC, e.rowid DESC"
    )
    return [EditionInfo._make(row) for row in rows]


def document(connection: sqlite3.Connection, where: Where) -> str | None:
    """The resolved suite of an edition as JSON."""
    row = connection.execute(
        "SELECT document FROM editions WHERE suite = ? AND edition = ?", (where.suite, where.edition)
    ).fetchone()
    return str(row[0]) if row else None


def read_as(connection: sqlite3.Connection, where: Where) -> str | None:
    """The resolved suite of ours by whose rubrics an import is graded, as JSON; None for an edition of our own."""
    row = connection.execute(
        "SELECT read_as FROM editions WHERE suite = ? AND edition = ? AND read_as <> ''", (where.suite, where.edition)
    ).fetchone()
    return str(row[0]) if row else None


def personas(connection: sqlite3.Connection, where: Where) -> dict[str, str]:
    """System prompts brought by users: variant -> text."""
    rows = connection.execute(
        "SELECT variant, text FROM personas WHERE suite = ? AND edition = ?", (where.suite, where.edition)
    )
    return dict(rows.fetchall())


def conditions(connection: sqlite3.Connection, where: Where) -> list[Condition]:
    """The conditions of an edition that have trials."""
    rows = connection.execute(
        "SELECT DISTINCT variant, mode FROM planned WHERE suite = ? AND edition = ? ORDER BY 1, 2",
        (where.suite, where.edition),
    )
    return [Condition._make(row) for row in rows]


def subjects(connection: sqlite3.Connection, where: Where) -> dict[str, tuple[str, str, bool]]:
    """config_dir -> (label, model id, simulated)."""
    rows = connection.execute(
        "SELECT config_dir, label, model_id, simulated FROM subjects WHERE suite = ? AND edition = ?",
        (where.suite, where.edition),
    )
    return {row[0]: (row[1], row[2], bool(row[3])) for row in rows}


def configurations(connection: sqlite3.Connection, where: Where) -> dict[str, str]:
    """config_dir -> the subject's whole configuration as JSON; imports and subjects of older stores have none."""
    rows = connection.execute(
        "SELECT config_dir, config FROM subjects WHERE suite = ? AND edition = ? AND config <> '' ORDER BY config_dir",
        (where.suite, where.edition),
    )
    return dict(rows.fetchall())


def calls_of(connection: sqlite3.Connection, trial: str) -> list[StoredCall]:
    """Current answers of a trial in turn order."""
    rows = connection.execute(
        "SELECT turn, context, after, missing, text, thinking, flags FROM calls WHERE trial = ? AND version = 0 "
        "ORDER BY turn",
        (trial,),
    )
    return [StoredCall._make(row) for row in rows]


def requests_of(connection: sqlite3.Connection, trial: str) -> list[bytes]:
    """The requests of an imported trial as they were published, in turn order."""
    rows = connection.execute(
        "SELECT messages FROM calls WHERE trial = ? AND version = 0 AND messages IS NOT NULL ORDER BY turn", (trial,)
    )
    return [bytes(row[0]) for row in rows]


def states(connection: sqlite3.Connection, where: Where) -> list[TrialState]:
    """State of every planned trial of an edition (and condition), by subject, run and scenario."""
    clause, values = _clause(where)
    trials = connection.execute(
        "SELECT t.key, p.config_dir, p.experiment, p.scenario, p.run, t.turns, t.parent FROM planned p "
        f"JOIN trials t ON t.key = p.trial WHERE {clause} ORDER BY p.config_dir, p.run, p.scenario",
        values,
    ).fetchall()
    calls: dict[str, list[_CallState]] = {}
    for trial, *call in connection.execute(
        "SELECT c.trial, c.context, c.after, c.missing, c.flags, c.said, c.reasoning_tokens, c.words FROM calls c "
        f"WHERE c.version = 0 AND c.trial IN (SELECT p.trial FROM planned p WHERE {clause}) ORDER BY c.trial, c.turn",
        values,
    ):
        calls.setdefault(trial, []).append(_CallState._make(call))
    by_key = {row[0]: row for row in trials}
    done: dict[str, TrialState] = {}

    def state(key: str) -> TrialState:
        if key not in done:
            _, config_dir, experiment, scenario, run, turns, parent = by_key[key]
            before = state(parent) if parent in by_key else None
            end = before.end if before else None
            start = None if parent and not end else context.begin(key, end)
            own = _state((key, config_dir, experiment, scenario, run), turns, calls.get(key, []), start)
            barred = before is not None and before.missing is not None
            own = own._replace(parent=parent)
            done[key] = own._replace(missing="parent_missing", stale=False) if barred else own
        return done[key]

    # Two places may ask the same thing: one trial, one state, each with its own place.
    return [
        state(key)._replace(config_dir=config_dir, experiment=experiment, scenario=scenario, run=run)
        for key, config_dir, experiment, scenario, run, *_ in trials
    ]


def _clause(where: Where) -> tuple[str, tuple[str, ...]]:
    if where.condition is None:
        return "p.suite = ? AND p.edition = ?", (where.suite, where.edition)
    return "p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ?", where.columns


class _CallState(NamedTuple):
    context: str
    after: str
    missing: str | None
    flags: str
    said: str
    reasoning_tokens: int
    words: str | None


def _state(
    head: tuple[str, str, str, str, int], turns: int, calls: Iterable[_CallState], start: str | None
) -> TrialState:
    missing, at, stale, thought = None, start, False, False
    flags: list[str] = []
    said: list[str] = []
    replies: list[ReplyMarks] = []
    for call in calls:
        if call.context != at:
            stale = True
            break
        own = tuple(msgspec.json.decode(call.flags, type=list[str]))
        flags.extend(own)
        if call.missing is not None:
            missing = call.missing
            break
        said.append(call.said)
        replies.append(ReplyMarks(call.words, own))
        thought = thought or call.reasoning_tokens > 0
        at = call.after
    return TrialState(
        *head, len(said), turns, missing, stale, at, tuple(flags), said=tuple(said), thought=thought,
        replies=tuple(replies),
    )  # fmt: skip


def verdicts(connection: sqlite3.Connection, where: Where) -> list[StoredVerdict]:
    """Every stored verdict of an edition (and condition), oldest first."""
    clause, values = _clause(where)
    rows = connection.execute(
        "SELECT v.trial, v.judge, v.rubric, v.context, v.missing, v.fields FROM planned p "
        f"JOIN verdicts v ON v.trial = p.trial WHERE {clause} ORDER BY v.judged_at",
        values,
    )
    return [
        StoredVerdict(a, b, rubric=c, context=d, missing=e, fields=msgspec.json.decode(f)) for a, b, c, d, e, f in rows
    ]


def known_verdicts(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, str | None]:
    """Those of the keys that are stored -> reason where the verdict is missing."""
    out: dict[str, str | None] = {}
    for key in keys:
        row = connection.execute("SELECT missing FROM verdicts WHERE key = ?", (key,)).fetchone()
        if row:
            out[key] = row[0]
    return out


def costs(connection: sqlite3.Connection, where: Where) -> dict[str, float]:
    """Dollars spent per config_dir in a condition: answers, verdicts and failed calls."""
    clause, values = _clause(where)
    out: dict[str, float] = {}
    for table in ("calls", "artefacts", "verdicts", "failures"):
        rows = connection.execute(
            f"SELECT t.config_dir, sum(x.cost_usd) FROM (SELECT DISTINCT p.config_dir, p.trial FROM planned p "
            f"WHERE {clause}) t JOIN {table} x ON x.trial = t.trial GROUP BY 1",
            values,
        )
        for config_dir, cost in rows:
            out[config_dir] = out.get(config_dir, 0.0) + float(cost)
    return out


def other_shapes(connection: sqlite3.Connection, where: Where, config_dir: str) -> dict[str, str]:
    """`variant/mode/scenario/run` -> newest shape of a subject's trials in this suite's other editions (no imports)."""
    rows = connection.execute(
        "SELECT p.variant || '/' || p.mode || '/' || p.scenario || '/' || p.run, t.shape FROM planned p "
        "JOIN trials t ON t.key = p.trial WHERE p.suite = ? AND p.config_dir = ? AND p.edition NOT IN (?, ?) "
        "AND p.edition NOT LIKE ? "
        "ORDER BY p.planned_at",
        (where.suite, config_dir, where.edition, PUBLISHED, f"{PUBLISHED}-%"),
    )
    return dict(rows.fetchall())
