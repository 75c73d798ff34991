from __future__ import annotations

from independence.report.plots.strips import StripRow, strips
from tests.report import drawn


def dots(svg: str) -> int:
    return sum(element.tag.endswith("use") for element in drawn.parsed(svg).iter())


def test_every_run_is_a_dot_and_every_mean_a_tick() -> None:
    svg = strips([StripRow("a", (80.0, 90.0, 97.0)), StripRow("b", (50.0,))], drawn.ABOUT)
    assert dots(svg) == 4 + 1, "four runs and the legend"
    assert len([line for line in drawn.drawn(svg, "ink") if line.tag.endswith("path")]) == 2 + 1


def test_numbers_say_how_much_there_is_behind_a_mean() -> None:
    svg = strips([StripRow("a", (80.0, 90.0)), StripRow("b", (50.0,)), StripRow("c", ())], drawn.ABOUT)
    rows: dict[float, list[str]] = {}
    for text in drawn.texts(svg):
        rows.setdefault(round(text.y), []).append(text.text)
    assert sorted(row for row in rows.values() if row[0] in "abc") == [
        ["a", "85.0", "7.1", "2"],
        ["b", "50.0", "—", "1"],
        ["c", "—", "—", "0"],
    ]
    assert "c: no complete run" in drawn.tips(svg)


def test_no_two_texts_overlap_on_a_long_chart() -> None:
    svg = strips([StripRow(f"{'long-' * 12}{n}", (90.0, 99.9, 100.0), n % 2 == 0) for n in range(110)], drawn.ABOUT)
    assert drawn.overlaps(drawn.texts(svg)) == []


def test_a_simulated_subject_is_called_so() -> None:
    svg = strips([StripRow("a", (80.0,), True)], drawn.ABOUT)
    assert {"a · simulated", "one run, simulated"} <= {text.text for text in drawn.texts(svg)}
