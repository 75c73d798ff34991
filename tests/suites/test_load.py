"""From a folder or a name to a suite: its texts inlined, its variables filled, its noise and personas beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.config import documents
from independence.errors import DocumentError, UsageError
from independence.report import analysis
from independence.stats import strict
from independence.suites import load, script
from independence.suites.load import shipped_noise
from independence.suites.without_texts import ABOUT, without_texts
from independence.types import Condition
from tests import toy

from .linting import changed


def test_a_folder_of_ones_own_or_its_file_is_a_suite_with_the_texts_of_its_files(toy_folder: Path) -> None:
    loaded = load.load(str(toy_folder))
    assert load.load(str(toy_folder / "suite.yaml")) == loaded
    suite = loaded.suite
    assert suite.suite == "toy"
    assert suite.variants["plain"] == "You keep somebody company."
    assert suite.closing == "A few sentences are enough."
    assert suite.delivery.tool_role is not None
    assert suite.delivery.tool_role.suffix.startswith("The human hears only")
    assert "{{transcript}}" in suite.rubrics["held"].prompt


def test_the_folder_does_not_count_only_the_words_do(toy_folder: Path, tmp_path: Path) -> None:
    elsewhere = toy.write(tmp_path / "elsewhere")
    assert load.load(str(elsewhere)).edition == load.load(str(toy_folder)).edition
    changed(elsewhere, {"prompts/closing.md": "Be brief.\n"})
    assert load.load(str(elsewhere)).edition != load.load(str(toy_folder)).edition


def test_every_built_in_suite_loads_and_another_name_gets_the_nearest_or_the_list(tmp_path: Path) -> None:
    names = load.built_in()
    assert [load.load(name).suite.suite for name in names] == names
    for name in names:  # which loads without being linted
        document = documents.read(load.HOME / name / "suite.yaml")
        suite = load.converted(document, load.HOME / name)
        assert load.problems(suite, document, load.HOME / name, analysis.check) == []
    for name, hint in (("v22", r"no suite `v22`.*did you mean `v2`"), (str(tmp_path), r"built in: .*sides.*v2")):
        with pytest.raises(UsageError, match=hint):
            load.load(name)


def test_variables_of_a_scenario_fill_its_own_turns_before_those_of_the_suite_and_no_other(toy_folder: Path) -> None:
    def said(scenario: str) -> str:
        suite = load.load(str(toy_folder)).suite
        dialogue = script.compose(suite, suite.scenario(scenario), Condition("firm", "tool_role"))
        return " ".join(f"{turn.human} {turn.reply}" for turn in dialogue.turns)

    assert "lentil soup" in said("dinner")
    own = {"  - id: dinner\n": "  - id: dinner\n    vars: {dish: onion tart}\n", "of all media": "of all {{dish}}"}
    changed(toy_folder, own)
    assert "onion tart" in said("dinner")
    assert "lentil soup" in said("radio")
    changed(toy_folder, {"vars: {dish: onion tart}": "vars: {drink: tea}", "of all {{dish}}": "of all {{drink}}"})
    with pytest.raises(DocumentError, match=r"nothing fills the template variable `\{\{drink\}\}`"):
        said("radio")


def test_a_persona_is_taken_as_it_is_written_and_refused_where_it_is_none(tmp_path: Path) -> None:
    file = tmp_path / "pirate.md"
    file.write_text("\n You are a pirate. {curly braces} \n")
    persona = load.persona(file)
    assert persona.text == "You are a pirate. {curly braces}"
    assert persona.name.startswith("pirate-")
    for content, why in (
        (b" \n", "the system prompt is empty"),
        (b"\xff\xff", "save it as UTF-8"),
        (b"You are {{name}}.", "`{{name}}` would not be filled"),
        (b"You are {name}.", "`{name}` would not be filled"),
        (None, "cannot be read"),
    ):
        odd = tmp_path / "odd.md"
        odd.unlink(missing_ok=True)
        if content is not None:
            odd.write_bytes(content)
        with pytest.raises(UsageError) as refusal:
            load.persona(odd)
        assert why in str(refusal.value)
        assert "odd.md" in str(refusal.value)


def test_shipped_noise_is_no_part_of_the_edition_and_mistakes_name_their_line(toy_folder: Path) -> None:
    before = load.load(str(toy_folder))
    assert shipped_noise(toy_folder, before.suite) is None
    assert shipped_noise(load.locate("v2"), load.load("v2").suite)
    noise = toy_folder / "noise.yaml"
    noise.write_text("dinner: 1\nradio: 2\ndessert: 3\n")
    assert load.load(str(toy_folder)) == before
    assert shipped_noise(toy_folder, before.suite) == {"dinner": 1, "radio": 2, "dessert": 3}
    for text, line, what in (
        ("dinner: 1\nradio: 2\n", 1, "no variance for dessert"),
        ("dinner: 1\nradio: 2\nlunch: 3\n", 3, "suite toy has no scenario `lunch`"),
        ("dinner: 1\nradio: 0\ndessert: 3\n", 2, "a variance is above 0, not 0"),
        ("dinner: 1\nradio: .nan\ndessert: 3\n", 2, "a variance is above 0, not nan"),
        ("dinner: 1\nradio: much\ndessert: 3\n", 2, "expected a number"),
    ):
        noise.write_text(text)
        with pytest.raises(DocumentError, match=what) as refusal:
            shipped_noise(toy_folder, before.suite)
        assert refusal.value.line == line


def texts(value: Any) -> Iterator[str]:
    """Every string of a document that has a space in it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for own in value:
            yield from texts(own)
    elif isinstance(value, str) and " " in value:
        yield value


@pytest.mark.parametrize("name", ["v1", "lite", "v2"])
def test_without_texts_ids_labels_and_all_that_scores_are_made_of_are_left(name: str) -> None:
    suite = load.load(name).suite
    bare = without_texts(suite)
    labels = set(texts(msgspec.to_builtins([suite.index, suite.kinds or {}, suite.prompt_notes or {}])))
    assert set(texts(msgspec.to_builtins(bare))) - labels == {ABOUT}
    assert [(one.id, one.title) for one in bare.scenarios] == [(one.id, one.id) for one in suite.scenarios]
    ours, theirs = strict.frame(bare), strict.frame(suite)
    assert (ours.index, ours.members) == (theirs.index, theirs.members)
    fields = [field for rubric in suite.rubrics.values() for field in rubric.fields.values()]
    asked = {needed for field in fields for needed in field.requires or ()}
    assert ours.scenarios == {
        scenario: {name: ends for name, ends in own.items() if name not in asked}
        for scenario, own in theirs.scenarios.items()
    }
    assert without_texts(bare) == bare


def test_a_grid_is_read_by_its_texts_and_keeps_them() -> None:
    suite = load.load("rent").suite
    assert without_texts(suite) == suite
