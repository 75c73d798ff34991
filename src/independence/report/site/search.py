"""Where words stand in the texts of a board: asked of the store, and as an index for sites of files."""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections.abc import Iterator
from typing import Final

from independence.errors import UsageError
from independence.report.site import words
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import SCHEMA
from independence.report.site.search_schema import ROLES, SearchDocument, SearchHit
from independence.report.site.slugs import slug
from independence.report.site.word_index import PER_SHARD, DialogueText, WordIndex
from independence.store import live
from independence.store.scopes import BoardScope

MOST_HITS: Final = 20_000
_LONGEST: Final = 500


def search(connection: sqlite3.Connection, scope: BoardScope, query: str, *, whole: bool = False) -> SearchDocument:
    """Where the words of a query stand (see `words`). Raises UsageError for a query without words, or a long one."""
    pattern = words.pattern(query, whole=whole) if len(query) <= _LONGEST else None
    if pattern is None:
        raise UsageError(f"a search needs letters or figures, {_LONGEST} characters at most")
    found, hits = 0, list[SearchHit]()
    for key, own in itertools.groupby(_texts(connection, scope, pattern), lambda one: one[:5]):
        subject, scenario, run, role, judge = key
        places = sum(len(pattern.findall(one.text)) for one in own)
        found += places
        if len(hits) < MOST_HITS:
            hit = SearchHit(subject=subject, scenario=scenario, run=run, role=role, judge=judge, places=places)
            hits.append(hit)
    return SearchDocument(schema=SCHEMA, query=query, found=found, hits=tuple(hits))


def shards(board: SiteBoard) -> int:
    """How many files the places of words are divided into."""
    return max(-(-sum(board.blocks.values()) // PER_SHARD), 1)


def index(connection: sqlite3.Connection, board: SiteBoard) -> WordIndex:
    """The index of a board's words."""
    return WordIndex(_texts(connection, board.scope, None), shards(board))


def _texts(
    connection: sqlite3.Connection, scope: BoardScope, pattern: re.Pattern[str] | None
) -> Iterator[DialogueText]:
    """Texts that hold a pattern, or all; those of one kind in a dialogue together."""
    for one in scope.editions:
        for role in ROLES:
            for found in live.find(connection, one.where, pattern, role):
                if found.config_dir not in one.aside:
                    subject = slug(scope.key(one.where, found.config_dir))
                    yield DialogueText(subject, found.scenario, found.run, role, found.judge, found.text)
