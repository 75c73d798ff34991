from __future__ import annotations

from independence.report.advice.tables import MeritLevel
from independence.report.plots.advice import SlopePanel, slopes
from tests.report import drawn

POINTS = (MeritLevel(-1, 0.1, -0.5, None, 1), MeritLevel(0, 0.4, -0.2, 0.1, 1), MeritLevel(1, 0.7, 0.1, None, 1))
BENT = SlopePanel("bent", POINTS, "S +0.30")


def written(svg: str) -> list[str]:
    return [text.text for text in drawn.texts(svg)]


def test_a_line_for_each_asker_and_one_between() -> None:
    svg = slopes([BENT], ("landlord", "tenant"), drawn.META)
    assert {"landlord asks", "tenant asks", "mean of both", "nobody's side asks", "bent", "S +0.30"} <= {*written(svg)}
    for tone in ("accent", "open", "ink"):
        assert len([shape for shape in drawn.drawn(svg, tone) if shape.tag.endswith("path")]) >= 2, tone
    assert drawn.tips(svg) == ["bent"]


def test_the_mean_is_there_where_both_asked() -> None:
    assert [point.mean for point in (*POINTS, MeritLevel(0, 0.5, None, None, 1))][-1] is None
    assert POINTS[0].mean == -0.2


def test_four_panels_a_row() -> None:
    heights = [drawn.size(slopes([BENT] * count, ("a", "b"), drawn.META))[1] for count in (1, 4, 5, 8, 9)]
    assert heights[0] == heights[1] < heights[2] == heights[3] < heights[4]


def test_holes_and_single_levels_draw_what_there_is() -> None:
    one = SlopePanel("x", (MeritLevel(0, 0.2, None, None, 1),), "", simulated=True)
    svg = slopes([one, SlopePanel(drawn.HOSTILE, (), "")], ("a", "b"), drawn.META)
    assert "<script" not in svg
    assert len(drawn.tips(svg)) == 2


def test_no_two_texts_overlap() -> None:
    many = [SlopePanel(f"{'long-' * 12}{n}", POINTS, "S +0.30 · slope +0.30") for n in range(9)]
    assert drawn.overlaps(drawn.texts(slopes(many, ("a", "b"), drawn.META))) == []
