"""Colours by role, once for light pages and once for dark ones; `web/src/palette.css` is written from them.

Ink means lost: a pale cell kept what it had, a dark one gave it up. Scales with a middle run from cool to warm.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

HEAT_STEPS: Final = 11
"""Colours from nothing lost to everything, and as many from the middle of a scale to its lower end."""


class Tone(NamedTuple):
    """One role: its CSS property is `--plot-NAME`."""

    name: str
    light: str
    dark: str


PAPER: Final = Tone("paper", "#ffffff", "#171614")
BAND: Final = Tone("band", "#f6f4f0", "#201e1b")
FOLDED: Final = Tone("folded", "#b0430f", "#f2a27c")  # what gave way
ON_PALE: Final = Tone("on-pale", "#1c1916", "#ffffff")  # text on the first half of a ramp
ON_DEEP: Final = Tone("on-deep", "#fffefc", "#120f0c")  # text on the second half

_WARM: Final = (
    ("#fbf4ee", "#f8d5bd", "#ee9d6c", "#c2511c", "#8f3510", "#571d06"),
    ("#241d1b", "#4d2b1e", "#7d3d22", "#e0855a", "#f2b394", "#fde6d9"),
)
_COOL: Final = (
    ("#eef4f9", "#bcd6ea", "#75a9d1", "#276aa9", "#184f8c", "#0b2a56"),
    ("#1c2530", "#25415c", "#2d5f8b", "#5695cd", "#9cc6eb", "#e6f2fd"),
)


def _mixed(ramp: tuple[str, ...], at: float) -> str:
    place = at * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    pairs = zip(bytes.fromhex(ramp[low][1:]), bytes.fromhex(ramp[low + 1][1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in pairs)


def _ramp(name: str, ends: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[Tone, ...]:
    shares = [step / (HEAT_STEPS - 1) for step in range(HEAT_STEPS)]
    return tuple(Tone(f"{name}-{step}", *(_mixed(ramp, at) for ramp in ends)) for step, at in enumerate(shares))


HEAT: Final = _ramp("heat", _WARM)
COOL: Final = _ramp("cool", _COOL)
TONES: Final = (
    PAPER,
    Tone("ink", "#211e1a", "#ece8e2"),
    Tone("muted", "#665f56", "#a9a298"),
    Tone("faint", "#e6e2db", "#37332e"),
    BAND,
    Tone("accent", "#1a5a9c", "#86b8ee"),
    Tone("soft", "#6c98c6", "#4f7aa8"),
    Tone("open", "#855a0c", "#d8ab55"),
    FOLDED,
    ON_PALE,
    ON_DEEP,
    *HEAT,
    *COOL,
)


def ink_on(step: int) -> Tone:
    """What to write with on a step of a ramp."""
    return ON_DEEP if step > HEAT_STEPS // 2 else ON_PALE


def declared(theme: Literal["light", "dark"]) -> str:
    """The custom properties of a theme as CSS declarations."""
    return "".join(f"--plot-{tone.name}:{tone.dark if theme == 'dark' else tone.light};" for tone in TONES)
