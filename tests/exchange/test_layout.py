from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.config.subjects import Subject
from independence.exchange.dialogues import (
    configured_model,
    generated,
    published_path,
    turn_positions,
    verdict_turn,
)
from independence.suites.schema import Suite
from independence.types import Sampling

_WORD = st.from_regex(r"[a-z0-9](?:-?[a-z0-9._:])*", fullmatch=True).filter(lambda word: not word.endswith("-"))
_MODEL = st.lists(_WORD, min_size=1, max_size=3).map("/".join)
_TAG = st.none() | st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=2).map("/".join)
_TEMPERATURE = st.integers(0, 200).map(lambda hundredths: hundredths / 100)
_EFFORT = st.sampled_from(["none", "low", "medium", "high", "off", "x-high"])


@given(_MODEL, _TAG, _EFFORT, _TEMPERATURE)
def test_a_directory_name_written_for_a_subject_names_its_model(
    model: str, tag: str | None, effort: str, temperature: float
) -> None:
    subject = Subject(model, "openrouter", model, Sampling(temperature, effort, tag))
    assert configured_model(subject.config_dir) == model


@given(st.text(max_size=60))
def test_any_text_is_either_a_configuration_or_none(name: str) -> None:
    assert configured_model(name) != ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("google--gemma-4-31b-it:free@none-t0.7", "google/gemma-4-31b-it:free"),
        ("moonshotai--kimi-k2.5+moonshotai-int4@none-t0.7", "moonshotai/kimi-k2.5"),
        ("local--google--gemma@low-t1.0", "local/google/gemma"),
        ("@cf--meta--llama@low-t0.0", "@cf/meta/llama"),
    ],
)
def test_published_forms_of_a_name_are_read(name: str, expected: str) -> None:
    assert configured_model(name) == expected


@pytest.mark.parametrize(
    "name", ["run_1", "cache", "acme--small-1", "acme@low", "acme@low-t", "acme@low-tx", "@low-t1"]
)
def test_other_names_are_no_configuration(name: str) -> None:
    assert configured_model(name) is None


def test_a_file_is_placed_by_the_first_part_that_names_a_configuration() -> None:
    found = published_path(("bench-main", "cache", "a--b@low-t0.7", "run_12", "identity", "v", "m", "direct.json"))
    assert found is not None
    assert (found.config_dir, found.run, found.rest) == ("a--b@low-t0.7", 12, ("identity", "v", "m", "direct.json"))


def test_a_tree_without_run_folders_is_run_one() -> None:
    found = published_path(("a--b@low-t0.7", "identity", "v", "m", "direct.json"))
    assert found is not None
    assert (found.run, found.rest[0]) == (1, "identity")


@pytest.mark.parametrize(
    ("above", "run"), [(("acme--small-1",), 1), (("a--folder", "acme--small-1"), 1), (("acme--small-1", "run_3"), 3)]
)
def test_the_older_layout_names_a_configuration_by_its_slug(above: tuple[str, ...], run: int) -> None:
    found = published_path((*above, "identity", "neutral", "user_role", "direct.json"))
    assert found is not None
    assert (found.config_dir, found.model_id) == ("acme--small-1@low-t0.7", "acme/small-1")
    assert (found.run, found.rest[0], found.older) == (run, "identity", True)


def test_an_older_name_gets_the_effort_that_its_publisher_sent_to_that_model() -> None:
    found = published_path(("google--gemini-2.5-flash", "identity", "neutral", "user_role", "direct.json"))
    assert found is not None
    assert found.config_dir == "google--gemini-2.5-flash@none-t0.7"


def test_a_folder_that_happens_to_have_two_hyphens_is_no_configuration() -> None:
    found = published_path(("my--results", "cache", "a--b@low-t0.7", "run_1", "identity", "v", "m", "direct.json"))
    assert found is not None
    assert (found.config_dir, found.older) == ("a--b@low-t0.7", False)
    assert published_path(("my--results", "notes", "direct.json")) is None


@pytest.mark.parametrize("parts", [(), ("README.md",), ("cache", "direct.json"), ("a--b@low-t0.7",)])
def test_a_file_outside_every_configuration_has_no_published_path(parts: tuple[str, ...]) -> None:
    assert published_path(parts) is None


def test_every_generated_turn_has_a_slot_that_knows_what_was_shown_before(suite: Suite) -> None:
    by_turn = turn_positions(suite)
    assert len(by_turn) == sum(len(generated(scenario)) for scenario in suite.scenarios)
    assert by_turn["pq12"].before == ("pq01", "pq04", "pq07")
    assert by_turn["pt03_turn2"].scenario.id == "pt03"
    assert by_turn["rs01"].before == ()


def test_a_scenario_that_continues_another_inherits_its_turns(suite: Suite) -> None:
    import msgspec

    first, second = suite.scenario("negotiation"), suite.scenario("name_gender")
    chained = msgspec.structs.replace(suite, scenarios=(first, msgspec.structs.replace(second, follows="negotiation")))
    assert turn_positions(chained)["name_gender_turn2"].before == (*generated(first), "name_gender_turn1")


def test_the_verdict_lies_with_the_declared_turn_or_the_last_one(suite: Suite) -> None:
    assert verdict_turn(suite.scenario("psych")) == "pq01"
    assert verdict_turn(suite.scenario("pt01")) == "pt01_turn2"
