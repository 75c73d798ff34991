"""Bodies of responses that are no chat completion: the error in them, or what else they are.

Errors come nested, as lists of places and messages, as JSON or Python values written into a text, as pages and as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Final, NamedTuple

from independence.clients import limits

_LENIENT = json.JSONDecoder(strict=False)
_DEEPEST = 6
_WORDS = 120  # signs of a foreign body that are quoted
_SHORT = 250  # signs of a message that is told whole
_TEXTS = ("message", "msg", "detail", "error", "errors", "error_description", "reason", "title", "raw")
_CODES = ("code", "type", "status", "param", "error_type", "limit_source", "reason", "quotaId")
# A validation error as Python prints it into a message: the place, then what is wrong there.
_PRINTED = re.compile(r"""['"]loc['"]: [(\[]([^)\]]*)[)\]],\s*['"]msg['"]: (?:'([^']*)'|"([^"]*)")""")
_NAME = re.compile(r"[\w-]+")
_NO_FAILURE: Final = frozenset(("", "0", "0.0", "200", "ok", "success", "succeeded", "none", "null", "false"))
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^<>]*>", re.IGNORECASE | re.DOTALL)


class ErrorDetails(NamedTuple):
    """The parts of an error body that decide what to do. Empty where it says nothing."""

    code: int | None = None
    message: str = ""
    error_type: str = ""
    metadata: Mapping[str, object] = {}
    availability: Mapping[str, object] = {}
    codes: str = ""  # codes, types and names of parameters, wherever they stand
    retry_delay: str = ""  # seconds, where they stand among the details, as Google has them
    places: tuple[str, ...] = ()  # of a validation error: every place with what is wrong there

    @property
    def text(self) -> str:
        """All its texts together, in lower case, for matching."""
        return f"{self.message} {text_of(self.metadata.get('raw'))} {self.codes}".lower()

    @property
    def named(self) -> str:
        """The words in which it may name a part of the request: never what was sent, which may be quoted."""
        # Of a message that fits none of the known roles every role is named, and none is meant.
        told = [place for place in self.places if not place.partition(": ")[0].endswith("role")] or self.places
        return " ".join(told) if told else self.text


def mapping(value: object) -> Mapping[str, object]:
    """A JSON object, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    """A JSON array, anything else as an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A string as it is, anything else as nothing."""
    return value if isinstance(value, str) else ""


def decode_any(body: bytes) -> object:
    """Read any JSON; None when it is none."""
    try:
        document: object = _LENIENT.decode(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return document


def is_utf8(body: bytes) -> bool:
    """Whether a body is valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def says_failure(error: object) -> bool:
    """Whether a field `error` tells of one: some servers have it in every answer, empty or with the code of success."""
    if isinstance(error, dict):
        return any(map(says_failure, error.values()))
    if isinstance(error, list):
        return any(map(says_failure, error))
    return str(error if error is not None else "").strip().lower() not in _NO_FAILURE


def error_of(body: bytes) -> ErrorDetails:
    """The error in the body of an error response. Never raises."""
    found = read_error(decode_any(body))
    if found.message:
        return found
    text = body[:20_000].decode("utf-8", "replace").strip()
    if text.startswith(("{", "[")):
        return found
    return found._replace(message=page_text(text) if text.startswith("<") else text[:400])


def read_error(document: object) -> ErrorDetails:
    """The error in a JSON body: `{"error": {...}}` or `"..."`, a bare `message` or `detail`, a list of any."""
    if isinstance(document, list) and len(document) == 1 and mapping(document[0]).get("error"):
        document = document[0]  # as Google has it
    if isinstance(document, str | list):
        document = {"message": document}
    whole = mapping(document)
    found = whole.get("error") or whole
    if not isinstance(found, dict):
        found = {"message": found}
    metadata = mapping(found.get("metadata"))
    kind = metadata.get("error_type") or found.get("error_type")
    told = list(_told(found))
    text = str(found.get("message") or found.get("detail") or found.get("msg") or "")
    places = tuple(one for one in told if ": " in one) if "loc" in text and "msg" in text else ()
    # One sentence of all. Of several places the last: those before it are of forms that were tried in vain.
    message = places[-1] if places else next(iter(told), "")
    if not places and len(told) > 1 and "provider returned error" in message.lower():  # which is followed by why
        message = f"{message}: {told[1]}"
    elif not places and len(message) > _SHORT:  # of many lines the last one says what was wrong
        lines = [line.strip() for line in message.splitlines() if line.strip()]
        message = f"{lines[0][:_WORDS]} ... {lines[-1]}"
    delays = (mapping(detail).get("retryDelay") for detail in listed(found.get("details")))
    codes = [limits.number(found.get(name)) or 0 for name in ("code", "http_status")]
    return ErrorDetails(
        code=next((int(code) for code in codes if 100 <= code < 600), None),
        message=message,
        error_type=text_of(kind),
        metadata=metadata,
        availability=mapping(found.get("availability")),
        codes=" ".join(dict.fromkeys(_codes(whole, _DEEPEST))),
        retry_delay=next((own.removesuffix("s") for own in delays if isinstance(own, str)), ""),
        places=places,
    )


def _told(value: object, depth: int = _DEEPEST) -> Iterator[str]:
    """Every message in an error, the most telling first; what is JSON within a text is read as such."""
    if isinstance(value, str) and value.strip():
        errors = _PRINTED.findall(value)
        printed = [f"{'.'.join(_NAME.findall(place))}: {said or other}" for place, said, other in errors]
        inner = decode_any(value.encode("utf-8", "replace")) if depth and value.lstrip()[:1] in ("{", "[") else None
        yield from printed or (list(_told(inner, depth - 1)) if inner else []) or [value]
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _told(item, depth - 1)
    elif isinstance(value, dict) and depth:
        if isinstance(value.get("loc"), list) and isinstance(value.get("msg"), str):
            yield f"{'.'.join(map(str, value['loc']))}: {value['msg']}"
            return
        for name in _TEXTS:
            yield from _told(value.get(name), depth - 1)
        yield from _told(mapping(value.get("metadata")).get("raw"), depth - 1)


def _codes(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str) and depth and value.lstrip()[:1] in ("{", "["):
        value = decode_any(value.encode("utf-8", "replace"))
    if isinstance(value, dict) and depth:
        for name, inner in value.items():
            if name in _CODES and isinstance(inner, str) and len(inner) <= _WORDS:
                yield inner
            elif name in ("error", "innererror", "metadata", "message", "detail", "details", "violations"):
                yield from _codes(inner, depth - 1)
    elif isinstance(value, list) and depth:
        for item in value[:_DEEPEST]:
            yield from _codes(item, depth - 1)


def page_text(page: str) -> str:
    """What a web page says first: its title, else its first words."""
    title = _TITLE.search(page)
    text = title[1] if title and title[1].strip() else _TAG.sub(" ", page)
    return " ".join(unescape(text).split())[:_WORDS]


class ForeignBody(NamedTuple):
    """What a body is that is no chat completion."""

    what: str
    fix: str = ""
    lasting: bool = False  # the server answers so whatever it is asked
    text: str = ""  # what it says, where it is a text


_ADDRESS: Final = "give the address of the chat API (it usually ends in /v1)"
# Formats of other APIs, by a key that only they have, with what they are.
_FORMATS: Final[tuple[tuple[Callable[[Mapping[str, object]], bool], str, str], ...]] = (
    (lambda b: "done" in b and ("message" in b or "response" in b), "Ollama's own format", "add /v1 to the address"),
    (lambda b: b.get("type") == "message" and "content" in b, "the format of Anthropic's Messages API", _ADDRESS),
    (lambda b: "candidates" in b, "the format of Google's own API", "add /openai to its address"),
    (lambda b: b.get("object") == "response" or "output" in b, "the format of OpenAI's Responses API", _ADDRESS),
    (lambda b: "result" in b and "success" in b, "the format of Cloudflare's own API", _ADDRESS),
    (lambda b: "generated_text" in b or "results" in b, "the format of another text API", _ADDRESS),
)


def describe(body: bytes, content_type: str = "") -> ForeignBody:
    """What a body is, with its first words. Never raises."""
    text = body[:20_000].decode("utf-8", "replace").strip()
    quoted = " ".join(text.split())[:_WORDS]
    if not text:
        return ForeignBody("an answer without a body")
    if text.startswith("<"):
        said = page_text(text)
        return ForeignBody(f"a web page instead of a chat completion: {said}", _ADDRESS, text=said)
    if text.startswith(("data:", "event:")) or ("event-stream" in content_type and not text.startswith(("{", "["))):
        if '"choices"' not in text:
            return ForeignBody(f"an event stream of another format than chat: {quoted}", _ADDRESS, lasting=True)
        return ForeignBody(
            f"an event stream, which was not asked for: {quoted}", "turn streaming off at the server", lasting=True
        )
    document = decode_any(body)
    if isinstance(document, list):
        document = document[0] if document else None
    if isinstance(document, dict):
        return _of_object(document, quoted)
    first = decode_any(text.partition("\n")[0].encode())
    if isinstance(first, dict):  # an object a line
        return _of_object(first, quoted)
    if text.startswith(("{", "[")):
        return ForeignBody(f"JSON that is cut off or broken instead of a chat completion: {quoted}")
    return ForeignBody(f"text instead of a chat completion: {quoted}", text=text[:400])


def _of_object(document: Mapping[str, object], quoted: str) -> ForeignBody:
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and "text" in first and "message" not in first:
        what = "the format of text completions, not of chat"
        return ForeignBody(f"{what}: {quoted}", _ADDRESS, lasting=True)
    for fits, what, fix in _FORMATS:
        if fits(document):
            return ForeignBody(f"{what} instead of a chat completion: {quoted}", fix, lasting=True)
    return ForeignBody(f"JSON that is no chat completion: {quoted}")
