"""Every document of the viewer by its path. The server and the exporter both read here, so they give the same bytes.

```
boards.json
BOARD/index.JUDGE.json   cells.JUDGE.json   report.JUDGE.json   pairs/SUBJECT.JUDGE.json
BOARD/texts.json   names.json   disagreements.json
BOARD/figure/FIGURE.JUDGE.svg
BOARD/text/UNIT/BUCKET.TENS.json
```
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, Final

import msgspec

from independence import __version__
from independence.config import documents
from independence.report import board_data
from independence.report.board_data import BoardData
from independence.report.site import blocks, boards, cells, comparisons, index, sections, texts
from independence.report.site.blocks import CountingRubrics
from independence.report.site.boards import BlockKey, SiteBoard
from independence.report.site.schema import SCHEMA, BoardList
from independence.report.site.sections import SiteReport
from independence.report.site.texts import BoardScripts
from independence.store import database
from independence.store.scopes import BoardScope

LIST: Final = "boards.json"
_DIGITS: Final = 4
_KEPT: Final = 8  # boards, or boards under a judge, of which what several documents share stays in memory


class StoreDocuments:
    """The documents of one store, all of one moment where the connection holds a transaction (see `reading`).

    What several documents share is read once. `redacted`: without system prompts that are somebody's own.
    """

    def __init__(
        self, connection: sqlite3.Connection, *, redacted: bool = False, before: StoreDocuments | None = None
    ) -> None:
        """`before`: of an earlier moment; scripts that were found in answers are kept while those are the same."""
        self._connection = connection
        self._found: dict[str, tuple[str, BoardScripts]] = dict(before._found) if before else {}
        self._boards = cache(lambda: {board.info.id: board for board in boards.boards(connection)})

        def rubrics(board_id: str) -> CountingRubrics:
            return blocks.counting_rubrics(connection, self._boards()[board_id])

        def report(board_id: str, judge: str) -> SiteReport:
            board = self._boards()[board_id]
            return sections.report(connection, board, board.judge(judge), judge)

        def study(board_id: str, judge: str) -> BoardData:
            board = self._boards()[board_id]
            return board_data.read(connection, board.scope, board.judge(judge))

        kept = lru_cache(_KEPT)
        self._scripts: Callable[[str], BoardScripts] = kept(self._read_scripts)
        self._rubrics: Callable[[str], CountingRubrics] = kept(rubrics)
        self._report: Callable[[str, str], SiteReport] = kept(report)
        self._study: Callable[[str, str], BoardData] = kept(study)
        self._by_judge: dict[str, Callable[[SiteBoard, str], msgspec.Struct]] = {
            "index": lambda board, judge: index.document(connection, board, board.judge(judge)),
            "cells": lambda board, judge: cells.document(connection, board, board.judge(judge)),
            "report": lambda board, judge: self._report(board.info.id, judge).document,
        }
        self._by_board: dict[str, Callable[[SiteBoard], msgspec.Struct]] = {
            "texts": lambda board: texts.document(connection, board, self._scripts(board.info.id), redacted),
            "names": lambda board: comparisons.names(connection, board),
            "disagreements": lambda board: comparisons.disagreements(connection, board),
        }

    def board_list(self) -> BoardList:
        """Which boards there are."""
        return BoardList(
            schema=SCHEMA,
            dataset=boards.dataset(self._connection),
            version=__version__,
            boards=tuple(board.info for board in self._boards().values()),
        )

    def scopes(self) -> dict[str, BoardScope]:
        """What each board is about, by its id."""
        return {board_id: board.scope for board_id, board in self._boards().items()}

    def paths(self) -> Iterator[str]:
        """Every path, those of a board together."""
        yield LIST
        for board_id, board in self._boards().items():
            for name in self._by_board:
                yield f"{board_id}/{name}.json"
            for judge in board.judge_slugs:
                yield from (f"{board_id}/{name}.{judge}.json" for name in self._by_judge)
                yield from (f"{board_id}/figure/{file}.svg" for file in self._report(board_id, judge).figures)
                yield from (f"{board_id}/pairs/{slug}.{judge}.json" for slug in _paired(board))
            for key in board.blocks:
                yield f"{board_id}/text/{key.unit}/{key.bucket}.{key.tens}.json"

    def document(self, path: str) -> bytes:
        """The bytes of a path. Raises KeyError for one that is not among `paths`, nor was before the first verdict."""
        if path == LIST:
            return _encoded(self.board_list())
        board_id, _, rest = path.partition("/")
        board = self._boards()[board_id]
        match rest.split("/"):
            case ["figure", file]:
                figure, judge = _parts(file, "svg", 2)
                return self._report(board_id, judge).figures[f"{figure}.{judge}"].encode()
            case ["pairs", file]:
                slug, judge = _parts(file, "json", 2)
                if slug not in _paired(board):
                    raise KeyError(slug)
                return _encoded(comparisons.pairs(self._study(board_id, judge), board, slug))
            case ["text", unit, file]:
                bucket, tens = map(_number, _parts(file, "json", 2))
                scripts, rubrics = self._scripts(board_id), self._rubrics(board_id)
                key = BlockKey(unit, bucket, tens)
                return documents.encode(blocks.document(self._connection, board, key, scripts, rubrics))
            case [file] if file.count(".") == 1:
                (name,) = _parts(file, "json", 1)
                return _encoded(self._by_board[name](board))
            case [file]:
                name, judge = _parts(file, "json", 2)
                return _encoded(self._by_judge[name](board, judge))
        raise KeyError(path)

    def _read_scripts(self, board_id: str) -> BoardScripts:
        board = self._boards()[board_id]
        digest = texts.answers_digest(self._connection, board)
        held = self._found.get(board_id)
        if held is None or held[0] != digest or not board.info.imported:
            held = self._found[board_id] = (digest, BoardScripts(self._connection, board))
        return held[1]


def _paired(board: SiteBoard) -> list[str]:
    """Slugs of subjects whose differences from the others are documents."""
    few = board.info.ranked and len(board.slugs) <= comparisons.MOST_SUBJECTS
    return list(board.slugs.values()) if few else []


def _parts(file: str, ending: str, count: int) -> list[str]:
    """What stands between the dots of a file's name. Raises KeyError where that is something else."""
    *parts, last = file.split(".")
    if last != ending or len(parts) != count:
        raise KeyError(file)
    return parts


def _number(text: str) -> int:
    """A number as paths have it: no other spelling leads to the same document. Raises KeyError."""
    if not text.isascii() or not text.isdigit() or text != str(int(text)):
        raise KeyError(text)
    return int(text)


def _encoded(document: msgspec.Struct) -> bytes:
    """Compact JSON, numbers to four decimals."""
    return documents.encode(_rounded(msgspec.to_builtins(document)))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS) + 0.0  # no negative nothing
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    return [_rounded(own) for own in value] if isinstance(value, list | tuple) else value


@contextmanager
def reading(connection: sqlite3.Connection, *, redacted: bool = False) -> Iterator[StoreDocuments]:
    """The documents of a store as it is now, whatever others write meanwhile."""
    with database.snapshot(connection):
        yield StoreDocuments(connection, redacted=redacted)
