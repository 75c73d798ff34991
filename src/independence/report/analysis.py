"""What an analysis is: how verdicts of a suite become a board, a report and a gate. Other packages add their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import ClassVar, Final

import msgspec

from independence.report.board import DEFAULT, STRICT, InferenceOptions
from independence.report.table import Section, Table
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

# Flags that not every analysis has a use for, and what each is about.
FLAGS: Final = {
    "--scoring": "an index",
    "--matrix": "an index",
    "--pooled": "an index",
    "--generalises-to": "an index",
    "--fail-under": "an index",
    "--correction": "tests of several subjects at once",
}


class BoardOptions(msgspec.Struct, frozen=True):
    """How a place is to be read. What an analysis has no use for was refused before (`analyses.refuse`)."""

    scoring: str = STRICT
    judge: str | None = None  # None: the usual one
    reading: InferenceOptions = DEFAULT
    pooled: bool = False  # over every condition of the edition
    models: tuple[str, ...] = ()  # show only these labels or ids, as they stand among all


class GatedValue(msgspec.Struct, frozen=True):
    """What `--fail-under` compares of one subject; None where its verdicts do not give it."""

    config: str
    label: str
    value: float | None


class RenderedBoard(msgspec.Struct, frozen=True, kw_only=True):
    """One board in every form that somebody may ask for."""

    document: msgspec.Struct  # as JSON has it; its `rows` each have a `config`
    record: Table  # one line a subject with everything; a column `config` says whose it is
    tables: Sequence[Table]  # for people
    narrow: Sequence[Table]  # the same for a terminal
    plot: Sequence[str] = ()  # lines of at most 80 signs
    details: Callable[[], Sequence[Table]] = tuple  # what stands behind the numbers
    gated: Sequence[GatedValue] = ()


class Analysis:
    """One kind of analysis. An object of a subclass is declared in `analyses` or by an entry point."""

    flags: ClassVar[Collection[str]] = ()  # of `FLAGS`, those that it has a use for

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        """The board of a place. Raises UsageError where the suite lacks what the analysis needs, StoreError."""
        raise NotImplementedError

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        """The report on a place; `models`: only these labels or ids. Raises UsageError, StoreError."""
        only = msgspec.structs.replace(options, models=tuple(models))
        return [Section("board", "The board", list(self.board(connection, scope, only).tables))]

    def lacks(self, suite: Suite) -> str:
        """Why a suite that may run has no board, such as `declares no index`; empty where it has one."""
        return ""

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """What the analysis requires of a suite and does not find: where in `suite.yaml` (`$.grid`), and what."""
        return ()
