"""The built page: its files as they are served and exported, with the boot document written into it."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Final

from independence.config import documents
from independence.report.pages.boards import NO_JUDGE
from independence.report.pages.schema import SCHEMA, BoardList, BootConfig

FOLDER: Final = Path(__file__).with_name("bundle")
INDEX: Final = "index.html"
ONE_SCRIPT: Final = "file/"  # the same page as one script, for a report that is one file
_APP: Final = "app/"
_BOOT: Final = b'<script id="independence-config" type="application/json">'
_END: Final = b"</script>"


@functools.cache
def files() -> dict[str, bytes]:
    """Every file of the built page by its path. The scripts lie in a folder named after their content, so that a
    browser never mixes those of two versions.
    """
    every = {file.relative_to(FOLDER).as_posix(): file for file in FOLDER.rglob("*") if file.is_file()}
    found = {name: file.read_bytes() for name, file in every.items() if not name.startswith(ONE_SCRIPT)}
    parts = (part for name in sorted(found) if name.startswith(_APP) for part in (name.encode(), found[name]))
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    app = f"app-{digest[:8]}/"
    index = found.pop(INDEX).replace(f'"./{_APP}'.encode(), f'"./{app}'.encode())
    return {INDEX: index, **{name.replace(_APP, app, 1): content for name, content in found.items()}}


def boot(held: BoardList, *, served: bool = False, embedded: bool = False) -> tuple[BootConfig, bytes]:
    """The boot document, and the same as JSON in which no sign of a name ends the element that it stands in."""
    base = f"data/{held.dataset}/"
    config = BootConfig(schema=SCHEMA, base=base, served=served, embedded=embedded, board_list=held)
    return config, documents.encode(config).replace(b"<", b"\\u003c")


def index(held: BoardList, *, served: bool) -> bytes:
    """The page with its boot document, and with the document that it asks for first on its way already."""
    config, text = boot(held, served=served)
    before, found, after = files()[INDEX].partition(_BOOT)
    assert found, "the page has no place for its boot document"
    _, end, rest = after.partition(_END)
    preloaded = ""  # saves a phone the time between the script and what the script asks for
    for first in held.boards[:1]:
        judge = first.judges[0].slug if first.judges else NO_JUDGE
        address = f"./{config.base}{first.id}/index.{judge}.json"
        preloaded = f'\n    <link rel="preload" as="fetch" crossorigin href="{address}">'
    return b"".join([before, _BOOT, text, end, preloaded.encode(), rest])
