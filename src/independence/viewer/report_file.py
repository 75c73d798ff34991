"""A report as one file: the viewer with the documents of one place in it. It asks nobody for anything."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Unpack

import msgspec

from independence.api import reading, reporting
from independence.api.reading import ReportOptions, Store
from independence.config import documents
from independence.report.files import html as plain
from independence.report.files.table import Quotation
from independence.report.pages import boards
from independence.report.pages.boards import SiteBoard
from independence.report.pages.dialogue_schema import BlockDocument
from independence.report.pages.paths import StoreDocuments
from independence.report.pages.schema import ReportDocument
from independence.store.file import database
from independence.viewer import bundle

_SCRIPT: Final = f"{bundle.ONE_SCRIPT}report.js"
_TEXTS: Final = ("text/", "search/")  # documents with the words of dialogues, below their board
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {scripts}; style-src {style_hash}; \
img-src data:; font-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,{icon}">
<script>{theme}</script>
<style>{style}</style>
<script id="independence-config" type="application/json">{boot}</script>
<script id="independence-documents" type="application/octet-stream">{data}</script>
</head>
<body>
<div id="root"><main class="mx-auto max-w-7xl p-4 overflow-x-auto">
{opening}
</main></div>
<script type="module">{script}</script>
</body>
</html>
"""


def write_report_file(
    store: Store,
    path: Path | str,
    *,
    with_dialogues: bool = False,
    redact_prompts: bool = False,
    tables: Path | None = None,
    force: bool = False,
    **asked: Unpack[ReportOptions],
) -> list[str]:
    """Write `Store.report` as one HTML file, with the viewer and what it shows of this place. Returns what was written.

    It holds the dialogues that the report quotes; `with_dialogues`: all of the place. `redact_prompts` leaves out
    system prompts that are the user's own. `tables`: a folder for every table as CSV and JSON. Raises UsageError,
    before anything is read, for a file that no report was written to, unless `force`.
    """
    path = Path(path)
    reporting.check(path, force)
    title, sections = store.report(**asked)
    said = reporting.write_tables(tables, sections, force)
    with store.reading() as connection, database.collecting_seldom():
        scope, options = reading.report_place(store, asked)
        board = boards.of_place(connection, scope, options)
        made = StoreDocuments(connection, redacted=redact_prompts, place=(board, options))
        if board.info.own_prompt and not redact_prompts:
            store.notice("the file shows a system prompt of your own; --redact-prompts leaves it out")
        held = dict(_held(made, board, with_dialogues))
        boot = bundle.boot(made.board_list(), embedded=True)[1]
    reporting.write_text(path, _page(title, boot, held, plain.opening(title, sections)), force)
    return [*said, f"written: {path}"]


def _held(made: StoreDocuments, board: SiteBoard, with_dialogues: bool) -> Iterator[tuple[str, bytes]]:
    """Every document of the file by its path."""
    quoted = dict[str, set[tuple[str, str, int]]]()
    for path in made.paths():
        rest = path.partition("/")[2]
        if not with_dialogues and rest.startswith(_TEXTS):
            continue
        content = made.document(path)
        yield path, content
        if rest.startswith("report."):
            quoted = _quoted(msgspec.json.decode(content, type=ReportDocument), board)
    for path, dialogues in () if with_dialogues else quoted.items():
        block = msgspec.json.decode(made.document(path), type=BlockDocument)
        own = tuple(one for one in block.dialogues if (one.subject, one.scenario, one.run) in dialogues)
        yield path, documents.encode(msgspec.structs.replace(block, dialogues=own))


def _quoted(report: ReportDocument, board: SiteBoard) -> dict[str, set[tuple[str, str, int]]]:
    """The dialogues that a report quotes, and those that they continue, by the paths of their blocks."""
    follows = {one.id: one.follows for one in board.scope.suite.scenarios}
    out: dict[str, set[tuple[str, str, int]]] = {}
    for block in (block for section in report.sections for block in section.blocks):
        scenario = block.scenario if isinstance(block, Quotation) else None
        while isinstance(block, Quotation) and scenario:
            path = board.block_path(block.subject, scenario, block.run)
            out.setdefault(path, set()).add((block.subject, scenario, block.run))
            scenario = follows.get(scenario)
    return out


def _page(title: str, boot: bytes, held: dict[str, bytes], opening: str) -> str:
    files = bundle.files()
    named = {name.rpartition("/")[2]: content for name, content in files.items()}
    parts = (msgspec.json.encode(path) + b":" + content for path, content in held.items())
    packed = gzip.compress(b"{" + b",".join(parts) + b"}", 9, mtime=0)
    script, theme = (_inline(text) for text in ((bundle.FOLDER / _SCRIPT).read_bytes(), named["theme.js"]))
    style = named["style.css"].decode()
    return _PAGE.format(
        scripts=f"{_digest(theme)} {_digest(script)}", style_hash=_digest(style), title=html.escape(title),
        icon=base64.b64encode(named["icon.svg"]).decode(), theme=theme, style=style, boot=boot.decode(),
        data=base64.b64encode(packed).decode(), opening=opening, script=script,
    )  # fmt: skip


def _inline(script: bytes) -> str:
    """A script in which nothing ends the element that it stands in, or begins a comment of HTML."""
    return script.decode().replace("</script", "\\x3c/script").replace("<!--", "\\x3c!--")


def _digest(text: str) -> str:
    """A text as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
