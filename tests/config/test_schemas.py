"""The JSON Schemas by which editors complete and check what users write."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import independence
from independence.config import documents, registry
from independence.suites import load, persona_file

DOCS = Path(__file__).parents[2] / "docs"
PACKAGE = Path(independence.__file__ or "").parent
EXAMPLES = sorted((PACKAGE / "suites" / "persona" / "examples").glob("*.md"))
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")


def refused(name: str, data: Any) -> list[str]:
    """Where a file is not of its shape."""
    schema = json.loads(documents.schema(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    return [error.json_path for error in jsonschema.Draft202012Validator(schema).iter_errors(data)]


def block(page: str, word: str) -> Any:
    """The example of a page that holds a word."""
    blocks = re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    return yaml.safe_load(next(one for one in blocks if word in one))


@pytest.mark.parametrize("path", [load.HOME / name / "suite.yaml" for name in load.built_in()] + [registry.SHIPPED])
def test_what_ships_is_of_its_shape_and_names_it(path: Path) -> None:
    text = path.read_text("utf-8")
    named = LINE.match(text)
    assert named
    schema = (path.parent / named[1]).resolve()
    assert schema.read_text("utf-8") == documents.schema(schema.name.partition(".")[0])
    assert refused(schema.name.partition(".")[0], yaml.safe_load(text)) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_personas_that_ship_are_of_their_shape(path: Path) -> None:
    document = persona_file.read_file(path).document
    assert document is not None
    assert refused("persona", document.data) == []


def test_examples_of_the_pages_are_of_their_shape() -> None:
    assert refused("models", block("endpoints.md", "preferred:")) == []
    assert refused("models", ["acme/small", {"id": "acme/large", "label": "large"}]) == []
    assert refused("suite", block("suites.md", "suite: harbour")) == []


def test_what_is_wrong_is_refused() -> None:
    assert refused("models", {"models": [{"model_id": "a/b", "temprature": 1}]}) == ["$"]
    harbour = block("suites.md", "suite: harbour")
    assert refused("suite", harbour | {"rubric": {}}) == ["$"]
    assert refused("suite", harbour | {"delivery": {"modes": ["chat"]}}) == ["$.delivery.modes[0]"]
    assert refused("persona", {"name": "Mira", "role": "companion"}) == ["$"]


def test_comments_of_the_records_say_what_keys_mean() -> None:
    models = json.loads(documents.schema("models"))["$defs"]
    assert models["EndpointEntry"]["properties"]["headers"]["description"] == "of every request"
    assert "description" not in models["ModelEntry"]["properties"]["id"]
    step = json.loads(documents.schema("suite"))["$defs"]["Step"]["properties"]
    assert step["name"]["description"] == "later prompts quote its output as {{name}}"
