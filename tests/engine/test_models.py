"""Names that mean nothing, or several things: each is refused in one form, with what was meant."""

from __future__ import annotations

import pytest

from independence.config.registry import Registry
from independence.config.subjects import Subject
from independence.engine.models import LocalModels, Models
from independence.errors import UsageError
from independence.types import Sampling

LISTED = (
    Subject("openai/gpt-5", "openrouter", "openai/gpt-5", Sampling(0.7, "high"), display_label="GPT five"),
    Subject("acme/off", "openrouter", "acme/off", Sampling(0.7, "low"), active=False),
)
STORED = {
    one.config_dir: one
    for one in (
        Subject("sim/half", "sim", "half", Sampling(0.7, "none")),
        Subject("acme/twin", "openrouter", "acme/twin", Sampling(0.7, "low")),
        Subject("acme/twin", "openrouter", "acme/twin", Sampling(0.2, "low")),
    )
}
KNOWN = Models(registry=Registry(LISTED), stored=STORED, local=LocalModels("http://box/v1", ("qwen3", "llama-3.1")))
WAYS = "write vendor/ID (at OpenRouter), local/ID (on your own server), sim/NAME (simulated) or a label"
WRONG = {
    "gpt5": "no model `gpt5`; did you mean `openai/gpt-5`?",
    "gpt-4o": "no model `gpt-4o`; did you mean `openai/gpt-4o`?",
    "GPT fiv": "no model `GPT fiv`; did you mean `GPT five`?",
    "half@low": "no model `half@low`; did you mean `sim/half@none-t0.7` or `sim/half`?",
    "sim/half@low-t0.9": "no model `sim/half@low-t0.9`; did you mean `sim/half@none-t0.7` or `sim/half`?",
    "qwen3": "no model `qwen3`; did you mean `local/qwen3`?",
    "Qwen-3": "no model `Qwen-3`; did you mean `local/qwen3`?",
    "openia-api/gpt-5": "no model `openia-api/gpt-5`; did you mean `openai-api/gpt-5`?",
    "openai-api": "`openai-api` is an endpoint, and no model: write openai-api/ID, for example openai-api/gpt-5-mini",
    "local": "`local` may be any of 2 models of http://box/v1; use a full name: local/llama-3.1, local/qwen3",
    "acme/off": "every configuration of `acme/off` is inactive; use a full name: off@low-t0.7",
    "twin": "`twin` may be any of 2 subjects of the store; use a full name: twin@low-t0.2, twin@low-t0.7",
    "hybrid:acme/judge": f"no model `hybrid:acme/judge`; {WAYS}",
    **{
        name: f"no model `{name}`; {WAYS}"
        for name in ("sim", "sim/", "openai", "openai/", "a b/c", "/", "@low", " acme/m", "acme//m")
    },
    **{name: f"no model `{name}`; {WAYS.replace('ID', name)}" for name in ("a b", "cues")},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_name_that_cannot_be_asked_is_refused_with_what_was_meant(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        KNOWN.subjects([name])
    assert str(caught.value) == WRONG[name]


def test_a_label_of_the_store_an_id_of_any_form_and_a_prefix_of_openrouter_are_understood() -> None:
    for name, (model_id, temperature) in {
        "half": ("sim/half", 0.7),
        "twin@low-t0.2": ("acme/twin", 0.2),
        "acme--twin@low-t0.2": ("acme/twin", 0.2),
        "openrouter/acme/new": ("acme/new", 0.7),
        "openrouter/auto": ("openrouter/auto", 0.7),
        "@preset/mine": ("@preset/mine", 0.7),
        "local/a b@2026+x": ("local/a b@2026+x", 0.7),
        "öl/ß:free": ("öl/ß:free", 0.7),
    }.items():
        (subject,) = KNOWN.subjects([name])
        assert (subject.model_id, subject.temperature) == (model_id, temperature), name
    assert [one.label for one in KNOWN.subjects(["openrouter/openai/gpt-5"])] == ["GPT five"]
    assert KNOWN.judge("openrouter/acme/judge").name == "acme/judge"
