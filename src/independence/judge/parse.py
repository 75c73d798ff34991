"""From what a judge wrote to a typed verdict, or to what is wrong with it.

The last object that holds every field, strict JSON or repaired. The last one, not the first, and none inside another: a
judge may quote a ready-made verdict out of the reply it grades before it gives its own. A passage of the dialogue that
it copies whole, escaped or not, is set aside before anything is read.

A verdict that is one number is read by itself: nothing is searched for in prose. A line counts only where every sign on
it is understood: it is the number, or a label such as `Final score:` and the number. Whatever could be read with either
sign, or as one of two numbers, is refused, and the judge is asked again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from independence.judge.schema import QUOTE, REASONING, check
from independence.suites.schema import Field
from independence.types import Scalar

_DECODER = json.JSONDecoder(strict=False)
_BEGIN = re.compile(r"""\{\s*["'}]""")  # a brace in prose opens no object
_KEY = re.compile(r"""["']?(?<!\w)(\w++)\\?["']?\s*:""")  # linear, however long a word is
_QUOTED_KEY = re.compile(r"""["'](\w++)\\?["']\s*:""")
_MARK = re.compile(r"""\\.|["{}]""", re.DOTALL)
_COPY = 40  # characters; a shorter passage could stand in a verdict of the judge's own by chance


class ParsedVerdict(NamedTuple):
    """A verdict's values, reasoning and quotation, or the problems to tell the judge."""

    values: dict[str, Scalar]
    reasoning: str
    problems: list[str]
    quote: str = ""


def parse(text: str, fields: Mapping[str, Field], quoted: Sequence[str] = ()) -> ParsedVerdict:
    """Read a verdict. `problems` is empty exactly when every field is there, typed and in range.

    `quoted` are the passages that the judge was shown.
    """
    text = without_copies(text, quoted)
    alone = _only_object(text)
    if alone is None:
        return _last_that_fits(text, fields)
    values, wrong = check(alone, fields)
    return ParsedVerdict(values, _text(alone, REASONING), wrong, _text(alone, QUOTE))


def _last_that_fits(text: str, fields: Mapping[str, Field]) -> ParsedVerdict:
    best: ParsedVerdict | None = None
    for span in reversed(list(_spans(text))):
        strict = _strict(span)
        data = _repaired(span, fields) if strict is None else strict
        if data is None:
            return ParsedVerdict({}, "", ["the last JSON object is cut off or broken"])
        values, wrong = check(data, fields)
        wrong = wrong or _repeated(text, span, fields)
        parsed = ParsedVerdict(values, _text(data, REASONING), wrong, _text(data, QUOTE))
        if not wrong or strict is None:  # what stands before a broken object may be a quotation in its place
            return parsed
        if best is None or len(wrong) < len(best.problems):
            best = parsed
    return best or ParsedVerdict({}, "", ["no JSON object found"])


def without_copies(text: str, quoted: Sequence[str]) -> str:
    """What the judge wrote, without passages that it copied as they are and that could be taken for its own verdict.

    Only those with double quotes: within a JSON string they would stand escaped, so that no reasoning is cut.
    """
    for passage in quoted:
        if '"' in passage and len(passage) >= _COPY and passage in text and _like_json(passage):
            text = text.replace(passage, "")
    return text


def _like_json(passage: str) -> bool:
    return bool(_BEGIN.search(passage) or _QUOTED_KEY.search(passage))


def last_object(text: str) -> object:
    """The last JSON object of a text; None without one, or where it is broken."""
    spans = list(_spans(text))
    return _strict(spans[-1]) if spans else None


def _only_object(text: str) -> dict[str, Any] | None:
    """The object of a text that holds one, strict JSON, and behind it neither quotes nor a brace that opens another.

    Such an object is the only span of the text (it ends where its braces say), and no field stands once more after it.
    """
    start = text.find("{")
    if start < 0:
        return None
    try:
        data, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    rest = text[end:]
    return None if "{" in rest or '"' in rest or "'" in rest else data


def _repeated(text: str, span: str, fields: Mapping[str, Field]) -> list[str]:
    """Fields that stand once more after an object: a quotation in its reasoning may have ended it early."""
    after = _QUOTED_KEY.findall(text, text.rfind(span) + len(span))
    return [f"`{name}` stands once more after the object" for name in fields if name in after]


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key, "")
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
    if not text.endswith("}") or any(keys.count(name) > 1 for name in (*fields, QUOTE, REASONING)):
        return None
    try:
        data = json_repair.loads(text)
    except (ValueError, RecursionError, IndexError):
        return None
    return data if isinstance(data, dict) else None


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
