"""What is read: plain rows for the engine's resume and for boards. No opinions, no scores."""

from __future__ import annotations

import functools
import itertools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import msgspec

from independence.store import dialogue_rows
from independence.store.file.digests import INDICES
from independence.types import Condition, Grade, Missing, Scalar, Verdict, Where

R = TypeVar("R")
_VALUES = msgspec.json.Decoder(dict[str, Scalar])
_EDITION = "suite = ? AND edition = ?"
UNDER = "suite = ? AND edition = ? AND variant = ? AND mode = ?"  # `Where.columns`
PUBLISHED = "published"  # the edition of imports, and the rubric of their verdicts
REREAD = "published, read again"  # the rubric of a verdict that its publisher could not read and the import could


def imported(edition: str) -> bool:
    """Whether an edition holds imports: results of the published words, or of other words that came with them."""
    return edition == PUBLISHED or edition.startswith(f"{PUBLISHED}-")


def rows(connection: sqlite3.Connection, record: Callable[..., R], sql: str, values: Sequence[object] = ()) -> list[R]:
    """What a query finds, each row as a `record` whose fields are the query's columns in order."""
    return [record(*row) for row in connection.execute(sql, values)]


def first(connection: sqlite3.Connection, sql: str, values: Sequence[object] = ()) -> Any:
    """The first column of the first row; None where there is none."""
    row = connection.execute(sql, values).fetchone()
    return row[0] if row else None


def is_unanswered(connection: sqlite3.Connection) -> bool:
    """Whether a store holds no answer at all."""
    return first(connection, "SELECT 1 FROM calls LIMIT 1", ()) is None


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
    end: str | None  # digest of the finished dialogue; None while unfinished
    parent: str | None = None  # trial whose transcript it continues
    said: str = ""  # the first DIGITS of the digest of each answer's words
    thought: bool = False  # an answer took reasoning tokens, or came with the reasoning itself

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
    quote_found: bool | None  # None: no quotation was asked for
    fields: dict[str, Scalar]


class EditionInfo(msgspec.Struct, frozen=True):
    """An edition the store holds."""

    suite: str
    edition: str
    trials: int

    @property
    def where(self) -> Where:
        """The edition under all of its conditions."""
        return Where(self.suite, self.edition)


def editions(connection: sqlite3.Connection) -> list[EditionInfo]:
    """Every edition with trials, last used first."""
    sql = (
        "SELECT e.suite, e.edition, count(*) FROM editions e JOIN planned p USING (suite, edition) "
        "GROUP BY e.suite, e.edition ORDER BY e.used_at DESC, e.rowid DESC"
    )
    return rows(connection, EditionInfo, sql)


def truth(stored: int | None) -> bool | None:
    """A column that holds 0, 1 or NULL."""
    return None if stored is None else bool(stored)


def wordings(connection: sqlite3.Connection) -> dict[Where, str]:
    """The digest of what models and judges read in each edition, where that is known."""
    found = connection.execute("SELECT suite, edition, wording FROM editions WHERE wording <> ''")
    return {Where(suite, edition): wording for suite, edition, wording in found}


def document(connection: sqlite3.Connection, where: Where) -> str | None:
    """The resolved suite of an edition as JSON."""
    found: str | None = first(connection, f"SELECT document FROM editions WHERE {_EDITION}", where[:2])
    return found


def read_as(connection: sqlite3.Connection, where: Where) -> str | None:
    """The suite whose rubrics grade an import, ours or an adopted one, as JSON; None for any other edition."""
    found: str | None = first(connection, f"SELECT nullif(read_as, '') FROM editions WHERE {_EDITION}", where[:2])
    return found


def personas(connection: sqlite3.Connection, where: Where) -> dict[str, str]:
    """System prompts brought by users: variant -> text."""
    return dict(connection.execute(f"SELECT variant, text FROM personas WHERE {_EDITION}", where[:2]).fetchall())


def conditions(connection: sqlite3.Connection, where: Where) -> list[Condition]:
    """The conditions of an edition that have trials."""
    sql = f"SELECT DISTINCT variant, mode FROM planned WHERE {_EDITION} ORDER BY 1, 2"
    return rows(connection, Condition, sql, where[:2])


def planning(connection: sqlite3.Connection, where: Where) -> dict[Condition, tuple[str, str, int]]:
    """When trials of each condition were planned last and first, and how late its persona came: later ones are less."""
    sql = (
        "SELECT variant, mode, max(planned_at), min(planned_at), -ifnull(personas.rowid, 0) FROM planned "
        f"LEFT JOIN personas USING (suite, edition, variant) WHERE {_EDITION} GROUP BY 1, 2"
    )
    return {Condition(*row[:2]): row[2:] for row in connection.execute(sql, where[:2])}


def subjects(connection: sqlite3.Connection, where: Where) -> dict[str, tuple[str, str, bool]]:
    """config_dir -> (label, model id, simulated)."""
    sql = f"SELECT config_dir, label, model_id, simulated FROM subjects WHERE {_EDITION}"
    return {row[0]: (row[1], row[2], bool(row[3])) for row in connection.execute(sql, where[:2])}


def configurations(connection: sqlite3.Connection, where: Where) -> dict[str, str]:
    """config_dir -> the subject's whole configuration as JSON; imports and subjects of older stores have none."""
    sql = f"SELECT config_dir, config FROM subjects WHERE {_EDITION} AND config <> '' ORDER BY config_dir"
    return dict(connection.execute(sql, where[:2]).fetchall())


def states(
    connection: sqlite3.Connection, where: Where, trials: Iterable[str] | None = None, config_dir: str | None = None
) -> list[TrialState]:
    """State of every planned trial of an edition (and condition), by subject, run and scenario.

    `trials`: of these alone, and of those that they continue. `config_dir`: of this subject's alone, and of those of
    other subjects that they continue.
    """
    clause, values = planned_clause(where, None if trials is None else with_ancestors(connection, trials), config_dir)
    sql = (
        "SELECT p.trial, p.config_dir, p.experiment, p.scenario, p.run, p.turns, p.parent, d.start_context, d.at, "
        "d.answered, d.missing, d.broken, d.flags, d.said, d.thought "
        f"FROM planned p LEFT JOIN dialogues d ON d.trial = p.trial WHERE {clause}"
    )
    planned = list(map(_PlannedRow._make, connection.execute(sql, values)))
    planned.sort(key=itemgetter(1, 4, 3))
    by_key = {row.trial: row for row in reversed(planned)}
    if config_dir is not None and {row.parent for row in planned} - {None} - by_key.keys():
        return states(connection, where, by_key)
    done: dict[str, TrialState] = {}
    out = []
    for row in planned:
        if row.trial not in done:
            for above in reversed(_line(row, by_key)):
                done[above.trial] = _state(above, done.get(above.parent or ""))
        state = done[row.trial]
        # Two places may ask the same thing: one trial, one state, each with its own place.
        out.append(state if by_key[row.trial] is row else state._replace(**row.place))
    return out


class _PlannedRow(NamedTuple):
    trial: str
    config_dir: str
    experiment: str
    scenario: str
    run: int
    turns: int
    parent: str | None
    start_context: str | None  # from here on as of `DialogueRow`; all None where nothing was ever answered
    at: str | None
    answered: int
    missing: str | None
    broken: int
    flags: str | None
    said: str
    thought: int

    @property
    def place(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("config_dir", "experiment", "scenario", "run")}


def _line(row: _PlannedRow, by_key: Mapping[str, _PlannedRow]) -> list[_PlannedRow]:
    """A planned trial and those that it continues, as far as they are planned here."""
    line = [row]
    while (parent := line[-1].parent) is not None and parent in by_key:
        line.append(by_key[parent])
    return line


def keys_json(keys: Iterable[str]) -> str:
    """Keys as a JSON array, for `json_each`."""
    return msgspec.json.encode(list(keys)).decode()


def with_ancestors(connection: sqlite3.Connection, trials: Iterable[str]) -> list[str]:
    """Trials and all that they continue."""
    sql = (
        "WITH RECURSIVE found(key) AS (SELECT value FROM json_each(?) UNION SELECT p.parent FROM found "
        "JOIN planned p ON p.trial = key WHERE p.parent IS NOT NULL) SELECT key FROM found ORDER BY key"
    )
    return [key for (key,) in connection.execute(sql, (keys_json(trials),))]


def planned_clause(
    where: Where, trials: Iterable[str] | None = None, config_dir: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """SQL and values that choose rows of `planned p`: an edition (and condition), or these trials of it alone.

    `config_dir`: of this subject alone.
    """
    clause, values = _clause(where, config_dir)
    if trials is None:
        return clause, values
    # Found by their keys: the plus signs keep SQLite from reading the whole condition.
    clause = f"{clause.replace('p.', '+p.')} AND p.trial IN (SELECT value FROM json_each(?))"
    return clause, (*values, keys_json(trials))


def _clause(where: Where, config_dir: str | None = None) -> tuple[str, tuple[str, ...]]:
    given = {"suite": where.suite, "edition": where.edition, "config_dir": config_dir}
    given["variant"], given["mode"] = where.condition or (None, None)
    known = {name: value for name, value in given.items() if value is not None}
    return " AND ".join(f"p.{name} = ?" for name in known), tuple(known.values())


def _state(row: _PlannedRow, before: TrialState | None) -> TrialState:
    """How far a trial is; `before`: the state of the trial that it continues."""
    parent = (before.end, before.missing) if before is not None else (None, None)
    own = dialogue_rows.progress(row.trial, row.turns, row.parent, parent, row[7:12])
    if not own.follows:
        return TrialState(*row[:5], 0, row.turns, own.missing, own.stale, own.start, (), None, row.parent)
    flags = () if row.flags is None else tuple(itertools.chain.from_iterable(reply_flags(row.flags)))
    reached = (row.answered, row.turns, own.missing, own.stale, row.at, flags, own.end, row.parent)
    return TrialState._make((*row[:5], *reached, row.said, row.thought > 0))


@functools.cache
def reply_flags(marks: str) -> tuple[tuple[str, ...], ...]:
    """Flags of each of several replies, from the JSON arrays that their rows hold, joined by commas."""
    return msgspec.json.decode(f"[{marks}]", type=tuple[tuple[str, ...], ...])


def marked_answers(
    connection: sqlite3.Connection, where: Where, configs: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...], str, int, int]]:
    """The answers of some subjects under a condition, those that are alike together: config_dir, marks, why there is
    none, how many are planned after it in its dialogue, and how many answers these are.
    """
    found = connection.execute(
        "SELECT p.config_dir, c.flags, c.detail, p.turns - c.turn - 1, count(*) "
        "FROM planned p JOIN calls c ON c.trial = p.trial AND c.version = 0 "
        f"WHERE {UNDER} AND p.config_dir IN (SELECT value FROM json_each(?)) GROUP BY 1, 2, 3, 4",
        (*where.columns, keys_json(configs)),
    )
    for config, marks, *others in found:
        yield config, msgspec.json.decode(marks, type=tuple[str, ...]), *others


class JudgeCounts(NamedTuple):
    """How much one judge graded."""

    judge: str
    valid: int  # verdicts; what came to nothing is none
    graded: int = 0  # dialogues, those included of which no verdict could be read; 0: they were not counted
    last: str = ""  # when its newest verdict was given


def judges(connection: sqlite3.Connection, where: Where) -> list[JudgeCounts]:
    """Everybody who graded dialogues of an edition (and condition), in the order in which they began."""
    clause, values = _clause(where)
    sql = (
        "SELECT v.judge, count(*) - count(v.missing), count(DISTINCT v.trial), max(v.judged_at) FROM planned p "
        f"CROSS JOIN verdicts v ON v.trial = p.trial WHERE {clause} GROUP BY v.judge ORDER BY min(v.judged_at), v.judge"
    )
    return rows(connection, JudgeCounts, sql, values)


def verdicts(
    connection: sqlite3.Connection, where: Where, judge: str | None, trials: Iterable[str] | None = None
) -> list[StoredVerdict]:
    """Every stored verdict of a judge in an edition (and condition), oldest first. `trials`: on these alone."""
    clause, values = _clause(where)
    places = f"planned p CROSS JOIN verdicts v ON v.trial = p.trial AND v.judge = ? WHERE {clause}"
    if trials is not None:
        values = (keys_json(trials),)
        places = "verdicts v WHERE v.judge = ? AND v.trial IN (SELECT value FROM json_each(?))"
    found = connection.execute(
        f"SELECT v.trial, v.judge, v.rubric, v.context, v.missing, v.quote_found, v.fields, v.judged_at FROM {places}",
        (judge, *values),
    ).fetchall()
    found.sort(key=itemgetter(7))
    return [StoredVerdict._make((*row[:5], truth(row[5]), read_values(row[6]))) for row in found]


def read_values(fields: str) -> dict[str, Scalar]:
    """The values of a verdict, from the JSON that its row holds."""
    return _VALUES.decode(fields)


def known_verdicts(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, str | None]:
    """Those of the keys that are stored -> reason where the verdict is missing."""
    sql = "SELECT key, missing FROM verdicts WHERE key IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(sql, (keys_json(keys),)).fetchall())


def grades(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Grade]:
    """Those of the verdicts that are stored, without what they cost."""
    out: dict[str, Grade] = {}
    for key in keys:
        sql = "SELECT missing, detail, fields, reasoning, quote, quote_found FROM verdicts WHERE key = ?"
        row = connection.execute(sql, (key,)).fetchone()
        if row is not None:
            missing, detail, fields, reasoning, quote, there = row
            verdict = Verdict(read_values(fields), reasoning, quote=quote, quote_found=truth(there))
            out[key] = verdict if missing is None else Missing(missing, detail)
    return out


def costs(connection: sqlite3.Connection, where: Where) -> dict[str, float]:
    """Dollars spent per config_dir in a condition: answers, verdicts and failed calls."""
    clause, values = _clause(where)
    asked = connection.execute(
        f"SELECT config_dir FROM (SELECT DISTINCT config_dir FROM planned p WHERE {clause}) s WHERE EXISTS (SELECT 1 "
        f"FROM planned p WHERE {clause} AND p.config_dir = s.config_dir AND (p.trial IN (SELECT trial FROM dialogues) "
        "OR p.trial IN (SELECT trial FROM failures)))",
        (*values, *values),
    )
    out = {config_dir: 0.0 for (config_dir,) in asked}
    own = f"(SELECT DISTINCT config_dir, trial FROM planned p WHERE {clause})"
    for table in ("dialogues", "artefacts", "verdicts", "failures"):
        rows_of = f"{table} INDEXED BY {INDICES[table]}" if table in INDICES else table
        if first(connection, f"SELECT 1 FROM {rows_of} WHERE cost_usd <> 0 LIMIT 1", ()) is None:
            continue  # free and local models cost nothing
        sql = f"SELECT config_dir, sum(cost_usd) FROM {own} JOIN {rows_of} USING (trial) WHERE cost_usd <> 0 GROUP BY 1"
        for config_dir, cost in connection.execute(sql, values):
            out[config_dir] = out.get(config_dir, 0.0) + float(cost)
    return out


def planned_count(connection: sqlite3.Connection, where: Where) -> int:
    """How many places of an edition (and condition) are planned."""
    clause, values = _clause(where)
    return int(first(connection, f"SELECT count(*) FROM planned p WHERE {clause}", values))


def asked_otherwise(connection: sqlite3.Connection, where: Where) -> bool:
    """Whether the store holds other editions of a suite that are no imports."""
    sql = "SELECT 1 FROM editions WHERE suite = ? AND edition NOT IN (?, ?) AND edition NOT LIKE ?"
    return first(connection, sql, (where.suite, where.edition, PUBLISHED, f"{PUBLISHED}-%")) is not None


def other_shapes(connection: sqlite3.Connection, where: Where, config_dir: str) -> dict[str, str]:
    """`variant/mode/scenario/run` -> newest shape of a subject's trials in this suite's other editions (no imports)."""
    sql = (
        "SELECT p.variant || '/' || p.mode || '/' || p.scenario || '/' || p.run, t.shape FROM planned p "
        "JOIN trials t ON t.key = p.trial WHERE p.suite = ? AND p.config_dir = ? AND p.edition NOT IN (?, ?) "
        "AND p.edition NOT LIKE ? ORDER BY p.planned_at"
    )
    values = (where.suite, config_dir, where.edition, PUBLISHED, f"{PUBLISHED}-%")
    return dict(connection.execute(sql, values).fetchall())


def reasoning(connection: sqlite3.Connection, trial: str, judge: str, rubric: str) -> str:
    """What a judge gave as its reasons, under that rubric or the published one, on the dialogue as it is now."""
    sql = (
        "SELECT reasoning FROM verdicts WHERE trial = ? AND judge = ? AND rubric IN (?, ?, ?) AND missing IS NULL "
        "AND context = (SELECT after FROM calls WHERE trial = verdicts.trial AND version = 0 "
        "ORDER BY turn DESC LIMIT 1) ORDER BY rubric <> ?, judged_at DESC"
    )
    return first(connection, sql, (trial, judge, rubric, PUBLISHED, REREAD, rubric)) or ""


def trial_key(connection: sqlite3.Connection, where: Where, config_dir: str, scenario: str, run: int) -> str:
    """Key of the trial at a place. Raises KeyError where nothing is planned."""
    sql = f"SELECT trial FROM planned WHERE {UNDER} AND config_dir = ? AND scenario = ? AND run = ?"
    found: str | None = first(connection, sql, (*where.columns, config_dir, scenario, run))
    if found is None:
        raise KeyError((config_dir, scenario, run))
    return found
