"""The page's own checks, that what is committed is what its sources give, and that its Markdown loses no word."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from . import building
from .marks import without_marks

pytestmark = pytest.mark.deep  # Node builds, lints and tests: a minute of a processor


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = building.folder(tmp_path_factory.mktemp("page"))
    if where is None:
        pytest.skip("the packages of web/ are not installed; `make web` does it")
    return where


def test_the_committed_page_is_what_its_sources_give(web: Path, tmp_path: Path) -> None:
    building.build(web, tmp_path / "bundle")
    made, committed = dict(building.files(tmp_path / "bundle")), dict(building.files(building.COMMITTED))
    assert sorted(made) == sorted(committed)
    assert [name for name in made if made[name] != committed[name]] == [], "run `make web`"


@pytest.mark.parametrize("name", ["lint", "test"])
def test_the_page_passes_its_own_checks(web: Path, name: str) -> None:
    done = building.script(web, name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_independent_parser_leaves_the_same_of_every_published_answer(
    web: Path, published_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(published_store)) as connection:
        answers = [text for (text,) in connection.execute("SELECT text FROM calls WHERE text IS NOT NULL")]
    assert len(answers) > 7000
    corpus = tmp_path / "corpus.json"
    corpus.write_bytes(msgspec.json.encode([(text, without_marks(text)) for text in answers]))
    monkeypatch.setenv("MARKDOWN_CORPUS", str(corpus))
    done = building.script(web, "test", "test/markdown.test.ts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
