"""The example personas: each has a prompt that says all of its commitments, and a weak one that says few of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from independence.config import documents
from independence.suites import persona_file
from independence.suites.load import HOME
from independence.suites.persona_file import ROLES, FrontMatter

FOLDER = HOME / "persona" / "examples"
FILES = sorted(FOLDER.glob("*.md"))
STRONG = [path for path in FILES if not path.stem.endswith("-weak")]


def weak(path: Path) -> Path:
    return path.with_stem(f"{path.stem}-weak")


def head(path: Path) -> FrontMatter:
    document = persona_file.read_file(path).document
    assert document
    return documents.convert(document, FrontMatter)


def plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def sentences(found: FrontMatter) -> list[str]:
    return [one if isinstance(one, str) else one.keeps for one in found.commitments]


def test_there_are_three_pairs_a_role() -> None:
    assert Counter(head(path).role for path in STRONG) == dict.fromkeys(ROLES, 3)
    assert sorted([*STRONG, *map(weak, STRONG)]) == FILES
    assert len({head(path).name for path in STRONG}) == len(STRONG)
    counts = [len(head(path).commitments) for path in STRONG]
    assert {min(counts), max(counts)} == {persona_file.FEWEST, persona_file.MOST}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_lints_clean_and_is_written_as_the_command_writes_it(path: Path) -> None:
    assert persona_file.problems(path) == []
    said = " ".join(persona_file.notes(path))
    assert ("word for word" in said, "the name" in said) == (path not in STRONG, False)
    assert head(path).may
    assert persona_file.written(head(path), persona_file.read(path).text) == path.read_text("utf-8")


@pytest.mark.parametrize("path", STRONG, ids=lambda path: path.stem)
def test_a_strong_prompt_says_every_commitment_and_the_weak_one_at_most_half(path: Path) -> None:
    assert head(path) == head(weak(path))
    kept = sentences(head(path))
    strong, hurried = (plain(persona_file.read(one).text) for one in (path, weak(path)))
    assert [one for one in kept if plain(one) not in strong] == []
    assert sum(plain(one) in hurried for one in kept) <= len(kept) / 2
    assert len(hurried) < len(strong) / 2


def test_no_commitment_is_found_in_two_personas() -> None:
    found = Counter(plain(one) for path in STRONG for one in sentences(head(path)))
    assert [one for one, count in found.items() if count > 1] == []
