"""How real servers behave: the `--ways` language, what is refused, what the model gets to see, other forms of answers.

An item is `NAME`, `NAME=VALUE`, `NAME@MODEL` (for that model alone) or `NAME@MODEL=VALUE`; the names are those of
`ways.yaml`, for example `no-max-tokens,loses=system,ending@half=error`. Of a name that stands twice the last one
counts; those of `loses`, `filter`, `lists` and `stream` add up. `like=NAME` stands for all that one of the APIs does
that the package knows: `apis.yaml`.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import msgspec

from independence.config import documents
from independence.errors import UsageError, suggestion
from independence.testing.loopback import wire
from independence.testing.loopback.wire import CompletionBody, ParsedRequest, tokens
from independence.types import Message

Json = dict[str, Any]

SERVED = "half"  # the simulated model that goes by an id of the API in `like=NAME`

_FIGURE = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+", re.IGNORECASE)
_ITEM = re.compile(r"(?P<name>[^@=]+)(?:@(?P<model>[^=]+))?(?:=(?P<value>.+))?")


class WireText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A response that is no chat completion: its body, a template at first, then as it is sent."""

    body: str
    type: str = "application/json"
    status: int = 200


class RefusalText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a refusal says."""

    status: int
    message: str
    shape: str = "openai"  # one of the `errors`
    type: str = "invalid_request_error"
    code: str | int | None = None
    sent: tuple[str, ...] = ()  # parameters of which none may be sent


class Behaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that servers do."""

    about: str
    takes: str | tuple[str, ...] = ""  # the values it knows, `number`, `text`, a table of texts, or nothing
    alone: bool = False  # of the server, not of a model
    refusal: RefusalText | None = None


class KnownApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an API does, in the language of ways."""

    model: str  # id by which a simulated model goes there
    ways: tuple[str, ...] = ()
    shape: str = "openai"  # of its errors
    says: dict[str, dict[str, str | int]] = {}  # way -> what its refusal says otherwise than usual


@cache
def apis() -> Mapping[str, KnownApi]:
    """The APIs of `apis.yaml` by their names."""
    return documents.packaged(Path(__file__).with_name("apis.yaml"), dict[str, KnownApi])


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parameters: dict[str, Behaviour]
    reading: dict[str, Behaviour]
    answers: dict[str, Behaviour]
    listing: dict[str, Behaviour]
    texts: dict[str, dict[str, WireText]]


@cache
def _document() -> _Document:
    return documents.packaged(Path(__file__).with_name("ways.yaml"), _Document)


@cache
def behaviours() -> Mapping[str, Behaviour]:
    """All behaviours by their names."""
    known = _document()
    return known.parameters | known.reading | known.answers | known.listing


def choices(name: str) -> tuple[str, ...]:
    """The values that a behaviour knows; none where it takes a number, a text or nothing."""
    takes = behaviours()[name].takes
    if takes == "apis":
        return tuple(apis())
    return takes if isinstance(takes, tuple) else tuple(_document().texts.get(takes, ()))


class Way(NamedTuple):
    """One item of the language."""

    name: str
    model: str  # "": every model
    value: str  # "": none


class Ways(NamedTuple):
    """What a server does, or what it does for one model."""

    items: tuple[Way, ...] = ()
    says: Mapping[str, RefusalText] = {}  # way -> what its refusal says, where not as usual

    def of(self, model_id: str) -> Ways:
        """Those that concern a model; for "" those that concern every model."""
        return self._replace(items=tuple(way for way in self.items if wire.concerns(way.model, model_id)))

    def has(self, name: str) -> bool:
        """Whether the server does that."""
        return any(way.name == name for way in self.items)

    def values(self, name: str) -> list[str]:
        """Every value of a behaviour, in order."""
        return [way.value for way in self.items if way.name == name]

    def value(self, name: str) -> str:
        """The value of a behaviour; "" without it."""
        return next(reversed(self.values(name)), "")

    def number(self, name: str) -> float:
        """The value of a behaviour that takes a number; 0 without it."""
        return float(self.value(name) or 0)


NO_WAYS = Ways()


def parse_ways(spec: str) -> Ways:
    """The behaviours of a spec, in order. Raises UsageError."""
    items = [_way(item.strip()) for item in spec.split(",") if item.strip()]
    api = apis().get(next((way.value for way in items if way.name == "like"), ""))
    if api is None:
        return Ways(tuple(items))
    own = [_way(item) for item in ("needs-key", "no-model", "plain", f"serves@{SERVED}={api.model}", *api.ways)]
    says = {
        name: msgspec.structs.replace(what, **({"shape": api.shape} | api.says.get(name, {})))
        for name in ("quota", *(way.name for way in own))
        if (what := behaviours()[name].refusal) is not None
    }
    return Ways((*items, *own), says)


def _way(item: str) -> Way:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise UsageError(f"--ways {item!r} is not NAME, NAME=VALUE, NAME@MODEL or NAME@MODEL=VALUE.")
    way = Way._make(part.strip() for part in match.groups(""))
    known = behaviours().get(way.name)
    if known is None:
        raise UsageError(f"--ways {item!r}: there is no way called {way.name!r}; {suggestion(way.name, behaviours())}")
    if known.alone and way.model:
        raise UsageError(f"--ways {item!r}: {way.name} concerns the whole server; leave @{way.model} out.")
    if not known.takes and way.value:
        raise UsageError(f"--ways {item!r}: {way.name} takes no value; leave ={way.value} out.")
    values = choices(way.name)
    if known.takes and not way.value:
        example = (*values, "16" if known.takes == "number" else "TEXT")[0]
        raise UsageError(f"--ways {item!r}: {way.name} needs a value, as in {way.name}={example}.")
    if values and way.value not in values:
        raise UsageError(f"--ways {item!r}: {way.name} knows no {way.value!r}; {suggestion(way.value, values)}")
    if known.takes == "number" and not (_FIGURE.fullmatch(way.value) and 0 < float(way.value) < math.inf):
        raise UsageError(f"--ways {item!r}: the value of {way.name} must be a number above 0.")
    return way


def refusal(asked: ParsedRequest, ways: Ways) -> WireText | None:
    """What a request is refused with, or None; the first behaviour that refuses it speaks."""
    body: Json = msgspec.json.decode(asked.raw) if ways.items else {}
    for name, _, value in ways.items:
        if name == "filter" and value.casefold() in asked.prompt.casefold():
            return _document().texts["filters"][ways.value("filter-like") or "azure"]
        where = _offence(name, value, asked, body)
        if where is not None:
            facts = {"where": where, "value": _at(body, where), "limit": value, "model": asked.model}
            return refused(name, ways, facts | {"prompt": tokens(len(asked.prompt))})
    return None


def refused(name: str, ways: Ways, facts: Mapping[str, object] = {}) -> WireText:
    """What a behaviour says where it refuses; `facts` are put into its words, and `where` says what it is about."""
    what = ways.says.get(name) or behaviours()[name].refusal
    assert what is not None
    where = str(facts.get("where", ""))
    message = Template(what.message).safe_substitute(facts)
    named = message if where.rpartition(".")[2] in message else f"{where}: {message}"
    path = [int(step) if step.isdigit() else step for step in where.split(".")] if where else []
    kind = what.code if isinstance(what.code, str) else "value_error"
    entry = {"type": kind, "loc": ("body", *path), "msg": message, "input": facts.get("value")}
    values: dict[str, object] = {
        "message": message, "type": what.type, "code": what.code, "param": where or None, "status": what.status,
        "loc": entry["loc"], "listed": _listed(entry), "named": named, "kind": kind,
    }  # fmt: skip
    encoded = {key: _encoded(value) for key, value in values.items()}
    errors = _document().texts["errors"]
    encoded["nested"] = _encoded(Template(errors["openai"].body).substitute(encoded))
    shape = errors[ways.value("errors") or what.shape]
    body = Template(shape.body).substitute(encoded, plain=named, page=html.escape(named))
    return WireText(body, shape.type, what.status)


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _listed(entry: Json) -> str:
    """Validation errors as pydantic prints them; of a message one for each kind of message, the last tells."""
    entries = [entry]
    if "messages" in entry["loc"]:
        *parents, field = entry["loc"]
        entries = [
            {"type": "literal_error", "loc": (*parents, kind, "role"), "msg": f"Input should be '{kind}'"}
            for kind in ("system", "user")
        ]
        entries.append({**entry, "loc": (*parents, "assistant", field)})
    return f"{len(entries)} validation errors:\n" + "".join(f"  {one!r}\n" for one in entries)


def _at(body: Any, where: str) -> object:
    """The value at a dotted path; None where there is none."""
    for step in filter(None, where.split(".")):
        known = dict(enumerate(body)) if isinstance(body, list) else body
        body = known.get(int(step) if step.isdigit() else step) if isinstance(known, dict) else None
    return body


def _offence(name: str, value: str, asked: ParsedRequest, body: Json) -> str | None:
    """Which part of a request a behaviour refuses, as a dotted path, "" for no part of it; None: it refuses nothing."""
    what = behaviours()[name].refusal
    if what is not None and what.sent:
        return next((parameter for parameter in what.sent if body.get(parameter) not in (None, [])), None)
    if name in _PARAMETERS:
        return _PARAMETERS[name](body, value)
    if name == "context-refuses":
        return "messages" if tokens(len(asked.prompt)) > float(value) else None
    if name == "smallest-limit":
        limits = (each for each in ("max_tokens", "max_completion_tokens") if body.get(each) is not None)
        return next((each for each in limits if body[each] < float(value)), None)
    unasked = name == "thoughts-back" and _at(body, "thinking.type") == "disabled"
    if name not in _MESSAGES or unasked:
        return None
    messages, (field, strikes) = body["messages"], _MESSAGES[name]
    first = 1 if messages[0]["role"] in ("system", "developer") else 0
    found = (number for number, message in enumerate(messages) if strikes(message, number - first))
    return next((f"messages.{number}.{field}" for number in found), None)


# What is refused of the parameters of a body. Arguments: the body, what stands after `=`.
_PARAMETERS: Mapping[str, Callable[[Json, str], str | None]] = {
    "refuses": lambda body, name: name if name in body else None,
    "efforts": lambda body, known: (
        "reasoning_effort" if body.get("reasoning_effort") not in (None, *known.split("+")) else None
    ),
    "tools-without-effort": lambda body, _: (
        "reasoning_effort" if body.get("tools") and body.get("reasoning_effort", "none") != "none" else None
    ),
    "json-word": lambda body, _: (
        "messages"
        if _at(body, "response_format.type") == "json_object" and "json" not in _encoded(body["messages"]).lower()
        else None
    ),
    "no-schema": lambda body, _: _form(body, "json_schema"),
    "no-json-object": lambda body, _: _form(body, "json_object"),
    "default-temperature": lambda body, _: "temperature" if body.get("temperature") not in (None, 1) else None,
    "quota": lambda *_: "",
}


def _form(body: Json, kind: str) -> str | None:
    return "response_format.type" if _at(body, "response_format.type") == kind else None


# What is refused of a message, and where in it. Arguments: the message, its number after the system message.
_MESSAGES: Mapping[str, tuple[str, Callable[[Json, int], bool]]] = {
    "null-content": ("content", lambda one, _: bool(one.get("tool_calls")) and one.get("content", "") is None),
    "content-required": ("content", lambda one, _: "content" not in one),
    "no-empty-content": ("content", lambda one, _: one.get("content") in ("", [])),
    "no-system": ("role", lambda one, _: one["role"] in ("system", "developer")),
    "alternate": ("role", lambda one, turn: turn >= 0 and one["role"] != ("user", "assistant")[turn % 2]),
    "signatures": (
        "tool_calls.0",
        lambda one, _: bool(one.get("tool_calls"))
        and not _at(one, "tool_calls.0.extra_content.google.thought_signature"),
    ),
    "thoughts-back": (
        "reasoning_content", lambda one, _: bool(one.get("tool_calls")) and not one.get("reasoning_content")
    ),
}  # fmt: skip


def seen(body: CompletionBody, ways: Ways) -> CompletionBody:
    """What the model gets to see of a request."""
    lost, context = ways.values("loses"), int(ways.number("context"))
    if ignored := ways.values("ignores"):
        body = msgspec.structs.replace(body, **dict.fromkeys(ignored))
    if ways.has("random"):
        body = msgspec.structs.replace(body, seed=int(wire.uniforms("seed", body.seed or 0).a * wire.SEEDS))
    if lost:
        messages = tuple(_without(lost, message) for message in body.messages)
        tools = None if "tools" in lost else body.tools
        body = msgspec.structs.replace(body, messages=messages, tools=tools)
    return _fitted(body, context * wire.CHARACTERS_PER_TOKEN) if context else body


def _without(lost: list[str], message: Message) -> Message:
    part = "results" if message.role == "tool" else message.role
    return msgspec.structs.replace(
        message,
        content="" if part in lost else message.content,
        tool_calls=() if "arguments" in lost else message.tool_calls,
    )


def _fitted(body: CompletionBody, room: int) -> CompletionBody:
    """The end of a request, so many characters of it; tool definitions come first in it."""
    kept: list[Message] = []
    for message in reversed(body.messages):
        excess = len(wire.rendered(message)) - room
        if excess > 0:
            text = (message.content or "")[excess:]
            if text or not kept:
                kept.append(msgspec.structs.replace(message, content=text, tool_calls=()))
            room = -1
            break
        kept.append(message)
        room = -excess
    tools = body.tools if len(wire.defined(body)) <= room else None
    return msgspec.structs.replace(body, messages=tuple(reversed(kept)), tools=tools)


def foreign(kind: str, text: str, model: str) -> WireText:
    """A 200 of that kind in which an answer is no chat completion."""
    said = _document().texts["bodies"][kind]
    values = {"text": _encoded(text), "model": _encoded(model), "plain": model}
    return msgspec.structs.replace(said, body=Template(said.body).substitute(values))
