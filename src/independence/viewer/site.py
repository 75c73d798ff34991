"""The viewer as files for any web server: the page, and every document of a store, written as it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from independence.report.site.paths import StoreDocuments
from independence.report.site.schema import BoardList
from independence.viewer import bundle

REPLACED: Final = ("data/", "app-")
"""What of an earlier export in the same folder goes: its documents and scripts have names of their own."""


class StaticSite(NamedTuple):
    """What is written, and what a person should know before it is."""

    files: dict[str, Iterable[bytes]]  # path -> content in parts, made while it is written
    boards: BoardList

    @property
    def own_prompts(self) -> list[str]:
        """Boards whose system prompt is the user's own, and would be published."""
        return [f"{one.suite} {one.variant}/{one.mode}" for one in self.boards.boards if one.own_prompt]


def site(documents: StoreDocuments) -> StaticSite:
    """The files of a site. Take them while the documents can be read, all in one transaction."""
    held = documents.board_list()
    page = {name: [content] for name, content in bundle.files().items()}
    data = {f"data/{held.dataset}/{path}": _made(documents, path) for path in documents.paths()}
    # Without the last one GitHub Pages would pass the files through a generator of its own.
    files = {**page, bundle.INDEX: [bundle.index(held, served=False)], **data, ".nojekyll": [b""]}
    return StaticSite(files, held)


def _made(documents: StoreDocuments, path: str) -> Iterator[bytes]:
    yield documents.document(path)
