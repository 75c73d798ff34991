"""Rubrics whose prompt is as somebody else published it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from independence.config import documents
from independence.errors import DocumentError
from independence.suites import digest
from independence.suites.lint import problems
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite


def linted(folder: Path, prompt: str, **changes: Any) -> list[str]:
    """Problems of the toy suite once one rubric is as it was published."""
    path = folder / "suite.yaml"
    data = yaml.safe_load(path.read_text())
    data["rubrics"]["held"] |= {"prompt_as": "published", **changes}
    (folder / data["rubrics"]["held"]["prompt"]).write_text(prompt)
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    document = documents.read(path)
    return [problem.problem for problem in problems(documents.convert(document, Suite), document, folder)]


def alone(folder: Path) -> Path:
    """The same suite, the rubric grading the one dialogue `radio` of two exchanges."""
    path = folder / "suite.yaml"
    data = yaml.safe_load(path.read_text())
    data["scenarios"] = [scenario for scenario in data["scenarios"] if scenario["id"] != "dessert"]
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return folder


def test_it_quotes_by_number_and_need_not_list_its_fields(toy_folder: Path) -> None:
    assert linted(alone(toy_folder), "{{human_1}} {{answer_2}}") == []


def test_it_must_show_the_last_answer_and_nothing_that_is_not_there(toy_folder: Path) -> None:
    found = linted(alone(toy_folder), "{{transcript}}\n{{answer_3}}")
    assert sorted(problem.partition("held.md:")[2] for problem in found) == [
        "1: a rubric must show `{{answer_2}}` to the judge",
        "1: nothing fills the template variable `{{transcript}}`",
        "2: nothing fills the template variable `{{answer_3}}`",
    ]


def test_dialogues_of_different_lengths_cannot_share_it(toy_folder: Path) -> None:
    found = linted(toy_folder, "{{answer_3}}")
    assert any("are not equally long: give those of each length a rubric of their own" in problem for problem in found)


def test_it_has_no_steps(toy_folder: Path) -> None:
    steps = [{"name": "notes", "prompt": "prompts/step.md"}]
    (toy_folder / "prompts" / "step.md").write_text("{{transcript}}")
    found = linted(toy_folder, "{{answer_1}}", steps=steps)
    assert any("its verdict is an object: leave out `steps` and `verdict`" in problem for problem in found)


def test_quoting_is_in_the_digests_of_a_suite_that_uses_it(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    published = msgspec.structs.replace(suite.rubrics["held"], prompt_as="published")
    changed = msgspec.structs.replace(suite, rubrics={**suite.rubrics, "held": published})
    scenario = next(scenario for scenario in suite.scenarios if scenario.rubric == "held")
    assert digest.edition(changed) != toy_suite.edition
    assert digest.rubric(changed, scenario) != digest.rubric(suite, scenario)


@pytest.mark.parametrize("word", ["plain", ""])
def test_there_are_two_ways_to_quote(word: str, toy_folder: Path) -> None:
    with pytest.raises(DocumentError, match="prompt_as"):
        linted(toy_folder, "{{answer_1}}", prompt_as=word)
