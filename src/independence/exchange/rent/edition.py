"""Which edition the answers of a run folder belong to: the published words, or words that make one of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from independence.exchange.rent import folder as files
from independence.exchange.rent import words
from independence.exchange.rent.folder import RentFolder
from independence.exchange.rent.records import ParsedLine, PromptRecord, parse
from independence.exchange.rent.words import PromptWords, RoleTexts
from independence.store.queries import PUBLISHED
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite

# The first 8 hex digits of the digests of the messages that the published run of October 2025 was asked.
_DIGESTS = (
    "004193c202921f3e04237aab04431938056dc9d205a5d75105e95d1b108a859d12ce53a914d7190718282c321a05f1f8"
    "1b773432203e0b9620c8b46722d1aa3222f7d4142421b4c82eb79ff6364f661636c7f1413d4b55823f7fcd7f40f09223"
    "464573db4c9f912a4e9e680251e86ba75aa4488e5ae89026606d56f0616e7c516638d17167e1eb9f6a66bee470db583b"
    "71a34bf6777f57057bbcba227c8b85497d9ca24a8477ce5386c7db728826fe7a8a79fb7c900a34f492179d7092fbef86"
    "93b9e5f094d9c90b9cfbbedd9eb0d4aaa2d011dca8033aefb53a9d79b80ff2e5b820c153bb831c27bc474ea6c116107a"
    "c3f5b558c4d8a179c6577a7ec9add9edcd2b6e7bcdf1031bcf87386ad0595bfed1b612ecd42fce03d535abe6d76eaedd"
    "db9c3d40e305ba72e4b2a5f9e9326d98ead582fceb8c3c26edd05875eecbb336f0f2add0f7716028f8e4e384fd33c579"
)
_PUBLISHED = frozenset(_DIGESTS[at : at + 8] for at in range(0, len(_DIGESTS), 8))


class FolderEdition(NamedTuple):
    """The suite that a folder's answers were given to, and the edition they are kept under."""

    suite: Suite
    name: str
    words: Mapping[str, RoleTexts]  # prompt id -> its messages; empty for the published ones

    def fits(self, prompt_id: str, texts: RoleTexts) -> bool:
        """Whether these are the words of this edition. Of a record without words nothing else is known."""
        if not texts:
            return not self.words or prompt_id in self.words
        return self.words[prompt_id] == texts if prompt_id in self.words else not self.words and _published(texts)


def find(folder: RentFolder, base: LoadedSuite) -> FolderEdition:
    """The edition of a folder: `published`, where any of its prompts has those words, else one by its own words."""
    prompts = _prompts(folder)
    every = [texts for one in prompts if (texts := words.role_texts(one.record.messages))]
    own = []
    if base.suite.grid is not None and not any(map(_published, every)):
        own = list(_with_words(prompts, base.suite))
    if not own:
        return FolderEdition(base.suite, PUBLISHED, {})
    made = words.suite_of(own, base)
    return FolderEdition(made.suite, f"{PUBLISHED}-{made.edition}", words.first_requests(made.suite))


def _with_words(prompts: Iterable[ParsedLine[PromptRecord]], suite: Suite) -> Iterator[PromptWords]:
    for one in prompts:
        with suppress(ValueError):  # the reader names its answers as those to a prompt that is not known
            yield words.prompt_words(one.at, one.record, suite)


def _prompts(folder: RentFolder) -> list[ParsedLine[PromptRecord]]:
    """The prompts of a folder: those of its grid, then those that only records hold, each as it stands there first."""
    found: dict[str, ParsedLine[PromptRecord]] = {}
    for file in filter(None, (folder.prompts, folder.answers, folder.scored)):
        for at, line in files.lines(file):
            with suppress(ValueError):  # the reader names lines that hold no record
                one = parse(at, line, PromptRecord)  # other records hold the same three keys
                if one.record.prompt_id:
                    found.setdefault(one.record.prompt_id, one)
    return list(found.values())


def _published(texts: RoleTexts) -> bool:
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8] in _PUBLISHED
