"""Reasoning written into the text: `<think>` blocks and their relatives, and harmony channels."""

from __future__ import annotations

import re
from typing import NamedTuple

from independence.clients.tokens import without_role, without_tokens
from independence.clients.validity import readable

_NAMES = "think(?:ing)?|reasoning|thought|seed:think"
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})>|\[THINK\]|◁think▷|<\|[a-z_]{{1,20}}>thought\b)"
    rf"|(?P<close></(?:{_NAMES})>|\[/THINK\]|◁/think▷|<channel\|>)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"<\|channel\|>(?P<head>[^<]{0,120})(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
    r"(?P<body>.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)


class Split(NamedTuple):
    """What is said and what was only thought."""

    said: str
    thought: str = ""
    template: bool = False  # template tokens marked the thoughts


def split(text: str) -> Split:
    """Part reasoning from what is said. Linear in the length of the text; never raises."""
    if "<|channel|>" in text and (first := _CHANNEL.search(text)):
        return _channels(text, first.start())
    return _blocks(text) if _TAG.search(text) else Split(text)


def _blocks(text: str) -> Split:
    said: list[str] = []
    thought: list[str] = []
    position, opened, template = 0, -1, False
    for tag in _TAG.finditer(text):
        template = template or "|" in tag.group()
        if tag["open"]:
            if opened < 0:
                said.append(text[position : tag.start()])
                position, opened = tag.end(), tag.start()
            continue
        # A close that was never opened: the template opened it, and all so far is reasoning.
        thought += [text[position : tag.start()]] if opened >= 0 else [*said, text[position : tag.start()]]
        if opened < 0:
            said = []
        position, opened = tag.end(), -1
    rest = text[position:]
    if opened < 0:
        said.append(rest)
    elif readable("".join(said)):
        said.append(text[opened:])  # never closed, and something was said before it: more likely a quoted tag
    else:
        thought.append(rest)
    spoken = "".join(said)
    return Split(without_role(spoken) if template else spoken.strip(), joined(thought), template)


def _channels(text: str, start: int) -> Split:
    """The final channel is said, the others are thoughts, unless they address a tool."""
    before = without_tokens(text[:start])
    said: list[str] = []
    thought: list[str] = []
    addressed: list[str] = []
    for match in _CHANNEL.finditer(text, start):
        head, _, recipient = match["head"].partition("to=")
        if recipient.strip():
            addressed.append(f"{recipient.split()[0]} {match['body'].strip()}")
        else:
            (thought if head.strip().startswith("analysis") else said).append(match["body"])
    if addressed:
        return Split(joined(addressed), joined([before, *thought, *said]), template=True)
    if said:
        return Split(joined(said), joined([before, *thought]), template=True)
    return Split(before, joined(thought), template=True)


def joined(parts: list[str]) -> str:
    """The non-empty parts as paragraphs."""
    return "\n\n".join(p.strip() for p in parts if p.strip())
