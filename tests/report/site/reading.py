"""The documents of a store as a reader has them: decoded by the structs that wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from independence.report.pages import paths, schema
from independence.report.pages.dialogue_schema import BlockDocument, DialogueDocument, TextsDocument
from independence.report.pages.paths import StoreDocuments
from independence.report.pages.schema import BoardInfo
from independence.report.pages.search_schema import WordPlacesDocument, WordsDocument, WordTextsDocument
from independence.store.file import database

T = TypeVar("T")
STRUCTS = {
    "boards.json": schema.BoardList, "texts": TextsDocument, "names": schema.NamesDocument,
    "disagreements": schema.DisagreementsDocument, "index": schema.IndexDocument, "cells": schema.CellsDocument,
    "report": schema.ReportDocument, "results": schema.ResultsDocument, "text": BlockDocument,
    "pairs": schema.PairsDocument, "search/words": WordsDocument, "search/texts": WordTextsDocument,
    "search/N": WordPlacesDocument, "profile": schema.ReportDocument,
}  # fmt: skip


class Documents(NamedTuple):
    """Documents of one moment."""

    boards: tuple[BoardInfo, ...]
    content: dict[str, bytes]  # path -> as it is sent
    decoded: dict[str, Any]  # path -> as its struct

    @property
    def board(self) -> BoardInfo:
        """The first one."""
        return self.boards[0]

    def of(self, struct: type[T]) -> list[T]:
        """Those that one struct wrote."""
        return [one for one in self.decoded.values() if isinstance(one, struct)]

    def under(self, judge: int, struct: type[T]) -> T:
        """That of the first board under one of its judges."""
        kind = next(kind for kind, own in STRUCTS.items() if own is struct)
        found = self.decoded[f"{self.board.id}/{kind}.{self.board.judges[judge].slug}.json"]
        assert isinstance(found, struct)
        return found

    def dialogues(self) -> Iterator[DialogueDocument]:
        """All of them, block by block."""
        for block in self.of(BlockDocument):
            yield from block.dialogues


def of(site: StoreDocuments, wanted: Sequence[str] = ()) -> Documents:
    """Every document, or those that are wanted."""
    there = list(wanted or site.paths())
    assert len(set(there)) == len(there)
    content = {path: site.document(path) for path in there}
    decoded = {path: msgspec.json.decode(own, type=STRUCTS[kind(path)], strict=True) for path, own in content.items()}
    return Documents(decoded["boards.json"].boards, content, decoded)


def read(store: Path) -> Documents:
    """Every document of a store."""
    with database.reading(store) as connection, paths.reading(connection) as site:
        return of(site)


def kind(path: str) -> str:
    """By which struct a path is read."""
    first = path.split("/")[1] if "/" in path else path
    if first == "search":
        name = f"search/{path.split('/')[2].removesuffix('.json')}"
        return name if name in STRUCTS else "search/N"
    return first if first in STRUCTS else first.split(".")[0]
