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
        counted = own.valid + one.valid, _settled(own) + _settled(one)
        found[one.judge] = JudgeCounts(one.judge, *counted, max(own.last, one.last))
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
    """The judges whose verdicts are all their own: `picks:MODEL` repeats those of its rules."""
    return sorted(one.judge for one in there if one.valid and not kinds.of(one.judge).repeats_bought)


def usual_judge(there: Sequence[JudgeCounts]) -> str | None:
    """Whose verdicts are shown where nobody was asked for: of those that graded everything, the one that graded last.

    None where there are none.
    """
    newest = max(_complete(there), key=lambda one: (one.last, one.valid), default=None)
    return newest and newest.judge


def _complete(there: Sequence[JudgeCounts]) -> list[JudgeCounts]:
    """Those that graded everything, as far as anybody did, and have at least half as many valid verdicts as any."""
    own = _unasked(there)
    all_ = max(map(_settled, own), default=0)
    full = [one for one in own if _whole(_settled(one), all_)]
    return [one for one in full if 2 * one.valid >= max(other.valid for other in full)]


def _unasked(there: Sequence[JudgeCounts]) -> list[JudgeCounts]:
    """Those that may be shown unasked: no people, who score a sample, and no older rules beside the newest."""
    newest = CUES in {one.judge for one in there}
    return [one for one in there if not (kinds.of(one.judge).human or (newest and one.judge.startswith(f"{CUES}@")))]


def shared_judge(*sides: Sequence[JudgeCounts]) -> str | None:
    """The usual judge among those with a valid verdict on every side; None where no judge has."""
    both = set.intersection(*({one.judge for one in own if one.valid} for own in sides))
    return usual_judge([one for one in together(sides) if one.judge in both])


def as_full(there: Sequence[JudgeCounts], judge: str | None) -> tuple[str, ...]:
    """The others that graded everything, where `judge` did, in the order in which they began."""
    complete = [one.judge for one in _complete(there)]
    return tuple(name for name in complete if name != judge) if judge in complete else ()


def half_finished(
    connection: sqlite3.Connection, places: Iterable[Where], judge: str | None, there: Sequence[JudgeCounts]
) -> str:
    """That the judge that was taken, of several, or the one that graded last, graded a part alone; else empty."""
    graded = {one.judge: _settled(one) for one in there}
    if len(there) < 2 or judge is None or not graded.get(judge):
        return ""
    all_ = sum(gradings.finished(connection, where) for where in places)
    if not _whole(graded[judge], all_):
        what = f"No judge graded everything: shown is {judge}, which graded {graded[judge]} of {all_} dialogues"
        return f"{what}; --judge takes another."
    last = max(_unasked(there), key=lambda one: one.last).judge
    # A model that `picks` asks where its rules cannot tell grades a part by design.
    if kinds.of(judge).repeats_bought or _whole(graded[last], all_):
        return ""
    return f"Later {last} graded {graded[last]} of {all_} dialogues only (--judge {last})."


def _settled(one: JudgeCounts) -> int:
    """Dialogues that a judge need not be asked about any more."""
    return max(one.graded, one.valid)


def _whole(graded: int, of: int) -> bool:
    """Whether somebody graded everything, except for the little that is missing in any large set."""
    return graded >= _NEARLY * of
