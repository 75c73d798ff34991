from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from independence.report.plots import canvas, palette, svg
from independence.report.plots.svg import FigureMeta
from tests.report import drawn


def chart(text: str = "words", meta: FigureMeta = drawn.META) -> str:
    with canvas.drawing():
        figure = canvas.new_figure(200, 60)
        axes = canvas.axes_at(figure, (0, 0, 200, 60))
        axes.set(xlim=(0, 200), ylim=(60, 0), xticks=[], yticks=[])
        axes.axhspan(0, 20, color=palette.BAND.light)
        canvas.write(axes, (10, 20), text)
        canvas.add_tip(axes.axhspan(0, 20, color="none"), f"tells {text}")
        return svg.finished(figure, meta)


def test_a_chart_names_itself_to_who_does_not_see_it() -> None:
    root = drawn.parsed(chart())
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [root[0].attrib["id"], root[1].attrib["id"]]
    assert [root[0].text, root[1].text] == ["A chart", "What it shows"]


def test_the_same_values_give_the_same_bytes_in_every_process_and_under_every_setting_of_the_user(tmp_path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\nsvg.hashsalt: other\n")
    code = "import sys; from tests.report.test_plots_canvas import chart; sys.stdout.write(chart('漢'))"
    env = {**os.environ, "MATPLOTLIBRC": str(tmp_path), "PYTHONHASHSEED": "5", "PYTHONIOENCODING": "utf-8"}
    other = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert other.stdout.decode() == chart("漢")
    assert not re.search(r"20\d\d-\d\d", chart())


def test_the_settings_of_the_program_are_left_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    chart()
    assert dict(matplotlib.rcParams) == before


def test_a_file_follows_the_reader_and_an_inlined_chart_its_page() -> None:
    document = chart()
    sheet = drawn.parsed(document).findtext("{http://www.w3.org/2000/svg}style")
    light, dark = sheet.split("@media(prefers-color-scheme:dark)")
    assert light.startswith("svg:root{")
    assert f"--plot-paper:{palette.PAPER.light};" in light
    assert dark.startswith("{svg:root{")
    assert f"--plot-paper:{palette.PAPER.dark};" in dark
    # Outside of `svg:root` no rule sets a property, so those of an embedding page hold.
    assert re.findall(r"([^{}]+)\{--plot", sheet) == ["svg:root", "svg:root"]
    assert "fill:#f3f6f9;fill:var(--plot-band)" in sheet, "the light colour is there for readers without properties"


def test_nothing_is_styled_in_place_and_every_rule_and_id_is_scoped_to_its_chart() -> None:
    document = chart()
    assert 'style="' not in document
    sheet = drawn.parsed(document).findtext("{http://www.w3.org/2000/svg}style")
    outer = re.sub(r"@media.*?\}\}", "", sheet)
    assert all(rule.startswith(("svg:root", "#plot-chart")) for rule in re.findall(r"([^{}]+)\{", outer))
    assert all(found.startswith("plot-chart") for found in re.findall(r'\bid="([^"]+)"', document))


def test_hostile_text_is_text() -> None:
    document = chart(drawn.HOSTILE)
    assert "<script" not in document
    assert "&lt;script&gt;alert(1)&lt;/script&gt;$x^2$&amp;" in document
    assert [written.text for written in drawn.texts(document)] == ["<script>alert(1)</script>$x^2$& [31m漢\ufffd"]
    assert drawn.tips(document) == ["tells <script>alert(1)</script>$x^2$& [31m漢\ufffd"]


def test_a_text_that_looks_like_markup_changes_nothing_but_itself() -> None:
    text = 'style="fill: #1b2430" id="x" tip: url(#y)'
    assert drawn.texts(chart(text))[0].text == text
    assert chart(text).count("class=") == chart().count("class=")


@pytest.mark.parametrize("room", [20, 60, 120])
def test_long_labels_are_cut_in_the_middle_and_fit(room: int) -> None:
    label = "qwen3-coder+alibaba-opensource@none-t0.7"
    with canvas.drawing():
        cut = canvas.shortened(label, 12, room)
        assert canvas.text_width(cut, 12) <= room
        assert canvas.shortened("short", 12, 60) == "short"
    head, tail = cut.split("…")
    assert label.startswith(head)
    assert label.endswith(tail)


def test_wide_signs_take_more_room_and_combining_ones_none() -> None:
    with canvas.drawing():
        assert canvas.text_width("漢", 10) >= canvas.text_width("W", 10) > canvas.text_width("i", 10) > 0
        assert canvas.text_width("e\u0301", 10) == canvas.text_width("e", 10)


def test_every_role_has_a_light_colour_of_its_own() -> None:
    assert len({tone.light for tone in palette.TONES}) == len({tone.name for tone in palette.TONES})


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_stand_out_from_page_and_bands_and_the_heat_ramp_only_goes_one_way(theme: str) -> None:
    for ground in (palette.PAPER, palette.BAND):
        for tone in (palette.INK, palette.MUTED, palette.OPEN, palette.ACCENT):
            assert contrast(getattr(tone, theme), getattr(ground, theme)) >= 4.5
        assert contrast(getattr(palette.SOFT, theme), getattr(ground, theme)) >= 2.7
    ramp = [_luminance(getattr(tone, theme)) for tone in palette.HEAT]
    assert ramp == sorted(ramp, reverse=theme == "light")
    assert len(set(ramp)) == palette.HEAT_STEPS


def test_the_style_of_figures_has_no_colours_but_those_of_roles() -> None:
    style = Path(canvas.__file__).with_name("figures.mplstyle").read_text("utf-8")
    used = {f"#{colour}" for colour in re.findall(r": ([0-9a-f]{6})$", style, re.MULTILINE)}
    assert len(used) == 4
    assert used < {tone.light for tone in palette.TONES}
