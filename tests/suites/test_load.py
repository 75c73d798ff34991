from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError, UsageError
from independence.suites import load
from tests import toy


def test_a_folder_of_ones_own_is_a_suite(toy_folder: Path) -> None:
    suite, edition = load.load(str(toy_folder))
    assert suite.suite == "toy"
    assert len(edition) == 8
    assert int(edition, 16) >= 0


def test_its_file_may_be_named_too(toy_folder: Path) -> None:
    assert load.load(str(toy_folder / "suite.yaml")) == load.load(str(toy_folder))


def test_every_file_reference_becomes_the_text_of_the_file(toy_folder: Path) -> None:
    suite = load.load(str(toy_folder)).suite
    assert suite.variants["plain"] == "You keep somebody company."
    assert suite.closing == "A few sentences are enough."
    assert suite.delivery.tool_role is not None
    assert suite.delivery.tool_role.suffix.startswith("The human hears only")
    assert "{{transcript}}" in suite.rubrics["held"].prompt


def test_the_folder_does_not_count_only_the_words_do(toy_folder: Path, tmp_path: Path) -> None:
    elsewhere = toy.write(tmp_path / "elsewhere")
    assert load.load(str(elsewhere)).edition == load.load(str(toy_folder)).edition
    (elsewhere / "prompts/closing.md").write_text("Be brief.\n")
    assert load.load(str(elsewhere)).edition != load.load(str(toy_folder)).edition


@pytest.mark.parametrize("name", load.built_in())
def test_every_built_in_suite_loads(name: str) -> None:
    assert load.load(name).suite.suite == name


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(UsageError, match=r"no suite `v22`.*did you mean `v2`"):
        load.load("v22")


def test_a_far_name_gets_the_list(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"built in: .*v2"):
        load.load(str(tmp_path))


def test_the_first_problem_is_raised(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("follows: dinner", "follows: lunch"))
    with pytest.raises(DocumentError, match="`lunch` is not an earlier scenario"):
        load.load(str(toy_folder))


def test_a_persona_is_taken_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "pirate.md"
    file.write_text("\n You are a pirate. {curly} \n")
    assert load.persona(file).text == "You are a pirate. {curly}"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b" \n", "is empty"),
        (b"\xff\xff", "save it as UTF-8"),
        (b"You are {{name}}.", "{{name}}"),
        (None, "cannot be read"),
    ],
)
def test_a_persona_that_is_no_prompt_is_refused(tmp_path: Path, content: bytes | None, why: str) -> None:
    file = tmp_path / "odd.md"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load.persona(file)
    assert why in str(caught.value)
    assert "odd.md" in str(caught.value)
