"""The built page: its files as they are served and exported, with the boot document written into it."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Final

from independence.config import documents
from independence.report.site.boards import NO_JUDGE
from independence.report.site.schema import SCHEMA, BoardList, BootConfig

FOLDER: Final = Path(__file__).with_name("bundle")
INDEX: Final = "index.html"
_APP: Final = "app/"
_BOOT: Final = b'<script id="independence-config" type="application/json">'
_END: Final = b"</script>"


@functools.cache
def files() -> dict[str, bytes]:
    """Every file of the built page by its path. The scripts lie in a folder named after their content, so that a
    browser never mixes those of two versions.
    """
    found = {file.relative_to(FOLDER).as_posix(): file.read_bytes() for file in FOLDER.rglob("*") if file.is_file()}
    parts = (part for name in sorted(found) if name.startswith(_APP) for part in (name.encode(), found[name]))
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    app = f"app-{digest[:8]}/"
    index = found.pop(INDEX).replace(f'"./{_APP}'.encode(), f'"./{app}'.encode())
    return {INDEX: index, **{name.replace(_APP, app, 1): content for name, content in found.items()}}


def index(held: BoardList, *, served: bool) -> bytes:
    """The page with its boot document, and with the document that it asks for first on its way already."""
    boot = BootConfig(schema=SCHEMA, base=f"data/{held.dataset}/", served=served, board_list=held)
    # No sign of a name may end the element that it stands in.
    text = documents.encode(boot).replace(b"<", b"\\u003c")
    before, found, after = files()[INDEX].partition(_BOOT)
    assert found, "the page has no place for its boot document"
    _, end, rest = after.partition(_END)
    preloaded = ""  # saves a phone the time between the script and what the script asks for
    for first in held.boards[:1]:
        judge = first.judges[0].slug if first.judges else NO_JUDGE
        address = f"./{boot.base}{first.id}/index.{judge}.json"
        preloaded = f'\n    <link rel="preload" as="fetch" crossorigin href="{address}">'
    return b"".join([before, _BOOT, text, end, preloaded.encode(), rest])
