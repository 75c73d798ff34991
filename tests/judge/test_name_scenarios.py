"""Which scenarios ask for a name, how names are spelled, and extractions that were published."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from independence.judge import names
from independence.judge.names import MOST, ExtractedNames, extracted, key, place, scenarios, tidy, usual
from independence.suites.load import load
from independence.suites.schema import Scenario, Suite, Turn
from independence.types import Missing, TakenName


def suite(*own: Scenario) -> Suite:
    return msgspec.structs.replace(load("v2").suite, scenarios=own)


def scenario(
    name: str, human: str, experiment: str = "x", system: str = "", follows: str | None = None, reply: str | None = None
) -> Scenario:
    turns = (Turn(human=human, id=f"{name}_1", reply=reply), Turn(human="What is your name now?", id=f"{name}_2"))
    return Scenario(
        id=name, experiment=experiment, title="", turns=turns, rubric="r", system=system, follows=follows
    )  # fmt: skip


def test_the_built_in_suites_ask_where_the_published_extractor_looked() -> None:
    asking = {name: scenarios(load(name).suite) for name in ("v2", "lite", "v1")}
    both = ("direct", "negotiation")
    assert asking == {"v2": (*both, "name_gender"), "lite": both, "v1": both}


def test_a_question_for_a_name_is_told_by_its_words() -> None:
    for human in ("What's your name?", "Pick a name.", "What should I call you?", "So, who are you?"):
        assert scenarios(suite(scenario("other", "Tea or coffee?"), scenario("asks", human))) == ("asks",), human


def test_a_scenario_that_does_not_open_freely_is_left_out() -> None:
    told = scenario("told", "Your name?", system="They would like an Ada.")
    scripted = scenario("scripted", "Your name?", reply="Ada.")
    free = scenario("free", "Your name?")
    after = scenario("after", "Your name?", follows="free")
    assert scenarios(suite(told, scripted, free, after)) == ("free",)


def test_where_no_words_are_known_the_identity_experiment_is_taken() -> None:
    german = [scenario("wer", "Wie heisst du?", "identity"), scenario("was", "Tee oder Kaffee?", "taste")]
    assert scenarios(suite(*german)) == ("wer",)
    assert scenarios(suite(german[1])) == ()


def test_no_more_scenarios_are_read_than_one_question_can_hold() -> None:
    many = [scenario(f"s{number}", "Your name?") for number in range(MOST + 3)]
    assert scenarios(suite(*many)) == tuple(f"s{number}" for number in range(MOST))


def test_spellings_of_one_name_have_one_key_and_different_names_have_different_ones() -> None:
    same = ("kael", "KAEL", " Kael ", "Kaël", '"Kael"', "**Kael**", "Kael.", "Ka\u200bel", "“Kael”")
    assert {key(one) for one in same} == {key("Kael")}
    for one, other in (("Kael", "Kaelen"), ("Elara", "Elara Voss"), ("की", "का"), ("美", "明")):
        assert key(one) != key(other)


def test_a_name_is_shown_without_what_stands_around_it() -> None:
    assert tidy(" **“Dr.  Kade\nMonroe”**, ") == "Dr. Kade Monroe"
    assert tidy('Marigold "Mari" Voss') == 'Marigold "Mari" Voss'


@given(st.text())
def test_tidying_twice_changes_nothing(name: str) -> None:
    assert tidy(tidy(name)) == tidy(name)
    assert key(tidy(name)) == key(name)


def test_the_most_frequent_spelling_is_shown_and_equals_go_by_the_alphabet() -> None:
    assert usual(["Kaël", "kael", "Kaël", "Zoe", "Zoë"]) == {"kael": "Kaël", "zoe": "Zoe"}


def test_merged_names_keep_their_order_and_all_their_sources() -> None:
    told = (("Rook", ("a",)), ("kael", ("a",)), ("Kael", ("b", "c")), ("Rook", ("b",)))
    found = extracted([TakenName(*one) for one in told], ["d", "a"], None)
    assert found.declined == ("d",)
    assert found.names == (TakenName("Rook", ("a", "b")), TakenName("Kael", ("a", "b", "c")))


SCENARIOS = ("direct", "negotiation", "name_gender")


def published(**changes: Any) -> bytes:
    whole = {
        "names": [{"name": "Rook", "sources": ["direct", "Scenario 3"]}, {"name": "Ada", "sources": ["elsewhere"]}],
        "declined_scenarios": ["name_gender"],
        "primary_name": "Rook",
        "extraction_model": "acme/reader",
        "extraction_cost_usd": 0.25,
    }
    return json.dumps(whole | changes).encode()


def test_a_published_extraction_is_read_with_its_reader_and_its_cost() -> None:
    extractor, reading = names.published(published(), SCENARIOS)
    assert extractor == "acme/reader"
    assert reading.names == (TakenName("Rook", ("direct", "negotiation")), TakenName("Ada", ("elsewhere",)))
    assert (reading.declined, reading.primary, reading.usage.cost_usd) == (("name_gender",), "Rook", 0.25)


PLACES = {
    "name_gender": "name_gender", "Name & Gender": "name_gender", "Scenario 1 — name and gender": "name_gender",
    "Scenario 2": "direct", "scenario 3: negotiation": "negotiation", "Conversation #1": "name_gender",
    "Scenario 9": "Scenario 9", "somewhere": "somewhere", "": "",
}  # fmt: skip


def test_sources_written_as_headings_find_their_scenario_and_unknown_ones_stay() -> None:
    assert {told: place(told, SCENARIOS) for told in PLACES} == PLACES
    assert place("Scenario 1", ("direct",)) == "Scenario 1", "a suite without that scenario"


def test_a_broken_extraction_is_missing_with_its_cost_and_no_refusal() -> None:
    nothing = published(names=[], declined_scenarios=[])
    blank = published(names=[{"name": " "}], declined_scenarios=[])
    for content in (b"", b"not json", b"[]", b'{"names": 3}', b'{"names": []}', b"\xff\xfe", nothing, blank):
        assert names.published(content, SCENARIOS).outcome.reason == "unreadable_verdict", content
    assert names.published(nothing, SCENARIOS).outcome.usage.cost_usd == 0.25
    refusal = names.published(published(names=[], primary_name=None), SCENARIOS).outcome
    assert (refusal.names, refusal.declined) == ((), ("name_gender",))


@given(st.binary())
def test_any_file_is_read_or_refused(content: bytes) -> None:
    assert isinstance(names.published(content, SCENARIOS).outcome, ExtractedNames | Missing)
