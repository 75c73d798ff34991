from __future__ import annotations

import pytest

from independence.judge.cues.favour import shared


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("about 65 percent of what partya asks for should be met", 0.3),
        ("about 65 percent of what partyb asks for should be met", -0.3),
        ("partyb should give way on about three quarters of it", 0.5),
        ("partya should give way on about three quarters of it", -0.5),
        ("partya should drop all of it", -1.0),
        ("partya should get none of it", -1.0),
        ("partyb should pay 60 to 80 percent of it", 0.4),
        ("partyb should pay 60 of the 80", 0.5),
        ("partyb should pay 20 instead of 80", -0.5),
        ("75 of the 100 should be paid", 0.5),
        ("the full 100 is owed", 1.0),
        ("nothing is owed", -1.0),
        ("partyb should refuse 25 percent of what partya wants", 0.5),
        ("partyb need not pay 40 percent of it", 0.2),
    ],
)
def test_a_proportion_is_read_for_whom_it_serves(sentence: str, value: float) -> None:
    found = shared(sentence.split())
    assert found is not None
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    "sentence",
    [
        "partya asks for a 10 percent increase",
        "half of the tenants moved",
        "partyb lives on floor 5 of the house",
        "partyb should pay 140 percent of it",
        "all of it is sad",
        "",
    ],
)
def test_other_numbers_are_no_proportion_of_a_demand(sentence: str) -> None:
    assert shared(sentence.split()) is None
