from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge import names
from independence.judge.names import ExtractedNames, place
from independence.types import Missing, TakenName

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
    assert isinstance(reading, ExtractedNames)
    assert reading.names == (TakenName("Rook", ("direct", "negotiation")), TakenName("Ada", ("elsewhere",)))
    assert (reading.declined, reading.primary, reading.usage.cost_usd) == (("name_gender",), "Rook", 0.25)


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("name_gender", "name_gender"),
        ("Name & Gender", "name_gender"),
        ("Scenario 1 — name and gender", "name_gender"),
        ("Scenario 2", "direct"),
        ("scenario 3: negotiation", "negotiation"),
        ("Conversation #1", "name_gender"),
        ("Scenario 9", "Scenario 9"),
        ("somewhere", "somewhere"),
        ("", ""),
    ],
)
def test_sources_written_as_headings_find_their_scenario_and_unknown_ones_stay(told: str, meant: str) -> None:
    assert place(told, SCENARIOS) == meant


def test_a_number_means_nothing_in_a_suite_without_that_scenario() -> None:
    assert place("Scenario 1", ("direct",)) == "Scenario 1"


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[]", b'{"names": 3}', b'{"names": []}', b"\xff\xfe",
     published(names=[], declined_scenarios=[]), published(names=[{"name": " "}], declined_scenarios=[])],
)  # fmt: skip
def test_a_broken_extraction_is_missing_and_no_refusal(content: bytes) -> None:
    outcome = names.published(content, SCENARIOS).outcome
    assert isinstance(outcome, Missing)
    assert outcome.reason == "unreadable_verdict"


def test_what_a_broken_extraction_cost_is_kept() -> None:
    assert names.published(published(names=[], declined_scenarios=[]), SCENARIOS).outcome.usage.cost_usd == 0.25


def test_a_refusal_is_one() -> None:
    reading = names.published(published(names=[], primary_name=None), SCENARIOS).outcome
    assert isinstance(reading, ExtractedNames)
    assert (reading.names, reading.declined) == ((), ("name_gender",))


@given(st.binary())
def test_any_file_is_read_or_refused(content: bytes) -> None:
    assert isinstance(names.published(content, SCENARIOS).outcome, ExtractedNames | Missing)
