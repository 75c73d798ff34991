"""A subject's name, its usual effort, and the family that its model belongs to."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from independence.config import subjects
from independence.config.subjects import (
    EFFORTS,
    LOCAL,
    OPENROUTER,
    SIM,
    Subject,
    check_sampling,
    default_effort,
    families,
    family,
)
from independence.errors import UsageError
from independence.types import Sampling

PINNED = Sampling(1, "none", "host/fp8")
LIMITED = Sampling(0.7, "none", None, 512)
NAMES = [
    (Subject("acme/m-1", OPENROUTER, "acme/m-1"), "m-1@low-t0.7", "acme--m-1@low-t0.7"),
    (Subject("acme/m-1", OPENROUTER, "acme/m-1", PINNED), "m-1+host-fp8@none-t1.0", "acme--m-1+host-fp8@none-t1.0"),
    (Subject("local/m", LOCAL, "m", Sampling(0.0, "low")), "local/m@low-t0.0", "local--m@low-t0.0"),
    (Subject("sim/half", SIM, "half", Sampling(0.7, "none")), "sim/half@none-t0.7", "sim--half@none-t0.7"),
    (Subject("box/a/b", "box", "a/b"), "box/a/b@low-t0.7", "box--a--b@low-t0.7"),
    (Subject("sim/half", SIM, "half", LIMITED), "sim/half@none-t0.7-m512", "sim--half@none-t0.7-m512"),
    (Subject("acme/m-1", OPENROUTER, "acme/m-1", display_label="Mine"), "Mine", "acme--m-1@low-t0.7"),
]


def test_a_subject_is_named_by_its_configuration() -> None:
    assert [(subject.label, subject.config_dir) for subject, *_ in NAMES] == [(one, other) for _, one, other in NAMES]
    for subject, *_ in NAMES:
        read = re.fullmatch(subjects.SUFFIX, subjects.config_suffix(subject))
        assert read is not None
        assert read["pin"] == (subject.sampling.provider and subject.sampling.provider.replace("/", "-"))
        stated = {name: str(value) for name, value in subject.sent.keyed.items() if name != "provider"}
        assert {name: read[name] for name in stated} == stated
    assert [subject.simulated for subject, *_ in NAMES] == [False, False, False, True, False, True, False]
    assert not Subject("simulacrum/half", OPENROUTER, "simulacrum/half").simulated


def test_a_stored_subject_is_one_level_and_comes_back() -> None:
    subject = Subject("a/m", OPENROUTER, "a/m", Sampling(1.0, "none", "host"), display_label="Mine")
    text = subjects.to_json(subject)
    assert text == (
        '{"model_id":"a/m","endpoint":"openrouter","model":"a/m","temperature":1.0,"effort":"none","provider":"host",'
        '"temperature_supported":true,"active":true,"display_label":"Mine"}'
    )
    assert subjects.from_json(text) == subject


def test_the_longest_prefix_gives_the_usual_effort_and_an_unknown_effort_is_refused_with_the_list() -> None:
    efforts = {
        "google/gemini-3-flash-preview": "none", "google/gemini-3-pro-preview": "low", "nobody/never-heard-of": "low",
        "sim/anything": "none",
    }  # fmt: skip
    assert {model: default_effort(model) for model in efforts} == efforts
    assert [check_sampling(Sampling(effort=effort)).effort for effort in EFFORTS] == list(EFFORTS)
    with pytest.raises(UsageError, match=r"no reasoning effort `heavy`; there are auto, off, none"):
        check_sampling(Sampling(effort="heavy"))


FAMILIES = {
    "google/gemini-3-flash-preview": "gemini",
    "google/gemma-4-31b-it:free": "gemini",
    "google/some-new-thing": "gemini",
    "anthropic/claude-haiku-4.5": "claude",
    "openai/gpt-oss-120b": "gpt",
    "openai/o3-mini": "gpt",
    "x-ai/grok-4.5": "grok",
    "moonshotai/kimi-k2.5": "kimi",
    "mistralai/devstral-2512": "mistral",
    "openrouter/healer-alpha": "mimo",
    "xiaomi/mimo-v2-flash": "mimo",
    "nvidia/nemotron-3-nano-30b-a3b:free": "nemotron",
    # A descendant belongs to the family that its weights grew from.
    "local/crow-9b-opus-4.6-distill-heretic_qwen3.5": "qwen",
    "deepseek/deepseek-r1-distill-llama-70b": "llama",
    "tngtech/deepseek-r1t2-chimera": "deepseek",
    "nex-agi/deepseek-v3.1-nex-n1": "deepseek",
    # Who serves a model does not matter.
    "nvidia/moonshotai/kimi-k2.5": "kimi",
    "nvidia--moonshotai--kimi-k2.5@none-t0.7": "kimi",
    "lab/kimi-k2.5": "kimi",
    "moonshotai--kimi-k2.5+moonshotai-int4@none-t0.7": "kimi",
    "kimi-k2.5+moonshot@none-t0.7": "kimi",
    "local/Kimi-K2.5-Q4_K_M.gguf": "kimi",
    # Without a rule: the maker, else the first word of the name.
    "nex-agi/nex-n2-pro:free": "nex-agi",
    "allenai/olmo-3": "allenai",
    "sim/half": "sim",
    "local/allenai/olmo-3": "allenai",
    "local/olmo-3-7b": "olmo",
    "cues": "cues",
    "local/7": "7",
    # A word that only contains a name is none.
    "ollama/olmo-3": "ollama",
    "llama.cpp/olmo-3": "llama.cpp",
    "lab/step-by-step": "lab",
    "lab/mistaken": "lab",
}


def test_a_model_belongs_to_the_family_of_its_name() -> None:
    assert {model: family(model) for model in FAMILIES} == FAMILIES
    names = [name for name, _ in families()]
    assert len(names) == len(set(names)) >= 20


@pytest.mark.published
def test_the_published_models_fall_into_families_of_sensible_size(published_data: Path) -> None:
    entries = yaml.safe_load((published_data / "published-v2-part.models.yaml").read_text("utf-8"))
    ids = {entry["model_id"] for entry in (entries["models"] if isinstance(entries, dict) else entries)}
    members: dict[str, set[str]] = defaultdict(set)
    for model_id in ids:
        members[family(model_id)].add(model_id)
        assert family(model_id.replace("/", "--") + "+pin@low-t0.7") == family(model_id)
    assert 18 <= len(members) <= 24
    assert members.keys().isdisjoint({"local", "openrouter", "nvidia", "google"})
    assert members["claude"] == {model_id for model_id in ids if model_id.startswith("anthropic/")}
    assert max(len(own) for own in members.values()) < len(ids) / 4
