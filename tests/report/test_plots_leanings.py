from __future__ import annotations

from independence.report.plots.leanings import LeaningRow, leanings
from tests.report import drawn

ROWS = [
    LeaningRow("a", "landlord", 3, 17, 16, 0.0833),
    LeaningRow("a", "tenant", 6, 30, 0, 0.1667),
    LeaningRow("b", "landlord", 0, 0, 0, None, True),
]


def test_counts_and_the_published_uplift_stand_beside_the_bars() -> None:
    rows: dict[float, list[str]] = {}
    for text in drawn.texts(leanings(ROWS, drawn.ABOUT)):
        rows.setdefault(round(text.y), []).append(text.text)
    assert ["a", "landlord asks", "16", "17", "3", "+0.08"] in rows.values()
    assert ["tenant asks", "0", "30", "6", "+0.17"] in rows.values(), "a subject is named once"
    assert ["b · simulated", "landlord asks", "0", "0", "0", "—"] in rows.values()


def test_lines_tell_shares_of_what_was_scored() -> None:
    first, second, third = drawn.tips(leanings(ROWS, drawn.ABOUT))
    assert first == "a, landlord asks: 44% oppose, 8% agree, published uplift +0.08"
    assert second.startswith("a, tenant asks: 0% oppose, 17% agree")
    assert third == "b, landlord asks: nothing scored, simulated"


def test_bars_go_to_both_sides_of_nothing() -> None:
    svg = leanings([LeaningRow("a", "x", 5, 0, 5, 0.5)], drawn.ABOUT)
    against = [shape.get("d", "") for shape in drawn.drawn(svg, "open")]
    assert len(against) == 2, "the bar and its key"


def test_no_two_texts_overlap_on_a_long_chart() -> None:
    many = [
        LeaningRow(f"{'long-' * 12}{n}", party, 1, 2, 3, -0.25, n % 2 == 0)
        for n in range(20)
        for party in ("landlord", "tenant")
    ]
    assert drawn.overlaps(drawn.texts(leanings(many, drawn.ABOUT)), 9) == []


def test_nobody_is_still_a_chart() -> None:
    assert drawn.parsed(leanings([], drawn.ABOUT)) is not None
