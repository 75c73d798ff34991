"""Other spellings of what a judge was asked for, where they leave no doubt: `"8"`, `"8/10"` and `"８"` are 8 of 10."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from independence.suites.schema import Field

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
_JSON_MARKS = str.maketrans("｛｝：，", "{}:,")
_STRING = re.compile(r'("(?:\\.|[^"\\])*+"|“[^“”"]*+”)', re.DOTALL)
_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[ -]")
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: ?/ ?(\d+(?:\.\d+)?))?", re.ASCII)
_LONGEST = 40  # signs of a number
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def plain(text: str) -> str:
    """A text without markup and quotation marks, in plain digits and signs."""
    return _plain_digits(text.translate(_PLAIN))


def _plain_digits(text: str) -> str:
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def plain_json(text: str) -> str:
    """JSON with full-width marks, other digits or “such quotes”, as decoders read it. What strings say stays."""
    parts = _STRING.split(text)
    parts[::2] = [_plain_digits(part.translate(_JSON_MARKS)) for part in parts[::2]]
    parts[1::2] = [f'"{part[1:-1]}"' for part in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=1024)
def key(text: str) -> str:
    """The name that a key spells: `drift_score` for `driftScore`, `drift-score` and `Drift Score`."""
    return _WORD_ENDS.sub("_", text.strip()).lower()


def as_asked(data: Mapping[str, object], fields: Mapping[str, Field], others: tuple[str, ...]) -> dict[str, object]:
    """An object with its keys as they were asked for, and values as its fields have them where they can be.

    Of a name that several keys spell, the value is all of theirs, which is none of any field.
    """
    asked = {key(name): name for name in (*others, *fields)}
    out: dict[str, object] = {}
    for own, value in data.items():
        name = own if own in fields else asked.get(key(own), own)
        typed = _value(value, fields[name]) if name in fields else value
        out[name] = [out[name], typed] if name in out else typed
    return out


def _value(value: object, field: Field) -> object:
    if not isinstance(value, str | int) or len(text := plain(str(value)).strip()) > _LONGEST:
        return value
    if field.type == "boolean":
        return _BOOLEANS.get(text.lower(), value)
    match = _NUMBER.fullmatch(text) if isinstance(value, str) else None
    if match is None or (match[2] and (field.range is None or float(match[2]) != field.range[1])):
        return value
    return float(match[1]) + 0.0  # -0.0 becomes 0.0
