"""Which part of a store a board is about: suite, edition, condition, judge. Found, or refused with what there is."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from independence.errors import StoreError
from independence.judge.spec import CUES, HUMAN, HYBRID, OFFLINE, kind
from independence.report import called
from independence.store import queries
from independence.suites import load
from independence.suites.schema import Suite

_ORDER: Final = {"model": 0, CUES: 1, OFFLINE: 2, HYBRID: 2}  # whose verdicts are shown first


class Place(NamedTuple):
    """One edition of a suite under one condition."""

    suite: Suite
    edition: str
    variant: str
    mode: str

    @property
    def condition(self) -> str:
        """`variant/mode`."""
        return f"{self.variant}/{self.mode}"


def find(connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None) -> Place:
    """The place a command asks for. `suite` may be `NAME` or `NAME@EDITION`. Raises StoreError."""
    info = _edition(queries.editions(connection), suite)
    text = queries.document(connection, info.suite, info.edition)
    assert text is not None
    loaded = msgspec.json.decode(text, type=Suite)
    there = queries.conditions(connection, info.suite, info.edition)
    chosen = _condition(loaded, there, variant, mode)
    if chosen not in there:
        held = ", ".join("/".join(pair) for pair in there)
        raise StoreError(
            f"{info.suite}@{info.edition} has no trials under {'/'.join(chosen)}; it has {held}: "
            "name one with --variant and --mode"
        )
    return Place(loaded, info.edition, *chosen)


def conditions(
    connection: sqlite3.Connection, suite: str | None, variant: str | None = None, mode: str | None = None
) -> list[Place]:
    """The place that variant or mode name; without either every condition of the edition, the suite's own first.

    Raises StoreError.
    """
    if variant is not None or mode is not None:
        return [find(connection, suite, variant, mode)]
    info = _edition(queries.editions(connection), suite)
    first, *_ = there = queries.conditions(connection, info.suite, info.edition)
    place = find(connection, f"{info.suite}@{info.edition}", *first)
    own = (place.suite.default.variant, place.suite.default.mode)
    return [place._replace(variant=one[0], mode=one[1]) for one in sorted(there, key=lambda one: one != own)]


def newest(connection: sqlite3.Connection, place: Place, asked: str | None) -> str:
    """What to say where an edition was taken for being the newest of its suite; empty where it was the only one."""
    held = [info for info in queries.editions(connection) if info.suite == place.suite.suite]
    if len(held) < 2 or (asked and "@" in asked):
        return ""
    others = ", ".join(f"{info.suite}@{info.edition}" for info in held if info.edition != place.edition)
    return f"{place.suite.suite}@{place.edition} is the edition used last; --suite takes another: {others}"


def _condition(
    suite: Suite, there: Sequence[tuple[str, str]], variant: str | None, mode: str | None
) -> tuple[str, str]:
    """The condition asked for; what is left open is as the suite has it, else as the only one that fits has it."""
    if variant is not None:
        own = load.persona(Path(variant)).name if load.is_persona(variant) else variant
        variant = called.variant(own, {name for name, _ in there})
    chosen = (variant or suite.default.variant, mode or suite.default.mode)
    fitting = [pair for pair in there if variant in (None, pair[0]) and mode in (None, pair[1])]
    return fitting[0] if chosen not in there and len(fitting) == 1 else chosen


def grading(connection: sqlite3.Connection, place: Place) -> Suite:
    """The suite by whose texts a place is graded: its own; for an import, ours by which it was read."""
    text = queries.read_as(connection, place.suite.suite, place.edition)
    return place.suite if text is None else msgspec.json.decode(text, type=Suite)


def _edition(known: Sequence[queries.EditionInfo], asked: str | None) -> queries.EditionInfo:
    if not known:
        raise StoreError("the store is empty: `independence demo`, `run` or `import` fills it")
    held = ", ".join(f"{info.suite}@{info.edition}" for info in known)
    if asked is None:
        if len({info.suite for info in known}) > 1 or (
            len(known) > 1 and any(queries.imported(info.edition) for info in known)
        ):
            raise StoreError(f"the store holds several suite editions; name one with --suite: {held}")
        return known[0]
    name, _, edition = asked.partition("@")
    fitting = [info for info in known if info.suite == name and edition in ("", info.edition)]
    if not fitting:
        raise StoreError(f"the store holds no trials of `{asked}`; it holds {held}")
    return fitting[0]


def judge(verdicts: Sequence[queries.StoredVerdict], asked: str) -> str:
    """The judge that is meant. Raises StoreError, naming the judges there are, when none of that name graded here."""
    return called.judge(asked, sorted({verdict.judge for verdict in verdicts}))


def judge_anywhere(connection: sqlite3.Connection, places: Sequence[Place], asked: str | None) -> str | None:
    """The judge that is meant in any of some places of one edition; None where none is named. Raises StoreError."""
    if asked is None:
        return None
    wanted = {(place.variant, place.mode) for place in places}
    suite, edition = places[0].suite.suite, places[0].edition
    return judge([one for pair in sorted(wanted) for one in queries.verdicts(connection, suite, edition, pair)], asked)


def judge_here(connection: sqlite3.Connection, place: Place, asked: str | None) -> str | None:
    """The judge that is meant in a place; None where none is named. Raises StoreError as `judge` does."""
    return judge_anywhere(connection, [place], asked)


def independent(verdicts: Sequence[queries.StoredVerdict]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    return sorted({verdict.judge for verdict in verdicts if verdict.missing is None and kind(verdict.judge) != HYBRID})


def usual_judge(verdicts: Sequence[queries.StoredVerdict]) -> str | None:
    """Whose verdicts are shown where nobody was asked for; None where there are none. `verdicts` are oldest first.

    Of those that graded at least half of what the most diligent one did: a model before the rules, those that rest on
    predictions last; of one kind the one with most valid verdicts, then the one that began first. People, who score a
    sample, never without being asked for, nor an older version of the rules beside the newest.
    """
    names = {verdict.judge for verdict in verdicts}
    left_out = {name for name in names if kind(name) == HUMAN or (name.startswith(f"{CUES}@") and CUES in names)}
    counts = _valid([verdict for verdict in verdicts if verdict.judge not in left_out])
    most = max(counts.values(), default=0)
    full = [name for name in counts if 2 * counts[name] >= most]
    return min(full, key=lambda name: (_order(name), -counts[name]), default=None)


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
        [f"Graded as fully by {', '.join(names)}: --judge {names[0] if len(names) == 1 else 'NAME'}."] if names else []
    )


def _order(name: str) -> int:
    return _ORDER[kind(name)]


def _valid(verdicts: Sequence[queries.StoredVerdict]) -> dict[str, int]:
    """Judge -> its valid verdicts, in the order in which judges began."""
    counts = Counter({verdict.judge: 0 for verdict in verdicts})
    counts.update(verdict.judge for verdict in verdicts if verdict.missing is None)
    return dict(counts)
