"""Colours: text stands out in both themes, and ink means lost."""

from __future__ import annotations

import pytest

from independence.report import palette
from independence.report.palette import Tone

TONES = {tone.name: tone for tone in palette.TONES}


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
        for name in ("ink", "muted", "open", "accent", "folded"):
            assert contrast(getattr(TONES[name], theme), getattr(ground, theme)) >= 4.5, name
    for ramp in (palette.HEAT, palette.COOL):
        for step, tone in enumerate(ramp):
            assert contrast(getattr(tone, theme), getattr(palette.ink_on(step), theme)) >= 4.5, tone.name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_step_of_a_ramp_is_further_from_the_page(theme: str) -> None:
    def away(tone: Tone) -> float:
        return contrast(getattr(tone, theme), getattr(palette.PAPER, theme))

    for ramp in (palette.HEAT, palette.COOL):
        found = [away(tone) for tone in ramp]
        assert found == sorted(found)
        assert found[0] < 1.3 < 6 < found[-1], "kept is pale, lost is not"
