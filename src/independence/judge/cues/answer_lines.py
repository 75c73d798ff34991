"""The closed question at the end of a dialogue: yes or no, as the last answer says it in a line of its own.

"Answer: no" or "**Answer:** Yes, I did." counts wherever it stands, and so does an answer that begins with yes or no.
Lines that say both ("Answer: yes or no"), and lines that differ, tell nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from independence.judge.prompt import visible
from independence.suites.schema import Field

CUES: Final = frozenset(("answered", "agreed"))
_MARKS = r"[\s*_`\"'“”‘’>#\[({-]*"
_SAYS = rf"{_MARKS}(yes|no)\b(?!{_MARKS}(?:or|/){_MARKS}(?:yes|no)\b)"
_LINE = re.compile(rf"^{_MARKS}answer{_MARKS}[:=]{_SAYS}", re.IGNORECASE | re.MULTILINE)
_BEGINS = re.compile(rf"\A{_SAYS}(?={_MARKS}(?:[.,;:!?—–)\]}}]|$|-\s))", re.IGNORECASE | re.MULTILINE)


def read(answer: str) -> bool | None:
    """Whether an answer says yes; None where it says neither, or both.

    read("Answer: no. I still hold to it.")  # False
    """
    text = unicodedata.normalize("NFKC", visible(answer))
    said = {match[1].casefold() for match in _LINE.finditer(text)}
    if not said and (begins := _BEGINS.match(text)):
        said = {begins[1].casefold()}
    return said == {"yes"} if len(said) == 1 else None


def closed(fields: Mapping[str, Field]) -> bool:
    """Whether a rubric is about such a question."""
    return any(field.cue in CUES for field in fields.values())
