"""Standard streams that can be closed, or too poor for what is printed: never a reason to fail."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from typing import Final

_HANDLER: Final = "independence-plain"
_INSTEAD: Final = {
    "↓": "v", "↑": "^", "–": "-", "—": "-", "−": "-", "…": "...", "·": ".", "×": "x", "≤": "<=", "≥": ">=", "±": "+-",
    "→": "->", "‘": "'", "’": "'", "“": '"', "”": '"', "•": "*", "●": "*", "○": "o", "█": "#", "─": "-", "│": "|",
}  # fmt: skip


def prepare() -> None:
    """Put a closed stream's place out of use, and let no character stop what is printed."""
    spare = os.open(os.devnull, os.O_RDWR)
    while spare <= 2:  # or the store would be opened in the place of stdout
        spare = os.open(os.devnull, os.O_RDWR)
    os.close(spare)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", "") in ("strict", "surrogateescape") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_HANDLER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_instead(one) for one in lacking), error.end


def _instead(character: str) -> str:
    apart = unicodedata.normalize("NFKD", character)[0]
    return _INSTEAD.get(character) or (apart if apart.isascii() else "?")
