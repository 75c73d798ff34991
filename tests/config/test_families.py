from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from independence.config.subjects import family, rules


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        ("google/gemini-3-flash-preview", "gemini"),
        ("google/gemma-4-31b-it:free", "gemini"),
        ("google/some-new-thing", "gemini"),
        ("anthropic/claude-haiku-4.5", "claude"),
        ("openai/gpt-oss-120b", "gpt"),
        ("openai/o3-mini", "gpt"),
        ("x-ai/grok-4.5", "grok"),
        ("moonshotai/kimi-k2.5", "kimi"),
        ("mistralai/devstral-2512", "mistral"),
        ("openrouter/healer-alpha", "mimo"),
        ("xiaomi/mimo-v2-flash", "mimo"),
        ("nvidia/nemotron-3-nano-30b-a3b:free", "nemotron"),
    ],
)
def test_a_model_belongs_to_the_family_of_its_name(model_id: str, expected: str) -> None:
    assert family(model_id) == expected


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        ("local/crow-9b-opus-4.6-distill-heretic_qwen3.5", "qwen"),
        ("deepseek/deepseek-r1-distill-llama-70b", "llama"),
        ("tngtech/deepseek-r1t2-chimera", "deepseek"),
        ("nex-agi/deepseek-v3.1-nex-n1", "deepseek"),
    ],
)
def test_a_descendant_belongs_to_the_family_its_weights_grew_from(model_id: str, expected: str) -> None:
    assert family(model_id) == expected


@pytest.mark.parametrize(
    "model_id",
    [
        "nvidia/moonshotai/kimi-k2.5",
        "nvidia--moonshotai--kimi-k2.5@none-t0.7",
        "lab/kimi-k2.5",
        "moonshotai--kimi-k2.5+moonshotai-int4@none-t0.7",
        "kimi-k2.5+moonshot@none-t0.7",
        "local/Kimi-K2.5-Q4_K_M.gguf",
    ],
)
def test_who_serves_a_model_does_not_matter(model_id: str) -> None:
    assert family(model_id) == "kimi"


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        ("nex-agi/nex-n2-pro:free", "nex-agi"),
        ("allenai/olmo-3", "allenai"),
        ("sim/half", "sim"),
        ("sim/judge", "sim"),
        ("local/allenai/olmo-3", "allenai"),
        ("local/olmo-3-7b", "olmo"),
        ("cues", "cues"),
        ("local/7", "7"),
    ],
)
def test_without_a_rule_the_maker_is_the_family_else_the_first_word_of_the_name(model_id: str, expected: str) -> None:
    assert family(model_id) == expected


@pytest.mark.parametrize("model_id", ["ollama/olmo-3", "llama.cpp/olmo-3", "lab/step-by-step", "lab/mistaken"])
def test_a_rule_does_not_fit_a_word_that_only_contains_a_name(model_id: str) -> None:
    assert family(model_id) == model_id.split("/", maxsplit=1)[0]


def test_every_rule_is_a_valid_pattern_and_no_family_stands_twice() -> None:
    names = [rule.family for rule in rules()]
    assert len(names) == len(set(names)) >= 20
    assert all(re.compile(rule.pattern) for rule in rules())


@pytest.mark.published
def test_the_published_models_fall_into_families_of_sensible_size() -> None:
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    entries = yaml.safe_load((Path(folder) / "published-v2-part.models.yaml").read_text("utf-8"))
    ids = {entry["model_id"] for entry in (entries["models"] if isinstance(entries, dict) else entries)}
    members: dict[str, set[str]] = defaultdict(set)
    for model_id in ids:
        members[family(model_id)].add(model_id)
        assert family(model_id.replace("/", "--") + "+pin@low-t0.7") == family(model_id)
    assert 18 <= len(members) <= 24
    assert members.keys().isdisjoint({"local", "openrouter", "nvidia", "google"})
    assert members["claude"] == {model_id for model_id in ids if model_id.startswith("anthropic/")}
    assert max(len(own) for own in members.values()) < len(ids) / 4
