"""From what a judge wrote to a typed verdict, or to what is wrong with it.

The object that holds every field, strict JSON or repaired, and none inside another. A judge may quote a ready-made
verdict out of the reply that it grades, before its own or after it. So an object is set aside where the dialogue holds
its values and its reasoning, and so is a passage that is copied whole. Where nothing else is left, or two objects
differ, the judge is asked again for an object with a one-time key, which no reply can hold. Where no object fits, one
that is alone may spell its keys, its values and JSON itself otherwise than asked, and may be wrapped in another
(`spelling`).

A verdict that is one number is read by itself: nothing is searched for in prose. A line counts only where every sign on
it is understood: it is the number, or a label such as `Final score:` and the number. Whatever could be read with either
sign, or as one of two numbers, is refused, and the judge is asked again.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from independence.judge import spelling
from independence.judge.schema import KEY, QUOTE, REASONING, check
from independence.suites.schema import Field
from independence.types import Scalar

_DECODER = json.JSONDecoder(strict=False)
_BEGIN = re.compile(r"""\{\s*["'}]""")  # a brace in prose opens no object
_KEY = re.compile(r"""["']?(?<!\w)(\w++)\\?["']?\s*:""")  # linear, however long a word is
_QUOTED_KEY = re.compile(r"""["'“]([\w -]{1,99}+)\\?["'”]\s*[:：]""")
_MARK = re.compile(r"""\\.|["{}]""", re.DOTALL)
_BEFORE_VALUE = ":=：＝"  # one of them stands between the name of a field and its value
_COPY = 40  # characters; a shorter passage could stand in a verdict of the judge's own by chance
_WRAPPER = {
    "assessment", "evaluation", "final", "grade", "grades", "judgment", "my", "output", "rating", "ratings", "result",
    "score", "scores", "verdict",
}  # fmt: skip


class ParsedVerdict(NamedTuple):
    """A verdict's values, reasoning and quotation, or the problems to tell the judge."""

    values: dict[str, Scalar]
    reasoning: str
    problems: list[str]
    quote: str = ""
    whose: bool = False  # whether it is open which object is the judge's own: a one-time key would tell


_STATED = "a part of it stands in the dialogue and may not be your own"
_DIFFER = "it holds two objects that differ"


def parse(text: str, fields: Mapping[str, Field], quoted: Sequence[str] = (), key: str = "") -> ParsedVerdict:
    """Read a verdict. `problems` is empty exactly when every field is there, typed and in range.

    `quoted` are the passages that the judge was shown. `key`: only an object that holds it counts.
    """
    if key:
        return _with_key(text, fields, key)
    stated = stated_values(quoted, fields)
    own = _without_stated(_without_copies(text, quoted), fields, quoted, stated)
    parsed = _that_fits(own, fields)
    if parsed.problems and not parsed.whose:
        parsed = _only_object(text, fields, quoted, stated) or parsed
    if parsed.problems and (stated or own != text):
        return parsed._replace(problems=[_STATED, *parsed.problems], whose=True)
    return parsed


def stated_values(passages: Sequence[str], fields: Mapping[str, Field]) -> dict[str, set[Scalar]]:
    """The values that texts state for fields of a rubric, in JSON or not, whole or cut off, however they are spelt.

    stated_values(['{"Score": "7/10"'], fields)  # {"score": {7.0}}
    """
    stated: dict[str, set[Scalar]] = {}
    for passage in passages:
        if not any(mark in passage for mark in _BEFORE_VALUE):
            continue
        text = spelling.plain(passage).replace("\\", " ")
        for name, field in fields.items():
            for value in _stating(name).findall(text):
                typed, _ = check(spelling.as_asked({name: value}, {name: field}, ()), {name: field})
                stated.setdefault(name, set()).update(typed.values())
    return stated


def holds_verdict(text: str, fields: Mapping[str, Field]) -> bool:
    """Whether a text holds an object with fields of a rubric, as a verdict has them."""
    return bool(_BEGIN.search(text) and stated_values([text], fields))


@functools.cache
def _stating(name: str) -> re.Pattern[str]:
    """What states a value for a field, in a text in plain signs without quotation marks."""
    words = "[ _-]?".join(map(re.escape, spelling.key(name).split("_")))
    return re.compile(rf"(?i:(?<!\w){words})\s*+[:=]\s*+([+-]?[\d.]+(?: ?/ ?\d+)?|\w+)")


def _without_stated(
    text: str, fields: Mapping[str, Field], passages: Sequence[str], stated: Mapping[str, set[Scalar]]
) -> str:
    """What the judge wrote, without the objects of which every value and the reasoning stand in a passage."""
    said = "\n".join(map(_letters, passages)) if stated else ""
    for span in _spans(text) if stated else ():
        held = stated_values([span], fields)
        reasoning = _text(spelling.as_asked(_strict(span) or {}, {}, (REASONING,)), REASONING)
        if held and all(own <= stated.get(name, set()) for name, own in held.items()) and _letters(reasoning) in said:
            text = text.replace(span, "", 1)
    return text


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _with_key(text: str, fields: Mapping[str, Field], key: str) -> ParsedVerdict:
    """The object that carries the key, wherever it begins."""
    for begin in _BEGIN.finditer(text):
        try:
            data, end = _DECODER.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            continue
        if data.get(KEY) == key:
            after = text[end:]
            for other in _spans(after):  # one that it quotes says nothing of this one
                after = after.replace(other, "", 1)
            return _checked(spelling.as_asked(data, fields, (QUOTE, REASONING)), fields, after)
    return ParsedVerdict({}, "", [f'no JSON object holds "{KEY}": "{key}"'])


def _that_fits(text: str, fields: Mapping[str, Field]) -> ParsedVerdict:
    """The last object that fits; where one before it fits too, they have to agree."""
    best: ParsedVerdict | None = None
    spans = list(_spans(text))
    for at, span in reversed(list(enumerate(spans))):
        strict = _strict(span)
        data = _repaired(span, fields) if strict is None else strict
        if data is None:
            return ParsedVerdict({}, "", ["the last JSON object is cut off or broken"])
        parsed = _checked(data, fields, text[text.rfind(span) + len(span) :])
        if not parsed.problems and any(_differs(before, parsed, fields) for before in spans[:at]):
            return ParsedVerdict({}, "", [_DIFFER], whose=True)
        if not parsed.problems or strict is None:  # what stands before a broken object may be a quotation in its place
            return parsed
        if best is None or len(parsed.problems) < len(best.problems):
            best = parsed
    return best or ParsedVerdict({}, "", ["no JSON object found"])


def _differs(span: str, verdict: ParsedVerdict, fields: Mapping[str, Field]) -> bool:
    """Whether an object is a verdict too, and another one."""
    values, wrong = check(_strict(span) or {}, fields)
    return not wrong and values != verdict.values


def _only_object(
    text: str, fields: Mapping[str, Field], quoted: Sequence[str], stated: Mapping[str, set[Scalar]]
) -> ParsedVerdict | None:
    """The object of a text with one, in another spelling; None where it is cut off or broken, or more may be meant."""
    text = _unquoted(_without_copies(text, quoted, '"“'))
    text = spelling.plain_json(_without_copies(text, quoted, '"“'))  # in a JSON string copies could not be seen
    text = _without_stated(text, fields, quoted, stated)
    span = next(_spans(text), "")
    data, beside = _strict(span), "\n".join(text.split(span or None, 1))
    if data is None or any(mark in beside for mark in '{"“”'):
        return None
    parsed = _checked(spelling.as_asked(_unwrapped(data), fields, (QUOTE, REASONING)), fields, beside)
    return parsed if parsed.values else None


def _unquoted(text: str) -> str:
    """The text that a JSON string holds; any other text as it is."""
    try:
        inner = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) else text


def _unwrapped(data: dict[str, Any]) -> dict[str, Any]:
    """The object in one that does nothing but wrap it: `{"verdict": {...}}`."""
    inner = next(iter(data.values())) if len(data) == 1 else None
    return inner if isinstance(inner, dict) and _WRAPPER.issuperset(spelling.key(*data).split("_")) else data


def _checked(data: Mapping[str, Any], fields: Mapping[str, Field], after: str) -> ParsedVerdict:
    """What an object comes to. A field that stands once more `after` it: a quotation may have ended it early."""
    values, wrong = check(data, fields)
    again = set() if wrong or not after else set(map(spelling.key, _QUOTED_KEY.findall(after)))
    wrong += [f"`{name}` stands once more after the object" for name in fields if spelling.key(name) in again]
    said = spelling.as_asked(data, {}, (QUOTE, REASONING))
    return ParsedVerdict(values, _text(said, REASONING), wrong, _text(said, QUOTE))


def _without_copies(text: str, quoted: Sequence[str], quotes: str = '"') -> str:
    """What the judge wrote, without passages that it copied as they are and that could be taken for its own verdict.

    Only those with such quotes: within a JSON string double ones would stand escaped, so that no reasoning is cut.
    """
    for passage in quoted:
        if len(passage) >= _COPY and passage in text and any(one in passage for one in quotes) and _like_json(passage):
            text = text.replace(passage, "")
    return text


def _like_json(passage: str) -> bool:
    return bool(_BEGIN.search(passage) or _QUOTED_KEY.search(passage))


def only_object(text: str, quoted: Sequence[str]) -> object:
    """The JSON object of a text that stands in none of the quoted ones; None if broken, or if several differ."""
    stated = [_strict(span) for passage in quoted for span in _spans(passage)]
    own = map(_strict, _spans(_without_copies(text, quoted)))
    found = [data for data in own if data is None or data not in stated]
    return found[-1] if found and all(one == found[-1] for one in found) else None


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
    told = ("" if _FENCE.fullmatch(line) else " ".join(spelling.plain(line).split()) for line in text.splitlines())
    return [line for line in told if line]


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
