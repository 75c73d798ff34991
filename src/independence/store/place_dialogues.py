"""The dialogues of an edition under a condition with what every judge made of them, by subject: one join."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from independence.store import spending
from independence.store.queries import UNDER, JudgeCounts
from independence.store.spending import Dates
from independence.store.subject_dialogues import SubjectDialogues
from independence.types import Where

Dialogues = dict[str, SubjectDialogues]  # by config_dir, in its order

# Finished, not begun on another dialogue and without a mark; graded as it is now, with values, no quotation made up.
_DONE = "f.answered = p.turns AND NOT f.broken"
_PLAIN = (
    f"{_DONE} AND p.parent IS NULL AND f.start_context IS NULL AND f.flags IS NULL AND v.context = f.at "
    "AND v.missing IS NULL AND v.quote_found IS NOT 0 AND v.field_set IS NOT NULL"
)
_READ = (
    f"SELECT p.config_dir, p.scenario, p.run, p.experiment, iif({_PLAIN}, NULL, p.trial), iif({_DONE}, f.said, NULL), "
    f"iif({_DONE}, f.words, NULL), {_DONE} AND f.thought, f.first_at, f.last_at, v.judge, v.judge IS NOT NULL AND "
    "v.missing IS NULL, v.rubric, v.field_set, v.field_values, v.judged_at FROM planned p "
    "LEFT JOIN dialogues f ON f.trial = p.trial LEFT JOIN verdicts v INDEXED BY verdicts_short ON v.trial = p.trial"
)


class PlaceRead(NamedTuple):
    """What a place holds under one judge, and who graded there."""

    subjects: Dialogues
    judges: list[JudgeCounts]


def read(connection: sqlite3.Connection, where: Where) -> PlaceRead | None:
    """The dialogues of an edition under a condition; None where several judges graded."""
    graded = f"SELECT DISTINCT judge FROM verdicts WHERE trial = (SELECT trial FROM planned WHERE {UNDER} LIMIT 1)"
    if len(connection.execute(graded, where.columns).fetchall()) > 1:
        return None
    subjects = _dialogues(connection, where)
    names = dict.fromkeys(judge for own in subjects.values() for judge in own.judges)
    if len(names) > 1:
        return None
    return PlaceRead(subjects, [JudgeCounts(name, sum(own.valid for own in subjects.values())) for name in names])


def under_judge(connection: sqlite3.Connection, where: Where, judge: str | None) -> Dialogues:
    """The same of one judge among several, or of none."""
    return _dialogues(connection, where, " AND v.judge = ?", judge)


def _dialogues(connection: sqlite3.Connection, where: Where, of: str = "", *judge: str | None) -> Dialogues:
    found = connection.execute(f"{_READ}{of} WHERE {UNDER} ORDER BY p.config_dir", (*judge, *where.columns))
    return {config: SubjectDialogues.of(row[1:] for row in own) for config, own in groupby(found, itemgetter(0))}


def dates(subjects: Collection[SubjectDialogues]) -> Dates:
    """First and last answer, and verdict, of one judge's dialogues."""
    answered = [at for own in subjects for at in (own.dates.first_reply, own.dates.last_reply)]
    judged = [at for own in subjects for at in (own.dates.first_verdict, own.dates.last_verdict)]
    return spending.ends(answered, judged)
