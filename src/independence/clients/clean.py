"""From what a model wrote to what it said: reasoning moved out, template tokens and leaked calls taken off."""

from __future__ import annotations

import re
from typing import NamedTuple

from independence.clients import flags, thoughts
from independence.clients.debris import without_debris
from independence.clients.leaks import find_leak
from independence.clients.tokens import without_tokens
from independence.types import Tool

_PASSES = 20  # layers of wrapping
_BRACKETED = re.compile(r"\[/?(?:INST|TOOL_CALLS|THINK)")
_CALL_AT_START = re.compile(r"\s*(?:[{`]|[A-Za-z_]\w{0,80}\s{0,9}[({])")
_CALL_AT_END = ('"', "}", "]")


class Cleaned(NamedTuple):
    """A text and what was taken off it."""

    text: str
    thinking: str = ""  # written ahead of a leaked call: private content
    reasoning: str = ""
    flags: tuple[str, ...] = ()


_NOTHING = Cleaned("")


def safe(text: str) -> tuple[str, bool]:
    """The text as valid UTF-8 without NUL, and whether it had to be changed; lone surrogates become U+FFFD."""
    if text.isascii() and "\x00" not in text:
        return text, False
    try:
        text.encode()
        valid = text
    except UnicodeEncodeError:
        valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    valid = valid.replace("\x00", "")
    return valid, valid != text


def clean(text: str, tool: Tool | None) -> Cleaned:
    """Take off everything that is not said. `tool` is the one that was offered: calls to it may have leaked.

    The text of the result cleans to itself, encodes as UTF-8 and has no space at its ends. Never raises.
    """
    if not text:
        return _NOTHING
    text, changed = safe(text)
    if not changed and not _suspicious(text, tool):
        return Cleaned(text.strip())
    out = Cleaned(text.strip(), flags=(flags.BAD_TEXT,) if changed else ())
    for _ in range(_PASSES):
        cleaner = _pass(out, tool)
        if cleaner.text == out.text:
            break
        out = cleaner
    return out


def _suspicious(text: str, tool: Tool | None) -> bool:
    """Whether anything below could apply; most texts end here, so this is all that most texts cost."""
    if "<" in text or "◁" in text or text.rstrip().endswith(_CALL_AT_END):
        return True
    if "[" in text and _BRACKETED.search(text):
        return True
    return bool(tool and (tool.name in text or _CALL_AT_START.match(text)))


def _pass(before: Cleaned, tool: Tool | None) -> Cleaned:
    part = thoughts.split(before.text)
    out = before._replace(
        text=part.said,
        reasoning=thoughts.joined([before.reasoning, part.thought]),
        flags=union(before.flags, (flags.TEMPLATE_TOKENS,) if part.template else ()),
    )
    leak = find_leak(part.said, tool) if tool else None
    if leak:
        return out._replace(
            text=leak.message.strip(),
            thinking=thoughts.joined([out.thinking, leak.before]),
            flags=union(out.flags, leak.flags),
        )
    tokenless = without_tokens(part.said)
    if tokenless != part.said:
        return out._replace(text=tokenless, flags=union(out.flags, (flags.TEMPLATE_TOKENS,)))
    tailless = without_debris(part.said).strip()
    if tailless != part.said:
        return out._replace(text=tailless, flags=union(out.flags, (flags.TOOL_SYNTAX,)))
    return out


def union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Both, in order, without repeats."""
    return (*first, *(f for f in second if f not in first)) if second else first
