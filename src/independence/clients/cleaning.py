"""Texts of models: is there an answer at all, what stands around it and is taken off, and the message in a tool call.

Taken off are reasoning, chat-template tokens and the remains of tool calls. Nothing here has an opinion about what an
answer says: short, rude and odd are answers.

The message is in the arguments of a call, or in a call that was written into the text instead of made. Arguments come
as JSON, cut JSON and no JSON. Calls in texts were seen with the tool's name before a JSON object, in `<arg_value>` and
`<parameter>` tags, as a Python call, as bare JSON, and in words ("call tool X with message is ..."). A text that merely
mentions the tool is left as it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from independence.clients import protocol
from independence.types import Tool

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

CHANNEL_NAMES = ("analysis", "assistant", "commentary", "final")
_BARE_CHANNEL = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)(?:(?P<run_on>(?=[A-Z\"'“‘(\d]))|(?=\W))")
_BARE_FINAL = re.compile(r"assistantfinal(?:json)?|assistant\sfinal(?=\W)|(?<=[.!?\n])final(?=[A-Z\"'“‘])")
_BARE_ALONE = re.compile(r"\s*(?:assistantfinal|final(?=[A-Z\"'“‘¡¿]|[^\x00-\x7f]))")
_BARE_CALL = re.compile(r"(?:assistant)?commentary\s+to=(?:functions\.)?(\w+?)\s*(?:json)?\s*(\{.*)", re.DOTALL)

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

_LENIENT = json.JSONDecoder(strict=False)
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
_VALUE_END = re.compile(r"</(?:[｜|]DSML[｜|])?(?:arg_value|parameter)>")


def readable(text: str) -> bool:
    """Whether a text holds a letter, a digit or a pictogram."""
    if text[:1].isalnum():
        return True
    return any(c.isalnum() for c in text) or any(not unicodedata.category(c).startswith(_NO_WORDS) for c in text)


def artefact(text: str, greeting: str) -> Artefact | None:
    """The transport artefact a text is: lone punctuation, or the scripted greeting echoed; None for an answer.

    Short, rude and odd texts are answers. An empty text is no artefact; that it is no answer, the caller decides.
    """
    if not text or text.isspace():
        return None
    if not readable(text):
        return "punctuation"
    if not greeting or len(text) > 2 * len(greeting) + len(_EDGES):
        return None
    bare, echoed = (" ".join(one.split()).strip(_EDGES).casefold() for one in (text, greeting))
    return "greeting" if bare == echoed else None


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
        if "\x00" not in text:
            return text, False
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
    if text.lstrip()[:10].startswith(CHANNEL_NAMES) and (found := channels_without_tokens(text)):
        return found
    if _unmarked(text):
        return ThinkingSplit(text)
    if "<|channel|>" in text and (first := _CHANNEL.search(text)):
        return _channels(text, first.start())
    return _blocks(text) if _THINKING_TAG.search(text) else ThinkingSplit(text)


def channels_without_tokens(text: str) -> ThinkingSplit | None:
    """Channels of gpt-oss whose tokens a server took off: `analysis`, the thoughts, `assistantfinal`, the answer.

    None for any other text: the name of the channel is followed by its text at once, or a final channel follows.
    """
    head = _BARE_CHANNEL.match(text)
    if head is None:
        alone = _BARE_ALONE.match(text)
        return ThinkingSplit(text[alone.end() :].strip(), template=True) if alone else None
    final = _BARE_FINAL.search(text, head.end())
    sure = head["run_on"] is not None or (
        final is not None and (" " not in final[0] or text[final.start() - 1] == "\n")
    )
    if final is not None and sure:
        return ThinkingSplit(text[final.end() :].strip(), text[head.end() : final.start()].strip(), template=True)
    call = _BARE_CALL.search(text, head.start())
    if call is not None:  # a tool was addressed: its name and the arguments
        return ThinkingSplit(f"{call[1]} {call[2]}", text[head.end() : call.start()].strip(), template=True)
    return ThinkingSplit("", text[head.end() :].strip(), template=True) if head["run_on"] is not None else None


def _unmarked(text: str) -> bool:
    """Whether a text holds no sign with which any tag or template token begins: to search for each takes far longer."""
    return "<" not in text and "[" not in text and "◁" not in text


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
    if _unmarked(text):
        return text.strip()
    end = _END_OF_TURN.search(text)
    if end and readable(_TOKEN.sub("", text[: end.start()])):
        text = text[: end.start()]
    bare = _TOKEN.sub("", text).strip()
    # `<s>` is also how HTML strikes words out, so only a pair around the whole text, or a single one, is a token.
    if bare.endswith("</s>") and "<s>" not in bare[3:]:
        bare = bare[:-4].strip()
    if bare.startswith("<s>") and "</s>" not in bare:
        bare = bare[3:].strip()
    return without_role(bare) if bare != text.strip() else bare


def goes_on(text: str) -> bool:
    """Whether an answer that has ended, by a token of its chat template, goes on with another turn."""
    end = _END_OF_TURN.search(text)
    parts = (text[: end.start()], text[end.start() :]) if end else ()
    return bool(parts) and all(readable(without_role(_TOKEN.sub("", part).strip())) for part in parts)


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
    try:
        value = _LENIENT.decode(text)
    except (ValueError, RecursionError):
        opened = re.search(rf"""["']?\b{re.escape(parameter)}["']?\s*[:=]\s*(["'])""", text)
        if opened:
            return read_string(text, opened.end(), opened.group(1))
        if text.lstrip()[:1] in ("{", "[", '"', ""):
            return None
        return _odd(_text(text))
    found = _of_value(value, parameter, depth)
    return found if isinstance(value, dict) else _odd(found)


def _of_value(value: object, parameter: str, depth: int) -> Recovered | None:
    if isinstance(value, dict):
        said = value.get(parameter)
        if isinstance(said, str):
            return _text(said)
        if said is not None:
            return _odd(_of_value(said, parameter, depth - 1)) if depth else None
        others = [v for v in value.values() if isinstance(v, str) and readable(v)]
        return Recovered(others[0].strip(), (protocol.ODD_ARGUMENTS,)) if len(others) == 1 else None
    if isinstance(value, str) and depth and value.lstrip()[:1] in ("{", "["):
        return _of_text(value, parameter, depth - 1) or _text(value)
    if isinstance(value, list) and depth:
        parts = [found for item in value if (found := _of_value(item, parameter, depth - 1))]
        return Recovered("\n\n".join(p.text for p in parts), (protocol.ODD_ARGUMENTS,)) if parts else None
    return _text(value) if isinstance(value, str) else None


def _text(value: str) -> Recovered | None:
    return Recovered(value.strip()) if value.strip() else None


def _odd(found: Recovered | None) -> Recovered | None:
    return found and found._replace(flags=union(found.flags, (protocol.ODD_ARGUMENTS,)))


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
    return Recovered(found.text, (protocol.CUT_ARGUMENTS,)) if found else None


def unescape(body: str) -> str:
    r"""Decode the escapes of a string literal, keeping the character of those that do not exist (`\\'`)."""

    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) == 5 else _PLAIN_ESCAPES.get(code, code)

    return _ESCAPE.sub(character, body)


def find_leak(text: str, tool: Tool) -> Recovered | None:
    """The first call in a text whose message is readable; None when there is none. Never raises."""
    call, alone = _patterns(tool.name, tool.parameter)
    for match in call.finditer(text) if tool.name in text else ():
        leak = _take(text, match, tool)
        if leak:
            return leak
    bare = alone.match(text, len(text) - len(text.lstrip()))
    if bare:
        return _take(text, bare, tool)
    end = _VALUE_END.search(text)
    before = text[: end.start()] if end else ""
    # A value that is only closed: the template opened it, and what follows is not part of the message.
    opened = not readable(before) or _VALUE.search(before)
    return None if opened else Recovered(before.strip(), (protocol.TOOL_SYNTAX,))


@lru_cache(maxsize=64)
def _patterns(name: str, parameter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds a call by the tool's name anywhere in a text, and one without it at the beginning."""
    key = re.escape(parameter)
    opener = rf"""
        \{{\s*["']{key}["']\s*:\s*(?P<quote>["'])
        | \(\s*{key}\s*=\s*(?P<kwarg>\"\"\"|\'\'\'|["'])
        | <arg_key>\s*{key}\s*</arg_key>\s*<arg_value>
        | <(?:[｜|]DSML[｜|])?parameter(?:=|\s+name=)["']?{key}["']?[^<>]{{0,40}}>
    """
    prose = rf"\s+with\s+(?:the\s+)?{key}(?:\s+is\b|\s*:|\s+as\b)(?P<prose>)\s*"
    fences = r"(?:```\w*+\s*+|<\|?tool_call\|?>\s*+|\[TOOL_CALLS\]\s*+)*+"
    call = re.compile(rf"\b{re.escape(name)}\b{_GLUE}{{0,80}}?(?:{opener}|{prose})", re.VERBOSE)
    return call, re.compile(rf"{fences}(?P<name>[A-Za-z_]\w{{2,60}})?\s*+(?:{opener})", re.VERBOSE)


def _take(text: str, match: re.Match[str], tool: Tool) -> Recovered | None:
    groups = match.groupdict()
    quote, name = groups["quote"] or groups["kwarg"], groups.get("name")
    if quote and len(quote) == 1:
        found = read_string(text, match.end(), quote)
    else:
        rest = text[match.end() :]
        if quote:
            rest = rest.split(quote, 1)[0]
        elif groups.get("prose") is None:
            rest = _VALUE_END.split(rest, maxsplit=1)[0]
        found = Recovered(without_debris(rest).strip())
    if found is None or not readable(found.text):
        return None
    before = text[: match.start()]
    while (lead := _LEAD.search(before, max(0, len(before) - _LEAD_WINDOW))) and lead.start() < len(before):
        before = before[: lead.start()]
    foreign = (protocol.FOREIGN_TOOL,) if name and name.casefold() != tool.name.casefold() else ()
    cut = tuple(f for f in found.flags if f == protocol.CUT_ARGUMENTS)
    return Recovered(found.text, (protocol.TOOL_SYNTAX, *foreign, *cut), before.strip())
