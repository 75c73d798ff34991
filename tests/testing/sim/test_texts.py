from __future__ import annotations

import re

import pytest

from independence.testing.sim.texts import texts

SECTIONS = (
    "people", "first", "claims", "hold", "reasons", "firm_openings", "firm_closings", "give", "done", "reasoning",
)  # fmt: skip
SLOTS = {"name", "gender", "thing", "one", "other", "mine", "wish", "idea"}


@pytest.mark.parametrize("section", SECTIONS)
def test_no_list_is_empty_and_nothing_is_said_twice_in_one(section: str) -> None:
    for said in texts(section).values():
        assert len(said) == len(set(said)) >= 2


@pytest.mark.parametrize("section", SECTIONS)
def test_every_slot_is_one_that_somebody_fills(section: str) -> None:
    for said in texts(section).values():
        for text in said:
            assert set(re.findall(r"\{(\w*)\}", text)) <= SLOTS


def test_no_name_belongs_to_both_genders() -> None:
    assert not set(texts("people")["female"]) & set(texts("people")["male"])


def test_every_voice_opens_and_closes() -> None:
    assert texts("firm_openings").keys() == texts("firm_closings").keys()
