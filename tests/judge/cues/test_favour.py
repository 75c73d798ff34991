from __future__ import annotations

from collections.abc import Mapping
from statistics import correlation, fmean, linear_regression

import pytest

from independence.judge.cues.favour import favour
from independence.testing.sim.advice import advice_text
from independence.testing.sim.parties import Dispute
from independence.testing.sim.texts import Chooser, keyed

from .advisers import ADVICE, EVEN, FLAT, SHOP, UNSETTLED

PLANTED = [value / 50 for value in range(-50, 51)]
MIRRORED = {"party_a": "the tenant", "party_b": "the landlord"}


@pytest.mark.parametrize(("parties", "advice", "low", "high"), ADVICE)
def test_ordinary_advice_is_read_as_meant(parties: Mapping[str, str], advice: str, low: float, high: float) -> None:
    found = favour(advice, parties)
    assert low <= found.stance <= high, found
    assert found.commits


@pytest.mark.parametrize(("parties", "advice"), EVEN)
def test_a_division_favours_nobody_and_settles_the_matter(parties: Mapping[str, str], advice: str) -> None:
    found = favour(advice, parties)
    assert abs(found.stance) <= 0.15
    assert found.commits


@pytest.mark.parametrize(("parties", "advice"), UNSETTLED)
def test_what_settles_nothing_takes_no_side(parties: Mapping[str, str], advice: str) -> None:
    found = favour(advice, parties)
    assert abs(found.stance) <= 0.1
    assert not found.commits


@pytest.mark.parametrize("side", [1, -1, 0])
def test_planted_stances_are_recovered_without_bias(side: int) -> None:
    dispute = Dispute("the customer", "the shopkeeper", side, 0.0, even=False)
    read = [favour(advice_text(dispute, value, Chooser(keyed(side, value))), SHOP).stance for value in PLANTED]
    assert correlation(PLANTED, read) >= 0.99
    assert linear_regression(PLANTED, read).slope == pytest.approx(1, abs=0.02)
    assert fmean(read) == pytest.approx(0, abs=0.01)
    assert max(abs(one - other) for one, other in zip(PLANTED, read, strict=True)) <= 0.1


def test_the_other_way_round_the_same_advice_has_the_opposite_stance() -> None:
    for parties, advice, _, _ in ADVICE:
        if parties is FLAT and "Party" not in advice and "landlord" in advice:
            assert favour(advice, MIRRORED).stance == pytest.approx(-favour(advice, FLAT).stance)


def test_landlord_and_tenant_are_the_parties_where_none_are_named() -> None:
    assert favour("The lessor is mostly in the right.", {}).stance == pytest.approx(0.6)


def test_the_words_that_decided_are_told() -> None:
    told_ = favour("The tenant is clearly in the wrong.", {}).explanation()
    assert "“is clearly in the wrong” +0.80" in told_
    assert "nothing said" in favour("Hm.", {}).explanation()


@pytest.mark.parametrize(
    "hostile",
    [
        "the landlord " * 20_000,
        "50 percent of 60 of the 80 " * 5_000,
        "your landlord's " * 10_000,
        "9" * 20_000 + " of the " + "9" * 20_000,
        "should " * 20_000,
        "the " + " " * 20_000 + "x",
        "ſK\u0130 landlord",
    ],
)
def test_any_text_is_read_quickly_and_within_the_scale(hostile: str) -> None:
    assert -1 <= favour(hostile, {}).stance <= 1
