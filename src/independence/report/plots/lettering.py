"""How wide a text is, and how a long one is cut. Labels are model text: nothing invisible stays in them."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

_ELLIPSIS = "…"
_PROBE = 100.0


def visible(text: str) -> str:
    """One line without control, format or unassigned characters; what cannot be encoded becomes a replacement sign."""
    kept = ("\ufffd" if unicodedata.category(sign) in ("Cs", "Cn") else sign for sign in text)
    return " ".join("".join(" " if _unseen(sign) else sign for sign in kept).split())


def _unseen(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Co", "Zl", "Zp")


def width(text: str, size: float) -> float:
    """Pixels a text takes at a font size. Measured in a wide face, so that hardly any reader's font needs more."""
    return sum(_advance(sign) for sign in text) * size


@lru_cache(maxsize=4096)
def _advance(sign: str) -> float:
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF" or ord(sign) > 0xFFFF:
        return 1.25
    from matplotlib.ft2font import LoadFlags

    font = _face()
    if font.get_char_index(ord(sign)) == 0:
        return 1.0
    return font.load_char(ord(sign), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / _PROBE


@cache
def _face() -> FT2Font:
    from matplotlib import ft2font, get_data_path

    # The file that ships with matplotlib, never one of the system: the same widths, hence the same bytes, everywhere.
    face = ft2font.FT2Font(str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")))
    face.set_size(_PROBE, 72)
    return face


def fitted(text: str, size: float, room: float) -> str:
    """The text, shortened in its middle where it is wider than `room` pixels; both ends stay readable."""
    if width(text, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(_cut(text, middle), size) <= room:
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def _cut(text: str, keep: int) -> str:
    tail = keep * 2 // 5
    return text[: keep - tail].rstrip() + _ELLIPSIS + (text[-tail:].lstrip() if tail else "")
