from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from independence.config import registry
from independence.config.options import RunOptions
from independence.config.registry import Registry
from independence.config.subjects import Subject
from independence.engine import connections, subjects
from independence.judge.protocol import DEFAULT_JUDGE
from independence.suites.load import load
from independence.types import Sampling

RENT, V2 = load("rent").suite, load("v2").suite
LISTED = Registry(subjects=(Subject("acme/m", "openrouter", "acme/m", Sampling(1.0, "low"), display_label="M"),))
AS_IT_IS, SUITE = Sampling(), Sampling(RENT.default.temperature)


def test_a_listed_subject_keeps_its_temperature_others_have_the_suites_and_the_flag_wins_over_both() -> None:
    flag = Sampling(temperature=0.5)
    for names, overrides, expected in (
        (["acme/other", "sim/half"], AS_IT_IS, {"acme/other": 0.2, "sim/half": 0.2}),
        (["M"], AS_IT_IS, {"acme/m": 1.0}),
        (["acme/m"], AS_IT_IS, {"acme/m": 1.0}),
        (["acme/m", "acme/other"], flag, {"acme/m": 0.5, "acme/other": 0.5}),
    ):
        chosen = registry.choose(LISTED, names, overrides, SUITE)
        assert {subject.model_id: subject.temperature for subject in chosen} == expected
    (subject,) = registry.choose(LISTED, ["acme/other"] * 2, AS_IT_IS, SUITE)
    assert subject.label.endswith("-t0.2")


def test_variables_of_a_suite_name_its_judge_and_its_subject_where_they_name_one() -> None:
    for value in ("", "  ", "your-scorer-model", "<model>", "xxx"):
        assert connections.default(RENT, {"OPENROUTER_SCORER_MODEL": value}) == DEFAULT_JUDGE
    assert connections.default(RENT, {}) == DEFAULT_JUDGE
    env = {"OPENROUTER_SCORER_MODEL": " acme/judge "}
    assert connections.default(RENT, env) == "acme/judge"
    assert connections.default(V2, env) == DEFAULT_JUDGE
    other = msgspec.structs.replace(RENT, default=msgspec.structs.replace(RENT.default, judge="SCORER"))
    assert connections.default(other, {**env, "SCORER": "cues"}) == "cues"
    second = {"LLM_SCORER_MODEL": "openrouter/acme/other", "LLM_MODEL": "acme/m"}
    assert connections.named_by_environment(RENT, second) == ("acme/other", "LLM_SCORER_MODEL")
    assert connections.default(RENT, second | env) == "acme/judge"
    assert subjects.named_by_environment(RunOptions(), RENT, second) == ("acme/m", "LLM_MODEL")
    assert connections.named_by_environment(V2, second) is None
    assert subjects.named_by_environment(RunOptions(), V2, second) is None


def loaded(tmp_path: Path, text: str) -> Registry:
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    return registry.load(file)


LISTS = [
    "[acme/m]",
    '[{"id": "acme/m", "label": "M", "provider": "OpenRouter", "concurrency": 3}]',
    "models: [{model_id: acme/m, reasoning_effort: low}]",
]


@pytest.mark.parametrize("text", LISTS)
def test_an_entry_that_states_no_temperature_is_asked_at_the_suites(tmp_path: Path, text: str) -> None:
    known = loaded(tmp_path, text)
    for names in (["acme/m"], known.subjects):
        (chosen,) = registry.choose(known, names, AS_IT_IS, SUITE)
        assert chosen.config_dir.endswith("-t0.2")
        assert registry.choose(known, names, AS_IT_IS)[0].temperature == 0.7


def test_an_entry_or_a_label_that_states_a_temperature_keeps_it(tmp_path: Path) -> None:
    for stated in (0.7, 0, 1.3):
        known = loaded(tmp_path, f"models: [{{model_id: acme/m, temperature: {stated}}}]")
        assert registry.choose(known, ["acme/m"], AS_IT_IS, SUITE)[0].temperature == stated
    known = loaded(tmp_path, "models: [{model_id: acme/m, reasoning_effort: low}]")
    for label, temperature in (("m@low-t0.7", 0.7), ("m@low-t0.2", 0.2)):
        (chosen,) = registry.choose(known, [label], AS_IT_IS, SUITE)
        assert (chosen.label, chosen.temperature) == (label, temperature)


def test_the_registry_that_ships_and_its_roster_are_asked_at_the_temperature_of_a_suite_that_has_one() -> None:
    shipped = registry.load(Path(registry.PUBLISHED))
    for listed in (shipped.of_roster(), [subject for subject in shipped.subjects if subject.active]):
        free = [one for one in registry.choose(shipped, listed, AS_IT_IS, SUITE) if one.temperature_supported]
        assert {one.temperature for one in free if one.sampling.temperature not in (0.0, 1.0)} == {0.2}
        assert all(one.label.endswith(f"-t{one.temperature}") for one in free)
        assert 0.7 in {one.temperature for one in registry.choose(shipped, listed, AS_IT_IS)}


def test_a_display_label_that_names_a_temperature_is_asked_at_it_or_not_shown(tmp_path: Path) -> None:
    label = "m+acme@low-t0.7"
    text = f'models: [{{model_id: acme/m, reasoning_effort: low, provider: acme/fp8, display_label: "{label}"}}]'
    known = loaded(tmp_path, text)
    (named,) = registry.choose(known, [label], AS_IT_IS, SUITE)
    assert (named.label, named.temperature) == (label, 0.7)
    (listed,) = registry.choose(known, known.subjects, AS_IT_IS, SUITE)
    assert (listed.label, listed.temperature) == ("m+acme-fp8@low-t0.2", 0.2)
    (usual,) = registry.choose(known, known.subjects, AS_IT_IS)
    assert (usual.label, usual.temperature) == (label, 0.7)
