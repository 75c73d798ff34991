"""The dialogues of an edition under a condition with what every judge made of them, by subject.

What is known of a subject under a judge follows from `planned`, `finished` and `verdicts`, and takes a look at three
rows a dialogue. So commands that write leave it in one row a subject (`keep`); triggers delete the rows of a subject of
which something changes, and a subject without one is read from those tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from independence.store import queries, spending
from independence.store.queries import UNDER, JudgeCounts, keys_json
from independence.store.spending import Dates
from independence.store.subject_dialogues import SubjectDialogues, decode, encode
from independence.types import Where

Dialogues = dict[str, SubjectDialogues]  # by config_dir, in its order
Subject = tuple[str, str, str, str, str]  # suite, edition, variant, mode, config_dir

# Finished, not begun on another dialogue and without a mark; graded as it is now, with values, no quotation made up.
_PLAIN = (
    "p.parent IS NULL AND f.start_context IS NULL AND f.flags IS NULL AND v.context = f.end_context "
    "AND v.missing IS NULL AND v.quote_found IS NOT 0 AND v.field_set IS NOT NULL"
)
_READ = (
    f"SELECT p.config_dir, p.scenario, p.run, p.experiment, iif({_PLAIN}, NULL, p.trial), f.said, f.words, f.thought, "
    "f.first_at, f.last_at, v.judge, v.judge IS NOT NULL AND v.missing IS NULL, v.rubric, v.field_set, v.field_values, "
    "v.judged_at FROM planned p LEFT JOIN finished f ON f.trial = p.trial "
    "LEFT JOIN verdicts v INDEXED BY verdicts_short ON v.trial = p.trial"
)
_SUBJECT = "suite, edition, variant, mode, config_dir"
_NOBODY = ""  # whose row it is that dialogues have which nobody graded


class PlaceRead(NamedTuple):
    """What a place holds under one judge, and who graded there."""

    subjects: Dialogues
    judges: list[JudgeCounts]


def read(connection: sqlite3.Connection, where: Where) -> PlaceRead | None:
    """The dialogues of an edition under a condition; None where several judges graded."""
    kept = f"SELECT judge FROM kept_dialogues WHERE {UNDER}"
    first = f"SELECT judge FROM verdicts WHERE trial = (SELECT trial FROM planned WHERE {UNDER} LIMIT 1)"
    graded = connection.execute(f"{kept} UNION {first}", (*where.columns, *where.columns)).fetchall()
    if len({judge for (judge,) in graded} - {_NOBODY}) > 1:
        return None
    subjects = _dialogues(connection, where, "", "", ())
    names = dict.fromkeys(judge for own in subjects.values() for judge in own.judges)
    if len(names) > 1:
        return None
    return PlaceRead(subjects, [JudgeCounts(name, sum(own.valid for own in subjects.values())) for name in names])


def under_judge(connection: sqlite3.Connection, where: Where, judge: str | None) -> Dialogues:
    """The same of one judge among several, or of none."""
    return _dialogues(connection, where, " AND judge IN (?, '')", " AND v.judge = ?", (judge,))


def _dialogues(
    connection: sqlite3.Connection, where: Where, of_kept: str, of_read: str, judge: tuple[str | None, ...]
) -> Dialogues:
    kept = f"FROM kept_dialogues WHERE {UNDER}{of_kept}"
    found = connection.execute(f"SELECT config_dir, dialogues {kept}", (*where.columns, *judge))
    out = {config: decode(dialogues) for config, dialogues in found}
    sql = f"{_READ}{of_read} WHERE {UNDER} AND p.config_dir NOT IN (SELECT config_dir {kept}) ORDER BY p.config_dir"
    rows = connection.execute(sql, (*judge, *where.columns, *where.columns, *judge))
    out |= {config: SubjectDialogues.of(row[1:] for row in own) for config, own in groupby(rows, itemgetter(0))}
    return dict(sorted(out.items()))


def unkept(connection: sqlite3.Connection) -> list[Subject]:
    """Subjects of editions under conditions that have no row; imports never have one."""
    kept = set(connection.execute(f"SELECT {_SUBJECT} FROM kept_dialogues"))
    return [own for own in _planned(connection) if own not in kept and not queries.imported(own[1])]


def _planned(connection: sqlite3.Connection) -> Iterator[Subject]:
    """Every subject once, by a look at the index for each and not for each of its trials."""
    after = f"SELECT {_SUBJECT} FROM planned WHERE ({_SUBJECT}) > (?, ?, ?, ?, ?) ORDER BY {_SUBJECT} LIMIT 1"
    own: Subject = ("", "", "", "", "")
    while found := connection.execute(after, own).fetchone():
        own = found
        yield own


def keep(connection: sqlite3.Connection, subjects: Iterable[Subject]) -> None:
    """Write the rows of some subjects, inside the caller's transaction."""
    own = f"{UNDER} AND p.config_dir = ?"
    graded = f"SELECT DISTINCT v.judge FROM planned p CROSS JOIN verdicts v ON v.trial = p.trial WHERE {own}"
    for subject in subjects:
        for (judge,) in connection.execute(graded, subject).fetchall() or [(_NOBODY,)]:
            rows = connection.execute(f"{_READ} AND v.judge = ? WHERE {own}", (judge, *subject))
            dialogues = encode(SubjectDialogues.of(row[1:] for row in rows))
            connection.execute(
                "INSERT OR REPLACE INTO kept_dialogues VALUES (?, ?, ?, ?, ?, ?, ?)", (*subject, judge, dialogues)
            )


def dates(connection: sqlite3.Connection, subjects: Collection[SubjectDialogues]) -> Dates:
    """First and last answer, and verdict, of one judge's dialogues."""
    answered = [at for own in subjects for at in (own.dates.first_reply, own.dates.last_reply)]
    judged = [at for own in subjects for at in (own.dates.first_verdict, own.dates.last_verdict)]
    if unfinished := set[str]().union(*(own.unfinished for own in subjects)):
        sql = (
            "SELECT c.answered_at FROM json_each(?) k CROSS JOIN calls c ON c.trial = k.value "
            "WHERE c.version = 0 AND c.missing IS NULL AND c.answered_at <> ''"
        )
        answered += [at for (at,) in connection.execute(sql, (keys_json(unfinished),))]
    return spending.ends(answered, judged)
