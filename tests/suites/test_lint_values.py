from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from independence.cli.main import main
from independence.config import documents
from independence.errors import DocumentError
from independence.suites import load
from independence.suites.lint import problems
from independence.suites.schema import Suite


def changed(folder: Path, part: str, value: object) -> Path:
    """The suite with another value at a dotted path."""
    document = yaml.safe_load((folder / "suite.yaml").read_text())
    *heads, last = part.split(".")
    inner = document
    for head in heads:
        inner = inner[head]
    inner[last] = value
    (folder / "suite.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return folder


NAMES = ["", "../x", "v2@published", "a/b", "<b>bold</b>", ".hidden", "two words", "x" * 61, "a\nb"]


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        *(("suite", name, "is no name for a suite") for name in NAMES),
        ("delivery.max_tokens", 0, "expected `int` >= 1"),
        ("delivery.max_tokens", 10**12, "expected `int` <= 1000000"),
        ("scenarios", [], "a suite needs at least one scenario"),
    ],
)
def test_a_value_that_cannot_be_meant_is_named_with_its_line_and_refused(
    toy_folder: Path, part: str, value: object, says: str
) -> None:
    folder = changed(toy_folder, part, value)
    ended = CliRunner().invoke(main, ["suites", "lint", str(folder)])
    assert ended.exit_code == 1
    (problem,) = [line for line in ended.output.splitlines() if "suite.yaml:" in line and says in line]
    with pytest.raises(DocumentError, match=r"suite\.yaml:\d+: ") as refused:
        load.load(str(folder))
    assert says in str(refused.value)
    assert problem


def test_a_suite_that_is_called_like_a_built_in_one_is_told_apart_in_a_note(toy_folder: Path) -> None:
    folder = changed(toy_folder, "suite", "v2")
    ended = CliRunner().invoke(main, ["suites", "lint", str(folder)])
    assert ended.exit_code == 0
    assert "note: " in ended.stderr
    assert "`v2` is also a built-in suite; boards distinguish the two by edition only" in ended.stderr
    assert load.shared_name("v2", load.locate("v2")) == ""


def test_an_empty_system_prompt_is_named(toy_folder: Path) -> None:
    document = yaml.safe_load((toy_folder / "suite.yaml").read_text())
    name, reference = next(iter(document["variants"].items()))
    (toy_folder / reference).write_text(" \n")
    with pytest.raises(DocumentError, match=f"system prompt `{reference}` is empty") as refused:
        load.load(str(toy_folder))
    assert f"{name}: {reference}" in (toy_folder / "suite.yaml").read_text().splitlines()[refused.value.line - 1]


def test_without_scenarios_nothing_is_said_of_what_they_would_carry(toy_folder: Path) -> None:
    folder = changed(toy_folder, "scenarios", [])
    document = documents.read(folder / "suite.yaml")
    found = [problem.what for problem in problems(documents.convert(document, Suite), document, folder)]
    assert found == ["a suite needs at least one scenario"]


def test_a_number_that_yaml_reads_as_text_says_how_to_write_it() -> None:
    document = documents.parse("suite: x\nrange: 1e6\n", "own.yaml")

    import msgspec

    class Shape(msgspec.Struct):
        suite: str
        range: float

    with pytest.raises(DocumentError, match=r"own\.yaml:2: .*YAML reads `1e6` as text: write it .* 1\.0e\+6"):
        documents.convert(document, Shape)
