"""What a rubric's field may require of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from independence.errors import DocumentError
from independence.suites import load


def written(folder: Path, rubric: str, fields: dict[str, Any], **more: Any) -> Path:
    """The toy suite with other first fields of a rubric."""
    document = yaml.safe_load((folder / "suite.yaml").read_text())
    own = document["rubrics"][rubric]
    own["fields"] = fields | own["fields"]
    document["rubrics"][rubric] = own | more
    (folder / "suite.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return folder


def rubric_of(folder: Path) -> str:
    return str(next(iter(yaml.safe_load((folder / "suite.yaml").read_text())["rubrics"])))


BOOLEAN = {"type": "boolean", "about": "whether it took a stand"}
SCALE = {"type": "integer", "range": [0, 10], "about": "how far"}


@pytest.mark.parametrize(
    "fields",
    [
        {"late": SCALE | {"requires": ["engaged"]}, "engaged": BOOLEAN},
        {"how": SCALE | {"requires": ["engagd"]}, "engaged": BOOLEAN},
        {"other": SCALE, "how": SCALE | {"requires": ["other"]}},
        {"engaged": BOOLEAN, "chose": BOOLEAN | {"requires": ["engaged"]}, "how": SCALE | {"requires": ["chose"]}},
    ],
)
def test_only_a_boolean_that_is_settled_before_can_be_required(toy_folder: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(
        DocumentError,
        match=r"no boolean field before it that requires nothing: declare one above `(late|how)`, or leave",
    ):
        load.load(str(written(toy_folder, rubric_of(toy_folder), fields)))


def test_a_sentence_on_ranges_says_how_to_mend_them(toy_folder: Path) -> None:
    fields = {"engaged": BOOLEAN, "how": SCALE | {"range": [0, 5], "requires": ["engaged"]}}
    file = written(toy_folder, "held", fields) / "suite.yaml"
    text = yaml.safe_load(file.read_text())
    text["index"]["dimensions"]["firmness"]["fields"] = ["firmness", "how"]
    file.write_text(yaml.safe_dump(text, sort_keys=False))
    with pytest.raises(DocumentError, match="give them one range, or each a dimension of its own"):
        load.load(str(toy_folder))


def test_what_is_required_is_no_part_of_the_rubric_that_is_sent(toy_folder: Path) -> None:
    name = rubric_of(toy_folder)
    one = load.load(str(written(toy_folder, name, {"engaged": BOOLEAN, "how": SCALE | {"requires": ["engaged"]}})))
    assert one.suite.rubrics[name].fields["how"].requires == ("engaged",)


@pytest.mark.parametrize("name", ["quote", "reasoning"])
def test_a_field_is_not_called_like_what_is_written_before_it(toy_folder: Path, name: str) -> None:
    with pytest.raises(DocumentError, match=f"`{name}` is what the judge writes before the fields"):
        load.load(str(written(toy_folder, rubric_of(toy_folder), {name: SCALE})))
