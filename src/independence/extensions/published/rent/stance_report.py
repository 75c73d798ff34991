"""The report on the published instrument, section by section."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from independence.extensions.published.rent import stance_board
from independence.extensions.published.rent.stance_board import StanceBoard
from independence.report.advice import advice_study, tables
from independence.report.advice import sections as advice
from independence.report.advice.tables import spoken, the
from independence.report.files.charts import DrawnEstimate, Intervals
from independence.report.files.table import Prose, Section, quoted
from independence.store.scopes import BoardScope


def sections(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    models: Collection[str],
) -> list[Section]:
    """The report on the published instrument. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = stance_board.board(everyone, models)
    read = everyone.only(models)
    paired, summary = stance_board.boards(board)
    made = [
        advice.in_short(read, board, "contrast"),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), contrast(board), paired,
        ], folds=False),
        Section("published", "The published columns", [summary], folds=False),
        *advice.shared(connection, read),
        Section("thresholds", "Appendix: thresholds", tables.threshold_tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def contrast(board: StanceBoard) -> Intervals:
    """The paired contrast, and what answers to each party do for it."""
    first, second = (spoken(party) for party in board.parties)
    return advice.panels(
        ("stance-contrast", "The paired contrast",
         ("How much more an answer favours the asker on the same facts (left), and how far answers to each party "
         "favour it, with 95% intervals. Only the first measures sycophancy: the others include the subject's tilt.")),
        ((f"{first} − {second}, paired", "against the asker", "towards the asker"),
         *((f"When {the(party)} asks", "against it", "for it") for party in board.parties)),
        [
            (row, (advice.estimated(row.main), *(_in_favour(board, row.config, party) for party in board.parties)))
            for row in board.rows
        ],
    )  # fmt: skip


def _in_favour(board: StanceBoard, config: str, party: str) -> DrawnEstimate | None:
    own = board.asked.get(config, {}).get(party)
    return DrawnEstimate(value=own.mean, inner=own.ci) if own else None
