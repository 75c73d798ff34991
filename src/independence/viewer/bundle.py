"""The built page: its files as they are served and exported, with the boot document written into it."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Final

import msgspec

from independence.report.site.schema import SCHEMA, BoardList, BootConfig

FOLDER: Final = Path(__file__).with_name("bundle")
INDEX: Final = "index.html"
_APP: Final = "app/"
_BOOT: Final = b'<script id="independence-config" type="application/json">'
_NOT_BUILT: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>AI Independence Bench</title>'
    '<p>The page was not built: run <code>make web</code> in the checkout.</p>'
    '<script id="independence-config" type="application/json">{}</script></html>'
)  # fmt: skip


@functools.cache
def files() -> dict[str, bytes]:
    """Every file of the built page by its path. The scripts lie in a folder named after their content, so that a
    browser never mixes those of two versions.
    """
    found = {file.relative_to(FOLDER).as_posix(): file.read_bytes() for file in FOLDER.rglob("*") if file.is_file()}
    if INDEX not in found:
        return {INDEX: _NOT_BUILT.encode()}
    parts = (part for name in sorted(found) if name.startswith(_APP) for part in (name.encode(), found[name]))
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    app = f"app-{digest[:8]}/"
    index = found.pop(INDEX).replace(f'"./{_APP}'.encode(), f'"./{app}'.encode())
    return {INDEX: index, **{name.replace(_APP, app, 1): content for name, content in found.items()}}


def index(boards: bytes, *, served: bool) -> bytes:
    """The page with its boot document. `boards`: the document `boards.json`."""
    held = msgspec.json.decode(boards, type=BoardList)
    boot = BootConfig(schema=SCHEMA, base=f"data/{held.dataset}/", served=served, board_list=held)
    # No sign of a name may end the element that it stands in.
    text = msgspec.json.encode(boot).replace(b"<", b"\\u003c")
    before, found, after = files()[INDEX].partition(_BOOT)
    assert found, "the page has no place for its boot document"
    return before + _BOOT + text + after[after.index(b"</script>") :]
