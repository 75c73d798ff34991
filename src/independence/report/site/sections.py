"""The report of a board as sections of prose, tables and charts."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from independence.report import analysis, charts
from independence.report.analysis import BoardOptions
from independence.report.site import boards, index
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import (
    SCHEMA,
    ChartBlock,
    ReportDocument,
    SectionBlock,
    SectionDocument,
    TableBlock,
)
from independence.report.table import Block, Prose, Quotation, Table


def report(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions) -> ReportDocument:
    """The report of a view; without any section where the suite has no board."""
    known = index.names(board)
    made = []
    if boards.has_board(board.scope.suite):
        made = analysis.report(connection, board.scope, options, options.models)
    sections = []
    for section in made:
        blocks = tuple(_block(block, known, board.slugs) for block in section.body)
        sections.append(SectionDocument(id=section.id, title=section.title, folds=section.folds, blocks=blocks))
    return ReportDocument(schema=SCHEMA, sections=tuple(sections))


def _block(block: Block, known: Mapping[str, str], slugs: Mapping[str, str]) -> SectionBlock:
    if isinstance(block, Prose):
        return Prose(block.markdown.strip())
    if isinstance(block, Table):
        return TableBlock(index.table_document(block, known))
    if isinstance(block, Quotation):
        return msgspec.structs.replace(block, subject=slugs.get(block.subject, ""))
    return ChartBlock(charts.renamed(block, lambda config: slugs.get(config, "")))
