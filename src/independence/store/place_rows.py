"""The dialogues of an edition under a condition with what every judge made of them, in one statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from independence.store.queries import UNDER, JudgeCounts, keys_json
from independence.store.spending import Dates
from independence.types import Where


class PlaceColumns(NamedTuple):
    """A planned dialogue and one verdict on it; a row without a judge where there is none.

    Rows are read as plain tuples in this order: there are as many as verdicts.
    """

    config_dir: str
    scenario: str
    run: int
    experiment: str
    particular: str | None  # key of the trial; None where nothing is to be said of it but what stands here
    said: str | None  # as of a `TrialState`; None while it is unfinished, as the next four
    words: str | None
    thought: int | None
    first_at: str | None
    last_at: str | None
    judge: str | None
    valid: int  # whether a verdict came, and is not missing
    rubric: str
    field_set: int | None
    field_values: bytes | None
    judged_at: str


PlaceRow = tuple[Any, ...]
"""The values of `PlaceColumns`, in order."""

# Finished, not begun on another dialogue and without a mark; graded as it is now, with values, no quotation made up.
_PLAIN = (
    "p.parent IS NULL AND f.start_context IS NULL AND f.flags IS NULL AND v.context = f.end_context "
    "AND v.missing IS NULL AND v.quote_found IS NOT 0 AND v.field_set IS NOT NULL"
)
_SQL = (
    f"SELECT p.config_dir, p.scenario, p.run, p.experiment, iif({_PLAIN}, NULL, p.trial), f.said, "
    "f.words, f.thought, f.first_at, f.last_at, v.judge, v.judge IS NOT NULL AND v.missing IS NULL, v.rubric, "
    "v.field_set, v.field_values, v.judged_at FROM planned p LEFT JOIN finished f ON f.trial = p.trial "
    "LEFT JOIN verdicts v INDEXED BY verdicts_short ON v.trial = p.trial "
    f"WHERE {UNDER} ORDER BY p.config_dir, p.scenario, p.run"
)


_TRIAL, _SAID, _FIRST, _LAST, _JUDGE, _VALID, _JUDGED = (
    PlaceColumns._fields.index(name)
    for name in ("particular", "said", "first_at", "last_at", "judge", "valid", "judged_at")
)


class PlaceRead(NamedTuple):
    """What a place holds under one judge, and who graded there."""

    rows: list[PlaceRow]
    judges: list[JudgeCounts]


def read(connection: sqlite3.Connection, where: Where) -> PlaceRead | None:
    """The rows of an edition under a condition, by subject, scenario and run; None where several judges graded."""
    assert where.condition is not None
    first = f"SELECT trial FROM planned WHERE {UNDER} LIMIT 1"
    several = f"SELECT count(DISTINCT judge) > 1 FROM verdicts WHERE trial = ({first})"
    if connection.execute(several, where.columns).fetchone()[0]:
        return None
    rows = _texts_once(connection.execute(_SQL, where.columns))
    names = {row[_JUDGE] for row in rows} - {None}
    if len(names) > 1:
        return None
    return PlaceRead(rows, [JudgeCounts(name, sum(row[_VALID] for row in rows)) for name in names])


def under_judge(connection: sqlite3.Connection, where: Where, judge: str | None) -> list[PlaceRow]:
    """The same of one judge among several, or of none."""
    sql = _SQL.replace("v.trial = p.trial", "v.trial = p.trial AND v.judge = ?")
    return _texts_once(connection.execute(sql, (judge, *where.columns)))


def _texts_once(rows: Iterable[PlaceRow]) -> list[PlaceRow]:
    """The rows, texts that many of them have kept once: they would take half of the memory."""
    texts: dict[str | None, str | None] = {}
    once = texts.setdefault
    return [
        (
            once(config, config), once(scenario, scenario), run, once(experiment, experiment), particular, said, words,
            thought, first, first if first == last else last, once(judge, judge), valid, once(rubric, rubric), fields,
            values, at,
        )
        for config, scenario, run, experiment, particular, said, words, thought, first, last, judge, valid, rubric,
        fields, values, at in rows
    ]  # fmt: skip


def dates(connection: sqlite3.Connection, rows: Sequence[PlaceRow]) -> Dates:
    """First and last answer, and verdict, of one judge's rows."""
    answered = [at for row in rows for at in row[_FIRST : _LAST + 1] if at is not None]
    if unfinished := {row[_TRIAL] for row in rows if row[_SAID] is None}:
        sql = (
            "SELECT c.answered_at FROM json_each(?) k CROSS JOIN calls c ON c.trial = k.value "
            "WHERE c.version = 0 AND c.missing IS NULL AND c.answered_at <> ''"
        )
        answered += [at for (at,) in connection.execute(sql, (keys_json(unfinished),))]
    judged = [row[_JUDGED] for row in rows if row[_VALID] and row[_JUDGED]]
    first, last = min(answered, default=None), max(answered, default=None)
    return Dates(first, last, min(judged, default=None), max(judged, default=None))
