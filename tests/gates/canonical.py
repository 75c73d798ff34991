"""Outputs of the command without what may differ between two equal runs: dates, durations, and words."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

# Fields that hold a date, or a version of the program.
VOLATILE = {"dates", "version"}
# Fields of tables that hold words alone.
WORDS = {"title", "notes"}

_STRUCK = re.compile(
    r"\d{4}-\d\d-\d\d(T[\d:.+]+)?"  # dates
    r"|\b\d+\.\d+\.\d+\b"  # versions
)
# Not within a word, an identifier (`rs01`, `yield-20`, `t0.7`) or a shortened one.
_NUMBER = re.compile(
    r"(?<![\w@.…-])(?<![A-Za-z]/)"
    r"[+−-]?(?>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
    r"(?:%|[kMs](?!\w))?(?![\w@])"
)
_IDENTIFIER = re.compile(r"[\w.-]+[/@][\w./@+:-]*\w|\b\w*\d\w*\b")


def numbers(text: str) -> str:
    """The numbers of a text in order, a space between them."""
    return " ".join(_NUMBER.findall(_STRUCK.sub(" ", text)))


def _text(value: str) -> str:
    """A string of a JSON document: a name as it is, a sentence by the names and numbers in it."""
    if " " not in value.strip():
        return value
    return " ".join((*_IDENTIFIER.findall(_STRUCK.sub(" ", value)), "|", numbers(value)))


def document(value: Any) -> Any:
    """A JSON document without what is volatile, and with sentences reduced to the names and numbers in them."""
    if isinstance(value, dict):
        return {name: document(held) for name, held in value.items() if name not in VOLATILE | WORDS}
    if isinstance(value, list):
        return [document(held) for held in value]
    return _text(value) if isinstance(value, str) else value


def columns(text: str) -> dict[str, list[str]]:
    """A CSV file as its columns by name, rows in order."""
    head, *rows = csv.reader(io.StringIO(text))
    return {name: [_text(row[place]) for row in rows] for place, name in enumerate(head)}


def blocks(text: str) -> list[str]:
    """The numbers of each paragraph and table of printed text."""
    return [found for part in re.split(r"\n\s*\n", text) if (found := numbers(part))]


def markdown(text: str) -> list[str]:
    """The numbers of each table row and each paragraph of a Markdown document."""
    parts = [row for part in re.split(r"\n\s*\n", text) for row in _rows(part)]
    return [found for part in parts if (found := numbers(part))]


def _rows(part: str) -> list[str]:
    return part.splitlines() if part.lstrip().startswith("|") else [part]


class _Page(HTMLParser):
    """Text of a page in blocks: a table row, a paragraph, a heading."""

    SKIPPED = frozenset({"script", "style", "svg", "head"})
    INLINE = frozenset({"a", "abbr", "b", "br", "code", "em", "i", "small", "span", "strong", "sub", "sup", "td", "th"})

    def __init__(self) -> None:
        super().__init__()
        self.parts = [""]
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.SKIPPED:
            self._skipped.append(tag)
        elif tag in self.INLINE:
            self.parts[-1] += " "
        else:
            self.parts.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._skipped and self._skipped[-1] == tag:
            self._skipped.pop()
        self.handle_starttag("span" if tag in self.SKIPPED else tag, [])

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts[-1] += data


def page(text: str) -> list[str]:
    """The numbers of each table row and each paragraph of an HTML page, figures left out."""
    read = _Page()
    read.feed(text)
    return [found for part in read.parts if (found := numbers(part))]


def written(value: Any) -> str:
    """A golden document as its file holds it: a line for each member of its outer three levels."""
    return _broken(value, 0) + "\n"


def _broken(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if depth == 3 or len(plain) < 100 or not isinstance(value, dict | list):
        return plain
    if isinstance(value, dict):
        inner = [f"{json.dumps(name, ensure_ascii=False)}:{_broken(held, depth + 1)}" for name, held in value.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    return "[\n" + ",\n".join(_broken(held, depth + 1) for held in value) + "\n]"
