"""The one number a judge was asked for, or why it cannot be told.

Nothing is searched for in prose. A line counts only where every sign on it is understood: it is the number, or a label
such as `Final score:` and the number. Whatever could be read with either sign, or as one of two numbers, is refused;
the judge is asked again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple


class UnreadableNumber(NamedTuple):
    """Why no number was read, as the judge is told."""

    why: str


# Hyphens, the figure dash, the en dash and signs for minus. An em dash or a soft hyphen may part as well as negate.
_MINUS = "\u2010\u2011\u2012\u2013\u2212\ufe63"
_MARKUP = "*_`\"'“”‘’«»"  # a blank in its place keeps `2*3` and `1'000` two numbers
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff"
_PLAIN: dict[int, str | int | None] = {
    **{0xFF01 + at: 0x21 + at for at in range(94)},  # full-width forms
    **dict.fromkeys(map(ord, _MINUS), "-"),
    **dict.fromkeys(map(ord, _MARKUP), " "),
    **dict.fromkeys(map(ord, _UNSEEN)),
    0x066B: ".",  # Arabic decimal separator
}
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_LINE = re.compile(
    r"(?:(?P<label>[A-Za-z ]+?) ?(?:[:=]|\bis\b) ?)?"
    r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+|\d+,\d+)(?:[eE][+-]?\d+)?) ?\.?",
    re.ASCII,
)
_HEADING = re.compile(r"(?P<label>[A-Za-z ]+?) ?[:=]", re.ASCII)
_LABEL = {
    "answer", "final", "grade", "here", "is", "it", "judgment", "my", "number", "output", "overall", "rating", "result",
    "score", "so", "stance", "the", "this", "value", "verdict",
}  # fmt: skip
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_ENDS = (".", "!", "?")


def parse_number(text: str, low: float, high: float) -> float | UnreadableNumber:
    """The number of `text`, in [low, high]: it is all there is, or the whole of the last line.

    A decimal comma counts as a point. A number outside the range is refused, never moved into it.
    """
    lines = _lines(text)
    if not lines:
        return UnreadableNumber("it is empty")
    numbers = [_number(line) for line in lines]
    last = numbers[-1]
    if last is None:
        digits = any(char.isdigit() for line in lines for char in line)
        return UnreadableNumber("something stands beside the number" if digits else "it holds no number in digits")
    if len({_float(number) for number in numbers if number is not None}) > 1:
        return UnreadableNumber("it holds different numbers")
    if not _parted(lines, numbers):
        return UnreadableNumber("the line before the number runs on into it")
    if _GROUPED.fullmatch(last) and ("," in last or low <= float(last.replace(".", "")) <= high):
        return UnreadableNumber(f"the mark in {last} may part decimals or thousands")
    value = _float(last)
    return value if low <= value <= high else UnreadableNumber(f"{value:g} is outside {low:g} to {high:g}")


def _lines(text: str) -> list[str]:
    """The lines that hold anything, without markup, in plain digits and signs."""
    told = ("" if _FENCE.fullmatch(line) else " ".join(_plain(line).split()) for line in text.splitlines())
    return [line for line in told if line]


def _plain(line: str) -> str:
    line = line.translate(_PLAIN)
    if line.isascii():
        return line
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in line)


def _number(line: str) -> str | None:
    """The number of a line that holds nothing else, as it is written."""
    match = _LINE.fullmatch(line)
    return match["number"] if match and _is_label(match["label"] or "") else None


def _is_label(words: str) -> bool:
    return _LABEL.issuperset(words.lower().split())


def _float(number: str) -> float:
    return float(number.replace(",", ".")) + 0.0  # -0.0 becomes 0.0


def _parted(lines: Sequence[str], numbers: Sequence[str | None]) -> bool:
    """Whether the last line stands by itself: a word or a dash at the end of the one before could turn its sign."""
    if len(lines) == 1 or numbers[-2] is not None:
        return True
    heading = _HEADING.fullmatch(lines[-2])
    return lines[-2].endswith(_ENDS) or bool(heading and _is_label(heading["label"]))
