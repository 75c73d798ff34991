"""The documents of a store as a reader has them: decoded by the structs that wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.report.site import paths, schema
from independence.report.site.dialogue_schema import BlockDocument, DialogueDocument, TextsDocument
from independence.report.site.paths import StoreDocuments
from independence.report.site.schema import BoardInfo
from independence.store import database

STRUCTS = {
    "boards.json": schema.BoardList, "texts": TextsDocument, "names": schema.NamesDocument,
    "disagreements": schema.DisagreementsDocument, "index": schema.IndexDocument, "cells": schema.CellsDocument,
    "report": schema.ReportDocument, "text": BlockDocument, "pairs": schema.PairsDocument,
}  # fmt: skip


class SiteReader(NamedTuple):
    """Documents of one moment."""

    site: StoreDocuments

    def board(self) -> BoardInfo:
        """The first one."""
        return self.site.board_list().boards[0]

    def texts(self, board: BoardInfo) -> TextsDocument:
        """What was sent."""
        return msgspec.json.decode(self.site.document(f"{board.id}/texts.json"), type=TextsDocument)

    def dialogues(self, board: BoardInfo) -> Iterator[DialogueDocument]:
        """All of them, block by block."""
        for path in self.site.paths():
            if path.startswith(f"{board.id}/text/"):
                yield from msgspec.json.decode(self.site.document(path), type=BlockDocument).dialogues


@contextmanager
def opened(store: Path) -> Iterator[SiteReader]:
    """The documents of a store, and the connection behind them."""
    with database.reading(store) as connection, paths.reading(connection) as site:
        yield SiteReader(site)


def kind(path: str) -> str:
    """By which struct a path is read; `figure` for a figure."""
    first = path.split("/")[1] if "/" in path else path
    return first if first in STRUCTS else first.split(".")[0]
