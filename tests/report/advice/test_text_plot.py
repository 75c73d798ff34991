from __future__ import annotations

from independence.report.advice import analyses
from independence.report.advice.analyses import TextPlotRow

LONG = "a label that is much longer than any line has room for"


def plots(lines: list[str], named: int) -> list[str]:
    """What is drawn, without title, labels, words and scale."""
    return [line[named + 2 : named + 31] for line in lines[1:-1]]


def test_no_line_is_wider_than_eighty_signs() -> None:
    marks = [TextPlotRow(LONG, 0.9, (-1.0, 1.0), LONG), TextPlotRow("b", None, None, "not measured")]
    lines = analyses.lines(marks, "title", 0.1)
    assert max(map(len, lines)) <= 80
    assert len(lines) == 4


def test_a_dot_stands_where_its_value_is() -> None:
    marks = [TextPlotRow("a", -0.5, None, ""), TextPlotRow("b", 0.0, None, ""), TextPlotRow("c", 0.5, None, "")]
    assert [plot.ljust(29).index("●") for plot in plots(analyses.lines(marks, ""), 1)] == [0, 14, 28]


def test_intervals_reach_as_far_as_they_do_and_some_answers_make_a_hollow_dot() -> None:
    whole, part = plots(
        analyses.lines([TextPlotRow("a", 0.0, (-0.5, 0.5), ""), TextPlotRow("b", 0.0, (-0.25, 0.0), "", True)], ""), 1
    )
    assert whole == "─" * 14 + "●" + "─" * 14
    assert part.rstrip() == " " * 7 + "─" * 7 + "○"


def test_the_band_of_nothing_is_shaded_and_nothing_has_a_line() -> None:
    (plot,) = plots(analyses.lines([TextPlotRow("a", 0.5, None, "")], "", 0.25), 1)
    assert plot == " " * 7 + "░" * 7 + "│" + "░" * 7 + " " * 6 + "●"


def test_words_that_do_not_fit_end_at_their_colon() -> None:
    marks = [TextPlotRow("a label of some length", 0.0, None, "undecided: neither shown nor ruled out")]
    text = analyses.lines(marks, "")[1]
    assert text.endswith("  undecided")


def test_without_an_estimate_only_words_stand_there() -> None:
    line = analyses.lines([TextPlotRow("a", None, None, "not measured")], "")[1]
    assert "●" not in line
    assert line.endswith("not measured")


def test_the_scale_has_both_ends_and_nothing_in_its_middle() -> None:
    scale = analyses.lines([TextPlotRow("a", 0.6, None, "")], "")[-1]
    assert scale.split() == ["-0.75", "0", "+0.75"]
    assert scale[1 + 2 + 14] == "0"
