"""Which part of a store a board is about: suite, edition, condition, judge. Found, or refused with what there is."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.judge.spec import HYBRID, OFFLINE, kind
from independence.store import queries
from independence.suites.schema import Suite


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
    known = queries.editions(connection)
    if not known:
        raise StoreError("the store is empty: `independence demo`, `run` or `import` fills it")
    info = _edition(known, suite)
    text = queries.document(connection, info.suite, info.edition)
    assert text is not None
    loaded = msgspec.json.decode(text, type=Suite)
    chosen = (variant or loaded.default.variant, mode or loaded.default.mode)
    there = queries.conditions(connection, info.suite, info.edition)
    if variant is None and mode is None and len(there) == 1:
        chosen = there[0]
    if chosen not in there:
        held = ", ".join("/".join(pair) for pair in there)
        raise StoreError(f"{info.suite}@{info.edition} has no trials under {'/'.join(chosen)}; it has {held}")
    return Place(loaded, info.edition, *chosen)


def _edition(known: Sequence[queries.EditionInfo], asked: str | None) -> queries.EditionInfo:
    held = ", ".join(f"{info.suite}@{info.edition}" for info in known)
    if asked is None:
        if len(known) > 1:
            raise StoreError(f"the store holds several suite editions; name one with --suite: {held}")
        return known[0]
    name, _, edition = asked.partition("@")
    fitting = [info for info in known if info.suite == name and edition in ("", info.edition)]
    if not fitting:
        raise StoreError(f"the store holds no trials of `{asked}`; it holds {held}")
    return fitting[0]


def check_judge(verdicts: Sequence[queries.StoredVerdict], asked: str) -> None:
    """Raises StoreError, naming the judges there are, when `asked` graded nothing here."""
    known = {verdict.judge for verdict in verdicts}
    if asked not in known:
        held = ", ".join(sorted(known)) or "none"
        raise StoreError(f"no verdicts by judge `{asked}` here; judges: {held}")


def check_asked(connection: sqlite3.Connection, place: Place, asked: str | None) -> None:
    """Raises StoreError, naming the judges there are, when an asked judge graded nothing in a place."""
    if asked is not None:
        condition = (place.variant, place.mode)
        check_judge(queries.verdicts(connection, place.suite.suite, place.edition, condition), asked)


def independent(verdicts: Sequence[queries.StoredVerdict]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    return sorted({verdict.judge for verdict in verdicts if verdict.missing is None and kind(verdict.judge) != HYBRID})


def usual_judge(verdicts: Sequence[queries.StoredVerdict]) -> str | None:
    """The judge with most valid verdicts; None where there are none.

    A judge that rests on predictions is not taken for one that graded at least half of what it did.
    """
    counts = Counter({verdict.judge: 0 for verdict in verdicts})
    counts.update(verdict.judge for verdict in verdicts if verdict.missing is None)
    if not counts:
        return None
    most = max(counts.values())
    direct = [name for name in counts if kind(name) not in (OFFLINE, HYBRID) and 2 * counts[name] >= most]
    return max(sorted(direct or counts), key=lambda name: counts[name])
