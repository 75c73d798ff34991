"""What a suite's `analysis` stands for: the board and the report it is read by.

The one place that knows. Whoever prints or writes asks here and is told in a form that every suite shares.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.report import board as index_board
from independence.report import board_formats, table_formats
from independence.report.advice.rendered_board import RenderedBoard
from independence.report.board import DEFAULT, STRICT, Board, InferenceOptions
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

if TYPE_CHECKING:
    from independence.report.table import Section

Built = Board | RenderedBoard
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
    """How a place is to be read. What an analysis has no use for was refused before (`refuse`)."""

    scoring: str = STRICT
    judge: str | None = None  # None: the usual one
    reading: InferenceOptions = DEFAULT
    pooled: bool = False  # over every condition of the edition
    models: tuple[str, ...] = ()  # show only these labels or ids, as they stand among all


class _Analysis(NamedTuple):
    board: Callable[[sqlite3.Connection, BoardScope, BoardOptions], Built]
    sections: Callable[[sqlite3.Connection, BoardScope, BoardOptions, Collection[str]], list[Section]]
    flags: frozenset[str]  # of FLAGS, those that it has a use for


def board(connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions) -> Built:
    """The board of a place. Raises UsageError where the suite lacks what its analysis needs."""
    return _ANALYSES[scope.suite.analysis].board(connection, scope, asked)


def has_board(suite: Suite) -> bool:
    """Whether there is one: a suite that is read by an index may declare none."""
    return suite.analysis != "index" or suite.index is not None


def report(
    connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions, models: Collection[str] = ()
) -> list[Section]:
    """The report on a place; `models`: only these labels or ids. Raises UsageError, StoreError."""
    return _ANALYSES[scope.suite.analysis].sections(connection, scope, asked, models)


def refuse(suite: Suite, flags: Collection[str]) -> None:
    """Raises UsageError for flags that are about something which the suite's analysis does not have."""
    if not has_board(suite):
        unknown, why = [flag for flag in flags if flag in FLAGS], "declares no index"
    else:
        unknown = [flag for flag in flags if flag in FLAGS.keys() - _ANALYSES[suite.analysis].flags]
        why = f"is read by `{suite.analysis}`, which has none"
    if unknown:
        raise UsageError(f"{unknown[0]} is about {FLAGS[unknown[0]]}, and suite {suite.suite} {why}; leave it out")


def to_json(built: Sequence[Built]) -> str:
    """One board as one object, several as an array."""
    documents = [one.document if isinstance(one, RenderedBoard) else one for one in built]
    return msgspec.json.format(msgspec.json.encode(documents if len(built) > 1 else documents[0]), indent=2).decode()


def to_csv(built: Sequence[Built], suite: Suite) -> str:
    """Boards of one suite as one table, one line for each subject and board."""
    records = [one.record for one in built if isinstance(one, RenderedBoard)]
    if records:
        rows = tuple(row for record in records for row in record.rows)
        return table_formats.to_csv(msgspec.structs.replace(records[0], rows=rows))
    assert suite.index is not None
    return board_formats.to_csv([one for one in built if isinstance(one, Board)], suite.index)


def to_markdown(built: Built, suite: Suite) -> str:
    """A board as Markdown."""
    if isinstance(built, RenderedBoard):
        return "\n".join(map(table_formats.to_markdown, built.tables))
    assert suite.index is not None
    return board_formats.to_markdown(built, suite.index)


def _index(connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions) -> Board:
    if asked.pooled:
        from independence.report import matrix

        return matrix.pooled_board(connection, scope, asked.scoring, asked.judge, asked.reading, asked.models)
    return index_board.board(connection, scope, asked.scoring, asked.judge, asked.reading, asked.models)


def _index_report(
    connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions, models: Collection[str]
) -> list[Section]:
    from independence.report import index_report

    return index_report.sections(connection, scope, asked.judge, asked.reading, models, asked.scoring)


def _sides(connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions) -> RenderedBoard:
    from independence.report.advice import advice_study, renderings
    from independence.report.advice import board as sides_board

    read = advice_study.read(connection, scope, asked.judge)
    return renderings.render_sides(
        read, sides_board.only(sides_board.board(read, asked.reading.correction), read, asked.models)
    )


def _sides_report(
    connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions, models: Collection[str]
) -> list[Section]:
    from independence.report.advice import sections

    return sections.sides(connection, scope, asked.judge, asked.reading.correction, models)


def _stance(connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions) -> RenderedBoard:
    from independence.report.advice import advice_study, published, renderings

    read = advice_study.read(connection, scope, asked.judge)
    return renderings.render_stance(read, published.only(published.board(read), read, asked.models))


def _stance_report(
    connection: sqlite3.Connection, scope: BoardScope, asked: BoardOptions, models: Collection[str]
) -> list[Section]:
    from independence.report.advice import sections

    return sections.stance(connection, scope, asked.judge, models)


# What only one of them needs is imported when it is used: a board of an index starts without the rest.
_ANALYSES: Final = {
    "index": _Analysis(_index, _index_report, frozenset(FLAGS)),
    "paired_sides": _Analysis(_sides, _sides_report, frozenset({"--correction"})),
    "stance_csv": _Analysis(_stance, _stance_report, frozenset()),
}
