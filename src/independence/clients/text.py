"""Texts of models: is there an answer at all, and what stands around it and is taken off?

Taken off are reasoning, chat-template tokens and the remains of tool calls. Nothing here has an opinion about what an
answer says: short, rude and odd are answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple

Artefact = Literal["punctuation", "greeting"]

_NO_WORDS = ("P", "Z", "C", "Sm", "Sk", "Sc", "M")  # an emoji (So) says something, a brace does not
_EDGES = " \t\r\n\"'`“”‘’«».!…"

_THINKING_NAMES = "think(?:ing)?|reasoning|thought|seed:think"
_THINKING_TAG = re.compile(
    rf"(?P<open><(?:{_THINKING_NAMES})>|\[THINK\]|◁think▷|<\|[a-z_]{{1,20}}>thought\b)"
    rf"|(?P<close></(?:{_THINKING_NAMES})>|\[/THINK\]|◁/think▷|<channel\|>)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"<\|channel\|>(?P<head>[^<]{0,120})(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
    r"(?P<body>.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)

_END_OF_TURN = re.compile(
    r"<\|(?:im_end|eot_id|endoftext|end|eom_id|return)\|>|<end_of_turn>|<turn\|>|<[|｜]end▁of▁sentence[|｜]>"
)
_TOKEN = re.compile(
    r"<\|(?:im_start|start|turn|start_header_id)\|?>\s{0,3}(?:assistant|user|system|tool|model)?(?:<\|end_header_id\|>)?"
    r"|<start_of_turn>(?:model|user)?"
    r"|<[|｜][^<>\s]{1,60}>"
    r"|<[a-z_]{1,20}\|>"
    r"|<(?:bos|eos|pad|unk)>"
    r"|\A\s*\[INST\]|\[/INST\]\s*\Z|\[/?TOOL_CALLS\]"
)
_ROLE = re.compile(r"\A\s*(?:thought|final|assistant|model)[ \t]*\n", re.IGNORECASE)

_CLOSERS = "}]) \t\r\n"
_LONGEST_TAG = 80
_CALL_TAG = re.compile(
    r"</(?:[｜|]DSML[｜|]|minimax:)?"
    r"(?P<name>tool_calls?|arg_key|arg_value|parameters?|function(?:_calls?)?|invoke|tools?|message|arguments?|tool_code)>"
    r"|<[|｜][^<>\s]{1,60}>|<[a-z_]{1,20}\|>"
)
_QUOTED = re.compile(r'"\s*[)\]}\s]*[}\]][)\]}\s]*\Z')


def readable(text: str) -> bool:
    """Whether a text holds a letter, a digit or a pictogram."""
    if text[:1].isalnum():
        return True
    return any(c.isalnum() for c in text) or any(not unicodedata.category(c).startswith(_NO_WORDS) for c in text)


def artefact(text: str, greeting: str) -> Artefact | None:
    """The transport artefact a text is: lone punctuation, or the scripted greeting echoed; None for an answer.

    Short, rude and odd texts are answers. An empty text is no artefact; that it is no answer, the caller decides.
    """
    if not text.strip():
        return None
    if not readable(text):
        return "punctuation"
    short = len(text) <= 2 * len(greeting) + len(_EDGES)
    return "greeting" if greeting and short and _bare(text) == _bare(greeting) else None


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES).casefold()


def joined(parts: Iterable[str]) -> str:
    """The non-empty parts as paragraphs."""
    return "\n\n".join(p.strip() for p in parts if p.strip())


def union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Flags of both, in order, without repeats."""
    return (*first, *(f for f in second if f not in first)) if second else first


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


class ThinkingSplit(NamedTuple):
    """A text in two: the answer, and the reasoning that was written into it."""

    answer: str
    thinking: str = ""
    template: bool = False  # template tokens marked the reasoning


def split_thinking(text: str) -> ThinkingSplit:
    """Part `<think>` blocks, their relatives and harmony channels from the answer. Linear in length; never raises."""
    if "<|channel|>" in text and (first := _CHANNEL.search(text)):
        return _channels(text, first.start())
    return _blocks(text) if _THINKING_TAG.search(text) else ThinkingSplit(text)


def _blocks(text: str) -> ThinkingSplit:
    answer: list[str] = []
    thinking: list[str] = []
    position, opened, template = 0, -1, False
    for tag in _THINKING_TAG.finditer(text):
        template = template or "|" in tag.group()
        if tag["open"]:
            if opened < 0:
                answer.append(text[position : tag.start()])
                position, opened = tag.end(), tag.start()
            continue
        # A close that was never opened: the template opened it, and all so far is reasoning.
        thinking += [text[position : tag.start()]] if opened >= 0 else [*answer, text[position : tag.start()]]
        if opened < 0:
            answer = []
        position, opened = tag.end(), -1
    rest = text[position:]
    if opened < 0:
        answer.append(rest)
    elif readable("".join(answer)):
        answer.append(text[opened:])  # never closed, and something was said before it: more likely a quoted tag
    else:
        thinking.append(rest)
    spoken = "".join(answer)
    return ThinkingSplit(without_role(spoken) if template else spoken.strip(), joined(thinking), template)


def _channels(text: str, start: int) -> ThinkingSplit:
    """The final channel is the answer, the others are reasoning, unless they address a tool."""
    before = without_tokens(text[:start])
    answer: list[str] = []
    thinking: list[str] = []
    addressed: list[str] = []
    for match in _CHANNEL.finditer(text, start):
        head, _, recipient = match["head"].partition("to=")
        if recipient.strip():
            addressed.append(f"{recipient.split()[0]} {match['body'].strip()}")
        else:
            (thinking if head.strip().startswith("analysis") else answer).append(match["body"])
    if addressed:
        return ThinkingSplit(joined(addressed), joined([before, *thinking, *answer]), template=True)
    if answer:
        return ThinkingSplit(joined(answer), joined([before, *thinking]), template=True)
    return ThinkingSplit(before, joined(thinking), template=True)


def without_tokens(text: str) -> str:
    """The text without template tokens. What follows an end of turn belongs to somebody else and goes too."""
    end = _END_OF_TURN.search(text)
    if end and readable(_TOKEN.sub("", text[: end.start()])):
        text = text[: end.start()]
    bare = _without_sentence_marks(_TOKEN.sub("", text))
    return without_role(bare) if bare != text.strip() else bare


def _without_sentence_marks(text: str) -> str:
    # `<s>` is also how HTML strikes words out, so only a pair around the whole text, or a single one, is a token.
    text = text.strip()
    if text.endswith("</s>") and "<s>" not in text[3:]:
        text = text[:-4].strip()
    if text.startswith("<s>") and "</s>" not in text:
        text = text[3:].strip()
    return text


def without_role(text: str) -> str:
    """The text without a role or channel name that a removed token left on the first line."""
    return _ROLE.sub("", text).strip()


def without_debris(text: str) -> str:
    """The text without the remains of a broken tool call at its end: unopened closing tags, special tokens, brackets.

    The text itself when there are none. Linear, idempotent.
    """
    cut = False
    while True:
        bare = text.rstrip(_CLOSERS)
        tag = _before_tag_at_end(bare.rstrip('"'))
        if tag is not None:
            text, cut = tag, True
            continue
        shorter = _unbracketed(text, cut=cut)
        if shorter is None:
            return text.rstrip() if cut else text
        text, cut = shorter, True


def _before_tag_at_end(text: str) -> str | None:
    """The text before a tag that ends it; None when it does not end in one or the tag was opened before."""
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    match = _CALL_TAG.fullmatch(text, start) if start >= 0 else None
    if match is None or (match["name"] and f"<{match['name']}" in text[:start]):
        return None
    return text[:start]


def _unbracketed(text: str, *, cut: bool) -> str | None:
    """The text without unopened brackets at its end; None when there is nothing of the kind to drop."""
    if not any(text.count(opening) < text.count(closing) for opening, closing in ("{}", "[]")):
        return None
    quoted = _QUOTED.search(text, max(0, len(text) - _LONGEST_TAG))
    if quoted:
        bare = text[: quoted.start() + 1]
        return bare[:-1] if bare.count('"') % 2 == 1 else bare
    bare = text.rstrip("}] \t\r\n")
    return bare if cut and len(bare) < len(text.rstrip()) else None
