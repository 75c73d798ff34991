"""Every published answer comes through the page's Markdown with nothing lost but its marks."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from . import building

NOT_READ = ["link", "image", "autolink", "entity", "reference", "lheading", "code", "html_inline", "html_block"]


def left(parser: MarkdownIt, text: str) -> str:
    """A text less its marks, by an independent parser, without white space."""
    parts = []
    for token in parser.parse(text):
        if token.type == "inline":
            parts += [child.content for child in token.children or ()]
        elif token.type == "fence":
            parts.append(token.info + token.content)
    return re.sub(r"\s", "", "".join(parts))


def test_an_independent_parser_leaves_the_same_of_every_answer(
    published_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = building.folder()
    if where is None:
        pytest.skip("the packages of web/ are not installed; `make web` does it")
    with closing(sqlite3.connect(published_store)) as connection:
        answers = [text for (text,) in connection.execute("SELECT text FROM calls WHERE text IS NOT NULL")]
    assert len(answers) > 7000
    parser = MarkdownIt("commonmark", {"html": False}).disable(NOT_READ)
    corpus = tmp_path / "corpus.json"
    corpus.write_bytes(msgspec.json.encode([(text, left(parser, text)) for text in answers]))
    monkeypatch.setenv("MARKDOWN_CORPUS", str(corpus))
    done = building.script(where, "test", "test/markdown.test.ts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
