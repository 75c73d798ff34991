from __future__ import annotations

from pathlib import Path

import pytest

from independence.judge.cues import grading
from independence.suites.lint import CUES

from . import gridded
from .test_lint_grid import found

STEPS = """
    steps:
      - {name: claims, prompt: prompts/claims.md}
      - {name: order, prompt: prompts/order.md}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The parcels, graded in two steps."""
    made = gridded.write(tmp_path / "parcels")
    (made / "prompts/claims.md").write_text("What does it claim?\n{{answer}}\n")
    (made / "prompts/order.md").write_text("Order these.\n{{claims}}\n")
    (made / "prompts/lean.md").write_text("About {{thing}} and {{request}}\n{{order}}\n{{fields}}\n")
    text = (made / "suite.yaml").read_text()
    (made / "suite.yaml").write_text(
        text.replace("prompt: prompts/lean.md", f"prompt: prompts/lean.md{STEPS}").replace("wrapping", "straw")
    )
    return made


def test_a_rubric_may_grade_what_its_steps_wrote(folder: Path) -> None:
    assert found(folder) == []


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("lean", "{{fields}}", 1, "must show `{{transcript}}` or `{{answer}}` or `{{claims}}` or `{{order}}`"),
        ("lean", "{{order}}", 1, "must show `{{fields}}` to the judge"),
        ("lean", "{{order}}\n{{fields}}\n{{nobody}}", 3, "nothing fills the template variable `{{nobody}}`"),
        ("claims", "Go on.", 1, "must show `{{transcript}}` or `{{answer}}` to the judge"),
        ("claims", "{{answer}}\n{{order}}", 2, "nothing fills the template variable `{{order}}`"),
        ("claims", "{{answer}}\n{{fields}}", 2, "nothing fills the template variable `{{fields}}`"),
        ("order", "{{thing}}", 1, "must show `{{transcript}}` or `{{answer}}` or `{{claims}}` to the judge"),
    ],
)
def test_a_prompt_quotes_what_is_there_by_then(folder: Path, name: str, text: str, line: int, what: str) -> None:
    file = folder / f"prompts/{name}.md"
    file.write_text(text)
    (problem,) = found(folder)
    assert (problem.path, problem.line) == (str(file), line)
    assert what in problem.what


@pytest.mark.parametrize("shown", ["{{transcript}}", "{{answer}}", "{{claims}}"])
def test_any_view_of_the_dialogue_will_do(folder: Path, shown: str) -> None:
    (folder / "prompts/lean.md").write_text(f"{shown} {{{{fields}}}}")
    assert found(folder) == []


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("answer", "the name `answer` is taken"),
        ("fields", "the name `fields` is taken"),
        ("worth", "the name `worth` is taken"),
        ("thing", "the name `thing` is taken"),
        ("claims", "the name `claims` is taken"),
        ("in order", "no prompt can quote a step called `in order`"),
        ("", "no prompt can quote a step called ``"),
    ],
)
def test_a_steps_name_is_its_own(folder: Path, name: str, what: str) -> None:
    (folder / "prompts/lean.md").write_text("{{claims}} {{fields}}")
    (problem,) = found(folder, ("name: order", f'name: "{name}"'))
    assert what in problem.what
    assert "prompts/order.md" in (folder / "suite.yaml").read_text().splitlines()[problem.line - 1]


def test_a_steps_file_has_to_be_there(folder: Path) -> None:
    (folder / "prompts/order.md").unlink()
    (problem,) = found(folder)
    assert "file `prompts/order.md` does not exist" in problem.what


def test_a_variable_that_not_every_side_sets_cannot_be_graded_by(folder: Path) -> None:
    (problem,) = found(
        folder, ('vars: {request: "Who pays?"}', 'vars: {request2: ""}'), ("it. {{story}} {{req", "it. {{req")
    )[:1]
    assert "`{{request}}`" in problem.what


def test_a_verdict_that_is_a_number_has_one_field_that_is_one(folder: Path) -> None:
    number = ("steps:", "verdict: number\n    steps:")
    assert found(folder, number) == []
    (problem,) = found(folder, ("fields:\n", "fields:\n      kept: {type: boolean, about: Kept.}\n"))
    assert "a verdict that is a number needs one field" in problem.what


def test_the_linter_knows_every_cue_the_rule_judge_reads() -> None:
    assert set(grading.CUES) == CUES
