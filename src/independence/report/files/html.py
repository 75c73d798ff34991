"""Tables and texts as HTML without style or script: for notebooks, and for readers of a report without JavaScript."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Final

from independence.report.files.table import CODE, Prose, Quotation, Section, Table, display_text

_FIRST: Final = ("summary", "quotations", "board")  # sections that say what was found
_UNENCODABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def opening(title: str, sections: Sequence[Section]) -> str:
    """What was found, the passages and the board, without charts."""
    parts = [f"<h1>{escaped(title)}</h1>"]
    for section in sections:
        if section.id in _FIRST:
            parts.append(f"<h2>{escaped(section.title)}</h2>")
            parts += [_block(block) for block in section.body if isinstance(block, Prose | Table | Quotation)]
    return "\n".join(parts)


def _block(block: Prose | Table | Quotation) -> str:
    if isinstance(block, Prose):
        from markdown_it import MarkdownIt  # slow to import

        reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
        return str(reader.render(_UNENCODABLE.sub("\ufffd", block.markdown)))
    if isinstance(block, Table):
        return _plain_table(block)
    of = f"{block.name}, {block.scenario}, run {block.run}"
    asked = f"<p>Asked: {escaped(block.asked)}</p>" if block.asked else ""
    what = "Held" if block.held else "Gave way"
    return f"{asked}<blockquote>{escaped(block.text)}</blockquote><p>{what}: {escaped(of)}</p>"


def fragment(tables: Iterable[Table]) -> str:
    """Tables for a notebook: without style or script, everything escaped."""
    return "\n".join(map(_plain_table, tables))


def _plain_table(table: Table) -> str:
    heads = "".join(f'<th scope="col">{escaped(column.head)}</th>' for column in table.columns)
    texts = ([display_text(*pair) for pair in zip(table.columns, row, strict=True)] for row in table.shown)
    rows = "".join(f"<tr>{''.join(f'<td>{escaped(text)}</td>' for text in row)}</tr>" for row in texts)
    notes = "".join(f"<p>{_quoted(note)}</p>" for note in table.notes)
    title = f"<caption>{escaped(table.title)}</caption>"
    return (f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if table.rows else "") + notes


def passages(blocks: Iterable[tuple[str, str, str, int]]) -> str:
    """Headings, remarks and texts as (head, remarks, text, level 1-3) for a notebook, everything escaped."""
    parts = []
    for head, about, text, level in blocks:
        parts.append(f"<h{level + 2}>{escaped(head)}</h{level + 2}>")
        parts += [f"<p>{escaped(line)}</p>" for line in about.splitlines()]
        parts += [f'<pre style="white-space: pre-wrap">{escaped(text)}</pre>'] if text else []
    return "\n".join(parts)


def escaped(text: str) -> str:
    """Text of anybody as HTML: no tag, attribute or control sign begins in it."""
    return html.escape(_UNENCODABLE.sub("\ufffd", text))


def _quoted(note: str) -> str:
    """A note, escaped; what stands between back-ticks is code."""
    return "".join(
        f"<code>{escaped(part)}</code>" if place % 2 else escaped(part) for place, part in enumerate(CODE.split(note))
    )
