"""Which analysis a suite's word `analysis` stands for, ours or another package's: whoever shows a board asks here."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Final

import msgspec

from independence.config import plugins
from independence.errors import UsageError
from independence.report import table_formats
from independence.report.analysis import FLAGS, Analysis, BoardOptions, RenderedBoard
from independence.report.table import Section
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

GROUP: Final = "independence.analyses"
# By the word in a suite: where the object is. It is imported when it is asked for: a board starts without the others.
OURS: Final = {
    "index": ("independence.report.index_analysis", "INDEX"),
    "paired_sides": ("independence.report.advice.analyses", "PAIRED_SIDES"),
    "stance_csv": ("independence.report.advice.analyses", "STANCE_CSV"),
}


def of(name: str) -> Analysis:
    """The analysis of that name. Raises UsageError where no package has one."""
    if name not in OURS:
        return plugins.find(GROUP, name, Analysis, list(OURS))
    module, attribute = OURS[name]
    found = getattr(import_module(module), attribute)
    assert isinstance(found, Analysis)
    return found


def board(connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
    """The board of a place. Raises UsageError where the suite lacks what its analysis needs."""
    return of(scope.suite.analysis).board(connection, scope, options)


def has_board(suite: Suite) -> bool:
    """Whether there is one: a suite that is read by an index may declare none."""
    return not of(suite.analysis).lacks(suite)


def report(
    connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str] = ()
) -> list[Section]:
    """The report on a place; `models`: only these labels or ids. Raises UsageError, StoreError."""
    return of(scope.suite.analysis).sections(connection, scope, options, models)


def refuse(suite: Suite, flags: Collection[str]) -> None:
    """Raises UsageError for flags that are about something which the suite's analysis does not have."""
    analysis = of(suite.analysis)
    why = analysis.lacks(suite)
    unknown = [flag for flag in flags if flag in FLAGS and (why or flag not in analysis.flags)]
    if unknown:
        why = why or f"is read by `{suite.analysis}`, which has none"
        raise UsageError(f"{unknown[0]} is about {FLAGS[unknown[0]]}, and suite {suite.suite} {why}; leave it out")


def check(suite: Suite) -> Iterator[tuple[str, str]]:
    """What a suite's analysis requires of it and does not find; an analysis that nobody has is such a thing."""
    try:
        yield from of(suite.analysis).check(suite)
    except UsageError as error:
        yield "$.analysis", str(error)


def to_json(built: Sequence[RenderedBoard]) -> str:
    """One board as one object, several as an array."""
    documents = [one.document for one in built]
    return msgspec.json.format(msgspec.json.encode(documents if len(built) > 1 else documents[0]), indent=2).decode()


def to_csv(built: Sequence[RenderedBoard]) -> str:
    """Boards of one suite as one table, one line for each subject and board."""
    rows = tuple(row for one in built for row in one.record.rows)
    return table_formats.to_csv(msgspec.structs.replace(built[0].record, rows=rows))


def to_markdown(built: RenderedBoard) -> str:
    """A board as Markdown."""
    return "\n".join(map(table_formats.to_markdown, built.tables))
