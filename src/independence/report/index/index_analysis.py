"""The analysis `index`: an Independence Index from 0 to 100 for each subject."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from independence.errors import UsageError
from independence.report.analysis import FLAGS, Analysis, BoardOptions, RenderedBoard
from independence.report.board import board as boards
from independence.report.board import board_data, index_tables, notes, verdict_frame
from independence.report.board.board import IndexBoard
from independence.report.board.board_data import BoardData
from independence.report.board.measures import SubjectMeasure, SuiteMeasures
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.files.table import Section, Table
from independence.report.gates import gate
from independence.report.gates.gate import GatedSubject
from independence.report.index import matrix
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite


class IndexAnalysis(Analysis):
    """Weighted components of what verdicts say, ranked."""

    flags: ClassVar[Collection[str]] = frozenset(FLAGS)

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        """The ranked board; of pooled conditions with a matrix."""
        if options.pooled:
            pool = matrix.pooled(connection, scope, options.scoring, options.judge)
            return rendered(
                connection, scope, pool.board(options.scoring, options.reading, options.models), pool.read.planned
            )
        made = boards.board(connection, scope, options.scoring, options.judge, options.reading, options.models)
        return rendered(connection, scope, made)

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        """Every section that has something to say."""
        from independence.report.index import index_report  # which a board does not need, and which loads much

        return index_report.sections(connection, scope, options, models)

    def measures(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> SuiteMeasures:
        """The index of each subject, and what each scenario adds to it."""
        if why := self.lacks(scope.suite):
            raise UsageError(f"suite {scope.suite.suite} {why}, so it has nothing to compare in")
        read = board_data.read(connection, scope, judge)
        found = {config: _measure(read, config) for config in read.planned}
        return SuiteMeasures("the index", "Scenario", found, "index_interval", 1)

    def gate(self, connection: sqlite3.Connection, scope: BoardScope, judge: str, config: str) -> GatedSubject | None:
        """The index of one subject; None where verdicts are missing or a scenario has one run."""
        return gate.read(connection, scope, judge, config)

    def lacks(self, suite: Suite) -> str:
        """That it declares no index."""
        return "" if suite.index is not None else "declares no index"

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """That it has an index and no grid."""
        if suite.grid is not None:
            yield "$.analysis", "a grid needs analysis `paired_sides` or `stance_csv` (at `$.analysis`)"
        elif suite.index is None:
            yield "$.analysis", "analysis `index` needs an `index:` section"


INDEX = IndexAnalysis()


def _measure(read: BoardData, config: str) -> SubjectMeasure:
    about, own = read.about[config], read.planned[config]
    whole, sure = read.points.get(config), read.same_scenarios.get(config)
    return SubjectMeasure(
        name=about.name,
        coverage=sum(cell.values is not None for cell in own) / len(own),
        value=whole.index if whole else None,
        se=sure.se if sure else None,
        ci=sure.interval() if sure else None,
        simulated=about.simulated,
        parts={scenario: float(points.mean()) for scenario, points in whole.totals.items()} if whole else {},
    )


def rendered(
    connection: sqlite3.Connection,
    scope: BoardScope,
    board: IndexBoard,
    planned: Mapping[str, Sequence[PlannedVerdict]] | None = None,
) -> RenderedBoard:
    """A board of an index in every form. `planned`: by config_dir, if these are not the verdicts of its one place."""
    index = scope.suite.index
    assert index is not None

    def details() -> Sequence[Table]:
        own = planned or verdict_frame.read(connection, scope, board.judge).planned
        return index_tables.details(board, index, scope.suite, own)

    return RenderedBoard(
        document=board,
        record=index_tables.record(board, index),
        tables=[index_tables.full(board, index)],
        narrow=[index_tables.compact(board, index)],
        brief=notes.brief(board),
        details=details,
    )
