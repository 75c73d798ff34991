"""A tool call written into the text instead of made: find it, and take the message out.

Seen with the tool's name before a JSON object, in `<arg_value>` and `<parameter>` tags, as a Python call, as bare JSON,
and in words ("call tool X with message is ..."). A text that merely mentions the tool is left as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from independence.clients import flags
from independence.clients.arguments import Recovered, read_string
from independence.clients.debris import without_debris
from independence.clients.validity import readable
from independence.types import Tool


class Leak(NamedTuple):
    """A call found in a text."""

    before: str  # what was written ahead of it
    message: str
    flags: tuple[str, ...]


class _Patterns(NamedTuple):
    call: re.Pattern[str]
    bare: re.Pattern[str]
    end: re.Pattern[str]  # of a value in tags


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


def find_leak(text: str, tool: Tool) -> Leak | None:
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


def _opened_by_the_template(text: str) -> Leak | None:
    """A value that is only closed: what stands before is the message, what follows is not part of it."""
    if _VALUE.search(text) or not readable(text):
        return None
    return Leak("", text.strip(), (flags.TOOL_SYNTAX,))


@lru_cache(maxsize=64)
def _patterns(name: str, parameter: str) -> _Patterns:
    key = re.escape(parameter)
    opener = rf"""
        \{{\s*["']{key}["']\s*:\s*(?P<quote>["'])
        | \(\s*{key}\s*=\s*(?P<kwarg>\"\"\"|\'\'\'|["'])
        | <arg_key>\s*{key}\s*</arg_key>\s*<arg_value>
        | <(?:[｜|]DSML[｜|])?parameter(?:=|\s+name=)["']?{key}["']?[^<>]{{0,40}}>
    """
    prose = rf"\s+with\s+(?:the\s+)?{key}(?:\s+is\b|\s*:|\s+as\b)(?P<prose>)\s*"
    fences = r"(?:```\w*+\s*+|<\|?tool_call\|?>\s*+|\[TOOL_CALLS\]\s*+)*+"
    return _Patterns(
        call=re.compile(rf"\b{re.escape(name)}\b{_GLUE}{{0,80}}?(?:{opener}|{prose})", re.VERBOSE),
        bare=re.compile(rf"{fences}(?P<name>[A-Za-z_]\w{{2,60}})?\s*+(?:{opener})", re.VERBOSE),
        end=re.compile(r"</(?:[｜|]DSML[｜|])?(?:arg_value|parameter)>"),
    )


def _take(text: str, match: re.Match[str], tool: Tool) -> Leak | None:
    found = _value(text, match, _patterns(tool.name, tool.parameter).end)
    if found is None:
        return None
    name = match.groupdict().get("name")
    foreign = (flags.FOREIGN_TOOL,) if name and name.casefold() != tool.name.casefold() else ()
    cut = tuple(f for f in found.flags if f == flags.CUT_ARGUMENTS)
    return Leak(_without_lead(text[: match.start()]), found.text, (flags.TOOL_SYNTAX, *foreign, *cut))


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
