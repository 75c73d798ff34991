"""Whom names, files, flags and the environment lead to: judges, subjects, endpoints and their bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.config import registry
from independence.config.endpoints import Endpoint, ModelBounds, Rate, RateSetting
from independence.config.entries import EndpointEntry, ModelEntry, RateLimit
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions, RunOptions
from independence.config.registry import ModelPin, Registry
from independence.config.subjects import Subject
from independence.engine import connections, subjects
from independence.engine.connections import KeyUse
from independence.engine.models import Models
from independence.errors import UsageError
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.protocol import DEFAULT_JUDGE
from independence.suites.load import load
from independence.types import Sampling

V2 = load("v2").suite
KNOWN = Models()
MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")


def one(name: str) -> Any:
    (spec,) = KNOWN.judges([name], V2)
    return spec


def test_a_name_says_which_judge_it_is_and_one_named_twice_is_one() -> None:
    assert KNOWN.judges(["acme/judge", CUES, "acme/judge"], V2) == (MODEL, CuesJudge(CUES))
    assert one("sim/arbiter") == ModelJudge("sim/arbiter", endpoint="sim", model="arbiter")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("cue", "did you mean `cues`"),
        ("cues@1", "judge `cues@1`: an older version; .* grade with `cues`"),
        ("offline", "no model `offline`"),
        ("hybrid:judge", "no model `hybrid:judge`"),
        ("hybrid:acme/judge", "no model `hybrid:acme/judge`"),
        ("", "name a model id, or `cues`"),
    ],
)
def test_what_cannot_judge_is_refused_with_what_can(name: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        KNOWN.judges([name], V2)


GEMINI = "google/gemini-3-flash-preview"
# What needs OpenRouter's key, the variables that are set, and what is said; nothing where the run may begin.
WITHOUT_A_KEY: list[tuple[KeyUse, list[str], list[str]]] = [
    (KeyUse(), [], []),
    (KeyUse(judges=[GEMINI]), ["OPENROUTER_API_KEY"], []),
    (KeyUse(judges=[GEMINI]), [], [f"{GEMINI}, which is to judge, is asked", "--judge: cues (", "(--no-judge)"]),
    (KeyUse(judges=[GEMINI]), ["XAI_API_KEY"], ["with --judge: xai-api/grok-4.3, cues (rules"]),
    (KeyUse(judges=[GEMINI], endpoints=["xai-api"]), ["OPENAI_API_KEY", "XAI_API_KEY"], [": xai-api/grok-4.3,"]),
    (KeyUse(judges=[GEMINI]), ["XAI_API_KEY", "GOOGLE_API_KEY"], [": google-api/gemini-3-flash-preview,"]),
    (KeyUse(["openai/gpt-5-mini"], [GEMINI]), ["XAI_API_KEY"], ["OPENROUTER_API_KEY is not set: export"]),
    (KeyUse(["openai/gpt-5-mini"], [GEMINI]), ["OPENAI_API_KEY"],
     ["`-m openai-api/gpt-5-mini -j openai-api/gpt-5-mini`", "`--judge cues`"]),
    (KeyUse(["anthropic/claude-haiku-4.5:beta"], []), ["ANTHROPIC_API_KEY"],
     ["with ANTHROPIC_API_KEY, write `-m anthropic-api/claude-haiku-4-5`"]),
    (KeyUse(["google/gemini-2.5-pro"], [GEMINI]), ["GEMINI_API_KEY"],
     ["`-m google-api/gemini-2.5-pro -j google-api/gemini-3-flash-preview`"]),
    (KeyUse(["mistralai/magistral", "deepseek/deepseek-chat"], []), ["MISTRAL_API_KEY", "DEEPSEEK_API_KEY"],
     ["with MISTRAL_API_KEY and DEEPSEEK_API_KEY, write `-m mistral-api/magistral,deepseek-api/deepseek-chat`"]),
    (KeyUse(["x-ai/grok-4", "openai/o3"], []), ["XAI_API_KEY"], ["OPENROUTER_API_KEY is not set: export"]),
]  # fmt: skip


def test_a_missing_key_of_openrouter_names_what_the_keys_that_are_set_can_ask() -> None:
    for use, variables, said in WITHOUT_A_KEY:
        env = dict.fromkeys(variables, "sk-1234567890")
        try:
            connections.check_openrouter_key(use, env)
            error = ""
        except UsageError as stop:
            error = str(stop)
        assert [words for words in said if words not in error] == [], error
        assert bool(error) == bool(said), error


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
        chosen = Models(registry=LISTED).subjects(names, overrides, SUITE)
        assert {subject.model_id: subject.temperature for subject in chosen} == expected
    (subject,) = Models(registry=LISTED).subjects(["acme/other"] * 2, AS_IT_IS, SUITE)
    assert subject.label.endswith("-t0.2")


def test_variables_of_a_suite_name_its_judge_and_its_subject_where_they_name_one() -> None:
    for value in ("", "  ", "your-scorer-model", "<model>", "xxx"):
        assert subjects.default_judge(RENT, {"OPENROUTER_SCORER_MODEL": value}) == DEFAULT_JUDGE
    assert subjects.default_judge(RENT, {}) == DEFAULT_JUDGE
    env = {"OPENROUTER_SCORER_MODEL": " acme/judge "}
    assert subjects.default_judge(RENT, env) == "acme/judge"
    assert subjects.default_judge(V2, env) == DEFAULT_JUDGE
    other = msgspec.structs.replace(RENT, default=msgspec.structs.replace(RENT.default, judge="SCORER"))
    assert subjects.default_judge(other, {**env, "SCORER": "cues"}) == "cues"
    second = {"LLM_SCORER_MODEL": "openrouter/acme/other", "LLM_MODEL": "acme/m"}
    assert subjects.judge_of_environment(RENT, second) == ("openrouter/acme/other", "LLM_SCORER_MODEL")
    assert subjects.default_judge(RENT, second | env) == "acme/judge"
    assert subjects.named_by_environment(RunOptions(), RENT, second) == ("acme/m", "LLM_MODEL")
    assert subjects.judge_of_environment(V2, second) is None
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
        (chosen,) = Models(registry=known).subjects(names, AS_IT_IS, SUITE)
        assert chosen.config_dir.endswith("-t0.2")
        assert Models(registry=known).subjects(names, AS_IT_IS)[0].temperature == 0.7


def test_an_entry_or_a_label_that_states_a_temperature_keeps_it(tmp_path: Path) -> None:
    for stated in (0.7, 0, 1.3):
        known = loaded(tmp_path, f"models: [{{model_id: acme/m, temperature: {stated}}}]")
        assert Models(registry=known).subjects(["acme/m"], AS_IT_IS, SUITE)[0].temperature == stated
    known = loaded(tmp_path, "models: [{model_id: acme/m, reasoning_effort: low}]")
    for label, temperature in (("m@low-t0.7", 0.7), ("m@low-t0.2", 0.2)):
        (chosen,) = Models(registry=known).subjects([label], AS_IT_IS, SUITE)
        assert (chosen.label, chosen.temperature) == (label, temperature)


def test_the_registry_that_ships_and_its_roster_are_asked_at_the_temperature_of_a_suite_that_has_one() -> None:
    shipped = registry.load(Path(registry.PUBLISHED))
    for listed in (Models(registry=shipped).of_roster(), [subject for subject in shipped.subjects if subject.active]):
        free = [one for one in Models(registry=shipped).subjects(listed, AS_IT_IS, SUITE) if one.temperature_supported]
        assert {one.temperature for one in free if one.sampling.temperature not in (0.0, 1.0)} == {0.2}
        assert all(one.label.endswith(f"-t{one.temperature}") for one in free)
        assert 0.7 in {one.temperature for one in Models(registry=shipped).subjects(listed, AS_IT_IS)}


def test_a_display_label_that_names_a_temperature_is_asked_at_it_or_not_shown(tmp_path: Path) -> None:
    label = "m+acme@low-t0.7"
    text = f'models: [{{model_id: acme/m, reasoning_effort: low, provider: acme/fp8, display_label: "{label}"}}]'
    known = loaded(tmp_path, text)
    (named,) = Models(registry=known).subjects([label], AS_IT_IS, SUITE)
    assert (named.label, named.temperature) == (label, 0.7)
    (listed,) = Models(registry=known).subjects(known.subjects, AS_IT_IS, SUITE)
    assert (listed.label, listed.temperature) == ("m+acme-fp8@low-t0.2", 0.2)
    (usual,) = Models(registry=known).subjects(known.subjects, AS_IT_IS)
    assert (usual.label, usual.temperature) == (label, 0.7)


ROUTER = Endpoint("openrouter", "https://host/v1", "openrouter")
LOCAL = Endpoint("local", "http://here/v1", "local", timeout_s=600.0)
SIM = Endpoint("sim", "http://sim/v1", "openrouter", max_concurrency=200)
LAB = Endpoint("lab", "http://lab/v1", "openrouter", max_concurrency=8)
PROXY = Endpoint("proxy", "http://proxy/v1", "openrouter", max_concurrency=20)
BOUNDED = Registry(
    endpoints=(
        EndpointEntry(name="lab", base_url="http://lab/v1", max_concurrency=8, requests_per_second=4.0, burst=3),
        EndpointEntry(name="proxy", base_url="http://proxy/v1"),
    ),
    limits={
        ModelPin("lab", "m", None): ModelEntry(rate_limit=RateLimit(rps=1.0), concurrency=2),
        ModelPin("openrouter", "n", "host"): ModelEntry(concurrency=5),
    },
)


NOTHING, NO_FLAGS = EnvironmentSettings(), ConnectionOptions()


def bounded(
    settings: EnvironmentSettings = NOTHING, flags: ConnectionOptions = NO_FLAGS, known: Registry = BOUNDED
) -> dict[str, Endpoint]:
    endpoints = {endpoint.name: endpoint for endpoint in (ROUTER, LOCAL, SIM, LAB, PROXY)}
    return connections.bounded(endpoints, known, settings, flags)


def test_where_nobody_says_anything_nothing_is_bounded() -> None:
    assert bounded(known=Registry()) == {e.name: e for e in (ROUTER, LOCAL, SIM, LAB, PROXY)}


PACED = EnvironmentSettings(pacing={"openrouter": RateSetting(2.0, 7)})


@pytest.mark.parametrize(
    ("settings", "flags", "expected", "of_a_model"),
    [
        # The environment paces what speaks as OpenRouter, and the file goes over it.
        (PACED, NO_FLAGS, [Rate(2.0, 7), None, None, Rate(4.0, 3), Rate(2.0, 7)], Rate(1.0, 3)),
        # Flags go over everything and concern every endpoint; one changes what it names and nothing else.
        (PACED, ConnectionOptions(rps=50.0),
         [Rate(50.0, 7), Rate(50.0, 1), Rate(50.0, 1), Rate(50.0, 3), Rate(50.0, 7)], Rate(50.0, 3)),
    ],
)  # fmt: skip
def test_an_endpoint_and_each_of_its_models_has_the_rate_that_was_set_last(
    settings: EnvironmentSettings, flags: ConnectionOptions, expected: list[Rate | None], of_a_model: Rate
) -> None:
    found = bounded(settings, flags)
    assert [found[name].rate for name in ("openrouter", "local", "sim", "lab", "proxy")] == expected
    assert found["lab"].bounds == (ModelBounds("m", None, of_a_model, 2),)
    assert found["openrouter"].bounds == (ModelBounds("n", "host", expected[0], 5),)


def test_a_cap_of_the_environment_never_raises_what_the_file_declares() -> None:
    caps = {name: e.max_concurrency for name, e in bounded(EnvironmentSettings(concurrency=12)).items()}
    assert caps == {"openrouter": 12, "local": 12, "sim": 12, "lab": 8, "proxy": 12}
    assert bounded(EnvironmentSettings(concurrency=3))["lab"].max_concurrency == 3


@pytest.mark.parametrize(("calls", "router", "lab"), [(None, 3, 3), (2, 3, 3), (6, 6, 6), (30, 30, 8), (99, 50, 8)])
def test_a_larger_number_of_calls_on_the_command_line_wins_over_the_cap(calls: int, router: int, lab: int) -> None:
    found = bounded(EnvironmentSettings(concurrency=3), ConnectionOptions(parallel_tasks=calls))
    assert (found["openrouter"].max_concurrency, found["lab"].max_concurrency) == (router, lab)
    assert bounded(flags=ConnectionOptions(parallel_tasks=calls))["openrouter"].max_concurrency == 50


def test_patience_of_the_environment_holds_everywhere_but_gives_way_to_a_flag() -> None:
    found = bounded(EnvironmentSettings(timeout_s=2.5, retries=0))
    assert {(e.timeout_s, e.retries) for e in found.values()} == {(2.5, 0)}
    found = bounded(EnvironmentSettings(timeout_s=2.5), ConnectionOptions(local_timeout=600.0))
    assert (found["local"].timeout_s, found["lab"].timeout_s) == (600.0, 2.5)


def test_servers_of_ones_own_are_streamed_and_asked_as_often_as_they_have_slots_unless_somebody_says_otherwise() -> (
    None
):
    known = Registry(
        endpoints=(
            EndpointEntry(name="box", base_url="http://box/v1"),
            EndpointEntry(name="whole", base_url="http://box/v1", stream=False, max_concurrency=9),
            EndpointEntry(name="hosted", base_url="http://box/v1", dialect="openrouter"),
            EndpointEntry(name="live", base_url="http://box/v1", dialect="openrouter", stream=True),
        )
    )
    names, env = ("box", "whole", "hosted", "live", "local"), {"LOCAL_MODEL_URL": "http://box"}

    def how(env: dict[str, str] = env, **flags: Any) -> list[tuple[str, bool, bool, int]]:
        found = connections.endpoints(names, known, env, ConnectionOptions(**flags))
        return [(name, one.stream, one.by_slots, one.max_concurrency) for name, one in found.items()]

    assert how() == [
        ("box", True, True, 20), ("whole", False, False, 9), ("hosted", False, False, 20), ("live", True, False, 20),
        ("local", True, True, 4),
    ]  # fmt: skip
    assert [stream for _, stream, *_ in how(stream=True)] == [True] * 5
    assert [stream for _, stream, *_ in how(stream=False)] == [False] * 5
    assert [most for *_, most in how(parallel_tasks=6)] == [20, 9, 20, 20, 6]
    capped = how(env | {"BENCH_CONCURRENCY": "3"})
    assert {(by_slots, most) for *_, by_slots, most in capped} == {(False, 3)}


def test_a_model_has_a_timeout_of_its_own_over_its_endpoints_over_the_environments() -> None:
    known = Registry(
        endpoints=(EndpointEntry(name="lab", base_url="http://lab/v1", timeout_s=30.0),),
        limits={ModelPin("openrouter", "slow/m", None): ModelEntry(timeout_s=300.0)},
    )
    for settings, usual in ((NOTHING, 90.0), (EnvironmentSettings(timeout_s=7.0), 7.0)):
        found = bounded(settings, known=known)
        assert found["openrouter"].timeout_of("slow/m") == 300.0
        assert found["openrouter"].timeout_of("quick/m") == usual
        assert found["lab"].timeout_of("any") == 30.0
        assert found["openrouter"].timeout_of("nvidia/any", slow=True) == (240.0 if settings == NOTHING else 7.0)
    assert found["local"].timeout_of("nvidia/any") == 7.0
