from __future__ import annotations

import pytest

from independence.report.legend import distinct_labels, fitted, short, tight


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


PREVIEWS = [f"google/gemini-2.5-flash-lite-preview-{month:02}-2025@none-t0.7" for month in (6, 9, 11)]


@pytest.mark.parametrize("room", [18, 22, 26])
def test_different_names_stay_different_and_are_cut_in_their_middle(room: int) -> None:
    cut = distinct_labels([*PREVIEWS, "acme/short", PREVIEWS[0]], room)
    assert len(set(cut)) == 4
    assert cut[0] == cut[4]
    assert cut[3] == "acme/short"
    assert all(len(text) == room and text.startswith("g") and not text.endswith("…") for text in cut[:3])


def test_a_cut_shows_where_names_differ() -> None:
    names = [f"acme/model-{letter}-preview-of-something-else@none-t0.7" for letter in "pqr"]
    cut = distinct_labels(names, 22)
    assert [letter in text for letter, text in zip("pqr", (text[11:12] for text in cut), strict=True)] == [True] * 3


def test_a_simulated_subject_says_so_where_its_name_is_cut() -> None:
    names = ["mine-with-a-long-name@none-t0.7 (simulated)", "other", "sim/half@none-t0.7 (simulated)"]
    assert tight(names, 50) == names
    assert tight(names, 24) == ["mine-with-a…e-t0.7 (sim)", "other", "sim/half@none-t0.7"]


def test_names_that_no_cut_tells_apart_are_numbered() -> None:
    names = ["a" * 20 + middle + "z" * 20 for middle in "bcd"]
    cut = distinct_labels([*names, "e"], 12)
    assert len(set(cut)) == 4
    assert [text[-2:] for text in cut[:3]] == ["~1", "~2", "~3"]
    assert max(map(len, cut)) <= 12


def test_a_numbered_name_is_not_that_of_another() -> None:
    names = ["a" * 20 + middle + "z" * 20 for middle in "bc"]
    other = distinct_labels(names, 12)[0]
    assert len(set(distinct_labels([other, *names], 12))) == 3


def test_of_a_vendor_and_a_model_the_vendor_is_cut() -> None:
    assert fitted("anthropic/claude-sonnet-4.5", 22) == "ant…/claude-sonnet-4.5"
    assert fitted("anthropic/claude-sonnet-4.5", 12) == "anthrop…-4.5"
