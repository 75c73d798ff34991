"""The report of a board as sections of prose, tables and figures, and each figure as a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.site import boards, index
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import (
    SCHEMA,
    FigureBlock,
    ProseBlock,
    ReportDocument,
    SectionDocument,
    TableBlock,
)
from independence.report.table import Block, Prose, Svg


class SiteReport(NamedTuple):
    """A report and its figures, by the names of their files."""

    document: ReportDocument
    figures: dict[str, str]


def report(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions, view: str) -> SiteReport:
    """The report of a view, by its name in paths; without any section where the suite has no board."""
    figures: dict[str, str] = {}
    known = index.names(board)
    made = []
    if boards.has_board(board.scope.suite):
        made = analysis.report(connection, board.scope, options)
    sections = []
    for section in made:
        blocks = tuple(_block(block, known, view, figures) for block in section.body)
        sections.append(SectionDocument(id=section.id, title=section.title, folds=section.folds, blocks=blocks))
    return SiteReport(ReportDocument(schema=SCHEMA, sections=tuple(sections)), figures)


def _block(
    block: Block, known: Mapping[str, str], view: str, figures: dict[str, str]
) -> ProseBlock | TableBlock | FigureBlock:
    if isinstance(block, Prose):
        return ProseBlock(block.markdown.strip())
    if not isinstance(block, Svg):
        return TableBlock(index.table_document(block, known))
    file = f"{block.id}.{view}"
    narrow = f"{block.id}-narrow.{view}" if block.narrow else None
    figures[file] = block.svg
    if narrow:
        figures[narrow] = block.narrow
    return FigureBlock(block.id, file, block.caption, narrow)
