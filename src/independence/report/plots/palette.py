"""Colours by role, once for light pages and once for dark ones.

Figures are drawn in the light colours. `svg.finished` writes each of them as the CSS property of its role as well, so
that a figure follows the reader's theme as a file of its own and the page's theme where it is inlined. No two roles
may therefore share a light colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

HEAT_STEPS: Final = 21


class Tone(NamedTuple):
    """One role: its CSS property is `--plot-NAME`."""

    name: str
    light: str
    dark: str


PAPER: Final = Tone("paper", "#ffffff", "#14181f")
INK: Final = Tone("ink", "#1b2430", "#e7ebf1")
MUTED: Final = Tone("muted", "#5b6675", "#9ba6b5")
FAINT: Final = Tone("faint", "#e2e6eb", "#2b333e")
BAND: Final = Tone("band", "#f3f6f9", "#1b212a")
ACCENT: Final = Tone("accent", "#1f5fa6", "#82b6ee")
SOFT: Final = Tone("soft", "#6c98c6", "#4f7aa8")
OPEN: Final = Tone("open", "#8f5f10", "#d8ab55")
ON_PALE: Final = Tone("on-pale", "#10161e", "#ffffff")  # numbers on the first half of the heat ramp
ON_DEEP: Final = Tone("on-deep", "#fefefe", "#0a0e14")  # numbers on the second half

_LIGHT_RAMP: Final = ("#eef4f9", "#bcd6ea", "#75a9d1", "#276aa9", "#184f8c", "#0b2a56")
_DARK_RAMP: Final = ("#1c2530", "#25415c", "#2d5f8b", "#5695cd", "#9cc6eb", "#e6f2fd")


def _mixed(ramp: tuple[str, ...], at: float) -> str:
    place = at * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    pairs = zip(bytes.fromhex(ramp[low][1:]), bytes.fromhex(ramp[low + 1][1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in pairs)


HEAT: Final = tuple(
    Tone(f"heat-{step}", _mixed(_LIGHT_RAMP, step / (HEAT_STEPS - 1)), _mixed(_DARK_RAMP, step / (HEAT_STEPS - 1)))
    for step in range(HEAT_STEPS)
)
TONES: Final = (PAPER, INK, MUTED, FAINT, BAND, ACCENT, SOFT, OPEN, ON_PALE, ON_DEEP, *HEAT)


def ink_on(step: int) -> Tone:
    """What to write with on a step of the heat ramp."""
    return ON_DEEP if step > HEAT_STEPS // 2 else ON_PALE


def declared(theme: Literal["light", "dark"], tones: Iterable[Tone] = TONES) -> str:
    """The custom properties of a theme as CSS declarations."""
    return "".join(f"--plot-{tone.name}:{tone.dark if theme == 'dark' else tone.light};" for tone in tones)
