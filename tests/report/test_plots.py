"""Charts: that each number is drawn where it belongs, that no text hides another, that hostile names stay text."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys

import pytest

from independence.report.advice.tables import MeritLevel
from independence.report.plots import palette
from independence.report.plots.advice import PanelRow, PointEstimate, QuantityScale, SlopePanel, panels, slopes
from independence.report.plots.board import ForestRow, HeatRow, forest, heat_step, heatmap
from independence.report.plots.scatter import CostPoint, cost, frontier
from independence.report.table import signed
from tests.report import drawn

PARTIAL = ForestRow("half", None, bounds=(35.3, 73.7), simulated=True)
EXPERIMENTS = {"rs01": "resistance", "direct": "identity", "rs02": "resistance"}
HEADS = (QuantityScale("S", "against", "towards", (-0.1, 0.1)), QuantityScale("B", "left", "right"))
LEVELS = (MeritLevel(-1, 0.1, -0.5, None, 1), MeritLevel(0, 0.4, -0.2, 0.1, 1), MeritLevel(1, 0.7, 0.1, None, 1))
BENT = SlopePanel("bent", LEVELS, "S +0.30")
LONG = [f"vendor-model-{place}-with-a-{'long-' * (place % 9)}name@low-t0.7" for place in range(40)]


def words(svg: str) -> list[str]:
    return [text.text for text in drawn.texts(svg)]


def heights(svg: str) -> dict[str, float]:
    return {text.text: text.y for text in drawn.texts(svg)}


def uses(svg: str, tone: str) -> list[tuple[float, float]]:
    """Where markers of a role stand."""
    return sorted(
        (float(one.get("x")), float(one.get("y"))) for one in drawn.drawn(svg, tone) if one.tag.endswith("use")
    )


def many(count: int) -> list[ForestRow]:
    return [
        ForestRow(LONG[at], 99.0 - at, (97.0 - at, 101.0 - at), (90.0 - at, 103.0), 1 + at // 7) for at in range(count)
    ]


def fleet(count: int, free: int) -> list[CostPoint]:
    draw = random.Random(1)
    return [
        CostPoint(f"vendor/model-{n}", 100 - draw.expovariate(0.1) % 60, 10 ** draw.uniform(-3, 0.5) * (n >= free))
        for n in range(count)
    ]


CHARTS = {
    "forest of nobody": lambda: forest([PARTIAL], drawn.META),
    "forest": lambda: forest([*many(40), PARTIAL], drawn.META),
    "heatmap": lambda: heatmap([HeatRow(name, (0.5, 0.25, None)) for name in LONG], EXPERIMENTS, drawn.META),
    "panels": lambda: panels([PanelRow(name, (PointEstimate(-0.4), None)) for name in LONG], HEADS, drawn.META),
    "panels of nobody": lambda: panels([], HEADS, drawn.META),
    "cost": lambda: cost(fleet(80, free=20), drawn.META),
    "cost of nobody": lambda: cost([], drawn.META),
    "slopes": lambda: slopes([SlopePanel(name, LEVELS, "S +0.30") for name in LONG[:9]], ("a", "b"), drawn.META),
}


@pytest.mark.parametrize("name", CHARTS)
def test_no_two_texts_overlap_and_none_leaves_the_sheet(name: str) -> None:
    svg = CHARTS[name]()
    written, (width, height) = drawn.texts(svg), drawn.size(svg)
    assert drawn.overlaps(written, 9) == []
    assert all(text.left >= -0.5 and text.right <= width + 0.5 and 0 < text.y < height for text in written)


@pytest.mark.parametrize(
    "svg",
    [
        lambda: forest([ForestRow(drawn.HOSTILE, 80.0)], drawn.META),
        lambda: heatmap([HeatRow(drawn.HOSTILE, (1.0,))], {drawn.HOSTILE: drawn.HOSTILE}, drawn.META),
        lambda: panels([PanelRow(drawn.HOSTILE, (PointEstimate(0.1), None))], HEADS, drawn.META),
        lambda: cost([CostPoint(drawn.HOSTILE, 50, 0.2)], drawn.META),
        lambda: slopes([SlopePanel(drawn.HOSTILE, (), "")], ("a", "b"), drawn.META),
    ],
)
def test_hostile_names_are_text(svg) -> None:
    document = svg()
    assert "<script" not in document
    assert "<script>alert(1)</script>$x^2$& [31m漢" in "".join(drawn.parsed(document).itertext())


@pytest.mark.deep
def test_the_same_values_give_the_same_bytes_in_every_process_and_under_every_setting_of_the_user(tmp_path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\nsvg.hashsalt: other\n")
    code = "import sys; from tests.report import test_plots as t; sys.stdout.write(t.CHARTS['forest of nobody']())"
    env = {**os.environ, "MATPLOTLIBRC": str(tmp_path), "PYTHONHASHSEED": "5", "PYTHONIOENCODING": "utf-8"}
    other = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert other.stdout.decode() == CHARTS["forest of nobody"]()
    assert not re.search(r"20\d\d-\d\d", other.stdout.decode())


def test_a_chart_names_itself_and_follows_the_theme_of_its_reader_or_page() -> None:
    root = drawn.parsed(forest([ForestRow("a", 90.0)], drawn.META))
    assert (root.attrib["role"], root[0].text, root[1].text) == ("img", "A chart", "What it shows")
    sheet = root.findtext("{http://www.w3.org/2000/svg}style") or ""
    light, dark = sheet.split("@media(prefers-color-scheme:dark)")
    assert light.startswith("svg:root{")
    assert f"--plot-paper:{palette.PAPER.light};" in light
    assert f"--plot-paper:{palette.PAPER.dark};" in dark
    # Outside of `svg:root` no rule sets a property, so those of an embedding page hold.
    assert re.findall(r"([^{}]+)\{--plot", sheet) == ["svg:root", "svg:root"]


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_stand_out_from_page_bands_and_cells(theme: str) -> None:
    for ground in (palette.PAPER, palette.BAND):
        for tone in (palette.INK, palette.MUTED, palette.OPEN, palette.ACCENT):
            assert contrast(getattr(tone, theme), getattr(ground, theme)) >= 4.5
    for step, tone in enumerate(palette.HEAT):
        assert contrast(getattr(tone, theme), getattr(palette.ink_on(step), theme)) >= 4.0


def test_a_forest_shows_index_interval_tier_and_what_is_missing() -> None:
    high, low = ForestRow("high", 95.0, (94.0, 96.0), tier=1), ForestRow("low", 60.0, (58.0, 62.0), tier=2)
    hole = ForestRow("hole", None, (87.1, 92.3), (84.0, 94.0), bounds=(89.5, 90.2))
    svg = forest([PARTIAL, low, hole, high], drawn.META)
    assert drawn.tips(svg) == ["high", "hole", "low", "half"]
    places = heights(svg)
    assert places["high"] < places["hole"] < places["low"] < places["half · simulated"]
    for name, *own in (
        ("high", "95.0", "94.0–96.0"), ("hole", "89.5–90.2", "87.1–92.3"), ("half · simulated", "35.3–73.7"),
    ):  # fmt: skip
        assert [places[number] for number in own] == pytest.approx([places[name]] * len(own), abs=1), name
    dashed = [shape for shape in drawn.drawn(svg, "open") if "dasharray" in drawn.style(svg)[shape.attrib["class"]]]
    assert len(dashed) == 3  # legend, and the ranges of both incomplete ones
    assert [text.text for text in drawn.texts(svg) if text.right < 35] == ["1", "2", "Tier"]
    assert "≥ 89.5" in words(forest([hole, high], drawn.META, narrow=True))


def test_a_forest_cuts_what_lies_beyond_its_scale_and_says_where_there_is_no_interval() -> None:
    others = [ForestRow(f"s{place}", 97.0, (96.0, 98.0), (92.0, 99.0)) for place in range(9)]
    svg = forest([ForestRow("wide", 98.0, (95.0, 101.5), (20.0, 140.0)), *others], drawn.META)
    assert {"95.0–100.0", "90"} <= {*words(svg)}
    assert "20" not in words(svg), "one wide interval in ten does not set the scale"
    assert len(uses(svg, "soft")) == 1, "an arrow at the end"
    alone = forest([ForestRow("single", 80.0)], drawn.META)
    assert "—" in words(alone)
    assert drawn.drawn(alone, "soft") == drawn.drawn(alone, "open") == []


def test_a_heatmap_has_each_value_under_its_scenario_and_strikes_what_is_absent() -> None:
    svg = heatmap([HeatRow("a", (0.11, 0.22, 0.33)), HeatRow("b", (0.9999, 0.0, None))], EXPERIMENTS, drawn.META)
    lefts = {text.text: text.left for text in drawn.texts(svg)}
    assert lefts["11"] < lefts["33"] < lefts["22"], "scenarios of an experiment stand together"
    turned = [one.text for one in drawn.parsed(svg).iter() if "rotate(-90" in one.get("transform", "")]
    assert turned == ["rs01", "rs02", "direct"]
    assert heights(svg)["11"] < heights(svg)["99"] == pytest.approx(heights(svg)["0"])
    assert len(drawn.drawn(svg, f"heat-{palette.HEAT_STEPS - 1}")) == 2, "a zero and the legend"
    rules = drawn.style(svg)
    assert sum("fill:url(" in rules.get(shape.get("class", ""), "") for shape in drawn.parsed(svg).iter()) == 2
    assert [heat_step(share) for share in (1.0, 0.9999, 0.5, 0.0)] == [0, 1, 10, 20]


def test_panels_have_a_head_each_and_the_numbers_of_each_subject() -> None:
    whole = PanelRow("a", (PointEstimate(0.3, (0.2, 0.4)), PointEstimate(-0.2)))
    partial = PanelRow("c", (PointEstimate(0.0, (-0.6, 0.6)), None), coverage=0.5)
    svg = panels([whole, PanelRow("b", (None, None), simulated=True), partial], HEADS, drawn.META)
    texts = {text.text: text for text in drawn.texts(svg)}
    assert {"S", "B", "← against", "towards →", "← left", "right →", "b · simulated", "counts as none"} <= texts.keys()
    assert round(texts["+0.30"].y) == round(texts["a"].y)
    assert texts["-0.20"].left > texts["+0.30"].right
    assert texts["a"].y < texts["Incomplete: from the pairs there are"].y < texts["c"].y
    assert "0.8" in words(panels([PanelRow("far", (PointEstimate(0.7, (0.6, 0.95)), None))], HEADS, drawn.META))
    assert [signed(value) for value in (-0.004, 0.0, 0.004, 0.006, -0.2)] == ["0.00", "0.00", "0.00", "+0.01", "-0.20"]


def test_the_frontier_is_what_no_cheaper_subject_reaches_and_is_named() -> None:
    points = [CostPoint("free", 60, 0), CostPoint("a", 80, 0.1), CostPoint("worse", 70, 0.5), CostPoint("b", 90, 1)]
    assert frontier(points) == [0, 1, 3]
    assert frontier([CostPoint("dear", 80, 2), CostPoint("cheap", 80, 1)]) == [1], "a tie goes to the cheaper"
    big = fleet(60, free=0)
    assert {big[place].label for place in frontier(big)} <= {*words(cost(big, drawn.META))}


def test_free_subjects_have_a_lane_of_their_own_left_of_every_price() -> None:
    points = [CostPoint("gratis", 90, 0), CostPoint("other", 90, 0), CostPoint("cheap", 80, 0.001, simulated=True)]
    svg = cost(points, drawn.META)
    assert {"free or local", "simulated"} <= {*words(svg)}
    assert "free or local" not in words(cost(points[2:], drawn.META))
    assert {"gratis: 90.0, free or local", "cheap: 80.0, $0.001 per run, simulated"} < {*drawn.tips(svg)}
    _, one, two, *_ = uses(svg, "accent")
    assert one != two, "two free subjects of one index do not hide each other"


def test_slopes_have_a_line_for_each_asker_and_one_between_four_panels_a_row() -> None:
    svg = slopes([BENT], ("landlord", "tenant"), drawn.META)
    assert {"landlord asks", "tenant asks", "mean of both", "nobody's side asks", "bent", "S +0.30"} <= {*words(svg)}
    for tone in ("accent", "open", "ink"):
        assert len([shape for shape in drawn.drawn(svg, tone) if shape.tag.endswith("path")]) >= 2, tone
    assert [point.mean for point in (*LEVELS, MeritLevel(0, 0.5, None, None, 1))] == pytest.approx(
        [-0.2, 0.1, 0.4, None]
    )
    four, five = (drawn.size(slopes([BENT] * count, ("a", "b"), drawn.META))[1] for count in (4, 5))
    assert four == drawn.size(svg)[1] < five
    assert len(drawn.tips(slopes([BENT, SlopePanel("none", (), "", simulated=True)], ("a", "b"), drawn.META))) == 2
