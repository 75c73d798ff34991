"""Colours of charts and pages: text stands out in both themes, and ink means lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STYLE = (Path(__file__).parents[2] / "web" / "src" / "palette.css").read_text(encoding="utf-8")
BLOCKS = [dict(re.findall(r"--plot-([\w-]+): (#[0-9a-f]{6});", block)) for block in STYLE.split(":root")[1:]]
THEMES = {"light": BLOCKS[0], "dark": BLOCKS[1]}
STEPS = 11
RAMPS = [[f"{name}-{step}" for step in range(STEPS)] for name in ("heat", "cool")]


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_both_themes_have_every_colour_and_dark_is_the_same_chosen_or_preferred() -> None:
    light, preferred, chosen = BLOCKS
    assert preferred == chosen
    assert light.keys() == preferred.keys() >= {name for ramp in RAMPS for name in ramp}


@pytest.mark.parametrize("theme", THEMES)
def test_texts_stand_out_from_page_bands_and_cells(theme: str) -> None:
    tones = THEMES[theme]
    for ground in ("paper", "band"):
        for name in ("ink", "muted", "open", "accent", "folded"):
            assert contrast(tones[name], tones[ground]) >= 4.5, name
    for ramp in RAMPS:
        for step, name in enumerate(ramp):
            text = tones["on-deep" if step > STEPS // 2 else "on-pale"]
            assert contrast(tones[name], text) >= 4.5, name


@pytest.mark.parametrize("theme", THEMES)
def test_each_step_of_a_ramp_is_further_from_the_page(theme: str) -> None:
    tones = THEMES[theme]
    for ramp in RAMPS:
        found = [contrast(tones[name], tones["paper"]) for name in ramp]
        assert found == sorted(found)
        assert found[0] < 1.3 < 6 < found[-1], "kept is pale, lost is not"
