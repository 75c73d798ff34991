"""Which judge's verdicts are shown: the one that is named, or the usual one of those that graded."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from independence.judge import kinds
from independence.judge.kinds import CUES
from independence.store import queries, scopes
from independence.store.scopes import BoardScope


def judge(verdicts: Sequence[queries.StoredVerdict], asked: str) -> str:
    """The judge that is meant. Raises StoreError, naming the judges there are, when none of that name graded here."""
    return scopes.judge(asked, sorted({verdict.judge for verdict in verdicts}))


def judge_anywhere(connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None) -> str | None:
    """The judge that is meant in any of some places of one edition; None where none is named. Raises StoreError."""
    if asked is None:
        return None
    wanted = sorted({place.where for place in places})
    return judge([one for where in wanted for one in queries.verdicts(connection, where)], asked)


def judge_here(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str | None:
    """The judge that is meant in a place; None where none is named. Raises StoreError as `judge` does."""
    return judge_anywhere(connection, [scope], asked)


def independent(verdicts: Sequence[queries.StoredVerdict]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    names = {verdict.judge for verdict in verdicts if verdict.missing is None}
    return sorted(name for name in names if not kinds.of(name).repeats_bought)


def usual_judge(verdicts: Sequence[queries.StoredVerdict]) -> str | None:
    """Whose verdicts are shown where nobody was asked for; None where there are none. `verdicts` are oldest first.

    Of those that graded at least half of what the most diligent one did: a model before the rules, those that rest on
    predictions last; of one kind the one with most valid verdicts, then the one that began first. People, who score a
    sample, never without being asked for, nor an older version of the rules beside the newest.
    """
    names = {verdict.judge for verdict in verdicts}
    left_out = {name for name in names if kinds.of(name).human or (name.startswith(f"{CUES}@") and CUES in names)}
    counts = _valid([verdict for verdict in verdicts if verdict.judge not in left_out])
    most = max(counts.values(), default=0)
    full = [name for name in counts if 2 * counts[name] >= most]
    return min(full, key=lambda name: (kinds.of(name).order_on_boards, -counts[name]), default=None)


def shared_judge(*sides: Sequence[queries.StoredVerdict]) -> str | None:
    """The usual judge among those with a valid verdict on every side; None where no judge has."""
    both = set.intersection(*({verdict.judge for verdict in own if verdict.missing is None} for own in sides))
    return usual_judge([verdict for own in sides for verdict in own if verdict.judge in both])


def as_full(verdicts: Sequence[queries.StoredVerdict], judge: str | None) -> tuple[str, ...]:
    """The other judges with as many valid verdicts as `judge`, in the order in which they began."""
    counts = _valid(verdicts)
    return tuple(
        name for name in counts if name != judge and counts[name] and counts[name] >= counts.get(judge or "", 0)
    )


def also_graded(names: Sequence[str]) -> list[str]:
    """That other judges graded as much as the one that is shown, and how to see theirs; nothing without any."""
    return (
        [f"Also completely graded by {', '.join(names)}: --judge {names[0] if len(names) == 1 else 'NAME'}."]
        if names
        else []
    )


def _valid(verdicts: Sequence[queries.StoredVerdict]) -> dict[str, int]:
    """Judge -> its valid verdicts, in the order in which judges began."""
    counts = Counter({verdict.judge: 0 for verdict in verdicts})
    counts.update(verdict.judge for verdict in verdicts if verdict.missing is None)
    return dict(counts)
