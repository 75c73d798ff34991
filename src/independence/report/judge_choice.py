"""Whose verdicts are shown: the judges who graded in some places, the one that is meant, the one that is usual."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from independence.judge import kinds
from independence.judge.kinds import CUES
from independence.store import gradings, queries, scopes
from independence.store.queries import JudgeCounts
from independence.store.scopes import BoardScope
from independence.types import Where

_NEARLY: Final = 0.9  # of all dialogues: published sets lack some verdicts of every judge


def judges(connection: sqlite3.Connection, places: Iterable[Where]) -> list[JudgeCounts]:
    """Everybody who graded in some places, those of the first place first, in the order in which they began."""
    return together([queries.judges(connection, where) for where in places])


def together(sides: Iterable[Sequence[JudgeCounts]]) -> list[JudgeCounts]:
    """How much everybody graded in several places, those of the first place first."""
    found: dict[str, JudgeCounts] = {}
    for one in itertools.chain.from_iterable(sides):
        own = found.get(one.judge, JudgeCounts(one.judge, 0, 0))
        found[one.judge] = JudgeCounts(one.judge, own.valid + one.valid, _settled(own) + _settled(one))
    return list(found.values())


def judge(there: Iterable[JudgeCounts], asked: str) -> str:
    """The judge that is meant. Raises StoreError, naming the judges there are, when none of that name graded here."""
    return scopes.judge(asked, sorted({one.judge for one in there}))


def judge_anywhere(connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None) -> str | None:
    """The judge that is meant in any of some places; None where none is named. Raises StoreError."""
    if asked is None:
        return None
    return judge(judges(connection, {one.where for place in places for one in place.editions}), asked)


def judge_here(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str | None:
    """The judge that is meant in a place; None where none is named. Raises StoreError as `judge` does."""
    return judge_anywhere(connection, [scope], asked)


def independent(there: Iterable[JudgeCounts]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    return sorted(one.judge for one in there if one.valid and not kinds.of(one.judge).repeats_bought)


def usual_judge(there: Sequence[JudgeCounts]) -> str | None:
    """Whose verdicts are shown where nobody was asked for; None where there are none. `there`: as they began.

    Of those that graded everything, as far as anybody did, and have at least half as many valid verdicts as any: a
    model before the rules, those that rest on predictions last; of one kind the one with most valid verdicts, then the
    one that began first. People, who score a sample, never without being asked for, nor an older version of the rules
    beside the newest.
    """
    names = {one.judge for one in there}
    left_out = {name for name in names if kinds.of(name).human or (name.startswith(f"{CUES}@") and CUES in names)}
    graded = {one.judge: _settled(one) for one in there if one.judge not in left_out}
    all_ = max(graded.values(), default=0)
    counts = {one.judge: one.valid for one in there if _whole(graded.get(one.judge, -1), all_)}
    most = max(counts.values(), default=0)
    full = [name for name in counts if 2 * counts[name] >= most]
    return min(full, key=lambda name: (kinds.of(name).order_on_boards, -counts[name]), default=None)


def shared_judge(*sides: Sequence[JudgeCounts]) -> str | None:
    """The usual judge among those with a valid verdict on every side; None where no judge has."""
    both = set.intersection(*({one.judge for one in own if one.valid} for own in sides))
    return usual_judge([one for one in together(sides) if one.judge in both])


def as_full(there: Iterable[JudgeCounts], judge: str | None) -> tuple[str, ...]:
    """The other judges with as many valid verdicts as `judge`, in the order in which they began."""
    counts = {one.judge: one.valid for one in there}
    return tuple(
        name for name in counts if name != judge and counts[name] and counts[name] >= counts.get(judge or "", 0)
    )


def half_finished(
    connection: sqlite3.Connection, places: Iterable[Where], judge: str | None, there: Sequence[JudgeCounts]
) -> str:
    """That the judge who was taken, of several, graded a part alone, as all of them did; empty where it did not."""
    own = next((_settled(one) for one in there if one.judge == judge), 0)
    if len(there) < 2 or not own:
        return ""
    all_ = sum(gradings.finished(connection, where) for where in places)
    if _whole(own, all_):
        return ""
    return (
        f"No judge graded everything: shown is {judge}, which graded {own} of {all_} dialogues; --judge takes another."
    )


def _settled(one: JudgeCounts) -> int:
    """Dialogues that a judge need not be asked about any more."""
    return max(one.graded, one.valid)


def _whole(graded: int, of: int) -> bool:
    """Whether somebody graded everything, but for the little that is missing in any large set."""
    return graded >= _NEARLY * of
