"""The message inside a tool call's arguments, however they were written: JSON, cut JSON, no JSON."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import msgspec

from independence.clients import flags
from independence.clients.debris import without_debris
from independence.clients.validity import readable

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


class Recovered(NamedTuple):
    """A message and what was odd about how it came."""

    text: str
    flags: tuple[str, ...] = ()


def message_of(arguments: object, parameter: str) -> Recovered | None:
    """The text of `parameter`, if only a brace; None when the arguments hold none. Never raises."""
    if isinstance(arguments, str):
        return _of_text(arguments, parameter, _DEEPEST)
    found = _of_value(arguments, parameter, _DEEPEST)
    return _odd(found) if found else None


def _of_text(text: str, parameter: str, depth: int) -> Recovered | None:
    value = _parsed(text)
    if value is _BROKEN:
        return _salvage(text, parameter)
    found = _of_value(value, parameter, depth)
    return found if found is None or isinstance(value, dict) else _odd(found)


def _parsed(text: str) -> object:
    try:
        value: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        try:
            value = _LENIENT.decode(text)
        except (ValueError, RecursionError):
            return _BROKEN
    return value


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
        found = _of_value(said, parameter, depth - 1) if depth else None
        return _odd(found) if found else None
    others = [v for v in value.values() if isinstance(v, str) and readable(v)]
    return Recovered(others[0].strip(), (flags.ODD_ARGUMENTS,)) if len(others) == 1 else None


def _text(value: str) -> Recovered | None:
    return Recovered(value.strip()) if value.strip() else None


def _odd(found: Recovered) -> Recovered:
    return found if flags.ODD_ARGUMENTS in found.flags else Recovered(found.text, (*found.flags, flags.ODD_ARGUMENTS))


def _salvage(text: str, parameter: str) -> Recovered | None:
    opened = re.search(rf"""["']?\b{re.escape(parameter)}["']?\s*[:=]\s*(["'])""", text)
    if opened:
        return read_string(text, opened.end(), opened.group(1))
    if text.lstrip()[:1] in ("{", "[", '"', ""):
        return None
    found = _text(text)
    return _odd(found) if found else None


def read_string(text: str, start: int, quote: str) -> Recovered | None:
    """Read a quoted string from just after its opening quote, forgiving unescaped quotes inside and a missing end."""
    for match in re.finditer(rf"\\.|{quote}", text[start:], re.DOTALL):
        end = start + match.end()
        if match.group() == quote and _CLOSED.match(text, end):
            found = _text(unescape(text[start : end - 1]))
            return _odd(found) if found else None
    body = text[start:]
    clean = without_debris(body)
    if clean is not body:
        found = _text(unescape(clean))
        return Recovered(found.text, (flags.ODD_ARGUMENTS,)) if found else None
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
