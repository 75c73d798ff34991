"""Which part of a store a board is about: the suite, its edition, a condition. Found, or refused with what there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.store import name_lookup, queries
from independence.suites import load
from independence.suites.schema import Suite
from independence.types import Condition, Where


class BoardScope(NamedTuple):
    """The suite as stored, and which part of the store a board is about."""

    suite: Suite
    where: Where  # with its condition

    @property
    def edition(self) -> str:
        """Of the suite."""
        return self.where.edition

    @property
    def condition(self) -> Condition:
        """Under which all of it was asked."""
        assert self.where.condition is not None
        return self.where.condition

    def under(self, condition: Condition) -> BoardScope:
        """The same edition under another condition."""
        return self._replace(where=self.where.under(condition))


def find(connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None) -> BoardScope:
    """What a command asks for. `suite` may be `NAME` or `NAME@EDITION`. Raises StoreError."""
    info = _edition(connection, suite)
    text = queries.document(connection, info.where)
    assert text is not None
    loaded = msgspec.json.decode(text, type=Suite)
    there = queries.conditions(connection, info.where)
    chosen = _condition(loaded, there, variant, mode)
    if chosen not in there:
        held = ", ".join(str(one) for one in there)
        raise StoreError(
            f"{info.where.edition_name} has no trials under {chosen}; it has {held}: name one with --variant and --mode"
        )
    return BoardScope(loaded, Where(info.suite, info.edition, chosen))


def conditions(
    connection: sqlite3.Connection, suite: str | None, variant: str | None = None, mode: str | None = None
) -> list[BoardScope]:
    """The condition that variant or mode name; without either every condition of the edition, the suite's own first.

    Raises StoreError.
    """
    if variant is not None or mode is not None:
        return [find(connection, suite, variant, mode)]
    info = _edition(connection, suite)
    first, *_ = there = queries.conditions(connection, info.where)
    scope = find(connection, info.where.edition_name, *first)
    own = (scope.suite.default.variant, scope.suite.default.mode)
    return [scope.under(one) for one in sorted(there, key=lambda one: one != own)]


def newest(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str:
    """What to say where an edition was taken for being the newest of its suite; empty where it was the only one."""
    held = [info for info in queries.editions(connection) if info.suite == scope.suite.suite]
    if len(held) < 2 or (asked and "@" in asked):
        return ""
    others = ", ".join(f"{info.where.edition_name}" for info in held if info.edition != scope.edition)
    return f"{scope.where.edition_name} is the edition used last; --suite takes another: {others}"


def _condition(suite: Suite, there: Sequence[Condition], variant: str | None, mode: str | None) -> Condition:
    """The condition asked for; what is left open is as the suite has it, else as the only one that fits has it."""
    if variant is not None:
        own = load.persona(Path(variant)).name if load.is_persona(variant) else variant
        variant = name_lookup.variant(own, {name for name, _ in there})
    chosen = Condition(variant or suite.default.variant, mode or suite.default.mode)
    fitting = [one for one in there if variant in (None, one.variant) and mode in (None, one.mode)]
    return fitting[0] if chosen not in there and len(fitting) == 1 else chosen


def grading(connection: sqlite3.Connection, scope: BoardScope) -> Suite:
    """The suite by whose texts dialogues are graded: its own; for an import, ours by which it was read."""
    text = queries.read_as(connection, scope.where)
    return scope.suite if text is None else msgspec.json.decode(text, type=Suite)


def editions(connection: sqlite3.Connection, asked: str | None = None) -> list[queries.EditionInfo]:
    """The editions that `NAME` or `NAME@EDITION` means, last used first; without a name all. Raises StoreError."""
    known = queries.editions(connection)
    if not known:
        raise StoreError("the store is empty: `independence demo`, `run` or `import` fills it")
    name, _, edition = (asked or "").partition("@")
    fitting = [info for info in known if name in ("", info.suite) and edition in ("", info.edition)]
    if not fitting:
        raise StoreError(f"the store holds no trials of `{asked}`; it holds {names(known)}")
    return fitting


def names(known: Sequence[queries.EditionInfo]) -> str:
    """Editions in one sentence."""
    return ", ".join(info.where.edition_name for info in known)


def _edition(connection: sqlite3.Connection, asked: str | None) -> queries.EditionInfo:
    """The edition used last of those that are asked for. Raises StoreError where that may mean several suites."""
    found = editions(connection, asked)
    several, imports = len({info.suite for info in found}) > 1, any(queries.imported(info.edition) for info in found)
    if asked is None and (several or (imports and len(found) > 1)):
        raise StoreError(f"the store holds several suite editions; name one with --suite: {names(found)}")
    return found[0]
