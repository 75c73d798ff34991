"""From what a judge wrote to a typed verdict, or to what is wrong with it.

The last object that holds every field, strict JSON or repaired. The last one, not the first, and none inside another: a
judge may quote a ready-made verdict out of the reply it grades before it gives its own. A passage of the dialogue that
it copies whole, escaped or not, is set aside before anything is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from independence.judge.schema import check
from independence.suites.schema import Field
from independence.types import Scalar

_DECODER = json.JSONDecoder(strict=False)
_BEGIN = re.compile(r"""\{\s*["'}]""")  # a brace in prose opens no object
_KEY = re.compile(r"""["']?(?<!\w)(\w++)\\?["']?\s*:""")  # linear, however long a word is
_QUOTED_KEY = re.compile(r"""["'](\w++)\\?["']\s*:""")
_MARK = re.compile(r"""\\.|["{}]""", re.DOTALL)
_COPY = 40  # characters; a shorter passage could stand in a verdict of the judge's own by chance


class ParsedVerdict(NamedTuple):
    """A verdict's values and reasoning, or the problems to tell the judge."""

    values: dict[str, Scalar]
    reasoning: str
    problems: list[str]


def parse(text: str, fields: Mapping[str, Field], quoted: Sequence[str] = ()) -> ParsedVerdict:
    """Read a verdict. `problems` is empty exactly when every field is there, typed and in range.

    `quoted` are the passages that the judge was shown.
    """
    best: ParsedVerdict | None = None
    text = _without_copies(text, quoted)
    for span in reversed(list(_spans(text))):
        strict = _strict(span)
        data = _repaired(span, fields) if strict is None else strict
        if data is None:
            return ParsedVerdict({}, "", ["the last JSON object is cut off or broken"])
        values, wrong = check(data, fields)
        parsed = ParsedVerdict(values, _reasoning(data), wrong or _repeated(text, span, fields))
        if not wrong or strict is None:  # what stands before a broken object may be a quotation in its place
            return parsed
        if best is None or len(wrong) < len(best.problems):
            best = parsed
    return best or ParsedVerdict({}, "", ["no JSON object found"])


def _without_copies(text: str, quoted: Sequence[str]) -> str:
    """What the judge wrote, without passages that it copied as they are and that could be taken for its own verdict.

    Only those with double quotes: within a JSON string they would stand escaped, so that no reasoning is cut.
    """
    for passage in quoted:
        if '"' in passage and len(passage) >= _COPY and (_BEGIN.search(passage) or _QUOTED_KEY.search(passage)):
            text = text.replace(passage, "")
    return text


def _repeated(text: str, span: str, fields: Mapping[str, Field]) -> list[str]:
    """Fields that stand once more after an object: a quotation in its reasoning may have ended it early."""
    after = _QUOTED_KEY.findall(text, text.rfind(span) + len(span))
    return [f"`{name}` stands once more after the object" for name in fields if name in after]


def _reasoning(data: Mapping[str, Any]) -> str:
    value = data.get("reasoning", "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _spans(text: str) -> Iterator[str]:
    """The texts of top-level objects, in order, broken ones included."""
    begin = _BEGIN.search(text)
    while begin:
        end = _end(text, begin.start())
        if end is None:  # cut off, or stray quotes hide the last brace
            fence = text.find("```", begin.start())
            end = len(text) if fence < 0 else fence
        yield text[begin.start() : end].rstrip()
        begin = _BEGIN.search(text, end)


def _end(text: str, start: int) -> int | None:
    """Where the object that begins at `start` ends; None where it does not."""
    depth, quoted = 0, False
    for mark in _MARK.finditer(text, start):
        if mark[0] == '"':
            quoted = not quoted
        elif not quoted and mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return mark.end()
    return None


def _strict(text: str) -> dict[str, Any] | None:
    try:
        data = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _repaired(text: str, fields: Mapping[str, Field]) -> dict[str, Any] | None:
    """A broken object mended where that leaves no doubt; else None.

    A field that stands in it twice may be a quotation; the last value of an object that is cut off may be half of one.
    """
    import json_repair

    keys = _KEY.findall(text)
    if not text.endswith("}") or any(keys.count(name) > 1 for name in (*fields, "reasoning")):
        return None
    try:
        data = json_repair.loads(text)
    except (ValueError, RecursionError, IndexError):
        return None
    return data if isinstance(data, dict) else None
