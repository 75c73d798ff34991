from __future__ import annotations

import pytest

from independence.report.plots.board import ForestRow, forest
from tests.report import drawn


def many(count: int) -> list[ForestRow]:
    return [
        ForestRow(
            f"vendor-model-{place}-with-a-{'long-' * (place % 9)}name@low-t0.7", 99 - place * 0.6,
            (97 - place * 0.6, 101 - place * 0.6), (90 - place * 0.6, 103.0), 1 + place // 7,
        )
        for place in range(count)
    ]  # fmt: skip


PARTIAL = ForestRow("half", None, coverage=0.6, bounds=(35.3, 73.7), simulated=True)


@pytest.mark.parametrize("count", [0, 1, 2, 30, 110])
def test_no_two_texts_overlap_and_none_leaves_the_sheet(count: int) -> None:
    svg = forest([*many(count), PARTIAL], drawn.META)
    written = drawn.texts(svg)
    width, height = drawn.size(svg)
    assert drawn.overlaps(written) == []
    assert all(text.left >= 0 and text.right <= width and 0 < text.y < height for text in written)


def test_a_line_is_twenty_pixels_however_many_there_are() -> None:
    heights = [drawn.size(forest(many(count), drawn.META))[1] for count in (2, 3, 110)]
    assert heights[1] - heights[0] == 20
    assert heights[2] - heights[1] == 20 * 107


def test_a_large_fleet_stays_a_small_file() -> None:
    assert len(forest(many(108), drawn.META).encode()) < 150_000


def test_the_best_stand_on_top_and_incomplete_subjects_at_the_bottom() -> None:
    low, high = ForestRow("low", 40.0), ForestRow("high", 90.0)
    svg = forest([PARTIAL, low, high], drawn.META)
    places = {text.text: text.y for text in drawn.texts(svg)}
    assert places["high"] < places["low"] < places["half · simulated"]
    assert drawn.tips(svg) == ["high", "low", "half"]


def test_an_incomplete_subject_has_a_dashed_range_and_no_index() -> None:
    svg = forest([ForestRow("whole", 30.0), PARTIAL], drawn.META)
    words = [text.text for text in drawn.texts(svg)]
    assert "60% seen" in words
    assert "35.3–73.7" in words
    (legend, bar) = drawn.drawn(svg, "open")
    assert legend.get("class") == bar.get("class")
    assert "stroke-dasharray" in drawn.style(svg)[bar.attrib["class"]]
    assert drawn.drawn(forest([ForestRow("whole", 50.0)], drawn.META), "open") == []


def test_a_subject_with_a_rank_stands_at_its_place_with_range_and_interval() -> None:
    high, low = ForestRow("high", 95.0, (94.0, 96.0), tier=1), ForestRow("low", 60.0, (58.0, 62.0), tier=2)
    placed = ForestRow("placed ‡", None, (87.1, 92.3), (84.0, 94.0), coverage=0.99, bounds=(89.5, 90.2), placed=True)
    svg = forest([PARTIAL, low, placed, high], drawn.META)
    assert drawn.tips(svg) == ["high", "placed ‡", "low", "half"]
    places = {text.text: text.y for text in drawn.texts(svg)}
    assert places["high"] < places["placed ‡"] < places["low"] < places["Incomplete"] < places["half · simulated"]
    own = [places[text] for text in ("89.5–90.2", "87.1–92.3", "placed ‡")]
    assert max(own) - min(own) < 1
    assert "99% seen" not in places
    dashed = [shape for shape in drawn.drawn(svg, "open") if "dasharray" in drawn.style(svg)[shape.attrib["class"]]]
    assert len(dashed) == 3  # legend, its own range and that of the incomplete one
    assert drawn.overlaps(drawn.texts(svg)) == []
    narrow = forest([placed, high], drawn.META, narrow=True)
    assert "≥ 89.5" in [text.text for text in drawn.texts(narrow)]
    assert drawn.overlaps(drawn.texts(narrow)) == []
    assert "Incomplete" not in narrow


def test_each_tier_has_its_number_once_and_every_other_one_a_band() -> None:
    tiers = (1, 1, 2, 3, 3)
    rows = [ForestRow(f"s{place}", 90.0 - place, tier=tier) for place, tier in enumerate(tiers)]
    svg = forest(rows, drawn.META)
    assert [text.text for text in drawn.texts(svg) if text.right < 35] == ["1", "2", "3", "Tier"]
    assert len(drawn.drawn(svg, "band")) == 2
    assert drawn.drawn(forest([ForestRow("s", 90.0)], drawn.META), "band") == []


def test_a_range_that_goes_on_beyond_the_scale_is_open_there_and_has_an_arrow() -> None:
    inside, beyond = (
        forest([ForestRow("whole", 60.0), ForestRow("half", None, bounds=(low, 73.7))], drawn.META)
        for low in (55.0, 35.3)
    )
    assert [sum(shape.tag.endswith("use") for shape in drawn.drawn(svg, "open")) for svg in (inside, beyond)] == [0, 1]


def test_ends_beyond_the_scale_are_shown_at_its_end() -> None:
    others = [ForestRow(f"s{place}", 97.0, (96.0, 98.0), (92.0, 99.0)) for place in range(9)]
    svg = forest([ForestRow("wide", 98.0, (95.0, 101.5), (20.0, 140.0)), *others], drawn.META)
    words = [text.text for text in drawn.texts(svg)]
    assert "95.0–100.0" in words
    assert "90" in words
    assert "20" not in words, "one wide interval in ten does not set the scale"
    assert [shape.tag.endswith("use") for shape in drawn.drawn(svg, "soft")].count(True) == 1


def test_a_scale_shows_the_outer_intervals_of_most() -> None:
    rows = [ForestRow(f"s{place}", 90.0, (85.0, 95.0), (40.0, 99.0)) for place in range(3)]
    svg = forest(rows, drawn.META)
    assert {"40", "100"} <= {text.text for text in drawn.texts(svg)}


def test_an_absent_interval_is_a_dash_and_no_line() -> None:
    svg = forest([ForestRow("single", 80.0)], drawn.META)
    assert "—" in [text.text for text in drawn.texts(svg)]
    assert drawn.drawn(svg, "soft") == []


def test_a_simulated_subject_is_a_ring_and_called_simulated() -> None:
    real, simulated = (forest([ForestRow("who", 80.0, simulated=flag)], drawn.META) for flag in (False, True))
    assert "who · simulated" in [text.text for text in drawn.texts(simulated)]
    assert "index, simulated" in [text.text for text in drawn.texts(simulated)]
    assert "simulated" not in real


def test_a_hostile_label_is_text() -> None:
    svg = forest([ForestRow(drawn.HOSTILE, 80.0)], drawn.META)
    assert "<script" not in svg
    assert drawn.tips(svg)[0].startswith("<script>alert(1)</script>$x^2$& [31m漢")
