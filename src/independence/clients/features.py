"""Parts of a request that servers take in different forms, and which form each model of an endpoint takes.

A request is written in the first form of everything. Where a server refuses it and names a feature, the next form is
tried, and remembered for that model. What a form changes is transport: it is marked on replies, and in no key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from independence.errors import UsageError, suggestion
from independence.types import Message

if TYPE_CHECKING:  # boards name forms, and load no HTTP client
    from independence.clients.failures import Failure

_NOT_OF_FORM: Final = frozenset({401, 402, 403, 413, 451})  # statuses that say that something else is refused
EFFORT_REFUSED: Final = "effort_refused"
UNSTREAMED: Final = "stream_refused"
Body = dict[str, Any]  # of a chat request, messages as `types.Message` or as JSON objects
Choices = Mapping[str, str]  # feature -> name of the form that is used; those that are left out have their first one

# What Google documents for tool calls that no model made: its check of signatures lets this one pass.
UNSIGNED: Final = {"google": {"thought_signature": "skip_thought_signature_validator"}}


class Form(NamedTuple):
    """One way to write a feature."""

    name: str  # unique among all forms; every form but the first is a mark on replies
    write: Callable[[Body], None] | None = None  # changes a body that is written in the first form; None: the first
    told: str = ""  # what is said once where it is used


class Feature(NamedTuple):
    """A part of a request, its forms in the order in which they are tried, and how a refusal names it."""

    name: str
    is_in: Callable[[Body], bool]  # whether a body in the first form has it
    words: re.Pattern[str]
    forms: tuple[Form, ...]
    fix: str = ""  # of one that is never changed, as that would change what is measured: what the user can do


def _leave_out(*names: str) -> Callable[[Body], None]:
    def write(body: Body) -> None:
        for name in names:
            body.pop(name, None)

    return write


def _renamed_limit(body: Body) -> None:
    body["max_completion_tokens"] = body.pop("max_tokens")


def _content(body: Body, write: Callable[[dict[str, Any]], None]) -> None:
    """Change tool calls without content."""
    out = []
    for message in body["messages"]:
        plain = msgspec.to_builtins(message)
        if plain.get("tool_calls") and plain.get("content") is None:
            write(plain)
        out.append(plain)
    body["messages"] = out


def _has_bare_calls(body: Body) -> bool:
    return any(m.tool_calls and m.content is None for m in body["messages"])


def _has_system(body: Body) -> bool:
    return bool(body["messages"]) and body["messages"][0].role == "system"


def _joined_system(body: Body) -> None:
    """Put the system messages before the first human turn, as its beginning."""
    messages: list[Message] = body["messages"]
    system = [m.content or "" for m in messages if m.role == "system"]
    rest = [m for m in messages if m.role != "system"]
    first = next((at for at, m in enumerate(rest) if m.role == "user"), None)
    if first is None:
        rest.insert(0, Message("user", "\n\n".join(system)))
    else:
        rest[first] = msgspec.structs.replace(rest[first], content="\n\n".join([*system, rest[first].content or ""]))
    body["messages"] = rest


def _signed(body: Body) -> None:
    """Give every replayed tool call that has no signature the one that says so."""
    body["messages"] = [
        msgspec.structs.replace(
            m,
            tool_calls=tuple(
                call if call.extra_content else msgspec.structs.replace(call, extra_content=UNSIGNED)
                for call in m.tool_calls
            ),
        )
        for m in body["messages"]
    ]


def _json_object(body: Body) -> None:
    body["response_format"] = {"type": "json_object"}
    _any_provider(body)


def _without_schema(body: Body) -> None:
    del body["response_format"]
    _any_provider(body)


def _any_provider(body: Body) -> None:
    """A router need not look for a host that takes the schema any more."""
    kept = {name: value for name, value in body.get("provider", {}).items() if name != "require_parameters"}
    body.pop("provider", None)
    if kept:
        body["provider"] = kept


def _other_effort(body: Body) -> None:
    if "reasoning_effort" in body:
        body["reasoning"] = {"effort": body.pop("reasoning_effort")}
    else:
        body["reasoning_effort"] = body.pop("reasoning")["effort"]


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _optional(name: str, words: str, first: str, without: str, told: str, *also: str) -> Feature:
    """A field that is left out where it is refused, and with it what makes no sense then."""
    left_out = Form(without, _leave_out(name, *also), told)
    return Feature(name, lambda body: name in body, _words(words), (Form(first), left_out))


# In the order in which they are written, as one may turn messages into plain objects, and tried where none is named.
FEATURES: Final[tuple[Feature, ...]] = (
    Feature(
        "signatures",
        lambda body: any(m.tool_calls for m in body["messages"]),
        _words(r"thought_?signature"),
        (
            Form("unsigned"),
            Form("signature_placeholder", _signed, "tool calls not made by a model have a placeholder signature"),
        ),
    ),
    Feature(
        "system",
        _has_system,
        _words(r"system (?:role|message|prompt|instruction)|role.{0,40}\bsystem\b|got system|developer instruction"),
        (
            Form("own_message"),
            Form("system_joined", _joined_system, "the system prompt is joined to the first user message"),
        ),
    ),
    Feature(
        "content",
        _has_bare_calls,
        _words(
            r"['\"`.\]]content\b|\bcontent['\"`]|\Acontent|content (?:field|type|block|must|should|cannot|is |may)|"
            r"(?:either|without) content|NoneType|<nil>|\bnull\b"
        ),
        (
            Form("null"),
            Form(
                "content_empty",
                lambda body: _content(body, lambda m: m.update(content="")),
                'content with tool calls is sent as ""',
            ),
            Form(
                "content_omitted",
                lambda body: _content(body, lambda m: m.pop("content")),
                "content with tool calls is left out",
            ),
        ),
    ),
    Feature(
        "token limit",
        lambda body: "max_tokens" in body,
        _words(r"max_tokens|max_completion_tokens"),
        (
            Form("max_tokens"),
            Form("max_completion_tokens", _renamed_limit, "the token limit is sent as max_completion_tokens"),
        ),
    ),
    Feature(
        "response_format",
        lambda body: "response_format" in body,
        _words(r"response_?format|json_?schema|json_object|structured.?output|grammar|guided|sampler|\bschemas?\b"),
        (
            Form("json_schema"),
            Form("json_object", _json_object, "verdicts are requested as a JSON object without a schema"),
            Form("schema_refused", _without_schema, "verdicts are requested without a JSON schema"),
        ),
    ),
    Feature(
        "effort",
        lambda body: "reasoning_effort" in body or "reasoning" in body,
        _words(r"reasoning|effort|thinking"),
        (
            Form("effort"),
            Form("effort_renamed", _other_effort, "the reasoning effort is sent under the other field name"),
            Form(EFFORT_REFUSED, _leave_out("reasoning_effort", "reasoning"), "no reasoning effort is sent"),
        ),
    ),
    _optional("seed", r"\bseed\b", "seed", "seed_refused", "no seed is sent"),
    _optional(
        "parallel_tool_calls", r"parallel_tool_calls|parallel tool", "parallel_tool_calls", "parallel_refused",
        "parallel_tool_calls is not sent",
    ),
    _optional(
        "cache", r"\bcache\b", "cache", "cache_refused", "the request not to use the gateway's cache is left out"
    ),
    _optional(
        "stream_options", r"stream_?options|include_?usage", "usage_streamed", "usage_refused",
        "token counts are not requested, so they are estimated",
    ),
    _optional(
        "stream", r"\bstream(?:ed|ing|s)?\b", "streamed", UNSTREAMED, "answers are requested whole, not streamed",
        "stream_options",
    ),
    Feature(
        "temperature",
        lambda body: "temperature" in body,
        _words(r"temperature"),
        (Form("temperature"),),
        fix="the model rejects this value: add `- {{model_id: {model}, temperature_supported: false}}` under "
        "`models:` in models.yaml",
    ),
)  # fmt: skip
MARKS: Final = tuple(form.name for feature in FEATURES for form in feature.forms[1:])  # on replies
_BY_NAME: Final = {feature.name: feature for feature in FEATURES}
_FORMS: Final = {form.name: form for feature in FEATURES for form in feature.forms}


def form(feature: str, name: str) -> Form:
    """A form of a feature. Raises UsageError where there is none of that name, with one that may be meant."""
    known = _BY_NAME.get(feature)
    if known is None:
        raise UsageError(f"there is no feature `{feature}`", suggestion(feature, _BY_NAME))
    forms = {one.name: one for one in known.forms}
    if name not in forms:
        raise UsageError(f"feature `{feature}` has no form `{name}`", suggestion(name, forms))
    return forms[name]


def is_other(feature: str, name: str) -> bool:
    """Whether a form is another than the first of its feature."""
    return name != _BY_NAME[feature].forms[0].name


def add(body: Body, extra: str) -> None:
    """Put the members of a JSON object into a body; what the body has of its own stays."""
    for name, value in msgspec.json.decode(extra).items():
        own = body.get(name)
        body[name] = value | own if isinstance(own, dict) and isinstance(value, dict) else value if own is None else own


def apply(body: Body, choices: Choices) -> None:
    """Rewrite a body of first forms in the forms that were chosen."""
    for feature in FEATURES:
        write = _FORMS[choices[feature.name]].write if feature.name in choices else None
        if write is not None and feature.is_in(body):
            write(body)


def told(name: str) -> str:
    """What is said of a form."""
    return _FORMS[name].told


def used(body: Body, choices: Choices) -> tuple[str, ...]:
    """The forms other than the first in which a body, given in first forms, is sent: marks on its reply."""
    return tuple(name for feature, name in choices.items() if _BY_NAME[feature].is_in(body))


def named(failure: Failure, body: Body) -> list[Feature]:
    """The features of a body that a refusal names, in its order; none where it is about something else."""
    definite = (failure.scope == "model" and failure.lasting) or failure.repeats
    if not definite or failure.reason is not None or failure.status < 400 or failure.status in _NOT_OF_FORM:
        return []
    found = [(match.start(), feature) for feature in FEATURES if (match := feature.words.search(failure.named))]
    return [feature for _, feature in sorted(found, key=lambda one: one[0]) if feature.is_in(body)]


def following(feature: Feature, choices: Choices) -> Form | None:
    """The form after the one in use; None where there is none left."""
    names = [form.name for form in feature.forms]
    at = names.index(choices.get(feature.name, names[0])) + 1
    return feature.forms[at] if at < len(names) else None


def candidates(body: Body) -> list[Feature]:
    """What may be wrong with a body where a refusal names nothing, what matters least first."""
    return [feature for feature in reversed(FEATURES) if len(feature.forms) > 1 and feature.is_in(body)]
