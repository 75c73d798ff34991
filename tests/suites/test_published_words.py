"""Our texts are as long as the published ones and have no six words in a row in common with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from independence import adopt_suite
from independence.suites.load import HOME

RUN = 6
WISH = {"v2": 70, "lite": 70, "v1": 47}  # words of the published wish, which two turns quote


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


def turns(folder: Path) -> dict[tuple[str, str, str], list[int]]:
    """(item, its turn, part) -> its numbers of words, without the mark of a wish that it quotes."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for scenario in yaml.safe_load((folder / "suite.yaml").read_text("utf-8"))["scenarios"]:
        for at, turn in enumerate(scenario["turns"]):
            name = turn.get("id", "")
            for part in ("human", "reply"):
                text = re.sub(r"\{\{\w+\}\}", "", str(turn.get(part, "")))
                found.setdefault((scenario["id"], name if name.startswith("pq") else str(at), part), []).append(
                    len(text.split())
                )
    return found


@pytest.mark.published
@pytest.mark.parametrize(("suite", "layout"), [("v2", "main"), ("lite", "lite"), ("v1", "v1")])
def test_every_text_is_within_a_quarter_of_the_published_length(
    published_data: Path, tmp_path: Path, suite: str, layout: str
) -> None:
    adopted = adopt_suite(published_data / "published-source" / layout, tmp_path / "adopted").folder
    theirs, ours = turns(adopted), turns(HOME / suite)
    for item in (("tool_context", "0", "human"), ("negotiation", "1", "human")):
        theirs[item] = [words - WISH[suite] for words in theirs[item]]
    assert theirs.keys() == ours.keys()
    far = {item: (theirs[item], ours[item]) for item in ours if not near(theirs[item], ours[item])}
    assert far == {}


def near(theirs: list[int], ours: list[int]) -> bool:
    return all(abs(own - their) <= max(1, 0.25 * their) for their, own in zip(theirs, ours, strict=True))
