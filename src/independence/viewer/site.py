"""The viewer as files for any web server: the page, and every document of a store, written as it is made."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from independence.api.reading import Store
from independence.exchange import output
from independence.report.board.rows import STRICT
from independence.report.pages import boards, paths
from independence.viewer import bundle

_REPLACED: Final = ("data/", "app-")
"""What of an earlier export in the same folder goes: its documents and scripts have names of their own."""


def export_site(
    store: Store, folder: Path | str, *, scoring: str = STRICT, redact_prompts: bool = False, force: bool = False
) -> int:
    """Write the viewer with every board and dialogue into a folder, as files for any web server; returns how many.

    `scoring`: a rule by which boards are shown first where their suite can have it, with strict scoring beside it.
    `redact_prompts` leaves out system prompts that are the user's own; `force` writes over files that no export wrote.
    `store.notice` is told whose prompts are shown, before anything is written. Raises UsageError where a file would be
    written over that no export wrote, and for a rule that no suite of the store can have; DiskFull.
    """
    with (
        store.reading() as connection,
        paths.reading(connection, redacted=redact_prompts, rule=scoring) as documents,
    ):
        if scoring != STRICT:
            boards.check_rule_of_any([scope.suite for scope in documents.scopes().values()], scoring)
        held = documents.board_list()
        own_prompts = [f"{one.suite} {one.variant}/{one.mode}" for one in held.boards if one.own_prompt]
        if own_prompts and not redact_prompts:
            whose = ", ".join(own_prompts)
            store.notice(f"the site shows system prompts of your own ({whose}); --redact-prompts leaves them out")
        page = {name: [content] for name, content in bundle.files().items()}
        # Each is made while it is written.
        data = {f"data/{held.dataset}/{path}": map(documents.document, [path]) for path in documents.paths()}
        # Without the last one GitHub Pages would pass the files through a generator of its own.
        files = {**page, bundle.INDEX: [bundle.index(held, served=False)], **data, ".nojekyll": [b""]}
        output.write(Path(folder), files, output.Manifest(), force, _REPLACED)
    return len(files)
