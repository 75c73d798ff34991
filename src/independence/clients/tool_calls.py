"""The message in a tool call: in its arguments, or in a call that was written into the text instead of made.

Arguments come as JSON, cut JSON and no JSON. Calls in texts were seen with the tool's name before a JSON object, in
`<arg_value>` and `<parameter>` tags, as a Python call, as bare JSON, and in words ("call tool X with message is ...").
A text that merely mentions the tool is left as it is.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import msgspec

from independence.clients import flags
from independence.clients.text import readable, union, without_debris
from independence.types import Tool

_LENIENT = json.JSONDecoder(strict=False)
_BROKEN = object()
_DEEPEST = 3  # JSON inside JSON text
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# After a closing quote comes the end of the object, the next key, or nothing but the debris of a call.
_CLOSED = re.compile(
    r"""\s*+(?: \} | ,\s*["'][\w ]{1,40}["']\s*: | (?:[)\]}>"'`;\s]|<[^<>]{1,80}>){0,200}+\Z )""",
    re.VERBOSE,
)

# What may stand between a tool's name and its message: punctuation and the vocabulary of call formats, never prose.
# Every text splits into these in one way only, so that hostile text cannot make the search slow.
_GLUE = (
    r"""(?i:[\s"'`:,;=()\[\]{}<>/|｜▁\\\d_]|arguments?|args?|parameters?|params|inputs?|json|tool_?calls?|begin|sep"""
    r"""|type|function|string|true|id|DSML|xml)"""
)
# One piece of what may stand before the name and belongs to the call.
_LEAD = re.compile(
    r"""(?:[\s{"'`:,(\[=]+|<[|｜]?[\w▁｜|:\s="']{0,60}>?|\b(?:name|functions?\.?|default_api\.|print|to|type|recipient)
        |```\w{0,20}|\[/?TOOL_CALLS\]|\[ARGS\]|\b(?:call|run|invoke|use|calling|using)\s(?:the\s)?(?:tool\s)?)\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_LEAD_WINDOW = 80
_VALUE = re.compile(r"<(?:[｜|]DSML[｜|])?(?:arg_value|parameter)\b")


class Recovered(NamedTuple):
    """A message and what was odd about how it came."""

    text: str
    flags: tuple[str, ...] = ()
    before: str = ""  # what was written ahead of a call that was found in a text


def message_of(arguments: object, parameter: str) -> Recovered | None:
    """The text of `parameter`, if only a brace; None when the arguments hold none. Never raises."""
    if isinstance(arguments, str):
        return _of_text(arguments, parameter, _DEEPEST)
    return _odd(_of_value(arguments, parameter, _DEEPEST))


def _of_text(text: str, parameter: str, depth: int) -> Recovered | None:
    value = _parsed(text)
    if value is _BROKEN:
        return _salvage(text, parameter)
    found = _of_value(value, parameter, depth)
    return found if isinstance(value, dict) else _odd(found)


def _parsed(text: str) -> object:
    for decode in (msgspec.json.decode, _LENIENT.decode):
        with suppress(ValueError, RecursionError):
            value: object = decode(text)
            return value
    return _BROKEN


def _of_value(value: object, parameter: str, depth: int) -> Recovered | None:
    if isinstance(value, dict):
        return _of_object(value, parameter, depth)
    if isinstance(value, str) and depth and value.lstrip()[:1] in ("{", "["):
        return _of_text(value, parameter, depth - 1) or _text(value)
    if isinstance(value, list) and depth:
        parts = [found for item in value if (found := _of_value(item, parameter, depth - 1))]
        return Recovered("\n\n".join(p.text for p in parts), (flags.ODD_ARGUMENTS,)) if parts else None
    return _text(value) if isinstance(value, str) else None


def _of_object(value: dict[str, object], parameter: str, depth: int) -> Recovered | None:
    said = value.get(parameter)
    if isinstance(said, str):
        return _text(said)
    if said is not None:
        return _odd(_of_value(said, parameter, depth - 1)) if depth else None
    others = [v for v in value.values() if isinstance(v, str) and readable(v)]
    return Recovered(others[0].strip(), (flags.ODD_ARGUMENTS,)) if len(others) == 1 else None


def _text(value: str) -> Recovered | None:
    return Recovered(value.strip()) if value.strip() else None


def _odd(found: Recovered | None) -> Recovered | None:
    return found and found._replace(flags=union(found.flags, (flags.ODD_ARGUMENTS,)))


def _salvage(text: str, parameter: str) -> Recovered | None:
    opened = re.search(rf"""["']?\b{re.escape(parameter)}["']?\s*[:=]\s*(["'])""", text)
    if opened:
        return read_string(text, opened.end(), opened.group(1))
    if text.lstrip()[:1] in ("{", "[", '"', ""):
        return None
    return _odd(_text(text))


def read_string(text: str, start: int, quote: str) -> Recovered | None:
    """Read a quoted string from just after its opening quote, forgiving unescaped quotes inside and a missing end."""
    for match in re.finditer(rf"\\.|{quote}", text[start:], re.DOTALL):
        end = start + match.end()
        if match.group() == quote and _CLOSED.match(text, end):
            return _odd(_text(unescape(text[start : end - 1])))
    body = text[start:]
    clean = without_debris(body)
    if clean is not body:
        return _odd(_text(unescape(clean)))
    cut = _CUT_ESCAPE.search(body)
    found = _text(unescape(body[: cut.start(1)] if cut else body))
    return Recovered(found.text, (flags.CUT_ARGUMENTS,)) if found else None


def unescape(body: str) -> str:
    r"""Decode the escapes of a string literal, keeping the character of those that do not exist (`\\'`)."""
    if "\\" not in body:
        return body
    return _ESCAPE.sub(_character, body)


def _character(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _PLAIN_ESCAPES.get(code, code)


class _CallPatterns(NamedTuple):
    call: re.Pattern[str]
    bare: re.Pattern[str]
    end: re.Pattern[str]  # of a value in tags


def find_leak(text: str, tool: Tool) -> Recovered | None:
    """The first call in a text whose message is readable; None when there is none. Never raises."""
    patterns = _patterns(tool.name, tool.parameter)
    named = tool.name in text
    for match in patterns.call.finditer(text) if named else ():
        leak = _take(text, match, tool)
        if leak:
            return leak
    bare = patterns.bare.match(text, len(text) - len(text.lstrip()))
    if bare:
        return _take(text, bare, tool)
    end = patterns.end.search(text)
    return _opened_by_the_template(text[: end.start()]) if end else None


def _opened_by_the_template(text: str) -> Recovered | None:
    """A value that is only closed: what stands before is the message, what follows is not part of it."""
    if _VALUE.search(text) or not readable(text):
        return None
    return Recovered(text.strip(), (flags.TOOL_SYNTAX,))


@lru_cache(maxsize=64)
def _patterns(name: str, parameter: str) -> _CallPatterns:
    key = re.escape(parameter)
    opener = rf"""
        \{{\s*["']{key}["']\s*:\s*(?P<quote>["'])
        | \(\s*{key}\s*=\s*(?P<kwarg>\"\"\"|\'\'\'|["'])
        | <arg_key>\s*{key}\s*</arg_key>\s*<arg_value>
        | <(?:[｜|]DSML[｜|])?parameter(?:=|\s+name=)["']?{key}["']?[^<>]{{0,40}}>
    """
    prose = rf"\s+with\s+(?:the\s+)?{key}(?:\s+is\b|\s*:|\s+as\b)(?P<prose>)\s*"
    fences = r"(?:```\w*+\s*+|<\|?tool_call\|?>\s*+|\[TOOL_CALLS\]\s*+)*+"
    return _CallPatterns(
        call=re.compile(rf"\b{re.escape(name)}\b{_GLUE}{{0,80}}?(?:{opener}|{prose})", re.VERBOSE),
        bare=re.compile(rf"{fences}(?P<name>[A-Za-z_]\w{{2,60}})?\s*+(?:{opener})", re.VERBOSE),
        end=re.compile(r"</(?:[｜|]DSML[｜|])?(?:arg_value|parameter)>"),
    )


def _take(text: str, match: re.Match[str], tool: Tool) -> Recovered | None:
    found = _value(text, match, _patterns(tool.name, tool.parameter).end)
    if found is None:
        return None
    name = match.groupdict().get("name")
    foreign = (flags.FOREIGN_TOOL,) if name and name.casefold() != tool.name.casefold() else ()
    cut = tuple(f for f in found.flags if f == flags.CUT_ARGUMENTS)
    return Recovered(found.text, (flags.TOOL_SYNTAX, *foreign, *cut), _without_lead(text[: match.start()]))


def _without_lead(before: str) -> str:
    while True:
        lead = _LEAD.search(before, max(0, len(before) - _LEAD_WINDOW))
        if lead is None or lead.start() == len(before):
            return before.strip()
        before = before[: lead.start()]


def _value(text: str, match: re.Match[str], end: re.Pattern[str]) -> Recovered | None:
    groups = match.groupdict()
    quote = groups["quote"] or groups["kwarg"]
    if quote and len(quote) == 1:
        found = read_string(text, match.end(), quote)
        return found if found and readable(found.text) else None
    rest = text[match.end() :]
    if quote:
        rest = rest.split(quote, 1)[0]
    elif groups.get("prose") is None:
        rest = end.split(rest, maxsplit=1)[0]
    rest = without_debris(rest).strip()
    return Recovered(rest) if readable(rest) else None
