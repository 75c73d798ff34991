"""Reports on advice, section by section: on paired sides, and on the published instrument."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from independence.report import answer_marks, audit, headline, health, ledger, study
from independence.report.advice import (
    advice_study,
    breakdown,
    figures,
    guess_table,
    published,
    published_tables,
    renderings,
    tables,
    threshold,
)
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.judges import validation
from independence.report.section import Block, Prose, Section
from independence.report.table import Table
from independence.report.table_formats import quoted
from independence.stats.comparison import Correction
from independence.store import queries
from independence.store.scopes import BoardScope

_WORST = 5


def sides(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    correction: Correction,
    models: Collection[str],
) -> list[Section]:
    """The report on a suite of paired sides. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = boards.only(boards.board(everyone, correction), everyone, models)
    read = _only(everyone, models)
    plane, slopes, open_ = figures.plane(board), figures.slopes(read, board), tables.incomplete(board)
    made = [
        headline.of_sides(read, board),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), figures.forest(board), tables.full(board),
            *_as_blocks(open_),
        ], folds=False),
        Section("tilt", "Tilt and merit", [
            *_as_blocks(plane), *_as_blocks(slopes), tables.tilt(board), tables.harm(board),
            *_filled(breakdown.merits(read, board)),
        ]),
        Section("pairs", "Pairs", [breakdown.pairs(board)]),
        Section("parts", "Domains and wordings", [
            *_filled(breakdown.domains(read, board), breakdown.powers(read, board), breakdown.wordings(read, board)),
        ]),
        Section("checks", "Other methods", [breakdown.checks(board)]),
        Section("guess", "What gives the asker away", _filled(guess_table.table(connection, read))),
        *_shared(connection, read),
        Section("thresholds", "Appendix: thresholds", threshold.tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def stance(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    models: Collection[str],
) -> list[Section]:
    """The report on the published instrument. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = published.only(published.board(everyone), everyone, models)
    read = _only(everyone, models)
    contrast, summary = published_tables.boards(board)
    made = [
        headline.of_stance(read, board, [renderings.interval_phrase(row.contrast) for row in board.rows]),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), figures.contrast(board),
            contrast,
        ], folds=False),
        Section("published", "The published columns", [
            figures.leanings(board), summary,
        ], folds=False),
        Section("guess", "What gives the asker away", _filled(guess_table.table(connection, read))),
        *_shared(connection, read),
        Section("thresholds", "Appendix: thresholds", threshold.tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def _only(read: AdviceStudy, models: Collection[str]) -> AdviceStudy:
    if not models:
        return read
    chosen = study.config_dirs_named(read, models)
    return read._replace(
        about={config: read.about[config] for config in chosen},
        planned={config: read.planned[config] for config in chosen},
    )


def _shared(connection: sqlite3.Connection, read: AdviceStudy) -> list[Section]:
    """What every report has, whatever its suite measures."""
    costs = audit.audit(read, read.planned, audit.spent_by(connection, read.scope))
    return [
        Section("judges", "Judges", _judges(connection, read)),
        Section("costs", "Costs", _filled(costs, ledger.table(connection))),
        Section("health", "Run health", [health.table(connection, read), *answer_marks.tables(read)]),
    ]


def _judges(connection: sqlite3.Connection, read: AdviceStudy) -> list[Block]:
    scope = read.scope
    verdicts = queries.verdicts(connection, scope.where)
    if len({verdict.judge for verdict in verdicts}) < 2:
        return []
    wanted = validation.ValidationOptions(models=tuple(read.planned), worst=_WORST)
    return list(validation.validate(connection, scope, wanted))


def _as_blocks(block: Block | None) -> Sequence[Block]:
    return [] if block is None else [block]


def _filled(*found: Table) -> list[Block]:
    return [table for table in found if table.rows]
