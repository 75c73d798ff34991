"""Every document of the viewer by its path. The server and the exporter both read here, so they give the same bytes.

```
boards.json   profile.json
BOARD/index.VIEW.json   report.VIEW.json   pairs/SUBJECT.VIEW.json
BOARD/cells.JUDGE.json   results/UNIT.JUDGE.json
BOARD/texts.json   names.json   disagreements.json
BOARD/text/UNIT/BUCKET.TENS.json
BOARD/search/words.json   texts.json   N.json
```

VIEW is JUDGE, or JUDGE.SCORING for another scoring than strict.
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
from independence.report import profile
from independence.report.analysis import BoardOptions
from independence.report.board.rows import STRICT
from independence.report.pages import blocks, boards, cells, comparisons, index, search, texts
from independence.report.pages.blocks import CountingRubrics
from independence.report.pages.boards import BlockKey, SiteBoard
from independence.report.pages.cells import RunShares
from independence.report.pages.comparisons import ScoredSubjects
from independence.report.pages.schema import SCHEMA, BoardList
from independence.report.pages.search import WordIndex
from independence.report.pages.texts import BoardScripts
from independence.store.file import database
from independence.store.scopes import BoardScope

LIST: Final = "boards.json"
_PROFILE: Final = "profile.json"
_DIGITS: Final = 4
_KEPT: Final = 8  # boards, or boards under a judge, of which what several documents share stays in memory


class StoreDocuments:
    """The documents of one store, all of one moment where the connection holds a transaction (see `reading`).

    What several documents share is read once. `redacted`: without system prompts that are somebody's own. `rule`: by
    which boards are scored at first (see `boards.boards`).
    """

    def __init__(
        self, connection: sqlite3.Connection, *, redacted: bool = False, rule: str | None = None,
        before: StoreDocuments | None = None, place: tuple[SiteBoard, BoardOptions] | None = None,
    ) -> None:  # fmt: skip
        """`before`: of an earlier moment; scripts that were found in answers are kept while those are the same.

        `place`: one board alone, always read so.
        """
        self._connection, self._whole = connection, place is None
        self._found: dict[str, tuple[str, BoardScripts]] = dict(before._found) if before else {}
        every = cache(lambda: [place[0]] if place else boards.boards(connection, rule))
        self._boards = cache(lambda: {board.info.id: board for board in every()})

        def options(board: SiteBoard, view: str) -> BoardOptions:
            return place[1] if place else _options(board, view)

        def of(board_id: str) -> SiteBoard:
            return self._boards()[board_id]

        kept = lru_cache(_KEPT)
        self._words: Callable[[str], WordIndex] = lru_cache(1)(lambda name: search.index(connection, of(name)))
        self._shares: Callable[[str, str], RunShares] = kept(
            lambda name, judge: cells.read(connection, of(name), of(name).judge(judge))
        )
        self._scripts: Callable[[str], BoardScripts] = kept(self._read_scripts)
        self._rubrics: Callable[[str], CountingRubrics] = kept(
            lambda name: blocks.counting_rubrics(connection, of(name))
        )
        self._scored: Callable[[str, str], ScoredSubjects] = kept(
            lambda name, view: comparisons.scored(connection, of(name), options(of(name), view))
        )
        self._by_view: dict[str, Callable[[SiteBoard, str], msgspec.Struct]] = {
            "index": lambda board, view: index.document(connection, board, options(board, view)),
            "report": lambda board, view: index.report(connection, board, options(board, view)),
            "cells": lambda board, judge: cells.document(self._shares(board.info.id, judge)),
        }
        self._by_board: dict[str, Callable[[SiteBoard], msgspec.Struct]] = {
            "texts": lambda board: texts.document(connection, board, self._scripts(board.info.id), redacted),
            "names": lambda board: comparisons.names(connection, board),
            "disagreements": lambda board: comparisons.disagreements(connection, board),
        }

    def board_list(self) -> BoardList:
        """Which boards there are."""
        found = tuple(board.info for board in self._boards().values())
        return BoardList(
            schema=SCHEMA, dataset=boards.dataset(self._connection), version=__version__, boards=found,
            profile=self._profiled(),
        )  # fmt: skip

    def _profiled(self) -> bool:
        """Whether the store has a part of the profile; one board alone has none."""
        return self._whole and any(map(profile.asks, self.scopes().values()))

    def scopes(self) -> dict[str, BoardScope]:
        """What each board is about, by its id."""
        return {board_id: board.scope for board_id, board in self._boards().items()}

    def paths(self) -> Iterator[str]:
        """Every path, those of a board together."""
        yield LIST
        if self._profiled():
            yield _PROFILE
        for board_id, board in self._boards().items():
            for name in self._by_board:
                yield f"{board_id}/{name}.json"
            for judge in board.judge_slugs:
                yield f"{board_id}/cells.{judge}.json"
                yield from (f"{board_id}/results/{unit}.{judge}.json" for unit in board.scenarios)
                for view in _views(board, judge):
                    yield from (f"{board_id}/{name}.{view}.json" for name in ("index", "report"))
                    yield from (f"{board_id}/pairs/{slug}.{view}.json" for slug in _paired(board))
            for key in board.blocks:
                yield f"{board_id}/text/{key.unit}/{key.bucket}.{key.tens}.json"
            for name in ("words", "texts", *range(search.shards(board))):
                yield f"{board_id}/search/{name}.json"

    def document(self, path: str) -> bytes:
        """The bytes of a path. Raises KeyError for one that is not among `paths`, nor was before the first verdict."""
        if path == LIST:
            return _encoded(self.board_list())
        if path == _PROFILE and self._profiled():
            return _encoded(index.profiles(self._connection))
        board_id, _, rest = path.partition("/")
        board = self._boards()[board_id]
        match rest.split("/"):
            case ["pairs", file]:
                slug, view = _named(file)
                if slug not in _paired(board):
                    raise KeyError(slug)
                shares = self._shares(board_id, view.partition(".")[0])
                if not board.info.ranked:
                    return _encoded(comparisons.unranked_pairs(shares, slug))
                return _encoded(comparisons.pairs(self._scored(board_id, view), board, slug, shares))
            case ["results", file]:
                unit, judge = _named(file)
                return _encoded(cells.results(self._shares(board_id, judge), board, unit))
            case ["text", unit, file]:
                bucket, tens = map(_number, _named(file))
                scripts, rubrics = self._scripts(board_id), self._rubrics(board_id)
                key = BlockKey(unit, bucket, tens)
                return documents.encode(blocks.document(self._connection, board, key, scripts, rubrics))
            case ["search", file]:
                name, view = _named(file)
                return self._words(board_id).document(name if not view else file)
            case [file]:
                name, view = _named(file)
                return _encoded(self._by_view[name](board, view) if view else self._by_board[name](board))
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
    few = board.scorings and board.info.judges and len(board.slugs) <= comparisons.MOST_SUBJECTS
    return list(board.slugs.values()) if few else []


def _views(board: SiteBoard, judge: str) -> list[str]:
    """Judge and scoring as paths have them."""
    return [judge if scoring == STRICT else f"{judge}.{scoring}" for scoring in board.scorings]


def _options(board: SiteBoard, view: str) -> BoardOptions:
    """How a view is read. Raises KeyError for one that the board does not have."""
    judge, _, scoring = view.partition(".")
    if view.endswith(f".{STRICT}"):  # no other spelling leads to the same document
        raise KeyError(view)
    return board.options(board.judge(judge), scoring or STRICT)


def _named(file: str) -> tuple[str, str]:
    """A file's name up to its first dot, and what follows except for `.json`. Raises KeyError for another ending."""
    if not file.endswith(".json"):
        raise KeyError(file)
    name, _, rest = file.removesuffix(".json").partition(".")
    return name, rest


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
def reading(
    connection: sqlite3.Connection, *, redacted: bool = False, rule: str | None = None
) -> Iterator[StoreDocuments]:
    """The documents of a store as it is now, whatever others write meanwhile."""
    with database.snapshot(connection):
        yield StoreDocuments(connection, redacted=redacted, rule=rule)
