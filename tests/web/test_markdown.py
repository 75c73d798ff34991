"""Every published answer comes through the page's Markdown with nothing lost but its marks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from . import building
from .marks import without_marks


def test_an_independent_parser_leaves_the_same_of_every_answer(
    published_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = building.folder(tmp_path)
    if where is None:
        pytest.skip("the packages of web/ are not installed; `make web` does it")
    with closing(sqlite3.connect(published_store)) as connection:
        answers = [text for (text,) in connection.execute("SELECT text FROM calls WHERE text IS NOT NULL")]
    assert len(answers) > 7000
    corpus = tmp_path / "corpus.json"
    corpus.write_bytes(msgspec.json.encode([(text, without_marks(text)) for text in answers]))
    monkeypatch.setenv("MARKDOWN_CORPUS", str(corpus))
    done = building.script(where, "test", "test/markdown.test.ts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
