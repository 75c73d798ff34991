"""Colours by role, once for light and once for dark pages.

matplotlib paints with sentinel colours; `svg.dressed` turns each into the CSS property of its role, so that a chart
follows the reader's theme as a file of its own and the page's theme where it is inlined.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

HEAT_STEPS: Final = 21


class Tone(NamedTuple):
    """One role: its CSS property is `--plot-NAME`; `sentinel` stands for it while matplotlib draws."""

    name: str
    sentinel: str
    light: str
    dark: str

    @property
    def css(self) -> str:
        """The value for a style sheet, readable by renderers that know no custom properties' scope."""
        return f"var(--plot-{self.name},{self.light})"


PAPER: Final = Tone("paper", "#010101", "#ffffff", "#14181f")
INK: Final = Tone("ink", "#010102", "#1b2430", "#e7ebf1")
MUTED: Final = Tone("muted", "#010103", "#5b6675", "#9ba6b5")
FAINT: Final = Tone("faint", "#010104", "#e2e6eb", "#2b333e")
BAND: Final = Tone("band", "#010105", "#f3f6f9", "#1b212a")
ACCENT: Final = Tone("accent", "#010106", "#1f5fa6", "#82b6ee")
SOFT: Final = Tone("soft", "#010107", "#6c98c6", "#4f7aa8")
OPEN: Final = Tone("open", "#010108", "#8f5f10", "#d8ab55")
HIT: Final = Tone("hit", "#010109", "transparent", "transparent")
NEAR: Final = Tone("near", "#01010a", "#10161e", "#f4f7fb")
FAR: Final = Tone("far", "#01010b", "#ffffff", "#0a0e14")

_LIGHT_RAMP: Final = ("#eef4f9", "#bcd6ea", "#75a9d1", "#2d6fac", "#184f8c", "#0b2a56")
_DARK_RAMP: Final = ("#1c2530", "#25415c", "#2d5f8b", "#5695cd", "#9cc6eb", "#e6f2fd")


def _mixed(ramp: tuple[str, ...], at: float) -> str:
    place = at * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    pairs = zip(_channels(ramp[low]), _channels(ramp[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


HEAT: Final = tuple(
    Tone(
        f"heat-{step}",
        f"#0202{step:02x}",
        _mixed(_LIGHT_RAMP, step / (HEAT_STEPS - 1)),
        _mixed(_DARK_RAMP, step / (HEAT_STEPS - 1)),
    )
    for step in range(HEAT_STEPS)
)
TONES: Final = (PAPER, INK, MUTED, FAINT, BAND, ACCENT, SOFT, OPEN, HIT, NEAR, FAR, *HEAT)


def ink_on(step: int) -> Tone:
    """What to write with on a step of the ramp."""
    return FAR if step > HEAT_STEPS // 2 else NEAR


def declared(theme: Literal["light", "dark"], tones: Iterable[Tone] = TONES) -> str:
    """The custom properties of a theme as CSS declarations."""
    return "".join(f"--plot-{tone.name}:{tone.dark if theme == 'dark' else tone.light};" for tone in tones)
