"""No text of ours has six words in a row in common with a published one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from independence.suites.load import HOME

RUN = 6


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower().replace("\u2019", "'"))


def runs(text: str) -> Iterator[tuple[str, ...]]:
    said = words(text)
    yield from (tuple(said[at : at + RUN]) for at in range(len(said) - RUN + 1))


def literals(source: str) -> Iterator[str]:
    """Every text in a Python source, an f-string as one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def texts(value: object) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for own in value.values() if isinstance(value, dict) else value:
            yield from texts(own)


@pytest.mark.published
def test_no_run_of_six_words_is_a_published_one(published_data: Path) -> None:
    sources = sorted((published_data / "published-source").rglob("*.py"))
    theirs = {run for file in sources for text in literals(file.read_text("utf-8")) for run in runs(text)}
    assert len(theirs) > 4000
    shared = set()
    for file in sorted(HOME.rglob("*")):
        if file.suffix == ".md":
            own = [file.read_text("utf-8")]
        elif file.suffix == ".yaml":
            own = list(texts(yaml.safe_load(file.read_text("utf-8"))))
        else:
            continue
        shared |= {(file.parent.name, " ".join(run)) for text in own for run in runs(text) if run in theirs}
    assert shared == set()
