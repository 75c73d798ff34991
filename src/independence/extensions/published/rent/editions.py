"""The edition that a folder's answers are kept under: that of the published words, or one of its own words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from independence.config import documents
from independence.errors import UsageError
from independence.exchange import grid_rows
from independence.exchange.grid_file import PromptWords, RoleTexts, first_requests, prompt_words, role_texts, suite_of
from independence.exchange.grid_rows import GridRow, PromptRecord
from independence.store.queries import PUBLISHED
from independence.suites.load import LoadedSuite
from independence.suites.schema import Field, Suite

_PUBLISHED_WORDS = Path(__file__).with_name("published_words.yaml")


class FolderEdition(NamedTuple):
    """The suite that a folder's answers were given to, and the edition they are kept under."""

    suite: Suite
    name: str
    words: Mapping[str, RoleTexts]  # prompt id -> its messages; empty for the published ones

    @property
    def stance(self) -> tuple[str, Field]:
        """Name and range of what a score says."""
        grid = self.suite.grid
        assert grid is not None
        return grid.stance, self.suite.rubrics[grid.rubric].fields[grid.stance]

    def fits(self, record: PromptRecord) -> bool:
        """Whether a record has the words of this edition. Of one without words nothing else is known."""
        texts, known = role_texts(record.messages), self.words.get(record.prompt_id)
        if self.words:
            return known is not None and texts in ((), known)
        return not texts or _published(texts)

    def scenarios(self, rows: Sequence[GridRow]) -> dict[str, str]:
        """Prompt id -> its scenario, of the rows that the suite has."""
        if self.words:  # the suite was made of these very rows
            return {row.prompt_id: row.prompt_id for row in rows if row.prompt_id in self.words}
        placed = grid_rows.matching_scenarios(self.suite, rows)
        return {row.prompt_id: scenario for row, scenario in zip(rows, placed, strict=True) if scenario}


def folder_edition(records: Iterable[PromptRecord], base: LoadedSuite) -> FolderEdition:
    """The edition of these prompts: `published`, where any has those words, else one by their own words."""
    first: dict[str, PromptRecord] = {}
    for one in records:
        first.setdefault(one.prompt_id, one)
    own = []
    if not any(_published(role_texts(one.messages)) for one in first.values()):
        own = list(_with_words(first.values(), base.suite))
    if not own:
        return FolderEdition(base.suite, PUBLISHED, {})
    made = suite_of(own, base)
    return FolderEdition(made.suite, f"{PUBLISHED}-{made.edition}", first_requests(made.suite))


def _with_words(records: Iterable[PromptRecord], suite: Suite) -> Iterator[PromptWords]:
    for one in records:
        with suppress(UsageError):  # the reader names its answers as those to a prompt that is not known
            yield prompt_words(one, suite)


@cache
def _digests() -> frozenset[str]:
    return frozenset(documents.packaged(_PUBLISHED_WORDS, dict[str, str])["digests"].split())


def _published(texts: RoleTexts) -> bool:
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8] in _digests()
