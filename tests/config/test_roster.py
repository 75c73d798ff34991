from __future__ import annotations

import json
from pathlib import Path

import pytest

from independence.config import registry
from independence.config.endpoints import RateSetting
from independence.config.registry import Roster
from independence.errors import DocumentError


def read(tmp_path: Path, text: str, name: str = "models.yaml") -> Roster:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return registry.read(file)


JSON = [
    "openai/gpt-oss-20b:free",
    {
        "id": "nvidia/nemotron-nano-9b-v2:free",
        "label": "Nemotron",
        "provider": "OpenRouter",
        "rate_limit": {"rps": 0.367, "burst": 5},
        "concurrency": 3,
    },
    {"id": "openrouter/z-ai/glm-4.5-air:free"},
]


@pytest.mark.parametrize("root", [JSON, {"models": JSON}])
def test_a_json_list_of_strings_and_objects_is_a_roster(tmp_path: Path, root: object) -> None:
    models = read(tmp_path, json.dumps(root, indent=1), "models.json").models
    assert [entry.name for entry in models] == [
        "openai/gpt-oss-20b:free", "nvidia/nemotron-nano-9b-v2:free", "z-ai/glm-4.5-air:free",
    ]  # fmt: skip
    assert [entry.pacing for entry in models] == [RateSetting(), RateSetting(0.367, 5), RateSetting()]
    assert (models[1].display_label, models[1].provider, models[1].concurrency) == ("Nemotron", None, 3)


@pytest.mark.parametrize("text", ["", "[]", "models: []", "{}", "# nothing\n"])
def test_a_file_without_models_is_an_empty_roster(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).models == []


def test_a_provider_of_an_entry_of_ours_is_a_pin(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, "models: [{model_id: acme/m, provider: openrouter}]").models
    assert entry.provider == "openrouter"
    (entry,) = read(tmp_path, "[{id: acme/m, provider: moonshotai/int4}]").models
    assert entry.provider == "moonshotai/int4"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("- id: a/b\n  concurency: 3\n", 2, "unknown key `concurency`; did you mean `concurrency`"),
        ("- id: a/b\n  rate_limit:\n    rpm: 3\n", 3, "unknown key `rpm`; did you mean `rps`"),
        ('[\n "a/b",\n {"id": "a/c",\n  "ratelimit": {"rps": 1}}\n]', 4, "did you mean `rate_limit`"),
        ("- id: a/b\n  rate_limit: {burst: 3}\n", 2, "rps"),
        ("- id: a/b\n  rate_limit: {rps: 0}\n", 2, "0 requests a second are not above 0"),
        ("- id: a/b\n  rate_limit: {rps: .nan}\n", 2, "nan requests a second are not above 0"),
        ("- id: a/b\n  rate_limit: {rps: 1, burst: 0}\n", 2, ">= 1"),
        ("- id: a/b\n  concurrency: 0\n", 2, ">= 1"),
        ("- id: a/b\n- id: a/c\n  model_id: a/c\n", 2, "and only one of them"),
        ("- a/b\n- ''\n", 2, "`` is no model id"),
        ("- a/b\n- 3\n", 2, "int"),
        ("- id: a/b\n  label: x\n  display_label: y\n", 2, "write one of them"),
        ("- id: groq/m\n  provider: '!!'\n", 2, "`!!` names no provider of OpenRouter"),
        ("prefered: a/b\nmodels: [a/b]\n", 1, "did you mean `preferred`"),
        (
            "endpoints:\n  - {name: a, base_url: 'http://x',\n     requests_per_second: -1}\n",
            3,
            "-1 requests a second are not above 0",
        ),
        ("endpoints:\n  - {name: a, base_url: 'http://x',\n     burst: 2}\n", 3, "add requests_per_second"),
        ("just words", 1, "expected"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(tmp_path, text)
    assert what in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("title", "pin"),
    [
        ("Google AI Studio", "google-ai-studio"), ("Groq", "groq"), ("Mistral AI", "mistral"), ("Z.AI", "z-ai"),
        ("OpenRouter", None), ("moonshotai/int4", "moonshotai/int4"),
    ],
)  # fmt: skip
def test_a_provider_that_a_roster_names_by_its_title_is_pinned(tmp_path: Path, title: str, pin: str | None) -> None:
    found = read(tmp_path, json.dumps([{"id": "acme/m", "label": "M", "provider": title, "concurrency": 3}]))
    assert found.models[0].provider == pin


def test_the_api_of_a_declared_endpoint_is_no_pin(tmp_path: Path) -> None:
    text = "models: [{id: groq/m, provider: Groq}]\nendpoints: [{name: groq, base_url: 'http://x/v1'}]\n"
    known = registry.load(_file(tmp_path, text))
    assert [(subject.endpoint, subject.model, subject.sampling.provider) for subject in known.subjects] == [
        ("groq", "m", None)
    ]


def test_a_preferred_one_of_a_roster_goes_first(tmp_path: Path) -> None:
    rows = [{"id": name, "label": name[-1], "provider": "Google AI Studio"} for name in ("google/a", "google/b")]
    known = registry.load(_file(tmp_path, json.dumps({"preferred": "google/b", "models": rows}, indent=1)))
    assert [subject.label for subject in known.subjects] == ["b", "a"]


def _file(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    return file
