"""What an analysis is: how verdicts of a suite become a board, a report and a gate; and which one a suite names.

Other packages add their own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final

import msgspec

from independence.config import plugins
from independence.errors import UsageError
from independence.report import additions
from independence.report.board import notes, rows
from independence.report.board.board import DEFAULT, InferenceOptions
from independence.report.board.board_data import VerdictData
from independence.report.board.measures import BatteryResults, SuiteMeasures
from independence.report.board.rows import STRICT, Board, Row
from independence.report.files import table
from independence.report.files.table import Column, Section, Table, Value
from independence.report.gates.commitments import PersonaResult
from independence.report.gates.gate import GatedSubject
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

# Flags that not every analysis has a use for, and what each is about.
FLAGS: Final = {
    "--scoring": "an index",
    "--matrix": "an index",
    "--pooled": "an index",
    "--generalises-to": "an index",
}


A_GATE: Final = "a gate"


class BoardOptions(msgspec.Struct, frozen=True):
    """How a place is to be read. What an analysis has no use for was refused before (`refuse`)."""

    scoring: str = STRICT
    judge: str | None = None  # None: the usual one
    reading: InferenceOptions = DEFAULT
    pooled: bool = False  # over every condition of the edition
    models: tuple[str, ...] = ()  # show only these labels or ids, as they stand among all


DEFAULT_OPTIONS: Final = BoardOptions()


class RenderedBoard(msgspec.Struct, frozen=True, kw_only=True):
    """One board in every form that somebody may ask for."""

    document: Board
    record: Table  # one line a subject with everything; a column `config` says whose it is
    tables: Sequence[Table]  # for people
    narrow: Sequence[Table]  # the same for a terminal
    brief: Sequence[str] = ()  # what a terminal says below it unless all is asked for; nothing: all
    plot: Sequence[str] = ()  # lines of at most 80 signs
    details: Callable[[], Sequence[Table]] = tuple  # what stands behind the numbers
    measures: Callable[[], SuiteMeasures] | None = None  # of a grid: what each case adds
    result: str = ""  # what pages say first of it, as Markdown, where it is neither of an index nor of a grid
    added: Mapping[str, Mapping[str, Value]] = {}  # by config_dir: key of a column that a package added -> value

    def plain(self) -> Any:
        """The board in types of JSON, with what packages added to its rows."""
        return rows.document(self.document, self.added)


def one_table(data: VerdictData, title: str, made: Sequence[Row], columns: Sequence[Column]) -> RenderedBoard:
    """A board of one table: a line for each row, with the subject's name and these columns of it.

    `columns`: by the keys that `rows.row_values` has, such as the name of an estimate, `NAME_ci` or a fact.
    """
    board = rows.of_place(Board, data, rows=tuple(made))
    found = [rows.row_values(row) for row in made]
    known = {one.key for one in rows.flat_table(board, (), (), found).columns}
    record = rows.flat_table(board, (), [one for one in columns if one.key not in known], found)
    shown = (Column("subject", "Subject"), *columns)
    table = Table(
        "board", title, shown, tuple(tuple(own[one.key] for one in shown) for own in found),
        tuple(notes.of_place(data)), configs=record.configs,
    )  # fmt: skip
    return RenderedBoard(
        document=board, record=record, tables=[table], narrow=[table], brief=notes.brief_of_place(data)
    )


class Analysis:
    """One kind of analysis. An object of a subclass is declared in `OURS` or by an entry point."""

    flags: ClassVar[Collection[str]] = ()  # of `FLAGS`, those that it has a use for
    gated: ClassVar[str] = "index"  # what a gate is about: or J

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        """The board of a place. Raises UsageError where the suite lacks what the analysis needs, StoreError."""
        raise NotImplementedError

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        """The report on a place; `models`: only these labels or ids. Raises UsageError, StoreError."""
        only = msgspec.structs.replace(options, models=tuple(models))
        return [Section("board", "The board", list(self.board(connection, scope, only).tables))]

    def measures(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> SuiteMeasures:
        """One number a subject, by which two suites are compared. Raises UsageError where there is none."""
        raise UsageError(
            f"suite {scope.suite.suite} is read by `{scope.suite.analysis}`, which has nothing to compare by"
        )

    def battery(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> BatteryResults | None:
        """What was done in each arm of a battery, for the viewer; None where the suite has none."""
        return None

    def personas(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None
    ) -> Mapping[str, PersonaResult]:
        """Config_dir -> what became of each commitment of a persona; empty where the suite is about none."""
        return {}

    def compared(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None, names: tuple[str, str]
    ) -> list[Table]:
        """Two subjects of a suite that has no index. Raises UsageError where nothing compares them."""
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has nothing to compare in")

    def gate(self, connection: sqlite3.Connection, scope: BoardScope, judge: str, config: str) -> GatedSubject | None:
        """What `check` decides on of one subject; None where verdicts are missing. Not where there is no index."""
        raise NotImplementedError

    def lacks(self, suite: Suite) -> str:
        """Why a suite that may run has no board, such as `declares no index`; empty where it has one."""
        return ""

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """What the analysis requires of a suite and does not find: where in `suite.yaml` (`$.grid`), and what."""
        return ()


# By the word in a suite: where the object is. It is imported when it is asked for: a board starts without the others.
OURS: Final = {
    "index": ("independence.report.index.index_analysis", "INDEX"),
    "paired_sides": ("independence.report.advice.analyses", "PAIRED_SIDES"),
    "persona": ("independence.report.index.persona_analysis", "PERSONA"),
    "reasons": ("independence.report.battery.analysis", "REASONS"),
    "ladder": ("independence.report.ladder.analysis", "LADDER"),
}


def of(name: str) -> Analysis:
    """The analysis of that name. Raises UsageError where no package has one."""
    if name not in OURS:
        return plugins.find(plugins.ANALYSES, name, Analysis, list(OURS))
    module, attribute = OURS[name]
    found = getattr(import_module(module), attribute)
    assert isinstance(found, Analysis)
    return found


def board(connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
    """The board of a place with the columns that packages add, unless conditions are pooled.

    Raises UsageError where the suite lacks what its analysis needs.
    """
    built = of(scope.suite.analysis).board(connection, scope, options)
    if options.pooled:
        return built
    taken = {column.key for one in (built.record, *built.tables) for column in one.columns}
    taken.update(*(rows.row_document(row) for row in built.document.rows[:1]))
    added = additions.columns(connection, scope, options.judge, taken)
    if not added:
        return built
    return msgspec.structs.replace(
        built,
        record=additions.recorded(built.record, added),
        tables=additions.widened(built.tables, added),
        narrow=additions.widened(built.narrow, added),
        added={
            row.config: {one.column.key: one.values.get(row.config) for one in added} for row in built.document.rows
        },
    )


def has_board(suite: Suite) -> bool:
    """Whether there is one: a suite that is read by an index may declare none."""
    return not of(suite.analysis).lacks(suite)


def report(
    connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str] = ()
) -> list[Section]:
    """The report on a place, and what packages add to it unless conditions are pooled; `models`: only these labels.

    Raises UsageError, StoreError.
    """
    made = of(scope.suite.analysis).sections(connection, scope, options, models)
    if options.pooled:
        return made
    tables = [block for one in made if one.id == "board" for block in one.body if isinstance(block, Table)]
    taken = {column.key for one in tables for column in one.columns}
    added = additions.columns(connection, scope, options.judge, taken)
    made = [one._replace(body=additions.widened(one.body, added)) if one.id == "board" else one for one in made]
    return [*made, *additions.sections(connection, scope, options.judge, models, made)]


def with_gate(suite: Suite, what: str = A_GATE) -> Analysis:
    """The analysis of a suite that `check`, or `what` else, can decide on. Raises UsageError without an index."""
    found = of(suite.analysis)
    without = f"is read by `{suite.analysis}`, which has none" if type(found).gate is Analysis.gate else ""
    if what != A_GATE and found.gated != "index":
        without = f"has none, but {found.gated}"
    if why := found.lacks(suite) or without:
        raise UsageError(
            f"{what} is about an index, and suite {suite.suite} {why}",
            "`independence run` measures it and prints its board",
        )
    return found


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
    documents = [one.plain() for one in built]
    return msgspec.json.format(msgspec.json.encode(documents if len(built) > 1 else documents[0]), indent=2).decode()


def merged_record(built: Sequence[RenderedBoard]) -> Table:
    """Boards of one suite as one table, one line for each subject and board; empty where a board lacks a column."""
    columns: list[Column] = []
    for one in built:
        at = 0  # a column that only some boards have stands behind the one that it follows there
        for column in one.record.columns:
            if column not in columns:
                columns.insert(at, column)
            at = columns.index(column) + 1
    named = [dict(zip(one.record.columns, row, strict=True)) for one in built for row in one.record.rows]
    rows = tuple(tuple(row.get(column) for column in columns) for row in named)
    return msgspec.structs.replace(built[0].record, columns=tuple(columns), rows=rows)


def to_csv(built: Sequence[RenderedBoard]) -> str:
    """Boards of one suite as CSV, one line for each subject and board."""
    return table.to_csv(merged_record(built))


def to_markdown(built: RenderedBoard) -> str:
    """A board as Markdown."""
    return "\n".join(map(table.to_markdown, built.tables))
