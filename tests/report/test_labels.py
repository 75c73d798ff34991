from __future__ import annotations

import pytest

from independence.report.labels import fitted, short


def test_the_tail_goes_where_the_rest_is_unique() -> None:
    labels = ["acme/a@none-t0.7", "acme/b@low-t0.7", "acme/b@high-t0.7"]
    assert short(labels[0], labels, simulated=False) == "acme/a"
    assert short(labels[1], labels, simulated=False) == labels[1]


def test_a_simulated_subject_says_so_unless_its_name_does() -> None:
    assert short("mine@x", ["mine@x"], simulated=True) == "mine (sim)"
    assert short("sim/half@x", ["sim/half@x"], simulated=True) == "sim/half"


@pytest.mark.parametrize("room", [5, 8, 13])
def test_a_long_name_keeps_both_ends(room: int) -> None:
    text = fitted("abcdefghijklmnopqrstuvwxyz", room)
    assert len(text) == room
    assert (text[0], text[-1]) == ("a", "z")
    assert fitted("short", room) == "short"
