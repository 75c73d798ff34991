"""How words are looked for in texts. `web/src/text/matching.ts` has the same rules, and a test compares both.

A word is a run of letters, figures and their marks; in scripts without spaces between words each character is one.
Words that are looked for stand in a row, whatever stands between them. The first and the last may be parts of words
from three letters on. Capital and small letters are the same.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

_SINGLE = (
    "\u0e00-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
_I: Final = "(?:i|\u0130)\u0307?"
_LAST_MARK: Final = 0x1F000  # except for those that choose a variant
_PART: Final = 3  # letters from which a part of a word is looked for


def said(text: str) -> list[str]:
    """The words of a text, in small letters.

    said("Don't_go, \u540d\u524d!")  # ["don", "t", "go", "\u540d", "\u524d"]
    """
    # In small letters, of which a Turkish i and a sigma at the end are no others.
    return [word.lower().replace("i\u0307", "i").replace("\u03c2", "\u03c3") for word in _word().findall(text)]


def pattern(query: str, *, whole: bool = False) -> re.Pattern[str] | None:
    """What finds the words of a query in a text; None where it has none. `whole`: no parts of words."""
    wanted = said(query)
    if not wanted:
        return None
    spaced = rf"(?:(?![{_SINGLE}_])[\w{_marks()}])"
    parts = []
    for at, word in enumerate(wanted):
        single = re.match(f"[{_SINGLE}]", word) is not None
        free = not whole and not single and len(word) >= _PART
        before = "" if single or (free and at == 0) else f"(?<!{spaced})"
        ends = free and at == len(wanted) - 1
        after = f"(?![{_marks()}])" if single else f"{spaced}*" if ends else f"(?!{spaced})"
        parts.append(f"{before}{re.escape(word).replace('i', _I)}{after}")
    return re.compile(rf"(?:[^\w{_marks()}]|_)*".join(parts), re.IGNORECASE)


@cache
def _word() -> re.Pattern[str]:
    marks = _marks()
    return re.compile(rf"(?=[^\W_])[{_SINGLE}][{marks}]*|(?:(?![{_SINGLE}_])[\w{marks}])+")


@cache
def _marks() -> str:
    """The marks that stand on letters, as the inside of a character class."""
    codes = [code for code in range(_LAST_MARK) if unicodedata.category(chr(code)).startswith("M")]
    ends = [code for code in codes if unicodedata.category(chr(code + 1))[0] != "M"]
    starts = [code for code in codes if unicodedata.category(chr(code - 1))[0] != "M"]
    ranges = zip(starts, ends, strict=True)
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "\U000e0100-\U000e01ef"
