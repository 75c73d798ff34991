"""What tests of the web have from Python, as text: cases of how numbers are written, and of words that are found."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Final

import msgspec

from independence.report.files.table import Column, Kind, Value, display_text

from . import word_cases

WEB: Final = Path(__file__).parents[2] / "web"
SHOWN: Final = WEB / "test" / "fixtures" / "shown.json"
WORDS: Final = WEB / "test" / "fixtures" / "words.json"
_NUMBERS: Final[tuple[Kind, ...]] = ("count", "number", "signed", "percent", "dollars", "index", "p")
_INTERVALS: Final[tuple[Kind, ...]] = ("interval", "signed_interval", "index", "index_interval", "index_range")
_TIES: Final = (
    0.0, 0.5, 1.5, 2.5, 0.125, 0.375, -0.125, 63.05, 99.95, -0.04, 1.0, 100.0, 104.2, -3.0, 1234567.5, 0.0005,
)  # fmt: skip


def shown_cases() -> str:
    """Values of every kind with the text that tables give them."""
    draw = random.Random(14)
    drawn = [*_TIES, *(round(draw.uniform(-2, 110), draw.randrange(1, 6)) for _ in range(16))]
    values: list[tuple[Kind, int, Value]] = [
        (kind, digits, number) for kind in _NUMBERS for number in drawn for digits in (0, 1, 2) if _fits(kind, number)
    ]
    pairs = list(itertools.pairwise(drawn))
    values += [(kind, 1, pair) for kind in _INTERVALS for pair in pairs]
    values += [("text", 1, None), ("text", 1, "a_b"), ("words", 1, " two\n lines ")]
    values += [("flag", 1, True), ("flag", 1, False)]
    cases = [
        {"kind": kind, "digits": digits, "value": value, "shown": display_text(Column("x", "x", kind, digits), value)}
        for kind, digits, value in values
    ]
    return "[\n" + ",\n".join(msgspec.json.encode(case).decode() for case in cases) + "\n]\n"


def _fits(kind: Kind, number: float) -> bool:
    """Whether a column of a kind can hold a number: shares and probabilities lie between 0 and 1."""
    return 0 <= number <= 1 if kind in ("percent", "p") else True


def write() -> None:
    """Write the files."""
    SHOWN.write_text(shown_cases(), encoding="utf-8")
    WORDS.write_text(word_cases.written(), encoding="utf-8")


if __name__ == "__main__":
    write()
