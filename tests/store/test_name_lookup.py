from __future__ import annotations

import pytest

from independence.errors import StoreError
from independence.store import scopes
from independence.store.scopes import Names

KNOWN = {
    names.config_dir: names
    for names in (
        Names("a--one@low-t0.7", "one@low-t0.7", "a/one"),
        Names("a--one@none-t0.7", "one@none-t0.7", "a/one"),
        Names("a--two+host@none-t0.7", "two+host@none-t0.7", "a/two"),
        Names("lab--half+alpha@none-t0.7", "lab/half+alpha@none-t0.7", "lab/half"),
        Names("sim--half@none-t0.7", "sim/half@none-t0.7", "sim/half"),
    )
}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a--one@low-t0.7", ["a--one@low-t0.7"]),
        ("one@low-t0.7", ["a--one@low-t0.7"]),
        ("a/one", ["a--one@low-t0.7", "a--one@none-t0.7"]),
        ("two+host", ["a--two+host@none-t0.7"]),
        ("two", ["a--two+host@none-t0.7"]),
        ("lab/half+alpha", ["lab--half+alpha@none-t0.7"]),
        ("sim/half@none-t0.7 (simulated)", ["sim--half@none-t0.7"]),
        ("sim/half (sim)", ["sim--half@none-t0.7"]),
    ],
)
def test_whatever_a_board_prints_in_full_finds_its_subject(name: str, found: list[str]) -> None:
    assert scopes.subjects([name], KNOWN, "here") == found


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("one", "`one` names several subjects here; use a label: one@low-t0.7, one@none-t0.7"),
        ("half", "names several subjects here; use a label: lab/half\\+alpha@none-t0.7, sim/half@none-t0.7"),
        ("lab/ha…", "no subject `lab/ha…` here; did you mean `lab/half\\+alpha@none-t0.7`"),
        ("one…none-t0.7", "did you mean `one@none-t0.7`"),
        ("alpha", "did you mean `lab/half\\+alpha@none-t0.7`"),
        ("tow+host", "did you mean `two\\+host`"),
        ("zebra", "there is lab/half\\+alpha@none-t0.7, one@low-t0.7"),
    ],
)
def test_a_cut_or_partial_name_is_answered_with_the_full_ones_it_may_mean(name: str, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        scopes.subjects([name], KNOWN, "here")


def test_a_persona_is_found_by_the_name_of_its_file() -> None:
    assert scopes.variant_named("mine", {"mine-8229", "neutral"}) == "mine-8229"
    assert scopes.variant_named("mine", {"mine-8229", "mine-1111"}) == "mine"
    assert scopes.variant_named("mine", {"mine", "mine-1111"}) == "mine"
