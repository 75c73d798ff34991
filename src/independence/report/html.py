"""A report as one HTML file that asks nobody for anything: style, script and figures are in it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from itertools import count
from typing import Final

from independence.report import chart_text, palette
from independence.report.charts import Chart
from independence.report.table import CODE, Block, Column, Prose, Section, Table, Value, display_text

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_FOLD_ABOVE: Final = 160  # signs
_SUMMARY: Final = 100
_LONG_NAME: Final = 16
_ONE_LINE: Final = 20  # signs of a cell up to which it is never broken ...
_PASSAGE: Final = 60  # ... and from which on it gets the room of a sentence
_SERIES: Final = re.compile(r"[-+\d., ]+")
_WORD: Final = re.compile(r"[^\s]{22,}")
_BREAK: Final = re.compile(r"(?<=[/@_:+])(?=\w)|(?<=[^\s/@_:+-]{24})(?=\S)")
_UNENCODABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def page(title: str, sections: Sequence[Section]) -> str:
    """The document. Everything is escaped here."""
    links = "".join(f'<li><a href="#{section.id}">{escaped(section.title)}</a></li>' for section in sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escaped(title)}</title>\n'
        f"<style>\n{_style()}</style>\n<script>\n{_asset('page.js')}</script>\n</head>\n<body>\n"
        '<a class="skip" href="#report">Skip to the report</a>\n'
        f'<header><nav class="contents" aria-label="Contents"><ol>{links}</ol></nav>\n'
        '<button class="theme" type="button" hidden>Dark</button></header>\n'
        f'<main id="report">\n<h1>{escaped(title)}</h1>\n'
        f"{''.join(_section(section) for section in sections)}</main>\n</body>\n</html>\n"
    )


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


def _style() -> str:
    light, dark = palette.declared("light"), palette.declared("dark")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"{_asset('page.css')}"
        f"@media print{{:root:root{{color-scheme:light;{light}}}}}\n"
    )


def _asset(name: str) -> str:
    return resources.files("independence.report").joinpath("assets", name).read_text("utf-8")


def escaped(text: str) -> str:
    """Text of anybody as HTML: no tag, attribute or control sign begins in it."""
    return html.escape(_UNENCODABLE.sub("\ufffd", text))


def _breakable(text: str) -> str:
    """A cell's text, escaped; a long name may be broken after its separators, and nowhere else."""
    return "".join(
        escaped(part) if place % 2 == 0 else "<wbr>".join(map(escaped, _BREAK.split(part)))
        for place, part in enumerate(_words(text))
    )


def _quoted(note: str) -> str:
    """A note, escaped; what stands between back-ticks is code."""
    return "".join(
        f"<code>{escaped(part)}</code>" if place % 2 else escaped(part) for place, part in enumerate(CODE.split(note))
    )


def _words(text: str) -> list[str]:
    """The text in parts, every second one a word that is too long for a narrow column."""
    return re.split(f"({_WORD.pattern})", text)


def _section(section: Section) -> str:
    behind = bool(section.listed)
    body = "".join(_block(section, block, behind) for block in section.body)
    heading = f'<h2><a href="#{section.id}">{escaped(section.title)}</a></h2>'
    return f'<section id="{section.id}">\n{heading}\n{body}</section>\n'


def _block(section: Section, block: Block, behind: bool) -> str:
    if isinstance(block, Prose):
        return f'<div class="prose">{_prose(block.markdown)}</div>\n'
    if not isinstance(block, Table):
        return _figure(block)
    return _behind(block, _table(section, block, "unseen")) if behind else _table(section, block)


def _figure(block: Chart) -> str:
    drawn = escaped("\n".join(chart_text.lines(block)))
    return (
        f'<figure id="figure-{block.id}"><pre>{drawn}</pre><figcaption>{escaped(block.caption)}</figcaption></figure>\n'
    )


def _prose(markdown: str) -> str:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return str(reader.render(_UNENCODABLE.sub("\ufffd", markdown)))


def _behind(table: Table, content: str) -> str:
    rows = f"{len(table.rows)} row{'' if len(table.rows) == 1 else 's'}"
    summary = f"<summary>{escaped(table.title)} <small>{rows}</small></summary>"
    return f'<details class="fold">{summary}{content}</details>\n'


def _table(section: Section, table: Table, caption_class: str = "") -> str:
    caption_class = "unseen" if table.title == section.title else caption_class
    notes = "".join(f"<p>{_quoted(note)}</p>" for note in table.notes)
    notes = f'<div class="notes">{notes}</div>' if notes else ""
    name = f"table-{table.id}"
    if not table.rows:
        title = "" if caption_class == "unseen" else f"<p><b>{escaped(table.title)}</b></p>"
        return f'<div class="table" id="{name}">{title}{notes or "<p>Nothing to show.</p>"}</div>\n'
    caption = f'<caption id="{name}-caption" class="{caption_class}"><span>{escaped(table.title)}</span></caption>'
    key = _key_column(table)
    heads = "".join(_head(place, column, key) for place, column in enumerate(table.columns))
    rows = "\n".join(_row(table, row, key) for row in table.shown)
    size = "scroll tall" if section.folded(table) else "scroll"
    named = any(len(display_text(table.columns[key], row[key])) > _LONG_NAME for row in table.rows)
    opening = f'<table class="named">{caption}' if named else f"<table>{caption}"
    return (
        f'<div class="table" id="{name}"><div class="{size}" tabindex="0" role="region" '
        f'aria-labelledby="{name}-caption">{opening}\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>{notes}</div>\n"
    )


def _key_column(table: Table) -> int:
    """The column that names its row: the first of text, else the first."""
    return next((place for place, column in enumerate(table.columns) if column.kind in ("text", "id")), 0)


def _head(place: int, column: Column, key: int) -> str:
    kinds = [*(["n"] if column.numeric else []), *(["key"] if place == key else [])]
    return f'<th scope="col"{_classes(kinds)}>{escaped(column.head)}</th>'


def _row(table: Table, row: Sequence[Value], key: int) -> str:
    cells = []
    for place, column, value in zip(count(), table.columns, row, strict=False):
        content, kinds = _cell(column, value)
        tag, scope = ("th", ' scope="row"') if place == key else ("td", "")
        kinds += ["key"] if place == key else []
        cells.append(f"<{tag}{scope}{_classes(kinds)}>{content}</{tag}>")
    return f"<tr>{''.join(cells)}</tr>"


def _classes(kinds: Sequence[str]) -> str:
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _cell(column: Column, value: Value) -> tuple[str, list[str]]:
    text = display_text(column, value)
    if column.numeric:
        return escaped(text), ["n", *(["absent"] if value is None else [])]
    if value is None:
        return escaped(text), ["absent"]
    if len(text) <= _FOLD_ABOVE:
        return _breakable(text), _room(text)
    start = " ".join(text[:_SUMMARY].split())
    return f"<details><summary>{escaped(start)}…</summary><div>{escaped(text)}</div></details>", ["long"]


def _room(text: str) -> list[str]:
    """How a cell of text is set: on one line, in words, as a list of numbers or as a passage."""
    if len(text) <= _ONE_LINE:
        return []
    if _SERIES.fullmatch(text):
        return ["series"]
    return ["passage" if len(text) > _PASSAGE else "words"]
