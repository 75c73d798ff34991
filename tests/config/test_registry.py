"""Files of models: what they list, what names of models mean, and what is wrong with which line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from independence.config import entries, environment, registry, subjects
from independence.config.entries import RateLimit
from independence.config.registry import Registry
from independence.config.subjects import Subject
from independence.engine import models
from independence.engine.models import Models
from independence.errors import DocumentError, UsageError
from independence.types import Sampling

NONE = Sampling()
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models.yaml"


def bounds(known: Registry) -> dict[registry.ModelPin, object]:
    return {pin: entry.bounds for pin, entry in known.limits.items()}


def loaded(file: Path, text: str) -> Registry:
    file.write_text(text, encoding="utf-8")
    return registry.load(file, models.LOOK_UPS)


def chosen(known: Registry, *names: str, flags: Sampling = NONE) -> list[Subject]:
    return Models(registry=known).subjects(names, flags)


def labels(known: Registry, *names: str, flags: Sampling = NONE) -> list[str]:
    """The labels of what names stand for."""
    return [subject.label for subject in chosen(known, *names, flags=flags)]


TWO = """\
models:
  - {model_id: acme/m, temperature: 0.7}
  - {model_id: acme/m, temperature: 1.0, display_label: Warm m}
  - {model_id: acme/m, temperature: 0.0, active: false, display_label: Cold m}
  - {model_id: acme/off, active: false}
endpoints:
  - {name: box, base_url: "http://box/v1"}
"""


def test_a_bare_id_means_its_active_configurations_and_a_label_exactly_one(file: Path) -> None:
    known = loaded(file, TWO)
    assert labels(known, "acme/m") == labels(known, "acme/m", "Warm m", "acme/m") == ["m@low-t0.7", "Warm m"]
    (cold,) = chosen(known, "Cold m")
    assert cold.temperature == 0.0
    with pytest.raises(UsageError, match=r"every configuration of `acme/off` is inactive; .* off@low-t0\.7"):
        labels(known, "acme/off")
    (unlisted,) = chosen(Registry(), "openai/gpt-x")
    assert (unlisted.temperature, unlisted.sampling.effort, unlisted.endpoint) == (0.7, "low", "openrouter")


def test_an_id_carries_its_endpoint(file: Path) -> None:
    rows = {
        "sim/half": ("sim", "half"),
        "local/qwen/3": ("local", "qwen/3"),
        "box/acme/m": ("box", "acme/m"),
        "other/acme": ("openrouter", "other/acme"),
        "local//data/qwen/": ("local", "/data/qwen/"),
        "local/C:\\models\\ok.gguf": ("local", "C:\\models\\ok.gguf"),
        "box/claude@20250929": ("box", "claude@20250929"),
        "box/a b*": ("box", "a b*"),
        "acme/claude@20250929": ("openrouter", "acme/claude@20250929"),
    }
    found = {one.model_id: (one.endpoint, one.model) for one in chosen(loaded(file, TWO), *rows)}
    assert found == rows
    text = 'models: [{model_id: m, endpoint: box}]\nendpoints: [{name: box, base_url: "http://box/v1"}]'
    (named,) = chosen(loaded(file, text), "m")
    assert (named.endpoint, named.model) == ("box", "m")
    for name in ("gpt", "", " acme/m", "m@high-t0.7", "local/", "/m", "acme/m/", "local/m@low-t0.7"):
        with pytest.raises(UsageError):
            labels(Registry(), name)


def test_an_override_makes_a_configuration_of_its_own_and_shows_in_its_label(file: Path) -> None:
    known = loaded(file, TWO)
    (changed,) = chosen(known, "Warm m", flags=Sampling(temperature=0.3, effort="high", provider="host"))
    assert (changed.label, changed.config_dir) == ("m+host@high-t0.3", "acme--m+host@high-t0.3")
    assert labels(known, "Warm m", flags=Sampling(temperature=1.0)) == ["Warm m"]  # nothing is changed
    assert labels(known, "acme/m", flags=Sampling(temperature=0.3)) == ["m@low-t0.3"]  # two become one
    assert len(set(labels(Registry(), "acme/m", "apex/m"))) == 2
    for impossible in (Sampling(temperature=2.1), Sampling(temperature=-1), Sampling(effort="much")):
        with pytest.raises(UsageError):
            labels(Registry(), "acme/m", flags=impossible)


def test_auto_means_the_default_effort_and_keeps_the_label(file: Path) -> None:
    text = "models: [{model_id: google/gemini-3-flash, reasoning_effort: auto, display_label: Flash}]"
    (listed,) = chosen(loaded(file, text), "Flash")
    (asked,) = chosen(Registry(), "google/gemini-3-flash", flags=Sampling(effort="auto"))
    assert (listed.sampling.effort, listed.label, asked.sampling.effort) == ("none", "Flash", "none")


LAB = "endpoints:\n  - {name: lab, base_url: 'http://x',\n"
MISTAKES = [
    ("models:\n  - model_id: a/b\n    temprature: 1\n", 3, "did you mean `temperature`"),
    ("models:\n  - temperature: 1\n", 2, "model_id"),
    ("models:\n  - model_id: a/b\n    temperature: 3\n", 3, "outside 0 to 2"),
    ("models:\n  - model_id: a/b\n    temperature: .nan\n", 3, "outside 0 to 2"),
    ("models:\n  - model_id: a/b\n    reasoning_effort: huge\n", 3, "no reasoning effort `huge`"),
    ("models:\n  - model_id: a/b\n    reasoning_effort: off\n", 3, "write it in quotes"),
    ("models:\n  - model_id: a/b\n    endpoint: nowhere\n", 3, "not declared"),
    ("models:\n  - model_id: a/b\n  - model_id: a/b\n", 3, "label `b@low-t0.7` is taken by entry 1"),
    ("models:\n  - a/b\n  - {model_id: a/b, active: false}\n", 3, "label `b@low-t0.7` is taken by entry 1"),
    ("preferred: a/bb\nmodels: [a/b]\n", 1, "did you mean `a/b`"),
    ("preferred: zz\nmodels: []\n", 1, "`zz` is neither id nor label of an entry"),
    (
        "models:\n  - {model_id: a/b, concurrency: 2}\n  - {model_id: a/b, temperature: 1, concurrency: 3}\n",
        3,
        "entry 1 gives `a/b` another rate_limit, concurrency or timeout_s",
    ),
    ("endpoints:\n  - name: sim\n    base_url: http://x/v1\n", 2, "cannot be an endpoint's name"),
    ("endpoints:\n  - name: a/b\n    base_url: http://x/v1\n", 2, "cannot be an endpoint's name"),
    (
        "endpoints:\n  - {name: a, base_url: http://x}\n  - {name: a, base_url: http://y}\n",
        3,
        "endpoint `a` appears twice",
    ),
    ("endpoints:\n  - name: a\n    base_url: http://x/v1\n    max_concurrency: 0\n", 4, ">= 1"),
    ("endpoints:\n  - name: a\n    base_url: http://x/v1\n    dialect: odd\n", 4, "odd"),
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
    ("- a/b\n- 3\n", 2, "a whole number"),
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
    (LAB + '    headers: {X-A: "a\\nb: c"}}\n', 3, "header `X-A` holds a line break"),
    (LAB + "    headers: {X-A: \u201ckey\u201d}}\n", 3, "header `X-A` holds signs that are not ASCII"),
    (LAB + "    headers: {X A: b}}\n", 3, "`X A` is no name of a header"),
    (LAB + "    headers: {Host: b}}\n", 3, "header `Host` is written by this program"),
    (LAB + "    features: {token limits: max_tokens}}\n", 3, "did you mean `token limit`?"),
    (LAB + "    features: {token limit: max_token}}\n", 3, "did you mean `max_tokens`?"),
    (LAB + "    extra_body: {tools: [], stream: true, seed: 1, n: 2, messages: []}}\n", 3, "cannot set `messages`"),
    ("models:\n  - {model_id: a/b,\n     extra_body: {model: c}}\n", 3, "extra_body cannot set `model`"),
    ("endpoints:\n  - {name: lab}\n", 2, "endpoint `lab` has no `base_url`"),
    ("models:\n  - {model_id: groq-api/a,\n     endpoint: xai-api}\n", 3, "name one of them"),
]


def test_a_mistake_in_the_file_is_named_with_its_line(file: Path) -> None:
    for text, line, what in MISTAKES:
        with pytest.raises(DocumentError) as caught:
            loaded(file, text)
        assert (caught.value.line, what in str(caught.value)) == (line, True), str(caught.value)


def test_an_entry_goes_over_the_shipped_one_of_its_name_key_by_key(file: Path) -> None:
    shipped, text = (
        entries.shipped()["openai-api"],
        "endpoints: [{name: openai-api, base_url: 'http://x/v1', features: {}}]",
    )
    (own,) = loaded(file, text).endpoints
    assert (own.base_url, own.features) == ("http://x/v1", {})
    assert (own.key_variables, own.dialect, own.no_temperature) == (
        shipped.key_variables, shipped.dialect, shipped.no_temperature,
    )  # fmt: skip
    for one in entries.shipped().values():  # what ships is held to what is asked of users
        for feature, form in one.features.items():
            models.LOOK_UPS.form(feature, form)
        models.LOOK_UPS.dialect(one.dialect)


def test_what_an_endpoint_says_of_temperature_and_bodies_holds_for_its_models_unless_they_say_otherwise(
    file: Path,
) -> None:
    text = """\
endpoints: [{name: lab, base_url: "http://x/v1", no_temperature: [think*], extra_body: {top_k: 1, a: {b: 2}}}]
models: [{model_id: lab/think-hard, temperature_supported: true, extra_body: {top_k: 2}}]
"""
    known = loaded(file, text)
    listed, thinking, other = (chosen(known, f"lab/{name}")[0] for name in ("think-hard", "think", "other"))
    assert [one.temperature_supported for one in (listed, thinking, other)] == [True, False, True]
    assert (listed.sampling.extra_body, other.sampling.extra_body) == (
        '{"a":{"b":2},"top_k":2}',
        '{"a":{"b":2},"top_k":1}',
    )
    assert labels(known, "lab/think-hard", "lab/other") == [
        "lab/think-hard@low-t0.7-x0ed1db", "lab/other@low-t0.7-x332ed8",
    ]  # fmt: skip
    (again,) = chosen(known, "lab/other", flags=Sampling(temperature=0.2))
    assert subjects.from_json(subjects.to_json(again)) == again
    assert subjects.temperature_in(again.label) == 0.2
    for name, says in {
        "openai-api": "write openai-api/ID, for example openai-api/gpt-5-mini",
        "openai-api/": "write openai-api/ID",
        "opnai-api/gpt-5": "did you mean `openai-api/gpt-5`?",
    }.items():
        with pytest.raises(UsageError, match=re.escape(says)):
            chosen(Registry(), name)


def test_a_repeated_configuration_is_refused_by_its_label_and_one_of_a_plain_list_counts_once(file: Path) -> None:
    repeated = "models:\n  - {model_id: acme/m}\n  - {model_id: acme/n}\n  - {model_id: acme/m, active: false}\n"
    with pytest.raises(DocumentError) as caught:
        loaded(file, repeated)
    assert str(caught.value) == f"{file}:4: label `m@low-t0.7` is taken by entry 1; give one a display_label"
    apart = loaded(file, repeated.replace("active: false", "active: false, display_label: Other m"))
    assert [subject.label for subject in apart.subjects] == ["m@low-t0.7", "n@low-t0.7", "Other m"]
    known = loaded(file, "[acme/m, google/gemini-3-flash, acme/m]")  # an id alone is the default configuration
    assert list(known.subjects) == [Models().unlisted(name) for name in ("acme/m", "google/gemini-3-flash")]


JSON = [
    "openai/gpt-oss-20b:free",
    {"id": "nvidia/nano:free", "label": "Nemotron", "provider": "OpenRouter", "rate_limit": {"rps": 0.367, "burst": 5},
     "concurrency": 3},
    {"id": "openrouter/z-ai/glm-4.5-air:free"},
]  # fmt: skip


def test_a_json_list_of_strings_and_objects_is_a_roster_and_an_empty_file_an_empty_one(file: Path) -> None:
    for root in (JSON, {"models": JSON}):
        known = loaded(file, json.dumps(root, indent=1))
        assert [one.model_id for one in known.subjects] == [
            "openai/gpt-oss-20b:free", "nvidia/nano:free", "z-ai/glm-4.5-air:free",
        ]  # fmt: skip
        assert (known.subjects[1].label, known.subjects[1].sampling.provider) == ("Nemotron", None)
        assert bounds(known) == {("openrouter", "nvidia/nano:free", None): (RateLimit(rps=0.367, burst=5), 3, None)}
    for text in ("", "[]", "models: []", "{}", "# nothing\n"):
        assert loaded(file, text) == Registry()


def test_a_provider_that_a_roster_names_by_its_title_is_pinned_and_the_api_of_an_endpoint_is_not(file: Path) -> None:
    titles = {
        "Google AI Studio": "google-ai-studio", "Groq": "groq", "Mistral AI": "mistral", "Z.AI": "z-ai",
        "OpenRouter": None, "openrouter": None, "moonshotai/int4": "moonshotai/int4",
    }  # fmt: skip
    for title, pin in titles.items():
        known = loaded(file, json.dumps([{"id": "acme/m", "label": "M", "provider": title}]))
        assert known.subjects[0].sampling.provider == pin, title
    own = loaded(file, "models: [{model_id: acme/m, provider: openrouter}]")  # of an entry of ours it is one
    assert own.subjects[0].sampling.provider == "openrouter"
    text = "models: [{id: groq/m, provider: Groq}]\nendpoints: [{name: groq, base_url: 'http://x/v1'}]\n"
    (subject,) = loaded(file, text).subjects
    assert (subject.endpoint, subject.model, subject.sampling.provider) == ("groq", "m", None)


ROSTER = """\
preferred: Cheap
models:
  - acme/large
  - {id: acme/small, label: Cheap, rate_limit: {rps: 0.3, burst: 2}, concurrency: 3}
  - acme/large
  - {model_id: acme/pinned, provider: host, concurrency: 1, timeout_s: 9}
  - {model_id: acme/large, temperature: 0.2, display_label: Cold}
  - {id: acme/small, label: Cheap}
"""


def test_the_preferred_model_goes_first_and_what_an_entry_says_holds_for_its_model(file: Path) -> None:
    known = loaded(file, ROSTER)
    assert [subject.label for subject in known.subjects] == ["Cheap", "large@low-t0.7", "pinned+host@low-t0.7", "Cold"]
    by_id = loaded(file, ROSTER.replace("preferred: Cheap", "preferred: acme/large"))
    assert [subject.label for subject in by_id.subjects][:3] == ["large@low-t0.7", "Cold", "Cheap"]
    assert bounds(known) == {
        ("openrouter", "acme/small", None): (RateLimit(rps=0.3, burst=2), 3, None),
        ("openrouter", "acme/pinned", "host"): (None, 1, 9.0),
    }


def test_the_registry_that_ships_is_read_by_its_name_unless_a_file_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = registry.load(Path(registry.PUBLISHED))
    assert len(shipped.subjects) == len({subject.label for subject in shipped.subjects}) >= 70
    (nano,) = chosen(shipped, "openai/gpt-5-nano")
    assert (nano.label, nano.temperature_supported, nano.sent.temperature) == ("gpt-5-nano@low-t1.0", False, None)
    found = Models(registry=shipped).of_roster()
    assert {subject.model_id for subject in found} == set(shipped.roster)
    assert (len(set(shipped.roster)), len({subject.label for subject in found})) == (33, len(found))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "published").write_text("models: [sim/half]\nroster: [sim/half]\n")
    assert [one.label for one in Models(registry=registry.load(Path("published"))).of_roster()] == [
        "sim/half@none-t0.7"
    ]


def test_the_sample_of_an_environment_holds_no_key_and_only_what_is_read() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    settings = [line.removeprefix("# ").split("=", 1) for line in lines if "=" in line and " " not in line[2:]]
    assert [settings[0][0], settings[1][0]] == ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"]
    assert all(environment.is_placeholder(value) for name, value in settings if "KEY" in name)
    source = [path for path in (ROOT / "src" / "independence").rglob("*") if path.suffix in (".py", ".yaml")]
    read = "\n".join(path.read_text() for path in source)
    assert [name for name, _ in settings if name not in read] == []
