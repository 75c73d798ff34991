"""A report as Markdown, with its figures as files beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from independence.report.section import Block, Prose, Section, Svg
from independence.report.table import Table
from independence.report.table_formats import escaped, to_markdown


def document(title: str, sections: Sequence[Section], figure_path: Callable[[str], str]) -> str:
    """One document: contents, then every section. `figure_path` says where the figure of an id lies."""
    contents = [line for section in sections for line in _contents(section)]
    parts = [f"# {escaped(title)}", *(["\n".join(contents)] if len(sections) > 1 else [])]
    for section in sections:
        parts.append(f'<a id="{section.id}"></a>\n\n## {escaped(section.title)}')
        parts += [_block(section, block, figure_path) for block in section.body]
    return "\n\n".join(parts) + "\n"


def _contents(section: Section) -> list[str]:
    """A section's line in the contents, and below it those of its tables where they are many."""
    lines = [f"- [{escaped(section.title)}](#{section.id})"]
    return lines + [f"  - [{escaped(table.title)}](#table-{table.id})" for table in section.listed]


def _block(section: Section, block: Block, figure_path: Callable[[str], str]) -> str:
    if isinstance(block, Prose):
        return block.markdown.strip()
    if isinstance(block, Svg):
        caption = escaped(block.caption)
        return f"![{caption}]({quote(figure_path(block.id))})\n\n*{caption}*"
    return _table(section, block)


def _table(section: Section, table: Table) -> str:
    heading, _, content = to_markdown(table, level=3).strip().partition("\n\n")
    if section.folded(table):
        content = f"<details>\n<summary>{len(table.rows)} rows</summary>\n\n{content}\n\n</details>"
    if table.title == section.title:
        return content
    anchor = f'<a id="table-{table.id}"></a>\n\n' if section.listed else ""
    return f"{anchor}{heading}\n\n{content}"
