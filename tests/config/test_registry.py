from __future__ import annotations

from pathlib import Path

import pytest

from independence.clients import dialects
from independence.config import registry
from independence.config.endpoints import RateSetting
from independence.config.registry import Registry
from independence.errors import DocumentError, UsageError
from independence.types import Sampling

NONE = Sampling()


def loaded(tmp_path: Path, text: str) -> Registry:
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    return registry.load(file, dialects.of)


TWO = """\
models:
  - {model_id: acme/m, temperature: 0.7}
  - {model_id: acme/m, temperature: 1.0, display_label: Warm m}
  - {model_id: acme/m, temperature: 0.0, active: false, display_label: Cold m}
  - {model_id: acme/off, active: false}
endpoints:
  - {name: box, base_url: "http://box/v1"}
"""


def test_a_bare_id_means_its_active_configurations(tmp_path: Path) -> None:
    known = loaded(tmp_path, TWO)
    chosen = registry.choose(known, ["acme/m"], NONE)
    assert [subject.label for subject in chosen] == ["m@low-t0.7", "Warm m"]


def test_a_label_means_exactly_one_configuration_active_or_not(tmp_path: Path) -> None:
    known = loaded(tmp_path, TWO)
    assert [subject.temperature for subject in registry.choose(known, ["Cold m"], NONE)] == [0.0]


def test_an_id_with_only_inactive_configurations_names_their_labels(tmp_path: Path) -> None:
    known = loaded(tmp_path, TWO)
    with pytest.raises(UsageError, match=r"every configuration of `acme/off` is inactive.*off@low-t0\.7"):
        registry.choose(known, ["acme/off"], NONE)


def test_an_unlisted_id_gets_the_default_configuration() -> None:
    (subject,) = registry.choose(Registry(), ["openai/gpt-x"], NONE)
    assert (subject.temperature, subject.sampling.effort, subject.endpoint) == (0.7, "low", "openrouter")


@pytest.mark.parametrize(
    ("name", "endpoint", "model"),
    [
        ("sim/half", "sim", "half"),
        ("local/qwen/3", "local", "qwen/3"),
        ("box/acme/m", "box", "acme/m"),
        ("other/acme", "openrouter", "other/acme"),
        ("local//data/qwen/", "local", "/data/qwen/"),
        ("local/C:\\models\\ok.gguf", "local", "C:\\models\\ok.gguf"),
        ("box/claude@20250929", "box", "claude@20250929"),
        ("box/a b*", "box", "a b*"),
        ("acme/claude@20250929", "openrouter", "acme/claude@20250929"),
    ],
)
def test_an_id_carries_its_endpoint(tmp_path: Path, name: str, endpoint: str, model: str) -> None:
    (subject,) = registry.choose(loaded(tmp_path, TWO), [name], NONE)
    assert (subject.endpoint, subject.model, subject.model_id) == (endpoint, model, name)


@pytest.mark.parametrize("name", ["gpt", "", " acme/m", "m@high-t0.7", "local/", "/m", "acme/m/", "local/m@low-t0.7"])
def test_what_is_neither_id_nor_label_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        registry.choose(Registry(), [name], NONE)


def test_the_same_configuration_named_twice_is_one(tmp_path: Path) -> None:
    known = loaded(tmp_path, TWO)
    assert len(registry.choose(known, ["acme/m", "Warm m", "acme/m"], NONE)) == 2


def test_an_override_makes_a_configuration_of_its_own_and_shows_in_its_label(tmp_path: Path) -> None:
    known = loaded(tmp_path, TWO)
    (subject,) = registry.choose(known, ["Warm m"], Sampling(temperature=0.3, effort="high", provider="host"))
    assert subject.label == "m+host@high-t0.3"
    assert subject.config_dir == "acme--m+host@high-t0.3"


def test_an_override_that_changes_nothing_keeps_the_label(tmp_path: Path) -> None:
    (subject,) = registry.choose(loaded(tmp_path, TWO), ["Warm m"], Sampling(temperature=1.0))
    assert subject.label == "Warm m"


def test_overrides_that_make_two_configurations_equal_leave_one(tmp_path: Path) -> None:
    chosen = registry.choose(loaded(tmp_path, TWO), ["acme/m"], Sampling(temperature=0.3))
    assert [subject.label for subject in chosen] == ["m@low-t0.3"]


def test_two_vendors_with_one_model_name_keep_their_labels_apart() -> None:
    chosen = registry.choose(Registry(), ["acme/m", "apex/m"], NONE)
    assert len({subject.label for subject in chosen}) == 2


@pytest.mark.parametrize("overrides", [Sampling(temperature=2.1), Sampling(temperature=-1), Sampling(effort="much")])
def test_impossible_overrides_are_refused(overrides: Sampling) -> None:
    with pytest.raises(UsageError):
        registry.choose(Registry(), ["acme/m"], overrides)


def test_auto_means_the_default_effort_and_keeps_the_label(tmp_path: Path) -> None:
    text = "models: [{model_id: google/gemini-3-flash, reasoning_effort: auto, display_label: Flash}]"
    (subject,) = registry.choose(loaded(tmp_path, text), ["Flash"], NONE)
    assert (subject.sampling.effort, subject.label) == ("none", "Flash")
    (subject,) = registry.choose(Registry(), ["google/gemini-3-flash"], Sampling(effort="auto"))
    assert subject.sampling.effort == "none"


def test_an_entry_may_name_its_endpoint(tmp_path: Path) -> None:
    text = 'models: [{model_id: m, endpoint: box}]\nendpoints: [{name: box, base_url: "http://box/v1"}]'
    (subject,) = registry.choose(loaded(tmp_path, text), ["m"], NONE)
    assert (subject.endpoint, subject.model) == ("box", "m")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
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
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(tmp_path, text)
    assert caught.value.line == line
    assert what in str(caught.value)


REPEATED = """\
models:
  - {model_id: acme/m}
  - {model_id: acme/n}
  - {model_id: acme/m, active: false}
"""


def test_a_repeated_id_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(tmp_path, REPEATED)
    assert str(caught.value) == (
        f"{tmp_path / 'models.yaml'}:4: label `m@low-t0.7` is taken by entry 1; give one a display_label"
    )
    apart = loaded(tmp_path, REPEATED.replace("active: false", "active: false, display_label: Other m"))
    assert [subject.label for subject in apart.subjects] == ["m@low-t0.7", "n@low-t0.7", "Other m"]


def test_an_id_that_a_plain_list_repeats_counts_once(tmp_path: Path) -> None:
    known = loaded(tmp_path, "[acme/m, acme/n, acme/m]")
    assert [subject.model_id for subject in known.subjects] == ["acme/m", "acme/n"]


def test_an_empty_file_of_models_is_an_empty_registry(tmp_path: Path) -> None:
    assert loaded(tmp_path, "models: []\n") == Registry()


ROSTER = """\
preferred: Cheap
models:
  - acme/large
  - {id: acme/small, label: Cheap, rate_limit: {rps: 0.3, burst: 2}, concurrency: 3}
  - acme/large
  - {model_id: acme/pinned, provider: host, concurrency: 1}
  - {model_id: acme/large, temperature: 0.2, display_label: Cold}
  - {id: acme/small, label: Cheap}
"""


def test_the_preferred_model_goes_first_and_the_others_keep_their_order(tmp_path: Path) -> None:
    known = loaded(tmp_path, ROSTER)
    assert [subject.label for subject in known.subjects] == [
        "Cheap", "large@low-t0.7", "pinned+host@low-t0.7", "Cold",
    ]  # fmt: skip
    by_id = loaded(tmp_path, ROSTER.replace("preferred: Cheap", "preferred: acme/large"))
    assert [subject.label for subject in by_id.subjects][:3] == ["large@low-t0.7", "Cold", "Cheap"]


def test_what_entries_say_about_rate_and_concurrency_holds_for_their_model(tmp_path: Path) -> None:
    assert loaded(tmp_path, ROSTER).limits == (
        ("openrouter", "acme/small", None, RateSetting(0.3, 2), 3, None),
        ("openrouter", "acme/pinned", "host", RateSetting(), 1, None),
    )


def test_an_id_alone_is_the_default_configuration(tmp_path: Path) -> None:
    known = loaded(tmp_path, "[acme/m, google/gemini-3-flash]")
    assert list(known.subjects) == [known.default("acme/m"), known.default("google/gemini-3-flash")]
