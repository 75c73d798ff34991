"""A whole report as Markdown: tables, and charts as lines of text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from independence.report.files import chart_text
from independence.report.files.table import (
    Block,
    Prose,
    Quotation,
    Section,
    Table,
    escaped,
    percent,
    spelled_out,
    to_markdown,
)


def document(title: str, sections: Sequence[Section]) -> str:
    """One document: contents, then every section."""
    contents = [line for section in sections for line in _contents(section)]
    parts = [f"# {escaped(title)}", *(["\n".join(contents)] if len(sections) > 1 else [])]
    for section in sections:
        parts.append(f'<a id="{section.id}"></a>\n\n## {escaped(section.title)}')
        parts += [_block(section, block) for block in section.body]
    return "\n\n".join(parts) + "\n"


def _contents(section: Section) -> list[str]:
    """A section's line in the contents, and below it those of its tables where they are many."""
    lines = [f"- [{escaped(section.title)}](#{section.id})"]
    return lines + [f"  - [{escaped(table.title)}](#table-{table.id})" for table in section.listed]


def _block(section: Section, block: Block) -> str:
    if isinstance(block, Prose):
        return block.markdown.strip()
    if isinstance(block, Table):
        return _table(section, block)
    if isinstance(block, Quotation):
        lines = "\n".join(f"> {escaped(line)}".rstrip() for line in block.text.splitlines())
        whose = f"**{escaped(block.name)}** in `{block.scenario}`, run {block.run}"
        kept = f"{percent(block.share)} of the scale kept, by {escaped(block.judge)}"
        asked = f"Asked: {escaped(' '.join(block.asked.split()))}\n\n" if block.asked else ""
        return f"{asked}{lines}\n\n{'Held' if block.held else 'Gave way'}: {whose} ({kept})."
    drawn = "\n".join(spelled_out(line) for line in chart_text.lines(block))
    return f"**{escaped(block.title)}**\n\n{fenced(drawn)}\n\n*{escaped(block.caption)}*"


def fenced(text: str) -> str:
    """A block of signs as they are: its fence is longer than any row of back-ticks in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}text\n{text}\n{fence}"


def _table(section: Section, table: Table) -> str:
    heading, _, content = to_markdown(table, level=3).strip().partition("\n\n")
    if section.folded(table):
        content = f"<details>\n<summary>{len(table.rows)} rows</summary>\n\n{content}\n\n</details>"
    if table.title == section.title:
        return content
    anchor = f'<a id="table-{table.id}"></a>\n\n' if section.listed else ""
    return f"{anchor}{heading}\n\n{content}"
