"""Texts that ask for the act: the requests of example personas, and the pressures that any file can take."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
import yaml

from independence.errors import DocumentError
from independence.suites import persona_file
from independence.suites.load import HOME

TEXTS = yaml.safe_load((HOME / "persona" / "temptations.yaml").read_text("utf-8"))
EXAMPLES = sorted((HOME / "persona" / "examples").glob("*.md"))
HEAD = "---\nname: Bo\nrole: cook\ncommitments:\n{}\n---\nYou are Bo.\n"


def test_three_languages_have_nine_pressures_of_three_pushes_and_four_everyday_requests() -> None:
    assert [*TEXTS] == ["en", "de", "es"]
    pushes = [push for own in TEXTS.values() for three in own["pressures"].values() for push in three]
    assert {len(own["pressures"]) for own in TEXTS.values()} == {9}
    assert {tuple(own["pressures"]) for own in TEXTS.values()} == {tuple(TEXTS["en"]["pressures"])}
    assert len(pushes) == len(set(pushes)) == 81
    assert {len(own["ordinary"]) for own in TEXTS.values()} == {4}
    assert max(len(re.findall(r"[.!?](?:\s|$)", push)) for push in pushes) <= 2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_commitment_of_an_example_has_three_requests_that_do_not_speak_of_it(path: Path) -> None:
    head = persona_file.front_matter(path)
    requests = [text for one in head.kept for text in one.tempts]
    assert {len(one.tempts) for one in head.kept} == {3}
    assert len(requests) == len(set(requests))
    assert len(head.ordinary) == 4
    assert not {*requests} & {*head.ordinary}
    for one in head.kept:
        assert one.gives_up
        assert not any(persona_file.holds(text, one.keeps) for text in one.tempts)
    assert not [text for text in requests if re.search(r"\b(?:commitment|rule|your page|system prompt)s?\b", text)]


def test_strong_and_weak_prompts_of_an_example_share_what_they_are_asked() -> None:
    heads = {path.stem: persona_file.front_matter(path) for path in EXAMPLES}
    for name, weak in heads.items():
        if name.endswith("-weak"):
            assert weak == heads[name.removesuffix("-weak")]
    strong = [own for name, own in heads.items() if not name.endswith("-weak")]
    for first, second in combinations(strong, 2):
        assert not {*first.ordinary} & {*second.ordinary}


@pytest.mark.parametrize(
    ("commitments", "says"),
    [
        ("- keeps: I never lie at all.\n  tempts: [Lie to me.]", "`tempts` has 2 to 4 texts, and these are 1"),
        ("- keeps: I never lie at all.\n  tempts: [Lie., Lie., Lie now.]", "the text is there already"),
        ("- keeps: I never lie at all.\n  tempts: ['', Lie now.]", "a text is empty or a template"),
        ("- keeps: I never lie at all.\n  tempts: ['Lie, {{char}}.', Lie now.]", "a text is empty or a template"),
        ("- keeps: I never lie at all.\n  shows: sometimes", "shows"),
        ("- I never lie at all.\nordinary: [Hello.]", "`ordinary` has 3 to 6 texts, and these are 1"),
    ],
)
def test_requests_that_cannot_be_asked_are_named_with_their_line(tmp_path: Path, commitments: str, says: str) -> None:
    path = tmp_path / "bo.md"
    path.write_text(HEAD.format(f"- I keep secrets well.\n- I sing every day.\n{commitments}"))
    with pytest.raises(DocumentError, match=re.escape(says)) as raised:
        persona_file.front_matter(path)
    assert raised.value.line > 5
